package sched

import (
	"slices"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/yarnconf"
)

// oneKind is a workload of jobs with maps only, all of 10 s, one user each
// unless users says otherwise.
func oneKind(queues []string, jobs []simcore.Job) *simcore.Workload {
	w := &simcore.Workload{Name: "test", Queues: queues, Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}}}
	for i := range jobs {
		j := &jobs[i]
		j.ID, j.Class, j.FirstTask, j.Slowstart, j.ReduceDist = string(rune('a'+i)), -1, -1, -1, -1
		for int(j.User) >= len(w.Users) {
			w.Users = append(w.Users, string(rune('A'+len(w.Users))))
		}
	}
	w.Jobs = jobs
	return w
}

// slots is a cluster of nodes with four map slots and one reduce slot.
func slots(nodes int) *simcore.Cluster {
	c := &simcore.Cluster{Racks: []string{"r"}}
	for range nodes {
		c.Nodes = append(c.Nodes, simcore.Node{Slots: simcore.Vec{4, 1}, Speed: 1, Cores: 4})
	}
	return c
}

// most runs the workload and returns the most maps each job ran at a time.
func most(t *testing.T, w *simcore.Workload, c *simcore.Cluster, m *yarnconf.MR1) ([]int, *simcore.Result) {
	t.Helper()
	return mostWith(t, w, c, Options{MR1: m})
}

// mostWith is most with options.
func mostWith(t *testing.T, w *simcore.Workload, c *simcore.Cluster, o Options) ([]int, *simcore.Result) {
	t.Helper()
	s, err := New("capacity-mr1", o)
	if err != nil {
		t.Fatal(err)
	}
	running, peak := make([]int, len(w.Jobs)), make([]int, len(w.Jobs))
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled},
		Trace: func(_ simcore.Time, e mr1.Event) {
			switch e.Kind {
			case mr1.TaskStarted:
				running[e.Task.Job]++
				peak[e.Task.Job] = max(peak[e.Task.Job], running[e.Task.Job])
			case mr1.TaskFinished:
				running[e.Task.Job]--
			}
		}}
	r, err := mr1.Run(cfg, c, w, s)
	if err != nil {
		t.Fatal(err)
	}
	return peak, r
}

func job(queue, user, maps int32) simcore.Job {
	return simcore.Job{Queue: queue, User: user, Maps: maps}
}

// Maximum-Capacity keeps a lone queue of 50 % at 50 % of 40 slots; without it
// and with a user limit factor of 2 the job takes all 40.
func TestMaximumCapacity(t *testing.T) {
	w := oneKind([]string{"a", "b"}, []simcore.Job{job(0, 0, 200)})
	m := NewMR1([]string{"a", "b"}, []float64{50, 50})
	m.Queues[0].UserFactor = 2
	if peak, _ := most(t, w, slots(10), m); peak[0] != 40 {
		t.Errorf("without a limit: %d maps at a time, want 40", peak[0])
	}
	m.Queues[0].MaxCapacity = 50
	if peak, _ := most(t, w, slots(10), m); peak[0] != 20 {
		t.Errorf("limit of 50 %%: %d maps at a time, want 20", peak[0])
	}
}

// User-Limit-Factor 1 keeps one user at the queue's capacity, 50 % of 40, even
// on an idle cluster; 1.5 allows 30.
func TestUserLimitFactor(t *testing.T) {
	w := oneKind([]string{"a", "b"}, []simcore.Job{job(0, 0, 200)})
	for factor, want := range map[float64]int{1: 20, 1.5: 30} {
		m := NewMR1([]string{"a", "b"}, []float64{50, 50})
		m.Queues[0].UserFactor = factor
		if peak, _ := most(t, w, slots(10), m); peak[0] != want {
			t.Errorf("factor %v: %d maps at a time, want %d", factor, peak[0], want)
		}
	}
}

