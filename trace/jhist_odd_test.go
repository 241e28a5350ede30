package trace

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/simcore"
)

// line is an event of a history.
func historyLine(kind, record, fields string) string {
	return `{"type":"` + kind + `","event":{"org.apache.hadoop.mapreduce.jobhistory.` + record + `":{` + fields + "}}}\n"
}

// shortHistory is the history of a job of one map, from 3 to 9 s, with the events given.
func shortHistory(inited string, events ...string) string {
	return "Avro-Json\n{}\n" +
		historyLine("AM_STARTED", "AMStarted",
			`"applicationAttemptId":"appattempt_1_0008_000001","startTime":1000,"containerId":"container_1_0008_01_000001","nodeManagerHost":"n9"`) +
		historyLine("JOB_SUBMITTED", "JobSubmitted",
			`"jobid":"job_1_0008","jobName":"j","userName":"u","submitTime":500,"jobQueueName":"q"`) +
		historyLine("JOB_INITED", "JobInited",
			`"jobid":"job_1_0008","launchTime":1500,"totalMaps":1,"totalReduces":0,"jobStatus":"INITED"`+inited) +
		historyLine("TASK_STARTED", "TaskStarted",
			`"taskid":"task_1_0008_m_000000","taskType":"MAP","startTime":2000,"splitLocations":""`) +
		historyLine("MAP_ATTEMPT_STARTED", "TaskAttemptStarted",
			`"taskid":"task_1_0008_m_000000","attemptId":"attempt_1_0008_m_000000_0","startTime":3000,"trackerName":"n1","containerId":"container_1_0008_01_000001"`) +
		historyLine("MAP_ATTEMPT_FINISHED", "MapAttemptFinished",
			`"taskid":"task_1_0008_m_000000","attemptId":"attempt_1_0008_m_000000_0","finishTime":9000,"hostname":"n1","counters":{"name":"C","groups":[{"name":"g","counts":[{"name":"HDFS_BYTES_READ","value":100},{"name":"HDFS_BYTES_WRITTEN","value":0},{"name":"BYTES_READ","value":4096},{"name":"BYTES_WRITTEN","value":2048}]}]}`) +
		strings.Join(events, "") +
		historyLine("JOB_FINISHED", "JobFinished", `"jobid":"job_1_0008","finishTime":31000`)
}

