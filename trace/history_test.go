package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// failedMap is a job of two maps and a reduce: the first map's first attempt fails, its second
// is speculative; the reduce copies from 20 to 24 s and sorts to 25 s.
const failedMap = `Avro-Json
{"type":"record","name":"Event","fields":[]}

{"type":"AM_STARTED","event":{"org.apache.hadoop.mapreduce.jobhistory.AMStarted":{"applicationAttemptId":"appattempt_1_0007_000002","startTime":1000,"containerId":"container_1_0007_02_000001","nodeManagerHost":"n9","nodeManagerPort":1,"nodeManagerHttpPort":2}}}
{"type":"JOB_SUBMITTED","event":{"org.apache.hadoop.mapreduce.jobhistory.JobSubmitted":{"jobid":"job_1_0007","jobName":"sort","userName":"ann","submitTime":500,"jobConfPath":"x","acls":{},"jobQueueName":"prod"}}}
{"type":"JOB_QUEUE_CHANGED","event":{"org.apache.hadoop.mapreduce.jobhistory.JobQueueChange":{"jobid":"job_1_0007","jobQueueName":"root.prod"}}}
{"type":"JOB_INITED","event":{"org.apache.hadoop.mapreduce.jobhistory.JobInited":{"jobid":"job_1_0007","launchTime":1500,"totalMaps":2,"totalReduces":1,"jobStatus":"INITED","uberized":false}}}
{"type":"TASK_STARTED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskStarted":{"taskid":"task_1_0007_m_000000","taskType":"MAP","startTime":2000,"splitLocations":"/r1/n1, /r1/n2"}}}
{"type":"TASK_STARTED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskStarted":{"taskid":"task_1_0007_m_000001","taskType":"MAP","startTime":2100,"splitLocations":""}}}
{"type":"MAP_ATTEMPT_STARTED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskAttemptStarted":{"taskid":"task_1_0007_m_000000","attemptId":"attempt_1_0007_m_000000_0","startTime":3000,"trackerName":"n1","httpPort":1,"containerId":"container_1_0007_02_000002","avataar":{"string":"VIRGIN"}}}}
{"type":"MAP_ATTEMPT_STARTED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskAttemptStarted":{"taskid":"task_1_0007_m_000000","attemptId":"attempt_1_0007_m_000000_1","startTime":4000,"trackerName":"n2","httpPort":1,"containerId":"container_1_0007_02_000003","avataar":{"string":"SPECULATIVE"}}}}
{"type":"MAP_ATTEMPT_STARTED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskAttemptStarted":{"taskid":"task_1_0007_m_000001","attemptId":"attempt_1_0007_m_000001_0","startTime":4100,"trackerName":"n2","httpPort":1,"containerId":"container_1_0007_02_000004"}}}
{"type":"MAP_ATTEMPT_FAILED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskAttemptUnsuccessfulCompletion":{"taskid":"task_1_0007_m_000000","attemptId":"attempt_1_0007_m_000000_0","finishTime":5000,"hostname":"n1","rackname":"/r1","status":"FAILED"}}}
{"type":"MAP_ATTEMPT_FINISHED","event":{"org.apache.hadoop.mapreduce.jobhistory.MapAttemptFinished":{"taskid":"task_1_0007_m_000000","attemptId":"attempt_1_0007_m_000000_1","finishTime":9000,"hostname":"n2","rackname":{"string":"/r1"},"counters":{"name":"COUNTERS","groups":[{"name":"g","displayName":"G","counts":[{"name":"HDFS_BYTES_READ","displayName":"","value":1000},{"name":"MAP_OUTPUT_BYTES","displayName":"","value":600},{"name":"PHYSICAL_MEMORY_BYTES","displayName":"","value":1048576},{"name":"MAP_PHYSICAL_MEMORY_BYTES_MAX","displayName":"","value":3145728},{"name":"CPU_MILLISECONDS","displayName":"","value":1700}]}]}}}}
{"type":"TASK_FINISHED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskFinished":{"taskid":"task_1_0007_m_000000","finishTime":9000,"status":"SUCCEEDED"}}}
{"type":"MAP_ATTEMPT_FINISHED","event":{"org.apache.hadoop.mapreduce.jobhistory.MapAttemptFinished":{"taskid":"task_1_0007_m_000001","attemptId":"attempt_1_0007_m_000001_0","finishTime":8000,"hostname":"n2","counters":{"name":"COUNTERS","groups":[{"name":"g","counts":[{"name":"BYTES_READ","value":24},{"name":"PHYSICAL_MEMORY_BYTES","value":2097152}]}]}}}}
{"type":"TASK_FINISHED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskFinished":{"taskid":"task_1_0007_m_000001","finishTime":8000,"status":"SUCCEEDED"}}}
{"type":"TASK_STARTED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskStarted":{"taskid":"task_1_0007_r_000000","taskType":"REDUCE","startTime":19000,"splitLocations":""}}}
{"type":"REDUCE_ATTEMPT_STARTED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskAttemptStarted":{"taskid":"task_1_0007_r_000000","attemptId":"attempt_1_0007_r_000000_0","startTime":20000,"trackerName":"n1","containerId":"container_1_0007_02_000005"}}}
{"type":"REDUCE_ATTEMPT_FINISHED","event":{"org.apache.hadoop.mapreduce.jobhistory.ReduceAttemptFinished":{"taskid":"task_1_0007_r_000000","attemptId":"attempt_1_0007_r_000000_0","shuffleFinishTime":24000,"sortFinishTime":25000,"finishTime":30000,"hostname":"n1","rackname":"/r1","counters":{"name":"COUNTERS","groups":[{"name":"g","counts":[{"name":"REDUCE_SHUFFLE_BYTES","value":590},{"name":"HDFS_BYTES_WRITTEN","value":77},{"name":"REDUCE_PHYSICAL_MEMORY_BYTES_MAX","value":4194304}]}]}}}}
{"type":"TASK_FINISHED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskFinished":{"taskid":"task_1_0007_r_000000","finishTime":30000,"status":"SUCCEEDED"}}}
{"type":"JOB_PRIORITY_CHANGED","event":{"org.apache.hadoop.mapreduce.jobhistory.JobPriorityChange":{"jobid":"job_1_0007","priority":"HIGH"}}}
{"type":"JOB_FINISHED","event":{"org.apache.hadoop.mapreduce.jobhistory.JobFinished":{"jobid":"job_1_0007","finishTime":31000,"finishedMaps":2,"finishedReduces":1,"totalCounters":{"name":"T","groups":[{"name":"g","counts":[{"name":"MILLIS_MAPS","value":10},{"name":"MB_MILLIS_MAPS","value":15364},{"name":"VCORES_MILLIS_MAPS","value":10},{"name":"MILLIS_REDUCES","value":100},{"name":"MB_MILLIS_REDUCES","value":204800},{"name":"VCORES_MILLIS_REDUCES","value":200}]}]}}}}
`