// With Minimum-User-Limit-Percent 25 and four users, each gets a quarter of 40
// slots; with 100 the first user's job takes all.
func TestMinimumUserLimitPercent(t *testing.T) {
	jobs := func() []simcore.Job {
		return []simcore.Job{job(0, 0, 100), job(0, 1, 100), job(0, 2, 100), job(0, 3, 100)}
	}
	m := NewMR1([]string{"a"}, []float64{100})
	m.Queues[0].UserLimit = 25
	peak, _ := most(t, oneKind([]string{"a"}, jobs()), slots(10), m)
	if peak[0] != 10 {
		t.Errorf("25 %%: the first user ran %d maps at a time, want 10", peak[0])
	}
	m.Queues[0].UserLimit = 100
	peak, _ = most(t, oneKind([]string{"a"}, jobs()), slots(10), m)
	if peak[0] != 40 {
		t.Errorf("100 %%: the first user ran %d maps at a time, want 40", peak[0])
	}
}

// Queues of 75 % and 25 % with demand share 40 slots 30 to 10 once both have
// started: sorted by running tasks over capacity.
func TestQueuesShareByCapacity(t *testing.T) {
	w := oneKind([]string{"a", "b"}, []simcore.Job{job(0, 0, 400), job(1, 1, 400)})
	m := NewMR1([]string{"a", "b"}, []float64{75, 25})
	peak, _ := most(t, w, slots(10), m)
	if peak[0] != 30 || peak[1] < 10 {
		t.Errorf("%d and %d maps at a time, want 30 and at least 10", peak[0], peak[1])
	}
}

// With PendingFirst queues of 75 % and 25 % with equal demand share equally, as
// each is asked while it has more pending, and a queue of few tasks waits for
// the longer one: of 40 slots job a's 396 maps leave none to job b's 4 until no
// more than 4 are pending, in the last of the ten waves of 10 s.
func TestPendingFirst(t *testing.T) {
	m := NewMR1([]string{"a", "b"}, []float64{75, 25})
	for i := range m.Queues {
		m.Queues[i].UserFactor = 4
	}
	w := oneKind([]string{"a", "b"}, []simcore.Job{job(0, 0, 400), job(1, 1, 400)})
	peak, _ := mostWith(t, w, slots(10), Options{MR1: m, PendingFirst: true})
	if peak[0] != 20 || peak[1] != 20 {
		t.Errorf("%d and %d maps at a time, want 20 and 20", peak[0], peak[1])
	}
	w = oneKind([]string{"a", "b"}, []simcore.Job{job(0, 0, 396), job(1, 1, 4)})
	_, r := mostWith(t, w, slots(10), Options{MR1: m, PendingFirst: true})
	if wait := r.Jobs[1].Completion().Seconds() - r.Jobs[1].Execution().Seconds(); wait < 90 {
		t.Errorf("the short job waits %.0f s, want at least nine waves of 10 s", wait)
	}
	_, r = most(t, w, slots(10), m)
	if wait := r.Jobs[1].Completion().Seconds() - r.Jobs[1].Execution().Seconds(); wait > 20 {
		t.Errorf("sorted by load the short job waits %.0f s, want at most 20", wait)
	}
}

// Maximum-System-Jobs 2 over two queues initialises one job per queue at a
// time (thesis 5.1.2): the second job of a queue starts after the first ended.
func TestMaximumSystemJobs(t *testing.T) {
	w := oneKind([]string{"a", "b"}, []simcore.Job{job(0, 0, 4), job(0, 1, 4)})
	m := NewMR1([]string{"a", "b"}, []float64{50, 50})
	m.MaxSystemJobs = 2
	_, r := most(t, w, slots(10), m)
	if r.Jobs[1].Start < r.Jobs[0].Finish {
		t.Errorf("second job started at %v s, first ended at %v s", r.Jobs[1].Start.Seconds(), r.Jobs[0].Finish.Seconds())
	}
	m.MaxSystemJobs = 4
	_, r = most(t, w, slots(10), m)
	if r.Jobs[1].Start >= r.Jobs[0].Finish {
		t.Errorf("with four jobs allowed the second waited for the first")
	}
}

