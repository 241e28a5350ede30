package mr1_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/validation/testdata"
)

// ledger is a JobTracker's book kept from the events alone. It stands between the run
// and a scheduler and compares all that the view says with the book, whenever it is
// asked for a task.
type ledger struct {
	mr1.Scheduler
	t        *testing.T
	cfg      mr1.Config
	c        *simcore.Cluster
	jobs     []bookJob
	attempts [][]mr1.Attempt // by node, in order of their start
	second   int             // second attempts seen
	problems int
	picks    int
	beats    int64
	shares   map[mr1.Attempt][][2]float64 // of maps: seconds since the start and the progress told then
}

type bookJob struct {
	active                    bool
	done                      [2]int32
	took                      [2]simcore.Time
	finished, running, failed map[simcore.Task]int32
	pending                   [2]int32
	mapsDone                  bool
	where                     map[int32]simcore.NodeID
}

func newLedger(t *testing.T, cfg mr1.Config, c *simcore.Cluster, w *simcore.Workload, s mr1.Scheduler) *ledger {
	l := &ledger{Scheduler: s, t: t, cfg: cfg, c: c, attempts: make([][]mr1.Attempt, len(c.Nodes)),
		shares: map[mr1.Attempt][][2]float64{}}
	for range w.Jobs {
		l.jobs = append(l.jobs, bookJob{finished: map[simcore.Task]int32{}, running: map[simcore.Task]int32{},
			failed: map[simcore.Task]int32{}, where: map[int32]simcore.NodeID{}})
	}
	return l
}

func (l *ledger) Start(v *mr1.View) {
	if s, ok := l.Scheduler.(mr1.Starter); ok {
		s.Start(v)
	}
}

func (l *ledger) errorf(v *mr1.View, format string, args ...any) {
	if l.problems++; l.problems <= 5 {
		l.t.Errorf("seed %d, %.6f s: %s", l.cfg.Seed, v.Now().Seconds(), fmt.Sprintf(format, args...))
	}
}

func (l *ledger) Observe(v *mr1.View, e mr1.Event) {
	if o, ok := l.Scheduler.(mr1.Observer); ok {
		o.Observe(v, e)
	}
	var j *bookJob
	if e.Task.Job >= 0 {
		j = &l.jobs[e.Task.Job]
	}
	k := e.Task.Kind
	switch e.Kind {
	case mr1.JobReady:
		job := v.Job(e.Task.Job)
		j.active, j.pending = true, [2]int32{job.Maps, job.Reduces}
	case mr1.JobFinished:
		j.active, j.pending = false, [2]int32{}
	case mr1.JobMapsDone:
		if maps := v.Job(e.Task.Job).Maps; j.done[0] != maps || j.mapsDone {
			l.errorf(v, "job %d: all maps done with %d of %d, told before: %v", e.Task.Job, j.done[0], maps, j.mapsDone)
		}
		j.mapsDone = true
	case mr1.TaskStarted:
		l.started(v, e, j)
	case mr1.TaskFinished:
		l.ended(v, e, j)
		if j.finished[e.Task]++; j.finished[e.Task] != 1 {
			l.errorf(v, "%v finished twice", e.Task)
		}
		j.done[k]++
		if maps := v.Job(e.Task.Job).Maps; k == simcore.Reduce && j.done[0] != maps {
			l.errorf(v, "%v finished with %d of %d maps", e.Task, j.done[0], maps)
		}
		j.took[k] += e.Took
		j.where[e.Task.Index] = e.Node
	case mr1.TaskFailed:
		l.ended(v, e, j)
		if j.failed[e.Task]++; j.running[e.Task] == 0 {
			j.pending[k]++
		}
	case mr1.TaskKilled:
		l.ended(v, e, j)
		if j.running[e.Task] == 0 && j.active && j.finished[e.Task] == 0 {
			j.pending[k]++
		}
	}
}

// started books an attempt; of a task that runs already it is a second one, which has
// the conditions of LATE to keep.
func (l *ledger) started(v *mr1.View, e mr1.Event, j *bookJob) {
	a := mr1.Attempt{Task: e.Task, Node: e.Node, Number: j.failed[e.Task], Start: v.Now(),
		Speculative: j.running[e.Task] > 0}
	if a.Speculative {
		l.second++
		l.checkSecond(v, e, j)
	} else if j.pending[e.Task.Kind]--; j.pending[e.Task.Kind] < 0 {
		l.errorf(v, "%v started, none was pending", e.Task)
	}
	j.running[e.Task]++
	l.attempts[e.Node] = append(l.attempts[e.Node], a)
}

