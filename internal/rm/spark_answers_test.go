package rm

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/trace"
	"schedtune/validation/rmtest"
)

// answering is a history server that refuses the archives of event logs and
// has two attempts of one application, the second of two stages; its second
// stage has more tasks than are asked for at once.
func answering(t *testing.T, tasks int) *rmtest.Fake {
	f := rmtest.New(1)
	at := func(ms int) string { return fmt.Sprintf("2023-11-14T22:13:%02d.%03dGMT", 25+ms/1000, ms%1000) }
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		rest, ok := strings.CutPrefix(r.URL.Path, sparkAPI)
		if !ok {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		switch path := strings.TrimPrefix(rest, "/application_1_0000"); {
		case rest == "":
			fmt.Fprintf(w,
				`[{"id":"application_1_0000","name":"a","attempts":[{"attemptId":"2","startTimeEpoch":%d,"endTimeEpoch":%d,"sparkUser":"ann"},{"attemptId":"1","startTimeEpoch":%d}]}]`,
				rmtest.T0+5000, rmtest.T0+60000, rmtest.T0+1000)
		case path == "/logs":
			http.Error(w, "not for you", http.StatusForbidden)
		case path == "/1/environment" || path == "/2/environment":
			fmt.Fprint(w,
				`{"sparkProperties":[["spark.master","yarn"],["spark.executor.memory","1g"],["spark.ssl.keyPassword","hunter22"]]}`)
		case strings.HasPrefix(path, "/1/"):
			fmt.Fprint(w, `[]`)
		case path == "/2/allexecutors":
			fmt.Fprintf(w, `[{"id":"1","hostPort":"h1:1","totalCores":1,"addTime":"%s"}]`, at(1000))
		case path == "/2/jobs":
			fmt.Fprintf(w, `[{"jobId":0,"submissionTime":"%s","completionTime":"%s","stageIds":[0,1],"status":"SUCCEEDED"}]`,
				at(2000), at(20000))
		case path == "/2/stages":
			fmt.Fprintf(w,
				`[{"status":"COMPLETE","stageId":1,"numTasks":%d,"submissionTime":"%s","completionTime":"%s"},{"status":"COMPLETE","stageId":0,"numTasks":1,"submissionTime":"%s","completionTime":"%s","shuffleWriteBytes":9}]`,
				tasks, at(4000), at(20000), at(2001), at(3000))
		case strings.HasSuffix(path, "/taskList"):
			n, from, length := 1, 0, 0
			if strings.Contains(path, "/stages/1/") {
				n = tasks
			}
			fmt.Sscan(r.URL.Query().Get("offset"), &from)
			fmt.Sscan(r.URL.Query().Get("length"), &length)
			var list []string
			for i := from; i < min(n, from+length); i++ {
				list = append(list,
					fmt.Sprintf(
						`{"taskId":%d,"index":%d,"launchTime":"%s","duration":900,"executorId":"1","status":"SUCCESS","taskMetrics":{"executorRunTime":850}}`, i, i, at(4001)))
			}
			fmt.Fprintf(w, "[%s]", strings.Join(list, ","))
		default:
			http.NotFound(w, r)
		}
		return true
	}
	return f
}

// TestPullSparkAnswers: where the archive of a log is refused, the server's other
// answers make the application, page by page, without secrets.
func TestPullSparkAnswers(t *testing.T) {
	const tasks = tasksAtOnce + 7
	s := answering(t, tasks).Serve(t)
	dir := folder(t.TempDir())
	c := quick(t, s.URL, nil)
	opt := window()
	opt.Spark = c
	sum, err := Pull(context.Background(), c, nil, dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if sum.SparkApps != 1 || !strings.Contains(strings.Join(sum.Notes, "\n"), "application_1_0000 comes from the "+
		"history server's answers") {
		t.Errorf("%+v", sum)
	}
	noSecret(t, string(dir), "hunter22")
	tr, err := trace.Open(filepath.Join(string(dir), DirTrace), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Jobs) != 1 || tr.Jobs[0].Spark == nil || tr.Jobs[0].Spark.TaskCount() != tasks+1 ||
		tr.Jobs[0].Spark.Attempt != "2" {
		t.Fatalf("%d jobs, %+v", len(tr.Jobs), tr.Jobs)
	}
	if p := tr.Jobs[0].Spark.Stages[1].Parents; len(p) != 1 || p[0] != 0 {
		t.Errorf("the second stage reads %v", p)
	}
}

// TestSparkAnswersFaults: one bad answer is one error that names it.
func TestSparkAnswersFaults(t *testing.T) {
	for _, c := range []struct{ path, body, want string }{
		{"/2/stages", `{"a":1}`, "/2/stages: no such answer"},
		{"/2/stages/0/0/taskList", `[{"index":-1}]`, "/taskList: no such answer: stage 0: task -1"},
		{"/2/allexecutors", `<html>`, "/2/allexecutors: no such answer"},
	} {
		f := answering(t, 1)
		inner := f.Hook
		f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "application_1_0000"+c.path) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, c.body)
				return true
			}
			return inner(w, r)
		}
		s := f.Serve(t)
		cl := quick(t, s.URL, nil)
		opt := window()
		opt.Spark = cl
		if _, err := Pull(context.Background(), cl, nil, folder(t.TempDir()), opt); err == nil ||
			!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}
