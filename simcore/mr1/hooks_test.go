package mr1_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
	"schedtune/validation/testdata"
)

// choosy wants the events of one kind.
type choosy struct {
	mr1.Scheduler
	kind mr1.EventKind
	got  []string
}

func (c *choosy) Wants() uint32 { return 1 << c.kind }

func (c *choosy) Observe(v *mr1.View, e mr1.Event) {
	if e.Kind == c.kind {
		c.got = append(c.got, fmt.Sprint(v.Now(), e))
	}
}

// Who chooses one kind of event is told all of that kind that a trace has, and every
// kind comes in some of the runs.
func TestChosenEventsAreTold(t *testing.T) {
	t.Parallel()
	seen := map[mr1.EventKind]int{}
	for seed := range uint64(testdata.Cases(24)) {
		_, c, w := scene(seed)
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: seed}, Replication: 2}
		if seed%2 == 1 {
			cfg.Model = simcore.Resources
		}
		cfg.Failures = mr1.Failures{Attempt: 0.1, MaxAttempts: 20}
		cfg.Speculation = mr1.Speculation{On: true, After: 5 * simcore.Second, Cap: 0.3}
		var all []string
		var kinds []mr1.EventKind
		traced := cfg
		traced.Trace = func(at simcore.Time, e mr1.Event) {
			all, kinds = append(all, fmt.Sprint(at, e)), append(kinds, e.Kind)
		}
		if _, err := mr1.Run(traced, c, w, newCapricious(seed)); err != nil {
			t.Fatal(err)
		}
		for k := mr1.JobArrived; k <= mr1.TaskCopied; k++ {
			var want []string
			for i := range all {
				if kinds[i] == k {
					want = append(want, all[i])
				}
			}
			s := &choosy{Scheduler: newCapricious(seed), kind: k}
			if _, err := mr1.Run(cfg, c, w, s); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.got, want) {
				t.Errorf("seed %d, %v: %d told, the trace has %d", seed, k, len(s.got), len(want))
			}
			seen[k] += len(want)
		}
	}
	names := []string{"job-arrived", "job-ready", "job-maps-done", "job-finished", "task-started", "task-finished",
		"task-failed", "task-killed", "task-copied"}
	for k, name := range names {
		t.Run(name, func(t *testing.T) {
			if mr1.EventKind(k).String() != name || seen[mr1.EventKind(k)] == 0 {
				t.Errorf("event %d is %v and came %d times; want %s", k, mr1.EventKind(k), seen[mr1.EventKind(k)], name)
			}
		})
	}
}

// In the resource model, too, an attempt starts after its launch latency: a map that
// computes 10 s holds its slot 12 s with a latency of 2 s, one of 1 s with a jitter of up
// to 3 s between 11 and 14 s, and not the same for all.
func TestLaunchLatencyOfResources(t *testing.T) {
	c := oneNode(1)
	for _, model := range []simcore.Model{simcore.Sampled, simcore.Resources} {
		for _, jitter := range []simcore.Time{0, 3 * simcore.Second} {
			cfg := ideal(model, 3)
			cfg.Launch, cfg.LaunchJitter = 2*simcore.Second, jitter
			if jitter > 0 {
				cfg.Launch = simcore.Second
			}
			var took []float64
			cfg.Trace = func(_ simcore.Time, e mr1.Event) {
				if e.Kind == mr1.TaskFinished {
					took = append(took, e.Took.Seconds())
				}
			}
			run(t, cfg, c, stageOf(20, simcore.Dist{A: 10}))
			if jitter == 0 {
				for _, s := range took {
					near(t, model.String(), s, 12, 1e-4)
				}
				continue
			}
			lo, hi := slices.Min(took), slices.Max(took)
			if lo < 11 || hi > 14.001 || hi-lo < 1.5 {
				t.Errorf("%v: with a jitter of 3 s slots are held %v to %v s", model, lo, hi)
			}
		}
	}
}

// stubborn launches nothing before a time, and says so as a gate where it has one.
type stubborn struct {
	schedtest.FIFO
	until simcore.Time
	asked int
}

func (s *stubborn) Ready(*mr1.View, simcore.Kind) bool { return true }

func (s *stubborn) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	s.asked++
	if v.Now() < s.until {
		return simcore.Task{}, false
	}
	return s.FIFO.Pick(v, n)
}

