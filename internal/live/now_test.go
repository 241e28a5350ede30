package live

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/live/livetest"
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
		"/proxy/application_1_0900/ws/v1/mapreduce/jobs/job_1_0900/conf":               `{"conf":{"property":[{"name":"mapreduce.map.memory.mb","value":"512"},{"name":"secret","value":"hunter22"}]}}`,
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
	f := livetest.New(2)
	f.Hook = nowAnswers
	s := f.Serve(t)
	dir := folder(t.TempDir())
	sum, err := Pull(context.Background(), quick(t, s.URL, nil), nil, dir, window())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		FileNowApps: `"application_1_0901"`, FileNowContainers: `{"application_1_0900":[{"containerId":"container_1_0900_02_000001","allocatedMB":"512","allocatedVCores":1}],"application_1_0901":null}`,
		FileNowMasters: `"mapreduce.map.memory.mb":"512"`,
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
	f := livetest.New(1)
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
	if _, err := os.Stat(filepath.Join(string(dir), FileNowApps)); err == nil || !strings.Contains(strings.Join(sum.Notes, "\n"), "running containers are not known") {
		t.Errorf("%v %q", err, sum.Notes)
	}
}
