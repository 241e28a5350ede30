package rm

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"schedtune/trace"
	"schedtune/validation/rmtest"
)

// sparkText is the event log of an application with one stage of two tasks.
func sparkText(id, attempt string) string {
	const t = rmtest.T0
	lines := []string{
		`{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}`,
		`{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"yarn","spark.executor.memory":"1g","spark.ssl.keyPassword":"hunter22"},"System Properties":{"secret":"hunter22"}}`,
		fmt.Sprintf(
			`{"Event":"SparkListenerApplicationStart","App Name":"x","App ID":"%s","Timestamp":%d,"User":"ann","App Attempt ID":"%s"}`, id, t+5000, attempt),
		fmt.Sprintf(
			`{"Event":"SparkListenerExecutorAdded","Timestamp":%d,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":1}}`, t+7000),
		fmt.Sprintf(
			`{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":%d,"Stage Infos":[{"Stage ID":0,"Number of Tasks":2,"Parent IDs":[]}],"Stage IDs":[0]}`, t+8000),
		fmt.Sprintf(
			`{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Number of Tasks":2,"Submission Time":%d}}`,
			t+8001),
	}
	for i := range 2 {
		lines = append(lines,
			fmt.Sprintf(
				`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":%d,"Index":%d,"Launch Time":%d,"Executor ID":"1","Host":"h1","Locality":"ANY","Finish Time":%d},"Task Metrics":{"Executor Run Time":900}}`, i, i, t+8010, t+9000+i))
	}
	lines = append(lines,
		fmt.Sprintf(
			`{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,"Number of Tasks":2,"Submission Time":%d,"Completion Time":%d}}`, t+8001, t+9001),
		fmt.Sprintf(`{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":%d,"Job Result":{"Result":"JobSucceeded"}}`,
			t+9002),
		fmt.Sprintf(`{"Event":"SparkListenerApplicationEnd","Timestamp":%d}`, t+9100))
	return strings.Join(lines, "\n") + "\n"
}

// sparkServer answers as Spark's history server does: three applications, one
// with two attempts, one with a rolling log packed with zstd, one whose log it
// does not give.
func sparkServer(t *testing.T) *rmtest.Fake {
	f := rmtest.New(3)
	archive := func(files ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := 0; i < len(files); i += 2 {
			w, err := z.Create(files[i])
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(w, files[i+1])
		}
		z.Close()
		return b.Bytes()
	}
	pack := func(s string) string {
		var b bytes.Buffer
		z, _ := zstd.NewWriter(&b)
		io.WriteString(z, s)
		z.Close()
		return b.String()
	}
	roll := sparkText("application_1_0001", "1")
	half := strings.Index(roll, `{"Event":"SparkListenerStageSubmitted"`)
	dir := "eventlog_v2_application_1_0001_1/"
	logs := map[string][]byte{
		"application_1_0000": archive("application_1_0000_1", sparkText("application_1_0000", "1"), "application_1_0000_2",
			sparkText("application_1_0000", "2")),
		"application_1_0001": archive(dir+"appstatus_application_1_0001_1", "", dir+"events_2_application_1_0001_1.zstd",
			pack(roll[half:]), dir+"events_1_application_1_0001_1.zstd", pack(roll[:half])),
	}
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		rest, ok := strings.CutPrefix(r.URL.Path, sparkAPI)
		switch {
		case !ok:
			return false
		case rest == "":
			if q := r.URL.Query(); q.Get("minDate") != "2023-11-14T22:13:19.000GMT" || q.Get("maxDate") == "" {
				t.Errorf("asked for %v", q)
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w,
				`[{"id":"application_1_0002","name":"c","attempts":[{"startTimeEpoch":%d,"endTimeEpoch":-1}]},{"id":"application_1_0001","name":"b","attempts":[{"attemptId":"1","startTimeEpoch":%d,"endTimeEpoch":%d}]},{"id":"application_1_0000","name":"a","attempts":[{"attemptId":"2","startTimeEpoch":%d,"endTimeEpoch":%[3]d},{"attemptId":"1","startTimeEpoch":%[5]d,"endTimeEpoch":%[3]d}]}]`,
				rmtest.T0+3, rmtest.T0+2, rmtest.T0+9100, rmtest.T0+1, rmtest.T0)
		default:
			id := strings.TrimSuffix(strings.TrimPrefix(rest, "/"), "/logs")
			if logs[id] == nil {
				http.NotFound(w, r)
				return true
			}
			if accept := r.Header.Get("Accept"); accept != "application/octet-stream" { // as the history server of Spark 3.5.5
				http.Error(w, "Not Acceptable", http.StatusNotAcceptable)
				return true
			}
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Write(logs[id])
		}
		return true
	}
	return f
}