// What that history says, field by field. Memory is bytes over 2^20; sizes are charged
// MiB and cores over time, 15364/10 rounded to 1536; the job's bytes add up its tasks'.
func historyJob() Job {
	j := NewJob("job_1_0007")
	j.Name, j.User, j.Queue, j.Type, j.Result = "sort", "ann", "root.prod", "MAPREDUCE", Succeeded
	j.Submit, j.Launch, j.Finish, j.Maps, j.Reduces = 500, 1500, 31000, 2, 1
	j.Priority, j.PrioritySet = parsePriority("HIGH")
	j.MapSize, j.ReduceSize = Size{1536, 1}, Size{2048, 2}
	j.InputBytes, j.ShuffleBytes, j.OutputBytes = 1024, 590, 77
	attempt := func(number int, r Result, host, container string, start, finish Millis) Attempt {
		a := NewAttempt(number)
		a.Result, a.Host, a.Container, a.Start, a.Finish = r, host, container, start, finish
		return a
	}
	first, second := NewTask(Map, 0), NewTask(Map, 1)
	first.Start, first.Finish, first.Result, first.Hosts, first.InputBytes, first.OutputBytes = 2000, 9000, Succeeded,
		[]string{"/r1/n1", "/r1/n2"}, 1000, 600
	first.Attempts = []Attempt{attempt(0, Failed, "/r1/n1", "container_1_0007_02_000002", 3000, 5000),
		attempt(1, Succeeded, "/r1/n2", "container_1_0007_02_000003", 4000, 9000)}
	first.Attempts[1].Speculative, first.Attempts[1].UsedMiB, first.Attempts[1].CoreTime = true, 3, 1700
	second.Start, second.Finish, second.Result, second.InputBytes = 2100, 8000, Succeeded, 24
	second.Attempts = []Attempt{attempt(0, Succeeded, "n2", "container_1_0007_02_000004", 4100, 8000)}
	second.Attempts[0].UsedMiB = 2
	reduce := NewTask(Reduce, 0)
	reduce.Start, reduce.Finish, reduce.Result, reduce.InputBytes, reduce.OutputBytes = 19000, 30000, Succeeded, 590, 77
	reduce.Attempts = []Attempt{attempt(0, Succeeded, "/r1/n1", "container_1_0007_02_000005", 20000, 30000)}
	reduce.Attempts[0].ShuffleEnd, reduce.Attempts[0].SortEnd, reduce.Attempts[0].UsedMiB = 24000, 25000, 4
	master := NewTask(AM, 0)
	master.Attempts = []Attempt{NewAttempt(2)}
	master.Attempts[0].Host, master.Attempts[0].Container, master.Attempts[0].Up = "n9", "container_1_0007_02_000001", 1000
	j.Tasks = []Task{first, second, reduce, master}
	return j
}

