package sparklog

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Answers of a history server about an application of two jobs: a map stage and
// one that reads it, then one stage of a second resource profile, of which a task
// failed and ran again; the first stage of the second job was skipped.
var restAnswers = map[string]string{
	"environment": `{"runtime":{},"sparkProperties":[["spark.master","yarn"],["spark.executor.memory","2g"],["spark.ssl.keyPassword","hunter22"]],
		"resourceProfiles":[{"id":0,"executorResources":{"cores":{"amount":2},"memory":{"amount":2048}},"taskResources":{"cpus":{"amount":1.0}}},
		{"id":1,"executorResources":{"cores":{"amount":4},"memory":{"amount":4096},"gpu":{"amount":2}},"taskResources":{"cpus":{"amount":1.0},"gpu":{"amount":1.0}}}]}`,
	"executors": `[{"id":"driver","hostPort":"h0:4040","addTime":"2023-11-14T22:13:20.000GMT"},
		{"id":"1","hostPort":"h1:7000","totalCores":2,"addTime":"2023-11-14T22:13:25.000GMT","resourceProfileId":0},
		{"id":"2","hostPort":"h2:7000","totalCores":4,"addTime":"2023-11-14T22:13:35.000GMT","removeTime":"2023-11-14T22:13:50.000GMT","removeReason":"Executor killed by driver.","resourceProfileId":1}]`,
	"jobs": `[{"jobId":1,"submissionTime":"2023-11-14T22:13:34.000GMT","completionTime":"2023-11-14T22:13:40.000GMT","stageIds":[2,3],"status":"SUCCEEDED"},
		{"jobId":0,"submissionTime":"2023-11-14T22:13:26.000GMT","completionTime":"2023-11-14T22:13:33.000GMT","stageIds":[1,0],"status":"SUCCEEDED","jobGroup":"g"}]`,
	"stages": `[{"status":"COMPLETE","stageId":3,"attemptId":0,"numTasks":1,"submissionTime":"2023-11-14T22:13:34.010GMT","completionTime":"2023-11-14T22:13:40.000GMT","rddIds":[7],"resourceProfileId":1},
		{"status":"SKIPPED","stageId":2,"attemptId":0,"numTasks":2,"rddIds":[5]},
		{"status":"COMPLETE","stageId":1,"attemptId":0,"numTasks":1,"submissionTime":"2023-11-14T22:13:30.010GMT","completionTime":"2023-11-14T22:13:33.000GMT","rddIds":[6,5]},
		{"status":"COMPLETE","stageId":0,"attemptId":0,"numTasks":2,"submissionTime":"2023-11-14T22:13:26.010GMT","completionTime":"2023-11-14T22:13:30.000GMT","rddIds":[5],"shuffleWriteBytes":100}]`,
	"tasks 0": `[{"taskId":0,"index":0,"attempt":0,"launchTime":"2023-11-14T22:13:26.020GMT","duration":3000,"executorId":"1","status":"SUCCESS","taskLocality":"NODE_LOCAL","taskMetrics":{"executorRunTime":2900,"inputMetrics":{"bytesRead":7},"shuffleWriteMetrics":{"bytesWritten":50}}},
		{"taskId":1,"index":1,"attempt":0,"launchTime":"2023-11-14T22:13:26.020GMT","duration":3980,"executorId":"1","status":"SUCCESS","taskLocality":"ANY","taskMetrics":{"executorRunTime":3900,"shuffleWriteMetrics":{"bytesWritten":50}}}]`,
	"tasks 1": `[{"taskId":2,"index":0,"attempt":0,"launchTime":"2023-11-14T22:13:30.020GMT","duration":2900,"executorId":"1","status":"SUCCESS","taskMetrics":{"executorRunTime":2800,"shuffleReadMetrics":{"remoteBytesRead":10,"localBytesRead":90}}}]`,
	"tasks 2": `[{"taskId":3,"index":0,"attempt":0,"launchTime":"2023-11-14T22:13:35.020GMT","duration":1000,"executorId":"2","status":"FAILED","errorMessage":"FetchFailed(null, shuffleId=0)"},
		{"taskId":4,"index":0,"attempt":1,"launchTime":"2023-11-14T22:13:36.020GMT","duration":3900,"executorId":"2","status":"SUCCESS","taskMetrics":{"executorRunTime":3800}}]`,
}

