package rm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"schedtune/internal/scenario"
	"schedtune/trace"
	"schedtune/validation/rmtest"
	"schedtune/yarnconf"
)

func window() PullOptions {
	return PullOptions{Since: rmtest.T0 - 1000, Until: rmtest.T0 + 1_000_000, Page: 10, Encode: json.Marshal}
}

// A pull of 57 applications in pages of 10 finds every one, is a study's input
// as it is, goes on where it was cut off, and keeps no secret it came across.
func TestPull(t *testing.T) {
	f := rmtest.New(57)
	s := f.Serve(t)
	dir := folder(t.TempDir())
	c := quick(t, s.URL, nil)
	sum, err := Pull(context.Background(), c, c, dir, window())
	if err != nil {
		t.Fatal(err)
	}
	if sum.Apps != 57 || sum.Jobs != 57 || sum.Nodes != 2 || sum.Store != "mutable" || sum.ConfigVersion != 1 {
		t.Errorf("%+v", sum)
	}
	tr, err := trace.Open(filepath.Join(string(dir), DirTrace), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Jobs) != 57 || len(tr.Jobs[3].Tasks) != 2 || tr.Jobs[3].MapSize.MiB != 512 ||
		len(tr.Jobs[3].Tasks[1].Attempts) != 1 {
		t.Errorf("%d jobs, %+v", len(tr.Jobs), tr.Jobs[0])
	}
	// Numbers are written as such by the history server of Hadoop 3.5.0.
	if j := tr.Jobs[3]; j.ReduceSize.MiB != 768 || j.Slowstart != 0.5 {
		t.Errorf("reduces of %d MiB, slowstart %g, want 768 and 0.5", j.ReduceSize.MiB, j.Slowstart)
	}
	if j := tr.Jobs[3]; j.Labels == nil || j.Labels.App != "gpu" || j.Priority != 4 || !j.PrioritySet {
		t.Errorf("labels %+v, priority %d, want gpu and 4", j.Labels, j.Priority)
	}
	if cl, err := scenario.LoadCluster(filepath.Join(string(dir), FileNodes)); err != nil || len(cl.Cluster.Nodes) != 2 {
		t.Errorf("nodes: %v", err)
	}
	d, err := yarnconf.Load(filepath.Join(string(dir), FileConfig))
	if err != nil || d.Value("yarn.scheduler.capacity.root.a.capacity") != "60" {
		t.Errorf("config: %v", err)
	}
	noSecret(t, string(dir), "hunter22")
	resume(t, f, c, dir)
}

// A list of one job, of one task and of one attempt as the history server of Hadoop 3.5.0
// writes them, and a window without any.
func TestPullBareLists(t *testing.T) {
	for n := range 2 {
		f := rmtest.New(n)
		f.Bare = true
		s := f.Serve(t)
		dir := folder(t.TempDir())
		c := quick(t, s.URL, nil)
		sum, err := Pull(context.Background(), c, c, dir, window())
		if err != nil || sum.Jobs != n || sum.Apps != n {
			t.Fatalf("%d: %+v, %v", n, sum, err)
		}
		if n == 0 {
			continue
		}
		tr, err := trace.Open(filepath.Join(string(dir), DirTrace), trace.Options{})
		if err != nil || len(tr.Jobs) != 1 || len(tr.Jobs[0].Tasks) != 1 || len(tr.Jobs[0].Tasks[0].Attempts) != 1 ||
			tr.Jobs[0].Tasks[0].Attempts[0].Host != "/r/h1" {
			t.Errorf("%v, %+v", err, tr)
		}
	}
}

// resume: the second pull asks for no task again.
func resume(t *testing.T, f *rmtest.Fake, c *Client, dir folder) {
	t.Helper()
	clear(f.Counts)
	if _, err := Pull(context.Background(), c, c, dir, window()); err != nil {
		t.Fatal(err)
	}
	for p, n := range f.Counts {
		if strings.Contains(p, "/tasks") {
			t.Errorf("%s was asked for again (%d times)", p, n)
		}
	}
}

