package trace

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/trace/sparklog"
)

// Files as people have them: in odd places, under odd names, of other programs.

// put writes files below a new folder.
func put(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// without is a log without the lines that hold any of some texts.
func without(log []byte, texts ...string) []byte {
	var out []byte
lines:
	for line := range bytes.Lines(log) {
		for _, text := range texts {
			if bytes.Contains(line, []byte(text)) {
				continue lines
			}
		}
		out = append(out, line...)
	}
	return out
}

// zipped is an archive of files.
func zipped(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noted is how often the notes tell of a text.
func noted(tr *Trace, text string) (n int) {
	for _, note := range tr.Notes {
		if strings.Contains(note.Text, text) {
			n += note.Count
		}
	}
	return n
}

func TestFilesAsFound(t *testing.T) {
	log, other := sparkText(t), sparkText(t, "1700000000000_0007", "1700000000000_0008")
	tasks := app().TaskCount()
	half := bytes.IndexByte(log[len(log)/2:], '\n') + len(log)/2 + 1
	noStart := without(log, "SparkListenerApplicationStart")
	foreign := []byte("Avro-Json\n{\"type\":\"record\",\"name\":\"E\",\"namespace\":\"org.else\",\"fields\":[]}\n{}\n")
	for _, c := range []struct {
		name        string
		files       map[string][]byte
		jobs, tasks int
		note        string
		count       int
	}{
		{"empty marks", map[string][]byte{"a/log": log, "a/_SUCCESS": nil, "a_$folder$": nil, "b/APPLICATION_COMPLETE": nil},
			1, tasks, "empty files", 3},
		{"one log twice", map[string][]byte{"a/log": log, "b/log": log}, 1, tasks, "also in another file", 1},
		{"equal names without a start", map[string][]byte{"a/eventlog": noStart, "b/eventlog": noStart}, 2, 2 * tasks,
			"start of the application", 2},
		{"parts of Databricks", map[string][]byte{"x/eventlog": log[half:], "x/eventlog-2024-01-01--10-00": log[:half]}, 1, tasks,
			"", 0},
		{"an archive", map[string][]byte{"l.zip": zipped(t, map[string][]byte{"app_1": log, "app_2": other})}, 2, 2 * tasks,
			"", 0},
		{"a rolling log in an archive", map[string][]byte{"l.zip": zipped(t, map[string][]byte{
			"eventlog_v2_a/events_1_a": log[:half], "eventlog_v2_a/events_2_a": log[half:], "eventlog_v2_a/appstatus_a": nil})},
			1, tasks, "", 0},
		{"a history of another program", map[string][]byte{"log": log, "x.jhist": foreign, "n.txt": []byte("a note")}, 1, tasks,
			"its schema is org.else.E", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := Open(put(t, c.files), Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for i := range tr.Jobs {
				n += tr.Jobs[i].countTasks()
			}
			if len(tr.Jobs) != c.jobs || n != c.tasks || tr.Format != sparkFormat {
				t.Errorf("%s: %d jobs of %d tasks, want %d of %d", tr.Format, len(tr.Jobs), n, c.jobs, c.tasks)
			}
			if c.note != "" && noted(tr, c.note) != c.count {
				t.Errorf("notes %v, want %d of %q", tr.Notes, c.count, c.note)
			}
		})
	}
	if _, err := Read(bytes.NewReader(foreign), "x.jhist", Options{}); err == nil || !strings.Contains(err.Error(), "org.else.E") {
		t.Errorf("alone: %v", err)
	}
}

// Events under their full names count as under their short ones, of unknown ones the last
// part is in the note; an event without an executor's id is no executor, and tasks of a
// stage of another time are left out.
func TestOddEvents(t *testing.T) {
	a := app()
	a.End = a.Start + 600_000
	lines := strings.SplitAfter(string(sparkText(t, "1700000016232", "1700000600000")), "\n")
	end := len(lines) - 2 // of the application
	late := int64(a.End) + 40*24*3600_000
	odd := strings.Join(lines[:end], "") +
		`{"Event":"org.apache.spark.scheduler.SparkListenerExecutorExcluded","time":1,"executorId":"1","taskFailures":2}` + "\n" +
		`{"Event":"org.apache.spark.scheduler.SparkListenerNodeBlacklisted","time":1,"hostId":"n1"}` + "\n" +
		`{"Event":"org.apache.spark.scheduler.SparkListenerNodeUnexcluded","time":1,"hostId":"n1"}` + "\n" +
		`{"Event":"com.example.a.very.long.name.of.a.package.SomethingElse"}` + "\n" +
		`{"Event":"SparkListenerExecutorRemoved","Timestamp":1700000001000,"Removed Reason":"x"}` + "\n" +
		fmt.Sprintf(`{"Event":"SparkListenerTaskEnd","Stage ID":99,"Stage Attempt ID":0,"Task Type":"ResultTask",`+
			`"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":999,"Index":0,"Attempt":0,"Launch Time":%d,`+
			`"Executor ID":"1","Host":"n1","Finish Time":%d}}`, late, late+1000) + "\n" + strings.Join(lines[end:], "")
	tr, err := Read(strings.NewReader(odd), "log", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := tr.Jobs[0].Spark; len(got.Executors) != len(a.Executors) || got.TaskCount() != a.TaskCount() {
		t.Errorf("%d executors, %d tasks, want %d and %d", len(got.Executors), got.TaskCount(), len(a.Executors), a.TaskCount())
	}
	for text, want := range map[string]int{"excludeOnFailure": 2, "events named SomethingElse": 1,
		"of a stage that it did not submit": 1} {
		if n := noted(tr, text); n != want {
			t.Errorf("%d of %q, want %d: %v", n, text, want, tr.Notes)
		}
	}
}

// A log whose clock is off is shifted into the application's life as the ResourceManager
// tells it; one in client mode may begin before the submission.
func TestClockSkew(t *testing.T) {
	for _, c := range []struct {
		name   string
		by     sparklog.Millis
		client bool
		want   int
	}{{"right", 0, false, 0}, {"ahead", 3600_000, false, 1}, {"behind", -3600_000, false, 1}, {"a little behind", -20_000, false, 1},
		{"client mode", -20_000, true, 0}, {"client mode behind", -3600_000, true, 1}} {
		t.Run(c.name, func(t *testing.T) {
			a := app()
			a.End = a.Start + 600_000
			if c.client {
				a.Conf["spark.submit.deployMode"] = "client"
			}
			apps := fmt.Sprintf(`{"apps":{"app":[{"id":%q,"queue":"prod","finalStatus":"SUCCEEDED","startedTime":%d,
				"launchTime":%d,"finishedTime":%d}]}}`, a.ID, a.Start-2000, a.Start-1000, a.End+500)
			tr, err := Open(put(t, map[string][]byte{"log": eventLog(t, a.Shift(c.by)), "apps.json": []byte(apps)}), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if n := noted(tr, "their times are shifted"); n != c.want {
				t.Errorf("%d notes, want %d: %v", n, c.want, tr.Notes)
			}
			j := &tr.Jobs[0]
			if c.want > 0 && (j.Spark.From() < j.Submit || j.Spark.To() > j.Finish ||
				j.Finish-j.Submit > 603_000) {
				t.Errorf("log from %d to %d, application from %d to %d", j.Spark.From(), j.Spark.To(), j.Submit, j.Finish)
			}
			if first := j.FirstContainer(); first != a.Start-1000 {
				t.Errorf("first container at %d, want %d", first, a.Start-1000)
			}
		})
	}
}

// hadoop1 is a history of a job of one map, which failed once, and one reduce.
const hadoop1 = `Meta VERSION="1" .
Job JOBID="job_1_0002" JOBNAME="a \"b\"" USER="ann" SUBMIT_TIME="1000" JOBCONF="x\.xml" JOB_QUEUE="q" .
Job JOBID="job_1_0002" JOB_PRIORITY="HIGH" .
Job JOBID="job_1_0002" LAUNCH_TIME="1500" TOTAL_MAPS="1" TOTAL_REDUCES="1" JOB_STATUS="PREP" .
Task TASKID="task_1_0002_m_000000" TASK_TYPE="MAP" START_TIME="2000" SPLITS="/r/n1,/r/n2" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_0002_m_000000" TASK_ATTEMPT_ID="attempt_1_0002_m_000000_0" START_TIME="2000" TRACKER_NAME="tracker_n3:x/1:2" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_0002_m_000000" TASK_ATTEMPT_ID="attempt_1_0002_m_000000_0" TASK_STATUS="FAILED" FINISH_TIME="3000" HOSTNAME="n3" ERROR="a
	at b" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_0002_m_000000" TASK_ATTEMPT_ID="attempt_1_0002_m_000000_1" START_TIME="3500" TRACKER_NAME="tracker_n1:x" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_0002_m_000000" TASK_ATTEMPT_ID="attempt_1_0002_m_000000_1" TASK_STATUS="SUCCESS" FINISH_TIME="9000" HOSTNAME="/r/n1" COUNTERS="{(FileSystemCounters)(FileSystemCounters)[(HDFS_BYTES_READ)(HDFS_BYTES_READ)(77)]}" .
Task TASKID="task_1_0002_m_000000" TASK_TYPE="MAP" TASK_STATUS="SUCCESS" FINISH_TIME="9100" COUNTERS="" .
Task TASKID="task_1_0002_r_000000" TASK_TYPE="REDUCE" START_TIME="4000" SPLITS="" .
ReduceAttempt TASK_TYPE="REDUCE" TASKID="task_1_0002_r_000000" TASK_ATTEMPT_ID="attempt_1_0002_r_000000_0" START_TIME="4000" .
ReduceAttempt TASK_TYPE="REDUCE" TASKID="task_1_0002_r_000000" TASK_ATTEMPT_ID="attempt_1_0002_r_000000_0" TASK_STATUS="SUCCESS" SHUFFLE_FINISHED="9500" SORT_FINISHED="9600" FINISH_TIME="12000" HOSTNAME="/r/n2" .
Task TASKID="task_1_0002_r_000000" TASK_TYPE="REDUCE" TASK_STATUS="SUCCESS" FINISH_TIME="12100" COUNTERS="" .
Job JOBID="job_1_0002" FINISH_TIME="13000" JOB_STATUS="SUCCESS" FINISHED_MAPS="1" .
`

// A history of the JobTracker tells job, tasks and attempts, with or without ends of records,
// and takes the configuration beside it.
func TestHadoop1(t *testing.T) {
	unversioned := strings.ReplaceAll(strings.ReplaceAll(hadoop1[strings.IndexByte(hadoop1, '\n')+1:], " .\n", "\n"), "a\n\tat b", "a")
	conf := []byte(`<configuration><property><name>mapred.reduce.slowstart.completed.maps</name><value>0.4</value></property></configuration>`)
	for name, text := range map[string]string{"1.x": hadoop1, "0.18": unversioned} {
		t.Run(name, func(t *testing.T) {
			dir := put(t, map[string][]byte{"job_1_0002_ann_x": []byte(text), "h_1_job_1_0002_conf.xml": conf})
			tr, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			j := &tr.Jobs[0]
			if j.ID != "job_1_0002" || j.Name != `a "b"` || j.User != "ann" || j.Queue != "q" || j.Result != Succeeded || j.Maps != 1 ||
				j.Reduces != 1 || j.Submit != 1000 || j.Launch != 1500 || j.Finish != 13000 || j.Slowstart != 0.4 || len(j.Tasks) != 2 {
				t.Fatalf("%+v", j)
			}
			m, r := &j.Tasks[0], &j.Tasks[1].Attempts[0]
			if w := m.Winner(); len(m.Attempts) != 2 || m.Attempts[0].Result != Failed || w.Start != 3500 || w.Finish != 9000 ||
				w.Host != "/r/n1" || m.InputBytes != 77 || strings.Join(m.Hosts, " ") != "/r/n1 /r/n2" {
				t.Errorf("map %+v", m)
			}
			if r.ShuffleEnd != 9500 || r.SortEnd != 9600 || r.Finish != 12000 {
				t.Errorf("reduce %+v", r)
			}
		})
	}
	cut, err := Read(strings.NewReader(hadoop1[:strings.LastIndex(hadoop1, "\nJob ")+1]), "cut", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if span := cut.Info().SpanMS; span != 11_100 {
		t.Errorf("without its end the job spans %d ms, want 11100, to the last time of a task", span)
	}
	old := hadoop1Counters("File Systems.HDFS bytes read:123,Map-Reduce Framework.Map output bytes:4")
	if c := (fields{"c": old}).counters("c"); c["HDFS_BYTES_READ"] != 123 || c["MAP_OUTPUT_BYTES"] != 4 {
		t.Errorf("counters %v", c)
	}
}

func FuzzHadoop1(f *testing.F) {
	f.Add(hadoop1)
	f.Add("Job JOBID=\"job_1_1\" SUBMIT_TIME=\"5\"\nTask TASKID=\"x\" FINISH_TIME=\"9\"\n")
	fuzzFormat(f, "hadoop-1")
}

func FuzzZip(f *testing.F) {
	f.Add(zipped(f, map[string][]byte{"a": []byte(hadoop1), "eventlog_v2_x/events_1_x": []byte("{\"Event\":\"SparkListenerLogStart\"}")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "a.zip")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = Open(path, Options{}) //nolint:errcheck // it must not panic
	})
}