func readREST(answers map[string]string) (*App, error) {
	r := NewREST("application_1_0001", "x", RESTAttempt{ID: "1", Start: 1700000000000, End: 1700000060000, User: "ann",
		Version: "3.5.5"})
	for _, k := range []struct {
		name string
		take func([]byte) error
	}{{"environment", r.Environment}, {"executors", r.Executors}, {"jobs", r.Jobs}} {
		if err := k.take([]byte(answers[k.name])); err != nil {
			return nil, err
		}
	}
	stages, err := r.Stages([]byte(answers["stages"]))
	if err != nil {
		return nil, err
	}
	for i := range stages {
		if _, err := r.Tasks(i, []byte(answers["tasks "+string(rune('0'+i%10))])); err != nil {
			return nil, err
		}
	}
	return r.App(), nil
}

// TestREST: the application of the answers is as it ran, without settings that
// do not matter, and the same when it is written as an event log and read again.
func TestREST(t *testing.T) {
	app, err := readREST(restAnswers)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if err := app.Write(&log); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), "hunter22") {
		t.Error("a secret is in the log")
	}
	r := NewReader()
	if err := r.Read(&log, "log"); err != nil {
		t.Fatal(err)
	}
	for i, a := range []*App{app, r.App()} {
		if len(a.Jobs) != 2 || len(a.Stages) != 3 || len(a.Skipped) != 1 || len(a.Executors) != 2 ||
			a.Conf["spark.executor.memory"] != "2g" {
			t.Fatalf("%d: %d jobs, %d stages, %d skipped, %d executors, %v", i, len(a.Jobs), len(a.Stages), len(a.Skipped),
				len(a.Executors), a.Conf)
		}
		if !slices.Equal(a.Stages[1].Parents, []int32{0}) || len(a.Stages[0].Parents) != 0 || len(a.Stages[2].Parents) != 0 {
			t.Errorf("%d: parents %v %v %v", i, a.Stages[0].Parents, a.Stages[1].Parents, a.Stages[2].Parents)
		}
		first, last := a.Stages[0].Attempts, a.Stages[2].Attempts
		if len(first) != 2 || first[0].Span() != 3000 || first[0].ShuffleWrite != 50 || len(last) != 2 ||
			last[0].Reason != FetchFailed || a.Stages[2].Profile != 1 {
			t.Errorf("%d: tasks %+v %+v", i, first, last)
		}
		if e := a.Executors[1]; e.End != Killed || e.Removed-e.Added != 15000 || e.Profile != 1 {
			t.Errorf("%d: executor %+v", i, e)
		}
		if len(a.Profiles) != 2 || a.Profiles[1].Cores != 4 || a.Profiles[1].Memory != 4096 ||
			a.Profiles[1].TasksByOther != 2 {
			t.Errorf("%d: profiles %+v", i, a.Profiles)
		}
	}
}

// TestRESTFaults: answers that cannot be of a history server are errors.
func TestRESTFaults(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"jobs", `{}`, "cannot unmarshal"},
		{"executors", `[{"id":"../x"}]`, "must be a number"},
		{"stages", `[{"stageId":0,"numTasks":-1}]`, "must be 0 or more"},
		{"tasks 0", `[{"index":-4,"executorId":"1"}]`, "must be 0 or more"},
		{"tasks 0", `[{"index":0,"executorId":"x"}]`, "on the number of an executor"},
		{"stages", "[" + strings.Repeat(`{},`, mostStages) + "{}]", "must be at most"},
	} {
		answers := map[string]string{}
		maps.Copy(answers, restAnswers)
		answers[c.name] = c.answer
		if _, err := readREST(answers); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40s: %v", c.name, c.answer, err)
		}
	}
}

// FuzzREST: whatever a server answers, an application that can be written and
// read comes of it, or an error.
func FuzzREST(f *testing.F) {
	f.Add(restAnswers["environment"], restAnswers["executors"], restAnswers["jobs"], restAnswers["stages"],
		restAnswers["tasks 0"])
	f.Add("{}", "[]", "[]", `[{"stageId":1,"numTasks":3,"submissionTime":"2023-11-14T22:13:26.010GMT"}]`,
		`[{"index":2000000000,"executorId":"7"}]`)
	f.Fuzz(func(t *testing.T, environment, executors, jobs, stages, tasks string) {
		app, err := readREST(map[string]string{"environment": environment, "executors": executors, "jobs": jobs,
			"stages": stages, "tasks 0": tasks, "tasks 1": tasks, "tasks 2": "[]"})
		if err != nil {
			return
		}
		var log bytes.Buffer
		if err := app.Write(&log); err != nil {
			t.Fatal(err)
		}
		r := NewReader()
		if err := r.Read(&log, "log"); err != nil {
			t.Fatal(err)
		}
		r.App()
	})
}
