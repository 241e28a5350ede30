package rm

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/validation/rmtest"
)

// nowAnswers are a ResourceManager's with two applications under way, one of which
// ends while it is asked, in the forms in which the web services write lists.
func nowAnswers(w http.ResponseWriter, r *http.Request) bool {
	const app = "/ws/v1/cluster/apps/application_1_0900"
	answers := map[string]string{
		app + "/appattempts": `{"appAttempts":{"appAttempt":[{"id":1},{"id":2}]}}`,
		app + "/appattempts/appattempt_1_0900_000002/containers":                       `{"containers":{"container":{"containerId":"container_1_0900_02_000001","allocatedMB":"512","allocatedVCores":1}}}`,
		"/proxy/application_1_0900/ws/v1/mapreduce/jobs/job_1_0900":                    `{"job":{"mapsTotal":4}}`,
		"/proxy/application_1_0900/ws/v1/mapreduce/jobs/job_1_0900/tasks":              `{"tasks":{"task":[{"type":"MAP","state":"RUNNING","startTime":5}]}}`,
		"/proxy/application_1_0900/ws/v1/mapreduce/jobs/job_1_0900/conf":               `{"conf":{"property":[{"name":"mapreduce.map.memory.mb","value":"512"},{"name":"mapreduce.reduce.memory.mb","value":768},{"name":"secret","value":"hunter22"}]}}`,
		"/ws/v1/cluster/apps?states=NEW%2CNEW_SAVING%2CSUBMITTED%2CACCEPTED%2CRUNNING": `{"apps":{"app":[{"id":"application_1_0900","state":"RUNNING","applicationType":"MAPREDUCE"},{"id":"application_1_0901","state":"ACCEPTED"},{"id":"application_1_0902","state":"FINISHED"}]}}`,
	}
	key := r.URL.Path
	if r.URL.RawQuery != "" && strings.HasPrefix(r.URL.RawQuery, "states=") {
		key += "?" + r.URL.RawQuery
	}
	a, ok := answers[key]
	if ok {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, a)
	}
	return ok
}

func TestPullNow(t *testing.T) {
	f := rmtest.New(2)
	f.Hook = nowAnswers
	s := f.Serve(t)
	dir := folder(t.TempDir())
	sum, err := Pull(context.Background(), quick(t, s.URL, nil), nil, dir, window())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		FileNowApps:       `"application_1_0901"`,
		FileNowContainers: `{"application_1_0900":[{"containerId":"container_1_0900_02_000001","allocatedMB":"512","allocatedVCores":1}],"application_1_0901":null}`,
		FileNowMasters:    `"mapreduce.map.memory.mb":"512","mapreduce.reduce.memory.mb":"768"`,
	} {
		data, err := os.ReadFile(filepath.Join(string(dir), name))
		if err != nil || !strings.Contains(string(data), want) || strings.Contains(string(data), "0902") {
			t.Errorf("%s: %v %s, want %s; notes %v", name, err, data, want, sum.Notes)
		}
	}
	noSecret(t, string(dir), "hunter22")
}

// A ResourceManager that does not tell leaves the pull without it, with a note.
func TestPullWithoutNow(t *testing.T) {
	f := rmtest.New(1)
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/appattempts") {
			http.Error(w, "no", http.StatusForbidden)
			return true
		}
		return nowAnswers(w, r)
	}
	s := f.Serve(t)
	dir := folder(t.TempDir())
	sum, err := Pull(context.Background(), quick(t, s.URL, nil), nil, dir, window())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(string(dir), FileNowApps)); err == nil ||
		!strings.Contains(strings.Join(sum.Notes, "\n"), "running containers are not known") {
		t.Errorf("%v %q", err, sum.Notes)
	}
}