// A run ends once nothing has been launched for Stall, and not before: with 100 s a
// scheduler that begins after 95 s ends its jobs, one that begins after 120 s never does.
// While something runs that will end, the wait begins anew.
func TestStallTakesItsTime(t *testing.T) {
	w := stageOf(3, simcore.Dist{A: 10})
	for until, stalls := range map[simcore.Time]bool{95: false, 120: true} {
		cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Stall: 100 * simcore.Second,
			Heartbeat: simcore.Second}
		_, err := mr1.Run(cfg, schedtest.Uniform(2, 2, simcore.Vec{1, 0}), w, &stubborn{until: until * simcore.Second})
		if errors.Is(err, mr1.ErrStalled) != stalls {
			t.Errorf("first launch after %d s: %v", until, err)
		}
		if stalls && (!strings.Contains(err.Error(), "pending 3 maps and 0 reduces, running 0 and 0, free slots 2 and 0") ||
			!strings.Contains(err.Error(), "at 10")) {
			t.Errorf("%v", err)
		}
	}
	// One map of 500 s runs while the others wait for a slot that nobody fills.
	w = stageOf(4, simcore.Dist{A: 500})
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}, Stall: 100 * simcore.Second,
		Heartbeat: simcore.Second}
	var ends []float64
	cfg.Trace = func(at simcore.Time, e mr1.Event) {
		if e.Kind == mr1.TaskFinished {
			ends = append(ends, at.Seconds())
		}
	}
	if _, err := mr1.Run(cfg, schedtest.Uniform(2, 2, simcore.Vec{1, 0}), w, &single{}); err != nil || len(ends) != 4 ||
		ends[3] < 2000 {
		t.Errorf("%v, ends at %v", err, ends)
	}
}

// single launches one map at a time.
type single struct{}

func (*single) Pick(v *mr1.View, _ simcore.NodeID) (simcore.Task, bool) {
	if v.TotalRunning(simcore.Map) > 0 {
		return simcore.Task{}, false
	}
	return simcore.Task{Job: v.FirstWaiting(simcore.Map), Kind: simcore.Map, Index: simcore.AnyTask}, true
}

// ticking has a timer, refuses every third job, and sees every heartbeat.
type ticking struct {
	schedtest.FIFO
	period  simcore.Time
	ticks   []simcore.Time
	beats   map[simcore.NodeID][]simcore.Time
	refused []simcore.JobID
}

func (s *ticking) Period() simcore.Time { return s.period }
func (s *ticking) Tick(v *mr1.View)     { s.ticks = append(s.ticks, v.Now()) }
func (s *ticking) Heartbeat(v *mr1.View, n simcore.NodeID) {
	s.beats[n] = append(s.beats[n], v.Now())
}

func (s *ticking) Admit(v *mr1.View, j simcore.JobID) bool {
	if j%3 == 2 {
		s.refused = append(s.refused, j)
	}
	return j%3 != 2
}

// Ticks come at every multiple of their period from the first arrival on, heartbeats of
// every node one period apart while jobs are active, and a refused job fails when it
// arrives, without a task.
func TestTimersHeartbeatsAndRefusals(t *testing.T) {
	c := schedtest.Uniform(5, 2, simcore.Vec{2, 1})
	w := schedtest.Mixed(5, 12)
	for j := range w.Jobs {
		w.Jobs[j].Submit = 100 * simcore.Second // all at once: one is active until the end
	}
	s := &ticking{period: 7 * simcore.Second, beats: map[simcore.NodeID][]simcore.Time{}}
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: 5},
		Heartbeat: 3 * simcore.Second, JobInit: 20 * simcore.Second}
	r, err := mr1.Run(cfg, c, w, s)
	if err != nil {
		t.Fatal(err)
	}
	end := simcore.Time(0)
	for i, j := range r.Jobs {
		end = max(end, j.Finish)
		if refused := i%3 == 2; j.Failed != refused || refused &&
			(j.Finish != 100*simcore.Second || j.Tally.Finished[0] != 0) {
			t.Errorf("job %d failed %v at %v", i, j.Failed, j.Finish)
		}
	}
	if len(s.refused) != 4 {
		t.Errorf("refused %v", s.refused)
	}
	for i, at := range s.ticks {
		if want := simcore.Time(15+i) * 7 * simcore.Second; at != want {
			t.Fatalf("tick %d at %v, want %v", i, at, want)
		}
	}
	if last := s.ticks[len(s.ticks)-1]; end-last >= 7*simcore.Second {
		t.Errorf("the last tick at %v of %v", last, end)
	}
	if len(s.beats) != 5 {
		t.Errorf("heartbeats of %d nodes", len(s.beats))
	}
	for n, at := range s.beats {
		if first := at[0] - 120*simcore.Second; first < 0 || first >= 3*simcore.Second ||
			end-at[len(at)-1] >= 3*simcore.Second {
			t.Errorf("node %d: heartbeats from %v to %v of %v", n, at[0], at[len(at)-1], end)
		}
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] != 3*simcore.Second {
				t.Errorf("node %d: heartbeats at %v and %v", n, at[i-1], at[i])
			}
		}
	}
}

// placer puts every input on two nodes of its choice.
type placer struct {
	schedtest.FIFO
	bad bool
}

func (p *placer) Place(_ *mr1.View, t simcore.Task, dst []simcore.NodeID) []simcore.NodeID {
	if p.bad {
		return append(dst, 99)
	}
	return append(dst, simcore.NodeID(t.Index%6), simcore.NodeID((t.Index+1)%6))
}

