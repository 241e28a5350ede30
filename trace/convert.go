package trace

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/trace/internal/history"
)

// WorkloadOptions says how a recorded trace becomes a workload.
type WorkloadOptions struct {
	// Cluster gives the nodes that input locations are mapped to; nil leaves
	// locations out, so that every node is equally far.
	Cluster *simcore.Cluster
	// DefaultQueue is the queue of jobs without one, for the caller to place; empty = "default",
	// with a note.
	DefaultQueue string
	// Flat keeps queue names as they were recorded (Hadoop 1, or a caller that resolves names
	// itself); else those that do not begin at the root are put below it.
	Flat bool
	// AfterUp counts a task's time from when its process asked for work
	// (where that was recorded) and not from the launch, for a runtime that
	// models the launch itself.
	AfterUp bool
	// Standing keeps standing load, as jobs of that kind.
	Standing bool
}

// converter carries the workload under construction.
type converter struct {
	opt                    WorkloadOptions
	w                      *simcore.Workload
	notes                  notes
	hosts                  hostMap
	dists                  map[simcore.Time]int32
	queues, users, classes fileio.Index

	tezFirst Millis // how much longer a container's first task takes
}

// Workload converts the trace. Submission times count from the first job's.
// The notes say what was filled in or left out; they do not repeat those of
// the trace itself.
//
// A task takes the time of the attempt that won. A reduce's time counts from
// the end of its shuffle, and its shuffle time from the later of its own start
// and the end of the job's last map, for that is the part which does not
// depend on when the maps ran. Tasks of failed jobs that never ran are left
// out. Set-up and clean-up tasks of Hadoop 1 are left out. Spark and Tez applications whose parts
// do not fit together, as those made by hand may be, are an error.
func (t *Trace) Workload(opt WorkloadOptions) (*simcore.Workload, []Note, error) {
	c := &converter{opt: opt, w: &simcore.Workload{Name: t.Name}, dists: map[simcore.Time]int32{},
		tezFirst: t.firstExtra()}
	for i := range t.Jobs {
		if err := t.Jobs[i].checkProgram(); err != nil {
			return nil, nil, &Error{File: t.Name, Key: t.Jobs[i].ID, Err: err}
		}
	}
	c.hosts = newHostMap(t, opt.Cluster, &c.notes)
	origin, ok := t.Begin()
	if !ok {
		c.notes.add(Assumed, "no job has a submission time; all are submitted at the start")
	}
	for i := range t.Jobs {
		c.job(&t.Jobs[i], origin)
	}
	if len(c.w.Jobs) == 0 {
		idle := "the only job ran no task"
		if n := len(t.Jobs); n == 1 && t.Jobs[0].Local() {
			idle = "the only application ran with a local master: it took no containers of a cluster"
		} else if n != 1 {
			idle = fmt.Sprintf("none of the %d jobs ran a task", n)
		}
		return nil, nil, &Error{File: t.Name, Err: fmt.Errorf("%s: %w", idle, ErrEmpty)}
	}
	slices.SortStableFunc(c.w.Jobs, func(a, b simcore.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	c.trim()
	return c.w, c.notes.list, nil
}

func toTime(m Millis) simcore.Time { return simcore.Time(m) * simcore.Millisecond }

func (c *converter) job(j *Job, origin Millis) {
	s := simcore.Job{ID: j.ID, Name: j.Name, Class: -1, Priority: int32(j.Priority), PrioritySet: j.PrioritySet,
		FirstTask: -1, MapDist: -1, ReduceDist: -1, Slowstart: -1, Labels: j.Labels, After: j.After,
		Think:  toTime(max(0, j.Think)),
		MapAsk: ask(j.MapSize), ReduceAsk: ask(j.ReduceSize), AMAsk: ask(j.AMSize),
		InputBytes: max(0, j.InputBytes), ShuffleBytes: max(0, j.ShuffleBytes), OutputBytes: max(0, j.OutputBytes)}
	if j.Slowstart >= 0 {
		s.Slowstart = j.Slowstart
	}
	if j.Submit.Known() {
		s.Submit = toTime(j.Submit - origin)
	} else if !j.Standing() {
		c.notes.add(Assumed, "jobs without a submission time are submitted at the start")
	}
	runs := false
	switch {
	case j.Standing() && !c.opt.Standing:
		c.notes.add(Dropped, "standing load")
	case j.Standing():
		runs = c.standing(j, &s, origin)
	case j.Spark != nil:
		runs = c.spark(j, &s)
	case j.Tez != nil:
		runs = c.tez(j, &s)
	default:
		runs = c.work(j, &s)
	}
	if !runs {
		return
	}
	s.Queue = c.queues.ID(&c.w.Queues, c.queueOf(j))
	s.User = c.users.ID(&c.w.Users, c.userOf(j))
	if j.Class != "" {
		s.Class = c.classes.ID(&c.w.Classes, j.Class)
	}
	c.w.Jobs = append(c.w.Jobs, s)
}

// work fills the job's tasks, singly where they were recorded so, and reports
// whether there is anything to run.
func (c *converter) work(j *Job, s *simcore.Job) bool {
	if len(j.Tasks) > 0 && c.singly(j, s) {
		return true
	}
	s.MasterTime = toTime(max(0, j.MasterTime))
	if j.Maps <= 0 && j.Reduces <= 0 && j.MasterTime <= 0 {
		c.notes.add(Dropped, "jobs that ran no task")
		return false
	}
	if len(j.Tasks) > 0 && !j.MapTime.Known() {
		c.notes.add(Dropped, "jobs that ran no task to an end")
		return false
	}
	s.Maps, s.Reduces = int32(max(0, j.Maps)), int32(max(0, j.Reduces))
	s.MapDist = c.dist(j.MapTime, s.Maps, "map")
	s.ReduceDist = c.dist(j.ReduceTime+max(0, j.ShuffleTime), s.Reduces, "reduce")
	return true
}

// dist returns the constant distribution of a task time.
func (c *converter) dist(m Millis, tasks int32, what string) int32 {
	if tasks == 0 {
		return -1
	}
	if m < 0 {
		m = 30_000
		c.notes.add(Assumed, "no %s times of the job: 30 s each", what)
	}
	t := toTime(m)
	if _, ok := c.dists[t]; !ok {
		c.dists[t] = int32(len(c.w.Dists))
		c.w.Dists = append(c.w.Dists, simcore.Dist{Kind: simcore.Constant, A: t.Seconds()})
	}
	return c.dists[t]
}

// singly appends the recorded tasks of a job.
func (c *converter) singly(j *Job, s *simcore.Job) bool {
	lastMap := Millis(Unknown)
	for t := range history.Pointers(j.Tasks) {
		if t.Kind == Map {
			if a := t.Winner(); a != nil {
				lastMap = max(lastMap, a.Finish)
			}
		}
	}
	first := int32(len(c.w.Tasks.Duration))
	s.Maps = c.tasks(j, lastMap, Map, Container)
	s.Reduces = c.tasks(j, lastMap, Reduce)
	if s.Maps+s.Reduces == 0 {
		return false
	}
	s.FirstTask = first
	s.MapAsk = cmp.Or(s.MapAsk, ask(commonSize(j.Tasks, Map, Container)))
	s.ReduceAsk = cmp.Or(s.ReduceAsk, ask(commonSize(j.Tasks, Reduce)))
	s.AMAsk = cmp.Or(s.AMAsk, ask(commonSize(j.Tasks, AM)))
	return true
}

// tasks appends the tasks of some kinds and returns how many there are.
func (c *converter) tasks(j *Job, lastMap Millis, kinds ...Kind) (n int32) {
	for t := range history.Pointers(j.Tasks) {
		if !slices.Contains(kinds, t.Kind) {
			continue
		}
		a := t.Winner()
		if a == nil {
			c.notes.add(Dropped, "tasks without a recorded start and end")
			continue
		}
		if a.Result != Succeeded {
			c.notes.add(Assumed, "tasks that never succeeded take the time of their longest attempt")
		}
		c.notes.addCount(len(t.Attempts)-1, Dropped, "attempts beyond the one whose result counts: failures are not replayed")
		c.task(t, a, lastMap)
		n++
	}
	return n
}

func (c *converter) task(t *Task, a *Attempt, lastMap Millis) {
	start := a.Start
	if c.opt.AfterUp && a.Up.Known() {
		start = a.Up
	}
	shuffle := Millis(0)
	if t.Kind == Reduce {
		if a.ShuffleEnd.Known() {
			shuffle = max(0, a.ShuffleEnd-max(start, lastMap))
			start = max(start, a.ShuffleEnd)
		} else {
			c.notes.add(Assumed, "reduces without the end of their shuffle: no shuffle, all their time is reduce time")
			start = max(start, min(lastMap, a.Finish))
		}
	}
	var hosts []string
	if t.Kind == Map {
		hosts = t.Hosts
	}
	c.addTask(a.Finish-start, shuffle, t.InputBytes, t.OutputBytes, hosts...)
}

// addTask appends a task, with the nodes that hold its input, each once.
func (c *converter) addTask(took, shuffle Millis, input, output int64, hosts ...string) {
	ts := &c.w.Tasks
	ts.Duration = append(ts.Duration, toTime(max(0, took)))
	ts.Shuffle = append(ts.Shuffle, toTime(shuffle))
	ts.Input = append(ts.Input, max(0, input))
	ts.Output = append(ts.Output, max(0, output))
	from := len(ts.Hosts)
	if from == 0 && len(ts.HostAt) == 0 {
		ts.HostAt = append(ts.HostAt, 0)
	}
	for _, h := range hosts { // none is known without a cluster
		if id, ok := c.hosts[h]; ok && !slices.Contains(ts.Hosts[from:], id) {
			ts.Hosts = append(ts.Hosts, id)
		}
	}
	ts.HostAt = append(ts.HostAt, int32(len(ts.Hosts)))
}

// Purposes of the random draws of this package.
const (
	purposeSynth = 0x7472616365<<8 + 1 + iota
	purposeBootstrap
)

// trim sets slices to nil in which no task has a figure, and leaves the others no spare memory.
func (c *converter) trim() {
	ts := &c.w.Tasks
	ts.Shuffle, ts.Input, ts.Output = unlessZero(ts.Shuffle), unlessZero(ts.Input), unlessZero(ts.Output)
	ts.Duration, ts.HostAt, ts.Hosts = slices.Clone(ts.Duration), slices.Clone(ts.HostAt), slices.Clone(ts.Hosts)
	if len(ts.Hosts) == 0 {
		ts.HostAt, ts.Hosts = nil, nil
	}
}

func unlessZero[T ~int64](list []T) []T {
	if !slices.ContainsFunc(list, func(v T) bool { return v != 0 }) {
		return nil
	}
	return slices.Clone(list)
}

func ask(s Size) simcore.Vec { return simcore.Vec{s.MiB, s.VCores} }

// commonSize returns the most frequent size among tasks of some kinds; of
// equally frequent ones the larger.
func commonSize(tasks []Task, kinds ...Kind) Size {
	count := sizeCounts{}
	for i := range tasks {
		if !slices.Contains(kinds, tasks[i].Kind) {
			continue
		}
		for _, a := range tasks[i].Attempts {
			if a.Size.MiB > 0 {
				count[a.Size]++
			}
		}
	}
	return count.most()
}

// sizeCounts is how often each size occurs.
type sizeCounts map[Size]int

// most is the most frequent size; of equally frequent ones the larger.
func (c sizeCounts) most() (best Size) {
	for s, n := range c {
		if cmp.Or(cmp.Compare(n, c[best]), cmp.Compare(s.MiB, best.MiB), cmp.Compare(s.VCores, best.VCores)) > 0 {
			best = s
		}
	}
	return best
}