// A pull with Spark's history server brings the event logs without the secrets
// in them, asks for none twice, and the ResourceManager's times of submission
// join them.
func TestPullSpark(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // other tests may pull at the same time
	f := sparkServer(t)
	s := f.Serve(t)
	dir := folder(t.TempDir())
	c := quick(t, s.URL, nil)
	opt := window()
	opt.Spark = c
	sum, err := Pull(context.Background(), c, nil, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if sum.SparkApps != 2 || !strings.Contains(strings.Join(sum.Notes, "\n"), "no event log of application_1_0002") {
		t.Errorf("%+v", sum)
	}
	noSecret(t, string(dir), "hunter22")
	tr, err := trace.Open(filepath.Join(string(dir), DirTrace), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Jobs) != 3 || tr.Jobs[0].Spark == nil || tr.Jobs[1].Spark == nil || tr.Jobs[2].Spark != nil {
		t.Fatalf("%d jobs", len(tr.Jobs))
	}
	if a := tr.Jobs[0].Spark; a.Attempt != "2" || a.TaskCount() != 2 || tr.Jobs[0].Submit != rmtest.T0 ||
		tr.Jobs[0].Queue != "root.a" {
		t.Errorf("attempt %s, %d tasks, submitted %d to %s", a.Attempt, a.TaskCount(), tr.Jobs[0].Submit, tr.Jobs[0].Queue)
	}
	if a := tr.Jobs[1].Spark; a.TaskCount() != 2 || len(a.Notes) != 0 {
		t.Errorf("the rolling log: %d tasks, %v", a.TaskCount(), a.Notes)
	}
	clear(f.Counts)
	again, err := Pull(context.Background(), c, nil, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if again.SparkApps != 2 || f.Counts[sparkAPI+"/application_1_0000/logs"] != 0 ||
		f.Counts[sparkAPI+"/application_1_0001/logs"] != 0 {
		t.Errorf("asked again: %v, %+v", f.Counts, again)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "tune-pull-*.zip")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSparkFaults(t *testing.T) {
	t.Parallel() // it waits more than it works
	const logs = sparkAPI + "/application_1_0000/logs"
	for _, c := range []struct {
		name, at, want string
		do             func(w http.ResponseWriter)
	}{
		{"not an archive", logs, "unknown format", func(w http.ResponseWriter) { fmt.Fprint(w, "hello") }},
		{"a web page", logs, "a web page", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>")
		}},
		{"nothing comes", logs, "nothing came for " + patience.String(), func(w http.ResponseWriter) {
			fmt.Fprint(w, "PK")
			w.(http.Flusher).Flush()
			time.Sleep(tooLong)
		}},
		{"breaks off", logs, "breaks off after 2 bytes", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "5000")
			fmt.Fprint(w, "PK")
		}},
		{"a path in an id", sparkAPI, "without a proper id", func(w http.ResponseWriter) {
			fmt.Fprint(w, `[{"id":"../../x"}]`)
		}},
		{"no list", sparkAPI, "not the expected JSON", func(w http.ResponseWriter) { fmt.Fprint(w, `{"id":1}`) }},
	} {
		f := sparkServer(t)
		inner := f.Hook
		f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == c.at {
				c.do(w)
				return true
			}
			return inner(w, r)
		}
		s := f.Serve(t)
		cl := quick(t, s.URL, func(o *Options) {
			o.Retries = 1
			if strings.Contains(c.want, "nothing came") {
				o.Timeout = patience
			}
		})
		opt := window()
		opt.Spark = cl
		_, err := Pull(context.Background(), cl, nil, folder(t.TempDir()), opt)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), s.URL) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