// Maximum-Initialized-Active-Tasks 100 lets one job of 80 tasks be initialised,
// 160 two (thesis 5.1.2, floor(100/80) = 1 and floor(160/80) = 2).
func TestMaximumInitializedActiveTasks(t *testing.T) {
	for limit, together := range map[int]bool{100: false, 160: true} {
		w := oneKind([]string{"a"}, []simcore.Job{job(0, 0, 80), job(0, 1, 80)})
		m := NewMR1([]string{"a"}, []float64{100})
		m.Queues[0].MaxActiveTasks, m.Queues[0].MaxActiveTasksPerUser = limit, 80
		_, r := most(t, w, slots(10), m)
		if got := r.Jobs[1].Start < r.Jobs[0].Finish; got != together {
			t.Errorf("limit %d: jobs run together %v, want %v", limit, got, together)
		}
	}
}

// A job with more tasks than the limit per user, or beyond the jobs accepted
// (maximum-system-jobs * capacity * factor = 1), does not enter the system.
func TestAcceptance(t *testing.T) {
	w := oneKind([]string{"a"}, []simcore.Job{job(0, 0, 4), job(0, 1, 81), job(0, 2, 4)})
	m := NewMR1([]string{"a"}, []float64{100})
	m.Queues[0].MaxActiveTasksPerUser = 80
	_, r := most(t, w, slots(10), m)
	if r.Jobs[0].Failed || !r.Jobs[1].Failed || r.Jobs[2].Failed {
		t.Errorf("refused %v %v %v, want only the second", r.Jobs[0].Failed, r.Jobs[1].Failed, r.Jobs[2].Failed)
	}
	m = NewMR1([]string{"a"}, []float64{100})
	m.MaxSystemJobs, m.Queues[0].InitAcceptJobsFactor = 1, 1
	w = oneKind([]string{"a"}, []simcore.Job{job(0, 0, 4), job(0, 1, 4)})
	_, r = most(t, w, slots(10), m)
	if r.Jobs[0].Failed || !r.Jobs[1].Failed {
		t.Errorf("refused %v %v, want only the second", r.Jobs[0].Failed, r.Jobs[1].Failed)
	}
}

// The poller wakes up every init-poll-interval: a job submitted at 0 starts at
// 7 s when the interval is 7 s. With a worker thread that needs 3 s per job,
// it runs from the poller's next wake-up on, at 14 s.
func TestInitialisationPoller(t *testing.T) {
	m := NewMR1([]string{"a"}, []float64{100})
	m.InitPollInterval = 7000
	_, r := most(t, oneKind([]string{"a"}, []simcore.Job{job(0, 0, 4)}), slots(1), m)
	if s := r.Jobs[0].Start.Seconds(); s < 7 || s > 7.5 {
		t.Errorf("started at %v s, want at 7 s plus at most a heartbeat", s)
	}
	s, err := New("capacity-mr1:init-time=3", Options{MR1: m})
	if err != nil {
		t.Fatal(err)
	}
	r, err = mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}, slots(1),
		oneKind([]string{"a"}, []simcore.Job{job(0, 0, 4)}), s)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Jobs[0].Start.Seconds(); s < 14 || s > 14.5 {
		t.Errorf("with 3 s of a worker thread it started at %v s, want at 14 s plus at most a heartbeat", s)
	}
}

// One map per heartbeat (hidden setting 1) against four: a node of four slots
// fills in four heartbeats of 300 ms, or in one.
func TestTasksPerHeartbeat(t *testing.T) {
	for per, want := range map[int]float64{1: 0.9, 4: 0} {
		m := NewMR1([]string{"a"}, []float64{100})
		m.MaxTasksPerHeartbeat = per
		s, err := New("capacity-mr1", Options{MR1: m})
		if err != nil {
			t.Fatal(err)
		}
		var starts []float64
		_, err = mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled},
			Trace: func(at simcore.Time, e mr1.Event) {
				if e.Kind == mr1.TaskStarted {
					starts = append(starts, at.Seconds())
				}
			}}, slots(1), oneKind([]string{"a"}, []simcore.Job{job(0, 0, 4)}), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := starts[3] - starts[0]; got < want-1e-6 || got > want+1e-6 {
			t.Errorf("%d per heartbeat: four maps started within %v s, want %v", per, got, want)
		}
	}
}

