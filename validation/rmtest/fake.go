// Package rmtest is a made-up cluster whose web services answer as a
// ResourceManager and a JobHistoryServer do, for tests.
package rmtest

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/template"
)

// Fake is a cluster: 2 nodes, queues a and b, n applications one second apart, each with
// a finished MapReduce job of one map and one reduce.
type Fake struct {
	Apps int               // applications, and jobs
	Conf map[string]string // the scheduler's configuration
	// lists of one without brackets, empty ones as "", and a map a job, as the history server of Hadoop 3.5.0
	// writes them
	Bare    bool
	Version int64          // of Conf
	Counts  map[string]int // requests by path
	Puts    int            // mutations
	mu      sync.Mutex     // a request whose client gave up may still be served

	// Hook is asked first; true means that it has answered.
	Hook func(w http.ResponseWriter, r *http.Request) bool
}

// T0 is when the first application started, in milliseconds since the epoch.
const T0 = 1_700_000_000_000

// New returns a cluster with n applications that started from T0 on.
func New(n int) *Fake {
	return &Fake{Apps: n, Version: 1, Counts: map[string]int{}, Conf: map[string]string{
		"yarn.scheduler.capacity.root.queues":     "a,b",
		"yarn.scheduler.capacity.root.a.capacity": "60", "yarn.scheduler.capacity.root.b.capacity": "40",
	}}
}

// Serve starts a server that ends with the test.
func (f *Fake) Serve(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s
}

//go:embed answers.tmpl
var answerText string

var answers = template.Must(template.New("").Parse(answerText))

// answer writes one of the answers.
func answer(w http.ResponseWriter, name string, of any) {
	if err := answers.ExecuteTemplate(w, name, of); err != nil {
		panic(err)
	}
}

// queue is a queue of the scheduler's answer.
type queue struct {
	Name     string
	Capacity float64 // percent
}

// Share is the queue's part of a figure of the whole cluster.
func (q queue) Share(whole float64) int64 { return int64(whole * q.Capacity / 100) }

// Root is the root queue.
func (f *Fake) Root() queue { return queue{"root", 100} }

// Queues are those of the configuration.
func (f *Fake) Queues() []queue {
	a, _ := strconv.ParseFloat(f.Conf["yarn.scheduler.capacity.root.a.capacity"], 64)
	b, _ := strconv.ParseFloat(f.Conf["yarn.scheduler.capacity.root.b.capacity"], 64)
	return []queue{{"a", a}, {"b", b}}
}

// app is an application by its number, and its job.
type app struct {
	Number int
	Bare   bool
}

// ID is what its ids have in common.
func (a app) ID() string { return fmt.Sprintf("1_%04d", a.Number) }

// At is an instant so many milliseconds after its start.
func (a app) At(after int) int { return T0 + 1000*a.Number + after }

const jobs = "/ws/v1/history/mapreduce/jobs"

// ServeHTTP answers one request.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := r.URL.Path
	f.mu.Lock()
	f.Counts[p]++
	f.mu.Unlock()
	if f.Hook != nil && f.Hook(w, r) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	switch {
	case p == "/ws/v1/cluster/apps":
		f.list(w, r.URL.Query(), "apps", "app")
	case p == jobs:
		f.list(w, r.URL.Query(), "jobs", "job")
	case strings.HasPrefix(p, jobs):
		f.history(w, strings.Split(p[len(jobs)+1:], "/"))
	case p == "/ws/v1/cluster/scheduler-conf" && r.Method == http.MethodPut:
		f.Puts++
		f.mutate(r)
		fmt.Fprint(w, "Configuration change successfully applied.")
	case p == "/ws/v1/cluster/scheduler-conf":
		var props []map[string]string
		for k, v := range f.Conf {
			props = append(props, map[string]string{"name": k, "value": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"property": props})
	case answers.Lookup(p) != nil:
		answer(w, p, f)
	default:
		http.NotFound(w, r)
	}
}

// Mutate makes the change that a request asks for, on behalf of a Hook.
func (f *Fake) Mutate(r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mutate(r)
}

func (f *Fake) mutate(r *http.Request) {
	var m struct {
		Update []struct {
			Name   string `json:"queue-name"`
			Params struct {
				Entry []struct{ Key, Value string }
			}
		} `json:"update-queue"`
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil {
		return
	}
	for _, q := range m.Update {
		for _, e := range q.Params.Entry {
			f.Conf["yarn.scheduler.capacity."+q.Name+"."+e.Key] = e.Value
		}
	}
	f.Version++
}

// list answers with the applications of a span by their start, or their jobs.
func (f *Fake) list(w http.ResponseWriter, q url.Values, outer, inner string) {
	num := func(key string) int {
		v, _ := strconv.Atoi(q.Get(key))
		return v
	}
	to, limit := cmp.Or(num("startedTimeEnd"), 1<<62), cmp.Or(num("limit"), 1<<30)
	var out []string
	for i := f.Apps - 1; i >= 0 && len(out) < limit; i-- { // newest first: order must not matter
		if a := (app{i, f.Bare}); a.At(0) >= num("startedTimeBegin") && a.At(0) <= to {
			var b strings.Builder
			_ = answers.ExecuteTemplate(&b, inner, a)
			out = append(out, b.String())
		}
	}
	text := fmt.Sprintf(`{"%s":[%s]}`, inner, strings.Join(out, ","))
	switch {
	case len(out) == 0 && f.Bare:
		text = `""`
	case len(out) == 0:
		text = "null"
	case len(out) == 1 && f.Bare:
		text = fmt.Sprintf(`{"%s":%s}`, inner, out[0])
	}
	fmt.Fprintf(w, `{"%s":%s}`, outer, text)
}

// history answers for what is below a job, by the parts of the path from its id on.
func (f *Fake) history(w http.ResponseWriter, parts []string) {
	i, _ := strconv.Atoi(strings.TrimPrefix(parts[0], "job_1_"))
	name := "reduce attempts"
	switch {
	case len(parts) == 1:
		name = "one job"
	case len(parts) == 2:
		name = parts[1] // conf or tasks
	case strings.Contains(parts[2], "_m_"):
		name = "map attempts"
	}
	answer(w, name, app{i, f.Bare})
}