// Inputs that the scheduler places lie there: with as many maps on every node all but
// a few of the last are local; recorded hosts win; a node that there is not is an error.
func TestPlacedInputs(t *testing.T) {
	c := schedtest.Uniform(6, 2, simcore.Vec{1, 0})
	w := stageOf(60, simcore.Dist{A: 10})
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}
	r, err := mr1.Run(cfg, c, w, &placer{})
	if err != nil || r.Total.At[simcore.NodeLocal] < 55 {
		t.Errorf("%v; local, in the rack and elsewhere: %v of 60", err, r.Total.At)
	}
	if _, err := mr1.Run(cfg, c, w, &placer{bad: true}); err == nil || !strings.Contains(err.Error(),
		"node 99, want 0 to 5") {
		t.Errorf("%v", err)
	}
	w.Jobs[0].FirstTask, w.Tasks.HostAt = 0, []int32{0}
	for i := range int32(60) { // all on node 0, whose rack has one more
		w.Tasks.Hosts, w.Tasks.HostAt = append(w.Tasks.Hosts, 0), append(w.Tasks.HostAt, i+1)
	}
	r, err = mr1.Run(cfg, c, w, &placer{})
	if at := r.Total.At; err != nil || at[simcore.NodeLocal] != 10 || at[simcore.RackLocal] != 10 ||
		at[simcore.OffSwitch] != 40 {
		t.Errorf("%v; local, in the rack and elsewhere: %v, want 10, 10 and 40", err, at)
	}
}

// once picks one task of a job after another has been launched from it.
type once struct{ picks []simcore.Task }

func (o *once) Pick(*mr1.View, simcore.NodeID) (simcore.Task, bool) {
	if len(o.picks) == 0 {
		return simcore.Task{}, false
	}
	p := o.picks[0]
	o.picks = o.picks[1:]
	return p, true
}

// A pick that is not in order is an error with its reason, whether tasks are counted or
// tracked singly; the first picks of each row are in order.
func TestPicksOutOfOrder(t *testing.T) {
	anyOf := func(j simcore.JobID, k simcore.Kind) simcore.Task {
		return simcore.Task{Job: j, Kind: k, Index: simcore.AnyTask}
	}
	w := stageOf(2, simcore.Dist{A: 100})
	w.Jobs[0].Reduces, w.Jobs[0].ReduceDist = 1, 0
	later := w.Jobs[0]
	later.Submit, later.ID = 50*simcore.Second, "later"
	w.Jobs = append(w.Jobs, later)
	for _, tracked := range []bool{false, true} {
		for _, c := range []struct {
			slots  simcore.Vec
			picks  []simcore.Task
			reason string
		}{
			{simcore.Vec{9, 9}, []simcore.Task{anyOf(0, 0), anyOf(0, 0), anyOf(0, 0)}, "no task of that kind is pending"},
			{simcore.Vec{9, 9}, []simcore.Task{anyOf(0, 1), anyOf(0, 1)}, "no task of that kind is pending"},
			{simcore.Vec{1, 1}, []simcore.Task{anyOf(0, 0), anyOf(0, 0)}, "no free slot"},
			{simcore.Vec{1, 0}, []simcore.Task{anyOf(0, 1)}, "no free slot"},
			{simcore.Vec{1, 1}, []simcore.Task{anyOf(1, 0)}, "not active"},
			{simcore.Vec{1, 1}, []simcore.Task{anyOf(2, 0)}, "no such job"},
			{simcore.Vec{1, 1}, []simcore.Task{anyOf(-1, 0)}, "no such job"},
			{simcore.Vec{1, 1}, []simcore.Task{anyOf(0, 2)}, "no such kind"},
			{simcore.Vec{2, 1}, []simcore.Task{{Index: 2}}, "no task of that index"},
			{simcore.Vec{2, 1}, []simcore.Task{{Index: -2}}, "no task of that index"},
			{simcore.Vec{2, 1}, []simcore.Task{{Index: 0}, {Index: 0}},
				map[bool]string{false: "in order", true: "not pending"}[tracked]},
			{simcore.Vec{2, 1}, []simcore.Task{{Index: 1}, {Index: 0}, anyOf(1, 0)},
				map[bool]string{false: "in order", true: "no free slot"}[tracked]},
		} {
			cfg := ideal(simcore.Sampled, 1)
			cfg.TrackOutput = tracked
			_, err := mr1.Run(cfg, schedtest.Uniform(1, 1, c.slots), w, &once{c.picks})
			var pick *mr1.PickError
			if !errors.As(err, &pick) || !strings.Contains(pick.Reason, c.reason) {
				t.Errorf("tracked %v, %v on %v: %v, want %s", tracked, c.picks, c.slots, err, c.reason)
			}
		}
	}
}