func (l *ledger) checkSecond(v *mr1.View, e mr1.Event, j *bookJob) {
	spec := l.cfg.Speculation
	if !spec.On || j.running[e.Task] != 1 || j.pending[e.Task.Kind] > 0 {
		l.errorf(v, "a second attempt of %v, of which %d run, beside %d pending", e.Task, j.running[e.Task],
			j.pending[e.Task.Kind])
		return
	}
	if spec.Cap == 0 {
		spec.Cap = 0.1
	}
	if spec.After == 0 {
		spec.After = simcore.Minute
	}
	var first mr1.Attempt
	slots, seconds := 0, 0
	for n := range l.attempts {
		slots += int(v.Slots(simcore.NodeID(n), e.Task.Kind))
		for _, a := range l.attempts[n] {
			if a.Task == e.Task {
				first = a
			}
			if a.Speculative && a.Task.Kind == e.Task.Kind {
				seconds++
			}
		}
	}
	if first.Node == e.Node || v.Now()-first.Start < spec.After {
		l.errorf(v, "a second attempt of %v on node %d, the first runs on %d since %v", e.Task, e.Node, first.Node,
			first.Start)
	}
	if seconds >= max(1, int(spec.Cap*float64(slots))) {
		l.errorf(v, "a second attempt beside %d of %d slots", seconds, slots)
	}
}

func (l *ledger) ended(v *mr1.View, e mr1.Event, j *bookJob) {
	i := slices.IndexFunc(l.attempts[e.Node], func(a mr1.Attempt) bool { return a.Task == e.Task })
	if i < 0 {
		l.errorf(v, "%v of %v, which does not run on node %d", e.Kind, e.Task, e.Node)
		return
	}
	if took := v.Now() - l.attempts[e.Node][i].Start; took != e.Took {
		l.errorf(v, "%v took %v, want %v", e.Task, e.Took, took)
	}
	a := l.attempts[e.Node][i]
	for _, x := range l.shares[a] { // linear, up to the heartbeat that reports the end
		if want := x[0] / e.Took.Seconds(); e.Kind == mr1.TaskFinished && math.Abs(x[1]-want) > 1e-9 {
			l.errorf(v, "%v: progress %v after %v s of %v s", e.Task, x[1], x[0], e.Took.Seconds())
		}
	}
	delete(l.shares, a)
	j.running[e.Task]--
	l.attempts[e.Node] = slices.Delete(l.attempts[e.Node], i, i+1)
}

func (l *ledger) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	l.picks++
	l.compare(v)
	if v.Free(n, 0) == 0 && v.Free(n, 1) == 0 {
		l.errorf(v, "a pick for node %d, which is full", n)
	}
	if b := v.Beat(); b < l.beats {
		l.errorf(v, "heartbeat %d after %d", b, l.beats)
	} else {
		l.beats = b
	}
	return l.Scheduler.Pick(v, n)
}

// compare holds the view against the book.
func (l *ledger) compare(v *mr1.View) {
	var pending, running [2]int
	var active []simcore.JobID
	var waiting [2][]simcore.JobID
	for id := range l.jobs {
		j, b := simcore.JobID(id), &l.jobs[id]
		if !b.active {
			continue
		}
		active = append(active, j)
		for k := range simcore.Kind(2) {
			if got := v.Pending(j, k); got != b.pending[k] {
				l.errorf(v, "job %d: %d pending of kind %d, booked %d", j, got, k, b.pending[k])
			}
			if b.pending[k] > 0 {
				waiting[k] = append(waiting[k], j)
			}
			if got := v.Done(j, k); got != b.done[k] {
				l.errorf(v, "job %d: %d done of kind %d, booked %d", j, got, k, b.done[k])
			}
			pending[k] += int(b.pending[k])
			if mean := v.MeanTask(j, k); b.done[k] > 0 && mean != b.took[k]/simcore.Time(b.done[k]) ||
				b.done[k] == 0 && mean != 0 {
				l.errorf(v, "job %d: mean time %v of kind %d, booked %v for %d", j, mean, k, b.took[k], b.done[k])
			}
		}
		if got := v.Done(j, simcore.Map); got != b.done[0] {
			l.errorf(v, "job %d: %d maps done, booked %d", j, got, b.done[0])
		}
	}
	if got := slices.Collect(v.Jobs()); !slices.Equal(got, active) {
		l.errorf(v, "active jobs %v, booked %v", got, active)
	}
	var slots, free [2]int
	ofJob := map[[2]int]int32{}
	for n := range l.c.Nodes {
		id := simcore.NodeID(n)
		l.compareNode(v, id, ofJob)
		for k := range simcore.Kind(2) {
			slots[k] += int(v.Slots(id, k))
			free[k] += int(v.Free(id, k))
			running[k] += int(v.RunningOn(id, k))
		}
	}
	for k := range simcore.Kind(2) {
		if got := slices.Collect(v.Waiting(k)); !slices.Equal(got, waiting[k]) {
			l.errorf(v, "jobs that wait with kind %d: %v, booked %v", k, got, waiting[k])
		}
		if v.TotalPending(k) != pending[k] || v.TotalRunning(k) != running[k] {
			l.errorf(v, "kind %d: %d pending and %d running, booked %d and %d", k, v.TotalPending(k), v.TotalRunning(k),
				pending[k], running[k])
		}
		if v.TotalSlots(k) != slots[k] || v.TotalFree(k) != free[k] {
			l.errorf(v, "kind %d: %d slots and %d free, booked %d and %d", k, v.TotalSlots(k), v.TotalFree(k), slots[k], free[k])
		}
		for _, j := range active {
			if got := v.Running(j, k); got != ofJob[[2]int{int(j), int(k)}] {
				l.errorf(v, "job %d: %d run of kind %d, booked %d", j, got, k, ofJob[[2]int{int(j), int(k)}])
			}
		}
	}
}

