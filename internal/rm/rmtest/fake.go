// Package rmtest is a made-up cluster whose web services answer as a
// ResourceManager and a JobHistoryServer do, for tests.
package rmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
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

// ServeHTTP answers one request.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.Counts[r.URL.Path]++
	f.mu.Unlock()
	if f.Hook != nil && f.Hook(w, r) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	p := r.URL.Path
	switch {
	case p == "/ws/v1/cluster/info":
		fmt.Fprint(w, `{"clusterInfo":{"haState":"ACTIVE","hadoopVersion":"3.4.1"}}`)
	case p == "/ws/v1/cluster/nodes":
		fmt.Fprint(w,
			`{"nodes":{"node":[{"rack":"/r","state":"RUNNING","id":"h1:1","nodeHostName":"h1","totalResource":{"memory":4096,"vCores":4}},{"rack":"/r","state":"RUNNING","id":"h2:1","nodeHostName":"h2","totalResource":{"memory":4096,"vCores":4}}]}}`)
	case p == "/ws/v1/cluster/scheduler":
		f.scheduler(w)
	case p == "/ws/v1/cluster/metrics":
		fmt.Fprint(w, `{"clusterMetrics":{"totalMB":8192}}`)
	case strings.HasPrefix(p, "/ws/v1/cluster/scheduler-conf"):
		f.schedulerConf(w, r)
	case p == "/conf":
		fmt.Fprint(w,
			`{"properties":[{"key":"yarn.scheduler.minimum-allocation-mb","value":"256"},{"key":"secret.password","value":"hunter22"}]}`)
	case p == "/ws/v1/cluster/apps":
		f.list(w, r, "apps", "app", func(i int) string {
			return fmt.Sprintf(
				`{"id":"application_1_%04d","user":"u","name":"n","queue":"root.a","applicationType":"MAPREDUCE","finalStatus":"SUCCEEDED","startedTime":%d,"launchTime":%d,"finishedTime":%d,"memorySeconds":10,"vcoreSeconds":5}`, i, T0+i*1000, T0+i*1000+10, T0+i*1000+900)
		})
	case p == "/ws/v1/history/info":
		fmt.Fprint(w, `{"historyInfo":{"hadoopVersion":"3.4.1"}}`)
	case strings.HasPrefix(p, "/ws/v1/history/mapreduce/jobs"):
		f.history(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (f *Fake) scheduler(w http.ResponseWriter) {
	queue := func(name string, c, m float64, kind string) string {
		min, max := int64(8192*c/100), int64(8192*m/100)
		return fmt.Sprintf(
			`{"type":"capacitySchedulerLeafQueueInfo","queuePath":"root.%s","queueName":"%s","capacity":%g,"maxCapacity":%g,"absoluteCapacity":%g,"absoluteMaxCapacity":%g,"state":"RUNNING","userLimit":100,"userLimitFactor":1,"maxApplications":%d,"maxApplicationsPerUser":%d,"orderingPolicyInfo":"fifo","capacities":{"queueCapacitiesByPartition":[{"partitionName":"","effectiveMinResource":{"memory":%d,"vCores":%d},"effectiveMaxResource":{"memory":%d,"vCores":8}}]}}`,
			name, name, c, m, c, m, int(100*c), int(100*c), min, int64(8*c/100), max)
	}
	num := func(k string) float64 {
		x, _ := strconv.ParseFloat(f.Conf["yarn.scheduler.capacity.root."+k+".capacity"], 64)
		return x
	}
	fmt.Fprintf(w,
		`{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","capacity":100,"maxCapacity":100,"queueName":"root","queuePath":"root","queues":{"queue":[%s,%s]},"capacities":{"queueCapacitiesByPartition":[{"partitionName":"","effectiveMinResource":{"memory":8192,"vCores":8},"effectiveMaxResource":{"memory":8192,"vCores":8}}]}}}}`,
		queue("a", num("a"), 100, ""), queue("b", num("b"), 100, ""))
}

func (f *Fake) schedulerConf(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/version"):
		fmt.Fprintf(w, `{"versionID":"%d"}`, f.Version)
	case strings.HasSuffix(r.URL.Path, "/validate"):
		fmt.Fprint(w, `{}`)
	case r.Method == http.MethodPut:
		f.Puts++
		f.mutate(r)
		fmt.Fprint(w, "Configuration change successfully applied.")
	default:
		var props []map[string]string
		for k, v := range f.Conf {
			props = append(props, map[string]string{"name": k, "value": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"property": props})
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

func (f *Fake) list(w http.ResponseWriter, r *http.Request, outer, inner string, entry func(int) string) {
	q := r.URL.Query()
	num := func(k string, def int64) int64 {
		if v, err := strconv.ParseInt(q.Get(k), 10, 64); err == nil {
			return v
		}
		return def
	}
	from, to, limit := num("startedTimeBegin", 0), num("startedTimeEnd", 1<<62), num("limit", 1<<30)
	var out []string
	for i := f.Apps - 1; i >= 0 && int64(len(out)) < limit; i-- { // newest first: order must not matter
		if at := int64(T0 + i*1000); at >= from && at <= to {
			out = append(out, entry(i))
		}
	}
	switch {
	case len(out) == 0 && f.Bare:
		fmt.Fprintf(w, `{"%s":""}`, outer)
		return
	case len(out) == 0:
		fmt.Fprintf(w, `{"%s":null}`, outer)
		return
	case len(out) == 1 && f.Bare:
		fmt.Fprintf(w, `{"%s":{"%s":%s}}`, outer, inner, out[0])
		return
	}
	fmt.Fprintf(w, `{"%s":{"%s":[%s]}}`, outer, inner, strings.Join(out, ","))
}

func (f *Fake) history(w http.ResponseWriter, r *http.Request) {
	rest := strings.TrimPrefix(r.URL.Path, "/ws/v1/history/mapreduce/jobs")
	if rest == "" {
		f.list(w, r, "jobs", "job", func(i int) string { return f.job(i) })
		return
	}
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	i, _ := strconv.Atoi(strings.TrimPrefix(parts[0], "job_1_"))
	at := T0 + i*1000
	switch {
	case len(parts) == 1:
		fmt.Fprintf(w, `{"job":%s}`, f.job(i))
	case parts[1] == "conf":
		fmt.Fprintf(w,
			`{"conf":{"path":"file:/done/%s_conf.xml","property":[{"name":"mapreduce.map.memory.mb","value":"512"},{"name":"mapreduce.reduce.memory.mb","value":768},{"name":"mapreduce.map.speculative","value":false},{"name":"mapreduce.job.reduce.slowstart.completedmaps","value":0.5},{"name":"mapreduce.job.priority","value":"HIGH"},{"name":"mapreduce.job.node-label-expression","value":"gpu"},{"name":"javax.jdo.option.ConnectionPassword","value":"hunter22"}]}}`, parts[0])
	case len(parts) == 2 && f.Bare:
		fmt.Fprintf(w,
			`{"tasks":{"task":{"id":"task_1_%04d_m_000000","type":"MAP","state":"SUCCEEDED","startTime":%d,"finishTime":%d}}}`,
			i, at+100, at+400)
	case len(parts) == 2:
		fmt.Fprintf(w,
			`{"tasks":{"task":[{"id":"task_1_%04d_m_000000","type":"MAP","state":"SUCCEEDED","startTime":%d,"finishTime":%d},{"id":"task_1_%04d_r_000000","type":"REDUCE","state":"SUCCEEDED","startTime":%d,"finishTime":%d}]}}`,
			i, at+100, at+400, i, at+200, at+800)
	case strings.Contains(parts[2], "_m_") && f.Bare:
		fmt.Fprintf(w,
			`{"taskAttempts":{"taskAttempt":{"id":"attempt_1_%04d_m_000000_0","type":"MAP","state":"SUCCEEDED","startTime":%d,"finishTime":%d,"rack":"/r","nodeHttpAddress":"h1:8042","assignedContainerId":"c"}}}`, i, at+100, at+400)
	case strings.Contains(parts[2], "_m_"):
		fmt.Fprintf(w,
			`{"taskAttempts":{"taskAttempt":[{"id":"attempt_1_%04d_m_000000_0","type":"MAP","state":"SUCCEEDED","startTime":%d,"finishTime":%d,"rack":"/r","nodeHttpAddress":"h1:8042","assignedContainerId":"c"}]}}`, i, at+100, at+400)
	default:
		fmt.Fprintf(w,
			`{"taskAttempts":{"taskAttempt":[{"id":"attempt_1_%04d_r_000000_0","type":"REDUCE","state":"SUCCEEDED","startTime":%d,"finishTime":%d,"shuffleFinishTime":%d,"mergeFinishTime":%d,"rack":"/r","nodeHttpAddress":"h2:8042","assignedContainerId":"c"}]}}`, i, at+200, at+800, at+500, at+510)
	}
}

func (f *Fake) job(i int) string {
	at := T0 + i*1000
	return fmt.Sprintf(
		`{"id":"job_1_%04d","user":"u","name":"n","queue":"a","state":"SUCCEEDED","submitTime":%d,"startTime":%d,"finishTime":%d,"mapsTotal":1,"reducesTotal":1}`, i, at, at+50, at+850)
}