// Supports-Priority orders a queue by priority, which is ignored without it.
func TestSupportsPriority(t *testing.T) {
	for _, on := range []bool{false, true} {
		low, high := job(0, 0, 80), job(0, 1, 80)
		high.Priority = 2
		m := NewMR1([]string{"a"}, []float64{100})
		m.Queues[0].SupportsPriority = on
		_, r := most(t, oneKind([]string{"a"}, []simcore.Job{low, high}), slots(10), m)
		if first := r.Jobs[1].Finish < r.Jobs[0].Finish; first != on {
			t.Errorf("supports-priority %v: the high one ended first %v", on, first)
		}
	}
}

func TestMR1ErrorsNameSettingAndRange(t *testing.T) {
	for want, change := range map[string]func(*yarnconf.MR1){
		"queue a: capacity 120: must be 0 to 100":   func(c *yarnconf.MR1) { c.Queues[0].Capacity = 120 },
		"maximum-capacity 20: must be -1, or 50":    func(c *yarnconf.MR1) { c.Queues[0].MaxCapacity = 20 },
		"sum 110 must be at most 100":               func(c *yarnconf.MR1) { c.Queues[1].Capacity = 60 },
		"minimum-user-limit-percent 0: must be":     func(c *yarnconf.MR1) { c.Queues[0].UserLimit = 0 },
		"maximum-system-jobs 0: must be 1 or more":  func(c *yarnconf.MR1) { c.MaxSystemJobs = 0 },
		"maximum-tasks-per-heartbeat 0: must be 1 ": func(c *yarnconf.MR1) { c.MaxTasksPerHeartbeat = 0 },
	} {
		t.Run(want, func(t *testing.T) {
			c := NewMR1([]string{"a", "b"}, []float64{50, 50})
			change(c)
			if err := checkMR1(c); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error with %q", err, want)
			}
		})
	}
}

// placedOn gives every map of the workload's first job its input on one node.
func placedOn(w *simcore.Workload, n int32) *simcore.Workload {
	w.Jobs[0].FirstTask = 0
	w.Tasks.HostAt = []int32{0}
	for range w.Jobs[0].Maps {
		w.Tasks.Hosts = append(w.Tasks.Hosts, n)
		w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
	}
	return w
}

// started runs the workload and returns when and where its tasks of the kind began.
func started(t *testing.T, m *yarnconf.MR1, c *simcore.Cluster, w *simcore.Workload, k simcore.Kind) (at []float64,
	on []simcore.NodeID) {
	t.Helper()
	s, err := New("capacity-mr1:slowstart=0", Options{MR1: m})
	if err != nil {
		t.Fatal(err)
	}
	_, err = mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled},
		Trace: func(now simcore.Time, e mr1.Event) {
			if e.Kind == mr1.TaskStarted && e.Task.Kind == k {
				at, on = append(at, now.Seconds()), append(on, e.Node)
			}
		}}, c, w, s)
	if err != nil {
		t.Fatal(err)
	}
	return at, on
}