func noSecret(t *testing.T, dir, secret string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds a secret", p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every way a server can misbehave gives one line that names the address, in
// bounded time, and no summary.
func TestFaults(t *testing.T) {
	t.Parallel() // it waits more than it works
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a redirect to another host was followed")
	}))
	t.Cleanup(elsewhere.Close) // after the cases
	at := func(path string, do func(http.ResponseWriter)) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != path {
				return false
			}
			do(w)
			return true
		}
	}
	body := func(s string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { fmt.Fprint(w, s) }
	}
	const nodes, apps = "/ws/v1/cluster/nodes", "/ws/v1/cluster/apps"
	for _, c := range []struct {
		name string
		hook func(http.ResponseWriter, *http.Request) bool
		want string
	}{
		{"slow", at(nodes, func(w http.ResponseWriter) { time.Sleep(tooLong) }), "no complete answer within " + patience.String()},
		{"trickling", at(nodes, func(w http.ResponseWriter) {
			for i := 0; i < 40; i++ { // tooLong in all
				fmt.Fprint(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(tooLong / 40)
			}
		}), "no complete answer within " + patience.String()},
		{"truncated", at(nodes, func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "5000")
			fmt.Fprint(w, `{"nodes":{"node":[`)
		}), "the answer breaks off after 18 bytes"},
		{"cut JSON", at(nodes, body(`{"nodes":{"node":[`)), "is not the expected JSON"},
		{"always 503", at(nodes, func(w http.ResponseWriter) {
			http.Error(w, "down for maintenance", http.StatusServiceUnavailable)
		}), "HTTP 503: down for maintenance"},
		{"redirecting", at(nodes, func(w http.ResponseWriter) {
			w.Header().Set("Location", elsewhere.URL+"/x")
			w.WriteHeader(307)
		}), "redirects to http://127.0.0.1"},
		{"sign-on page", at(nodes, func(w http.ResponseWriter) {
			w.Header().Set("Location", elsewhere.URL+"/gateway/knoxsso/api/v1/websso?originalUrl=x")
			w.WriteHeader(302)
		}), "redirects to the sign-on page of http://127.0.0.1"},
		{"no nodes yet", at(nodes, body(`{"nodes":null}`)), "nodes: no running node: applications stay ACCEPTED until a NodeManager registers"},
		{"circling", at(nodes, func(w http.ResponseWriter) { w.Header().Set("Location", nodes); w.WriteHeader(302) }),
			"more than 5 redirects"},
		{"web page", at(nodes, func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>log in</html>")
		}), "a web page instead of JSON"},
		{"endless", at(nodes, func(w http.ResponseWriter) {
			for i := 0; i < 1000; i++ {
				if _, err := w.Write(make([]byte, 4096)); err != nil {
					return
				}
			}
		}), "the answer is larger than 1000000 bytes"},
		{"standby", at("/ws/v1/cluster/info", body(`{"clusterInfo":{"haState":"STANDBY"}}`)),
			"the ResourceManager is STANDBY; use the active one"},
		{"no active one", at("/ws/v1/cluster/info", func(w http.ResponseWriter) {
			w.Header().Set("Refresh", "3;url=/ws/v1/cluster/info")
			w.Header().Set("Content-Type", "text/plain;charset=utf-8")
			fmt.Fprint(w, "Can not find any active RM. Will retry in next 3 seconds.\n")
		}), "no ResourceManager is active there at this moment: Can not find any active RM."},
		{"no active one, no retry", at("/ws/v1/cluster/info", body("There is no active RM right now.\n")),
			"is not the expected JSON: it says: There is no active RM right now."},
		{"no RM", at("/ws/v1/cluster/info", body(`{"hello":1}`)), `no "clusterInfo" in the answer`},
		{"fair scheduler", at("/ws/v1/cluster/scheduler", body(`{"scheduler":{"schedulerInfo":{"type":"fairScheduler"}}}`)),
			`the scheduler is "fairScheduler"; use capacityScheduler`},
		{"path in an id", at(apps, body(`{"apps":{"app":[{"id":"../../x","startedTime":1}]}}`)),
			"an entry without a proper id"},
		{"number in an id", at(apps, body(`{"apps":{"app":[{"id":7}]}}`)), "an entry without a proper id"},
		{"time in words", at(apps, body(`{"apps":{"app":[{"id":"application_1_1","startedTime":"now"}]}}`)),
			"startedTime of application_1_1 is no number"},
		{"negative memory",
			at(nodes, body(`{"nodes":{"node":[{"id":"a","state":"RUNNING","totalResource":{"memory":-5,"vCores":1}}]}}`)),
			"0 MiB and 0 vcores: must be at least 1 of each"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := rmtest.New(3)
			f.Hook = c.hook
			s := f.Serve(t)
			dir := t.TempDir()
			cl := quick(t, s.URL, func(o *Options) {
				o.MaxBytes, o.Retries = 1_000_000, 1
				if strings.Contains(c.want, "within") {
					o.Timeout = patience
				}
			})
			start := time.Now()
			_, err := Pull(context.Background(), cl, cl, folder(dir), window())
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), s.URL) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %q", err, c.want)
			}
			if d := time.Since(start); d > 30*time.Second {
				t.Errorf("took %s", d)
			}
			if folder(dir).Have(FileSummary) {
				t.Error("a summary was written")
			}
		})
	}
}