func (l *ledger) compareNode(v *mr1.View, n simcore.NodeID, ofJob map[[2]int]int32) {
	spec := l.c.Nodes[n]
	slots := [2]int32{int32(spec.Slots[0]), int32(spec.Slots[1])}
	if l.cfg.Pool {
		slots = [2]int32{slots[0] + slots[1], slots[0] + slots[1]}
	}
	var running [2]int32
	for _, a := range l.attempts[n] {
		running[a.Task.Kind]++
		ofJob[[2]int{int(a.Task.Job), int(a.Task.Kind)}]++
	}
	for k := range simcore.Kind(2) {
		held := running[k]
		if l.cfg.Pool {
			held = running[0] + running[1]
		}
		if v.Slots(n, k) != slots[k] || v.RunningOn(n, k) != running[k] {
			l.errorf(v, "node %d: %d slots of kind %d, %d run; booked %d and %d", n, v.Slots(n, k), k, v.RunningOn(n, k),
				slots[k], running[k])
		}
		if v.Free(n, k) != slots[k]-held {
			l.errorf(v, "node %d: %d free of kind %d, booked %d", n, v.Free(n, k), k, slots[k]-held)
		}
	}
	load := v.Load(n)
	if load.Maps != running[0] || load.Reduces != running[1] {
		l.errorf(v, "node %d: load %+v, booked %v", n, load, running)
	}
	if want := float64(running[0]+running[1]) / float64(max(spec.Cores, 1)); l.cfg.Model != simcore.Resources &&
		load.CPU != want {
		l.errorf(v, "node %d: processor load %v, booked %v", n, load.CPU, want)
	}
	seen := 0
	for a := range v.Attempts(n) {
		seen++
		if !slices.ContainsFunc(l.attempts[n], func(b mr1.Attempt) bool {
			return a.Task == b.Task && a.Node == b.Node && a.Start == b.Start && a.Speculative == b.Speculative &&
				(a.Speculative || a.Number == b.Number || !l.single())
		}) {
			l.errorf(v, "node %d: attempt %+v, booked %+v", n, a, l.attempts[n])
		}
		l.compareAttempt(v, a)
	}
	if seen != len(l.attempts[n]) {
		l.errorf(v, "node %d: %d attempts, booked %d", n, seen, len(l.attempts[n]))
	}
	if len(l.attempts[n]) > 0 {
		a := l.attempts[n][0].Task
		if got, want := v.JobOn(a.Job, n, a.Kind), int32(0); true {
			for _, b := range l.attempts[n] {
				if b.Task.Job == a.Job && b.Task.Kind == a.Kind {
					want++
				}
			}
			if got != want {
				l.errorf(v, "node %d: %d of job %d, booked %d", n, got, a.Job, want)
			}
		}
	}
}

// single reports whether the run numbers the attempts of tasks.
func (l *ledger) single() bool { return l.cfg.Failures.Attempt > 0 }

// compareAttempt checks what is estimated of an attempt: a share from 0 to 1, and by
// it the rest at the rate so far.
func (l *ledger) compareAttempt(v *mr1.View, a mr1.Attempt) {
	p, left, elapsed := v.Progress(a), v.Left(a), float64(v.Now()-a.Start)
	if p < 0 || p > 1 {
		l.errorf(v, "%v: progress %v", a.Task, p)
	}
	if l.cfg.Model != simcore.Resources && a.Task.Kind == simcore.Map {
		a.Locality, a.Number = 0, l.jobs[a.Task.Job].failed[a.Task]
		l.shares[a] = append(l.shares[a], [2]float64{elapsed / 1e6, p})
	}
	if p <= 0 && left != simcore.Never || p > 0 && math.Abs(float64(left)-elapsed*(1-p)/p) > 1+1e-6*float64(left) {
		l.errorf(v, "%v: %v left at progress %v after %v", a.Task, left, p, elapsed)
	}
}

// The view is the book: whatever a run has of failures, second attempts, pools and
// ends told at once, every figure that a scheduler sees is that of the events so far.
func TestViewIsTheBook(t *testing.T) {
	t.Parallel()
	seeds, second, picks := testdata.Cases(60), 0, 0
	for seed := range uint64(seeds) {
		cfg, c, w := scene(seed)
		l := newLedger(t, cfg, c, w, scheduler(int(seed%2), seed))
		if _, err := mr1.Run(cfg, c, w, l); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		second, picks = second+l.second, picks+l.picks
		if l.problems > 0 {
			t.Fatalf("seed %d: %d problems", seed, l.problems)
		}
	}
	if second == 0 || picks < 16*seeds {
		t.Errorf("%d second attempts and %d picks seen: too few to tell", second, picks)
	}
}