// What the driver of a running Spark application tells, through the proxy: its stages
// with the tasks that run and those that are over.
func TestPullNowDriver(t *testing.T) {
	const id = "application_1_0900"
	const app, api = "/ws/v1/cluster/apps/" + id, "/proxy/" + id + sparkAPI + "/" + id
	answers := map[string]string{
		"/ws/v1/cluster/apps": `{"apps":{"app":[{"id":"` + id + `","state":"RUNNING","applicationType":"SPARK"}]}}`,
		app + "/appattempts":  `{"appAttempts":{"appAttempt":[{"id":1}]}}`,
		app + "/appattempts/appattempt_1_0900_000001/containers": `{"containers":{"container":{"containerId":"container_1_0900_01_000001","allocatedMB":"512","allocatedVCores":1}}}`,
		api + "/environment":         `{"sparkProperties":[["spark.task.cpus","1"],["spark.secret","hunter22"]]}`,
		api + "/allexecutors":        `[{"id":"1","totalCores":2,"addTime":"2026-01-01T00:00:00.000GMT"}]`,
		api + "/jobs":                `[{"jobId":0,"status":"RUNNING","submissionTime":"2026-01-01T00:00:01.000GMT","stageIds":[0]}]`,
		api + "/stages":              `[{"stageId":0,"attemptId":0,"status":"ACTIVE","numTasks":3,"submissionTime":"2026-01-01T00:00:01.000GMT"}]`,
		api + "/stages/0/0/taskList": `[{"taskId":0,"index":0,"status":"SUCCESS","launchTime":"2026-01-01T00:00:02.000GMT","duration":5000,"executorId":"1"},{"taskId":1,"index":1,"status":"RUNNING","launchTime":"2026-01-01T00:00:07.000GMT","duration":1,"executorId":"1"}]`,
	}
	f := rmtest.New(1)
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		a, ok := answers[r.URL.Path]
		if r.URL.Path == "/ws/v1/cluster/apps" && !strings.HasPrefix(r.URL.RawQuery, "states=NEW") {
			ok = false
		}
		if ok {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, a)
		}
		return ok
	}
	s := f.Serve(t)
	dir := folder(t.TempDir())
	sum, err := Pull(context.Background(), quick(t, s.URL, nil), nil, dir, window())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(string(dir), FileNowDrivers))
	const want = `{"application_1_0900":{"slots":[2],"stages":[{"id":0,"tasks":3,"begun":true,"over":false,"running":[1767225607000],"took":[5000]}],"jobs":1,"jobsOver":0,"lastEnd":-1}}`
	if err != nil || strings.TrimSpace(string(data)) != want {
		t.Errorf("%v %s, want %s; notes %v", err, data, want, sum.Notes)
	}
	noSecret(t, string(dir), "hunter22")
}

// Containers are asked for before any master, so that slow masters do not draw the
// instants apart at which applications are looked at; the list itself tells which attempt
// runs (by its master's container, with the epoch that a restarted ResourceManager puts
// into ids) and that one that waits has no container.
func TestPullNowOrder(t *testing.T) {
	const list = `{"apps":{"app":[{"id":"application_1_0900","state":"RUNNING","applicationType":"MAPREDUCE","runningContainers":2,"amContainerLogs":"http://n:1/node/containerlogs/container_1_0900_02_000001/u"},
 {"id":"application_1_0901","state":"ACCEPTED","runningContainers":0},
 {"id":"application_1_0903","state":"RUNNING","applicationType":"MAPREDUCE","runningContainers":2,"amContainerLogs":"http://n:1/node/containerlogs/container_e17_1_0903_03_000001/u"}]}}`
	var asked []string
	f := rmtest.New(1)
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		app, ok := strings.CutPrefix(r.URL.Path, "/ws/v1/cluster/apps/")
		if !ok {
			app, ok = strings.CutPrefix(r.URL.Path, "/proxy/")
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case ok:
			asked = append(asked, app)
			fmt.Fprint(w, `{"containers":{"container":[]},"job":{},"tasks":{"task":[]},"conf":{"property":[]}}`)
		case strings.HasPrefix(r.URL.RawQuery, "states=NEW"):
			fmt.Fprint(w, list)
		default:
			return false
		}
		return true
	}
	s := f.Serve(t)
	dir := folder(t.TempDir())
	if _, err := Pull(context.Background(), quick(t, s.URL, nil), nil, dir, window()); err != nil {
		t.Fatal(err)
	}
	const one, three = "application_1_0900", "application_1_0903"
	want := []string{one + "/appattempts/appattempt_1_0900_000002/containers",
		three + "/appattempts/appattempt_1_0903_000003/containers",
		one + "/ws/v1/mapreduce/jobs/job_1_0900", one + "/ws/v1/mapreduce/jobs/job_1_0900/tasks",
		one + "/ws/v1/mapreduce/jobs/job_1_0900/conf",
		three + "/ws/v1/mapreduce/jobs/job_1_0903", three + "/ws/v1/mapreduce/jobs/job_1_0903/tasks",
		three + "/ws/v1/mapreduce/jobs/job_1_0903/conf"}
	if strings.Join(asked, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(asked, "\n"), strings.Join(want, "\n"))
	}
	data, err := os.ReadFile(filepath.Join(string(dir), FileNowContainers))
	if err != nil || !strings.Contains(string(data), `"application_1_0901":[]`) {
		t.Errorf("%s, %v", data, err)
	}
}