func readHistory(t *testing.T, text string) *Trace {
	t.Helper()
	tr, err := Read(strings.NewReader(text), "h.jhist", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// said finds a note that begins so, and how often it counts.
func said(list []Note, text string) int {
	for _, n := range list {
		if strings.HasPrefix(n.Text, text) {
			return n.Count
		}
	}
	return 0
}

// A job that ran in its master's container says so, and holds that container alone: 29.5 s
// of it, from its launch to its end.
func TestUberJob(t *testing.T) {
	tr := readHistory(t, shortHistory(`,"uberized":true`))
	if said(tr.Notes, "jobs that ran in the container of their master") != 1 {
		t.Errorf("notes %v", tr.Notes)
	}
	tr.Jobs[0].AMSize = Size{1024, 1}
	list, lost := tr.Jobs[0].Holdings()
	if len(list) != 1 || !list[0].Master || list[0].To-list[0].From != 29_500 {
		t.Errorf("%d lost, holdings %+v", lost, list)
	}
	if plain := readHistory(t, shortHistory(`,"uberized":false`)); said(plain.Notes, "jobs that ran in") != 0 {
		t.Errorf("notes %v", plain.Notes)
	}
	rest, err := Read(
		strings.NewReader(
			`{"job":{"id":"job_1_0001","user":"u","queue":"q","state":"SUCCEEDED","submitTime":1000,"startTime":1500,"finishTime":20000,"mapsTotal":1,"reducesTotal":0,"avgMapTime":5000,"uberized":true}}`), "job", Options{})
	if err != nil || said(rest.Notes, "jobs that ran in the container of their master") != 1 {
		t.Errorf("%v, notes %v", err, rest.Notes)
	}
}

// Data in a file system other than HDFS is counted by the formats alone.
func TestBytesOutsideHDFS(t *testing.T) {
	j := &readHistory(t, shortHistory("")).Jobs[0]
	if j.InputBytes != 4096 || j.OutputBytes != 2048 {
		t.Errorf("%d and %d bytes, want 4096 and 2048", j.InputBytes, j.OutputBytes)
	}
}

// A map whose output was lost after it had ended is an attempt that failed or was killed,
// whose container ended when the map did.
func TestOutputLost(t *testing.T) {
	tr := readHistory(t, shortHistory("", historyLine("MAP_ATTEMPT_KILLED", "TaskAttemptUnsuccessfulCompletion",
		`"taskid":"task_1_0008_m_000000","attemptId":"attempt_1_0008_m_000000_0","finishTime":30000,"hostname":"n1","status":"KILLED"`)))
	for _, task := range tr.Jobs[0].Tasks {
		if a := &task.Attempts[0]; task.Kind == Map && (a.Finish != 9000 || a.Result != Killed) {
			t.Errorf("%+v", *a)
		}
	}
}

// A change of priority to NORMAL is one to 3, and comes after what the configuration says.
func TestPriorityBackToNormal(t *testing.T) {
	tr := readHistory(t, shortHistory("", historyLine("JOB_PRIORITY_CHANGED", "JobPriorityChange",
		`"jobid":"job_1_0008","priority":"NORMAL"`)))
	p := jobConf{"mapreduce.job.priority": "VERY_HIGH"}
	p.apply(&tr.Jobs[0])
	if j := &tr.Jobs[0]; j.Priority != 3 || !j.PrioritySet {
		t.Errorf("priority %d, %v", j.Priority, j.PrioritySet)
	}
}

// Sizes as resource types (Hadoop 3) go before the older names; amounts may have units,
// the memory's MiB without. Limits on running tasks are noted.
func TestSizesOfResourceTypes(t *testing.T) {
	for _, c := range []struct {
		conf        string
		maps, am    Size
		limitsNoted int
	}{
		{"mapreduce.map.memory.mb=1024 mapreduce.map.resource.memory-mb=2048 yarn.app.mapreduce.am.resource.mb=1536 " +
			"yarn.app.mapreduce.am.resource.memory-mb=3_Gi", Size{MiB: 2048}, Size{MiB: 3072}, 0},
		{"mapreduce.map.resource.memory=4Gi mapreduce.map.cpu.vcores=1 mapreduce.map.resource.vcores=2 " +
			"yarn.app.mapreduce.am.resource.memory=2048Mi", Size{4096, 2}, Size{MiB: 2048}, 0},
		{"mapreduce.map.memory.mb=-1 mapreduce.map.resource.memory-mb=2x yarn.app.mapreduce.am.resource.cpu-vcores=3",
			Size{}, Size{VCores: 3}, 0},
		{"mapreduce.job.running.map.limit=20 mapreduce.job.running.reduce.limit=0", Size{}, Size{}, 1},
	} {
		conf := "<configuration>"
		for _, p := range strings.Fields(c.conf) {
			name, value, _ := strings.Cut(p, "=")
			conf += "<property><name>" + name + "</name><value>" + strings.ReplaceAll(value, "_", " ") + "</value></property>"
		}
		dir := folderOf(t, map[string][]string{"h.jhist": {shortHistory("")},
			"job_1_0008_conf.xml": {conf + "</configuration>"}})
		for _, path := range []string{dir, filepath.Join(dir, "h.jhist")} {
			tr := openT(t, path)
			if j := &tr.Jobs[0]; j.MapSize != c.maps || j.AMSize != c.am ||
				said(tr.Notes, "limits on the tasks") != c.limitsNoted {
				t.Errorf("%s: maps %v, master %v, notes %v", c.conf, j.MapSize, j.AMSize, tr.Notes)
			}
		}
	}
}

// The load simulator's jobs have the node label of the whole job, and keep it.
func TestLabelOfLoadSimulator(t *testing.T) {
	tr := readHistory(t, shortHistory(""))
	tr.Jobs[0].setLabels(simcore.JobLabels{App: "gpu", Map: "fast"})
	var b bytes.Buffer
	if err := tr.WriteSLS(&b); err != nil {
		t.Fatal(err)
	}
	back, err := Read(&b, "x.sls.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if l := back.Jobs[0].Labels; l == nil || *l != (simcore.JobLabels{App: "gpu"}) {
		t.Errorf("labels %+v", l)
	}
}

// What the command line lists has no times: the error says where to find them.
func TestListOfApplications(t *testing.T) {
	for _, text := range []string{"Total number of applications (application-types: [], states: [RUNNING] and tags: " +
		"[]):1\n",
		"                Application-Id\t    Application-Name\t    Application-Type\napplication_1_0001\t n\t SPARK\n"} {
		if _, err := Read(strings.NewReader(text), "list", Options{}); err == nil || !strings.Contains(err.Error(),
			"/ws/v1/cluster/apps") {
			t.Errorf("%v", err)
		}
	}
}