// A server that recovers is asked again; a change never is.
func TestRetries(t *testing.T) {
	f := rmtest.New(1)
	fails := 2
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/ws/v1/cluster/info" && fails > 0 {
			if fails--; fails == 0 { // a standby during a failover
				w.Header().Set("Refresh", "1;url=/")
				return true
			}
			http.Error(w, "not yet", 500)
			return true
		}
		if r.Method == http.MethodPut {
			http.Error(w, "boom", 500)
			return true
		}
		return false
	}
	s := f.Serve(t)
	c := quick(t, s.URL, nil)
	if _, err := c.Get(context.Background(), "/ws/v1/cluster/info", nil); err != nil {
		t.Error(err)
	}
	_, err := c.once(context.Background(), http.MethodPut, "/ws/v1/cluster/scheduler-conf", nil, []byte("{}"))
	if err == nil || f.Counts["/ws/v1/cluster/scheduler-conf"] != 1 {
		t.Errorf("%v, sent %d times", err, f.Counts["/ws/v1/cluster/scheduler-conf"])
	}
}

// A file store shows no configuration: the caller's file is used, or a note.
func TestPullFileStore(t *testing.T) {
	f := rmtest.New(1)
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "scheduler-conf") {
			return false
		}
		http.Error(w, "This API only supports to retrieve scheduler configuration from a mutable-conf scheduler, "+
			"underneath scheduler CapacityScheduler is not an instance of MutableConfScheduler", 400)
		return true
	}
	s := f.Serve(t)
	c := quick(t, s.URL, nil)
	dir := folder(t.TempDir())
	sum, err := Pull(context.Background(), c, nil, dir, window())
	if err != nil || sum.Store != "file" || dir.Have(FileConfig) || !strings.Contains(strings.Join(sum.Notes, " "),
		"give capacity-scheduler.xml with --config") {
		t.Errorf("%+v %v", sum, err)
	}
	opt := window()
	opt.Config = []byte("<configuration><!-- mine --></configuration>")
	if _, err := Pull(context.Background(), c, nil, dir, opt); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(filepath.Join(string(dir), FileConfig)); string(data) != string(opt.Config) {
		t.Errorf("%s", data)
	}
}

// A history server that is gone after the first 4 of 12 jobs is asked for 3 more and given
// up; what an earlier pull wrote counts all the same (here the last job). One that can't
// be reached at all, or is none, ends nothing either; an interruption does, and so does
// a folder that can't be written.
func TestPullMissing(t *testing.T) {
	f := rmtest.New(12)
	s := f.Serve(t)
	dir := folder(t.TempDir())
	c := quick(t, s.URL, func(o *Options) { o.Retries = -1 })
	if err := dir.WriteFile(jobFile("job_1_0011"), nil); err != nil {
		t.Fatal(err)
	}
	f.Hook = func(w http.ResponseWriter, r *http.Request) bool {
		id := strings.TrimPrefix(r.URL.Path, "/ws/v1/history/mapreduce/jobs/")
		gone := id != r.URL.Path && id >= "job_1_0004"
		if gone {
			http.Error(w, "bad gateway", http.StatusBadGateway)
		}
		return gone
	}
	sum, err := Pull(context.Background(), c, c, dir, window())
	var lacks *Incomplete
	if !errors.As(err, &lacks) || sum == nil || sum.Jobs != 5 || len(sum.Missing) != 1 ||
		sum.Missing[0].What != "tasks of job_1_0004 and 6 more" || !dir.Have(FileSummary) {
		t.Fatalf("%+v, %v", sum, err)
	}
	for id, want := range map[string]int{"job_1_0006": 1, "job_1_0007": 0, "job_1_0011": 0} {
		if n := f.Counts["/ws/v1/history/mapreduce/jobs/"+id]; n != want {
			t.Errorf("%s is asked for %d times, want %d", id, n, want)
		}
	}
	f.Hook = nil
	closed := httptest.NewServer(nil)
	closed.Close()
	dead := quick(t, closed.URL, func(o *Options) { o.Retries = -1 })
	opt := window()
	opt.Spark = dead
	if sum, err = Pull(context.Background(), c, dead, folder(t.TempDir()), opt); !errors.As(err, &lacks) ||
		len(sum.Missing) != 2 || sum.Apps != 12 || !strings.Contains(err.Error(), "connection refused") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%+v, %v", sum, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.Hook = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "job_1_0002") {
			cancel()
		}
		return false
	}
	if sum, err := Pull(ctx, c, c, folder(t.TempDir()), window()); sum != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %+v, %v", sum, err)
	}
	f.Hook = nil
	if sum, err := Pull(context.Background(), c, c, full{folder(t.TempDir())}, window()); sum != nil ||
		!errors.Is(err, errFull) {
		t.Errorf("full disk: %+v, %v", sum, err)
	}
}

var errFull = errors.New("no space left")

// full is a disk that has no space for a job.
type full struct{ folder }

func (f full) WriteFile(name string, data []byte) error {
	if strings.Contains(name, "job_") {
		return errFull
	}
	return f.folder.WriteFile(name, data)
}