// Delay scheduling (thesis 2.1.2). Node 0, alone in its rack, holds the input and has no
// map slot; node 1 in the other rack has four. Its heartbeats come 300 ms apart, and each
// is an opportunity. The job of 10 maps waits until it has had more than two, the number
// of nodes: its first map comes 600 ms after the first opportunity, and none of the later
// ones waits again, as a remote map does not set the counter back. A job of one map waits
// for more than one: 300 ms. Jobs of a cluster without racks do not wait.
func TestRemoteMapsWait(t *testing.T) {
	start := func(maps int32, racks ...string) float64 {
		c := &simcore.Cluster{Racks: racks, Nodes: []simcore.Node{
			{Rack: 0, Slots: simcore.Vec{0, 1}, Speed: 1, Cores: 4}, {Rack: int32(len(racks) - 1), Slots: simcore.Vec{4, 1},
				Speed: 1, Cores: 4}}}
		at, _ := started(t, NewMR1([]string{"a"}, []float64{100}), c,
			placedOn(oneKind([]string{"a"}, []simcore.Job{job(0, 0, maps)}), 0), simcore.Map)
		for i := 1; i < 4 && i < len(at); i++ {
			if d := at[i] - at[i-1]; d < 0.3-1e-9 || d > 0.3+1e-9 {
				t.Errorf("map %d came %v s after the one before, want a heartbeat of 0.3 s", i, d)
			}
		}
		return at[0]
	}
	near := start(10, "r")
	for _, c := range []struct {
		maps int32
		want float64
	}{{10, 0.6}, {1, 0.3}} {
		if got := start(c.maps, "r", "s") - near; got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%d maps: the first remote one waited %v s, want %v", c.maps, got, c.want)
		}
	}
}

// A remote map ends the maps of its heartbeat, or is followed by as many near ones as
// MaxTasksToAssignAfterOffSwitch allows, never by a second remote one. Node 1 takes four
// maps of 10 s a heartbeat; those of job a, which is first in the queue, are remote there,
// those of job b, without input, are near. At the first heartbeat job a is passed over twice
// (two nodes) and then served; from then on it goes first.
func TestTasksAfterOffSwitch(t *testing.T) {
	for after, want := range map[int][]string{
		0: {"bba", "a", "a", "a", "a", "a"}, // one remote map a heartbeat
		1: {"bbab", "ab", "ab"},             // two are left for the next heartbeat
		3: {"bbab", "abbb", "ab"},
	} {
		c := &simcore.Cluster{Racks: []string{"r", "s"}, Nodes: []simcore.Node{
			{Rack: 0, Slots: simcore.Vec{0, 1}, Speed: 1, Cores: 4}, {Rack: 1, Slots: simcore.Vec{4, 1}, Speed: 1, Cores: 4}}}
		w := placedOn(oneKind([]string{"a"}, []simcore.Job{job(0, 0, 8), job(0, 0, 7)}), 0)
		m := NewMR1([]string{"a"}, []float64{100})
		m.MaxTasksPerHeartbeat, m.MaxTasksAfterOffSwitch = 4, after
		s, err := New("capacity-mr1", Options{MR1: m})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		last := simcore.Never
		_, err = mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled},
			Trace: func(now simcore.Time, e mr1.Event) {
				if e.Kind != mr1.TaskStarted {
					return
				}
				if now != last {
					got, last = append(got, ""), now
				}
				got[len(got)-1] += w.Jobs[e.Task.Job].ID
			}}, c, w, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("after an off-switch map %d more: maps by heartbeat %v, want first %v", after, got, want)
		}
	}
}

// Hadoop assigns one reduce with a heartbeat whatever maximum-tasks-per-heartbeat says: the
// four reduces of a job on a node of four slots start 300 ms apart.
func TestOneReducePerHeartbeat(t *testing.T) {
	c := &simcore.Cluster{Racks: []string{"r"}, Nodes: []simcore.Node{{Slots: simcore.Vec{4, 4}, Speed: 1, Cores: 8}}}
	w := oneKind([]string{"a"}, []simcore.Job{{Maps: 4, Reduces: 4}})
	w.Jobs[0].ReduceDist = 0
	m := NewMR1([]string{"a"}, []float64{100})
	m.MaxTasksPerHeartbeat = 32767
	at, _ := started(t, m, c, w, simcore.Reduce)
	if d := at[3] - at[0]; d < 0.9-1e-9 || d > 0.9+1e-9 {
		t.Errorf("four reduces started within %v s, want 0.9", d)
	}
}