func TestHistoryByHand(t *testing.T) {
	tr, err := Read(strings.NewReader(failedMap), "h.jhist", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(historyJob(), tr.Jobs[0]); d != "" {
		t.Error(d)
	}
	roundTrip(t, tr)
}

// The configuration beside a history file tells sizes and slowstart; it wins over what the
// counters come to.
func TestHistoryWithItsConfiguration(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "job_1_0007-500-ann-sort-31000-2-1-SUCCEEDED-prod-1500.jhist")
	conf := "<configuration>"
	for name, value := range map[string]string{"mapreduce.map.memory.mb": "3000", "mapreduce.map.cpu.vcores": "3",
		"mapreduce.reduce.memory.mb":  "4000",
		"mapreduce.reduce.cpu.vcores": "4", "yarn.app.mapreduce.am.resource.mb": "5000",
		"yarn.app.mapreduce.am.resource.cpu-vcores": "5", "mapreduce.job.reduce.slowstart.completedmaps": "0.8"} {
		conf += "<property><name>" + name + "</name><value>" + value + "</value></property>"
	}
	for p, text := range map[string]string{path: failedMap, filepath.Join(dir, "job_1_0007_conf.xml"): conf +
		"</configuration>"} {
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, source := range []string{path, dir} {
		tr, err := Open(source, Options{})
		if err != nil {
			t.Fatal(err)
		}
		j := tr.Jobs[0]
		if j.MapSize != (Size{3000, 3}) || j.ReduceSize != (Size{4000, 4}) || j.AMSize != (Size{5000, 5}) ||
			j.Slowstart != 0.8 || len(tr.Notes) > 0 {
			t.Errorf("%s: maps %v, reduces %v, master %v, slowstart %v, notes %v", source, j.MapSize, j.ReduceSize, j.AMSize,
				j.Slowstart, tr.Notes)
		}
	}
	names, err := Open(dir, Options{NamesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	// Maps take two thirds of 29.5 s, the reduce the rest.
	if j := names.Jobs[0]; j.MapTime != 19666 || j.ReduceTime != 9834 || j.ShuffleTime != 0 || len(j.Tasks) != 0 {
		t.Errorf("by its name: maps %d ms, reduces %d ms", j.MapTime, j.ReduceTime)
	}
}

// The summary that a history file's name holds, and names that hold none.
func TestHistoryNames(t *testing.T) {
	j, err := parseJhistName("/x/job_1_0007-500-ann-a%2Db+c-31000-2-0-FAILED-root.prod.jhist.gz")
	want := NewJob("job_1_0007")
	want.User, want.Name, want.Queue, want.Type, want.Result = "ann", "a-b c", "root.prod", "MAPREDUCE", Failed
	want.Submit, want.Finish, want.Maps, want.Reduces = 500, 31000, 2, 0
	if d := cmp.Diff(want, j); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	if j, err := parseJhistName("job_1_0007-500-ann-x-600-2-0-SUCCEEDED-q-550.jhist"); err != nil || j.Launch != 550 {
		t.Errorf("launch %d, %v", j.Launch, err)
	}
	if j, err := parseJhistName("job_1_0007--1-ann-x-600-2-0-SUCCEEDED-q-550.jhist"); err == nil {
		t.Errorf("a time of -1 is two hyphens: %+v", j)
	}
	most := fmt.Sprint(int64(1) << 53)
	if _, err := parseJhistName("job_1_0007-500-ann-x-" + most + "-2-0-SUCCEEDED-q-550.jhist"); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"job_1_0007-500-ann-x-600-2-0-SUCCEEDED-q-550.txt": "does not end in .jhist",
		"job_1_0007-500-ann-x-600-2-0-SUCCEEDED.jhist": "8 parts between hyphens: must " +
			"be 9 or 10",
		"job_1_0007-500-ann-x-600-2-0-SUCCEEDED-q-550-1.jhist":                          "11 parts",
		"job_1_0007-500-ann-%zz-600-2-0-SUCCEEDED-q-550.jhist":                          `part "%zz"`,
		"job_1_0007-x-ann-x-600-2-0-SUCCEEDED-q-550.jhist":                              `part 2 is "x" where a number is expected`,
		"job_1_0007-500-ann-x-600-%2D2-0-SUCCEEDED-q-550.jhist":                         `part 6 is "-2"`,
		"job_1_0007-500-ann-x-" + most + "0-2-0-SUCCEEDED-q-550.jhist":                  "part 5 is",
		"job_1_0007-500-ann-x-" + fmt.Sprint(int64(1)<<53+1) + "-2-0-FAILED-q-55.jhist": "part 5 is",
		"job_1_0007-700-ann-x-600-2-0-SUCCEEDED-q-550.jhist":                            "times must not run backwards",
	} {
		if _, err := parseJhistName(name); err == nil || !strings.Contains(err.Error(), text) ||
			!strings.Contains(err.Error(), "file name: ") {
			t.Errorf("%s: %v, want %s", name, err, text)
		}
	}
}

// Attempts with times that can't be: of a successful one an error, of others their start is
// forgotten; 0 is no time beside real ones; phases outside of the attempt are forgotten.
func TestOddAttempts(t *testing.T) {
	for _, c := range []struct {
		name          string
		a, want       Attempt
		note, refused string
	}{
		{"backwards and successful", Attempt{Result: Succeeded, Start: 5, Finish: 4}, Attempt{}, "",
			"attempt a ends at 4 ms, 1 ms before its start"},
		{"backwards and failed", Attempt{Result: Failed, Start: 5, Finish: 4}, Attempt{Result: Failed, Start: Unknown,
			Finish: 4}, "lie after their end", ""},
		{"backwards and killed", Attempt{Result: Killed, Start: 5, Finish: 4}, Attempt{Result: Killed, Start: Unknown,
			Finish: 4}, "lie after their end", ""},
		{"no end", Attempt{Result: Killed, Start: 5, Finish: 0}, Attempt{Result: Killed, Start: 5, Finish: Unknown}, "", ""},
		{"no start", Attempt{Result: Succeeded, Start: 0, Finish: 1.7e12}, Attempt{Result: Succeeded, Start: Unknown,
			Finish: 1.7e12}, "", ""},
		{"a clock that begins with 0", Attempt{Result: Succeeded, Start: 0, Finish: 4000},
			Attempt{Result: Succeeded, Start: 0, Finish: 4000}, "", ""},
		{"shuffle before the start", Attempt{Start: 5, Finish: 9, ShuffleEnd: 4, SortEnd: 9},
			Attempt{Start: 5, Finish: 9, ShuffleEnd: Unknown, SortEnd: 9}, "phase ends", ""},
		{"sort after the end", Attempt{Start: 5, Finish: 9, ShuffleEnd: 5, SortEnd: 10},
			Attempt{Start: 5, Finish: 9, ShuffleEnd: 5, SortEnd: Unknown}, "phase ends", ""},
	} {
		if c.a.ShuffleEnd == 0 {
			c.want.ShuffleEnd, c.want.SortEnd = Unknown, Unknown
		}
		var n notes
		err := checkAttempt("job", "a", &c.a, &n)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if d := cmp.Diff(c.want, c.a); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, d)
		}
		if c.note != "" != (len(n.list) == 1) || c.note != "" && !strings.Contains(n.list[0].Text, c.note) {
			t.Errorf("%s: notes %v", c.name, n.list)
		}
	}
}

// TestConfEncoding: a configuration names its encoding; names and figures that count are ASCII.
func TestConfEncoding(t *testing.T) {
	const body = "<configuration><property><name>mapreduce.map.memory.mb</name><value>1536</value></property>" +
		"<property><name>x</name><value>caf\xe9</value></property></configuration>"
	for _, encoding := range []string{"ISO-8859-1", "windows-1252", "US-ASCII"} {
		t.Run(encoding, func(t *testing.T) {
			text := `<?xml version="1.0" encoding="` + encoding + `"?>` + body
			c, err := readConf(strings.NewReader(text), "job_1_1_conf.xml")
			if err != nil || c["mapreduce.map.memory.mb"] != "1536" {
				t.Errorf("%v, error %v; want 1536 MiB for a map", c, err)
			}
		})
	}
}
