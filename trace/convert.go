package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/internal/rng"
	"schedtune/simcore"
)

// WorkloadOptions says how a recorded trace becomes a workload.
type WorkloadOptions struct {
	// Cluster gives the nodes that input locations are mapped to; nil leaves
	// locations out, so that every node is equally far.
	Cluster *simcore.Cluster
	// Queues are the paths of the configuration's leaf queues. A recorded leaf
	// name is completed to its path; a name that fits none is carried over as
	// it is, for the caller to refuse.
	Queues []string
	// DefaultQueue receives jobs without a queue; empty = "root.default". A name
	// in parentheses only marks them for the caller to place, without a note.
	DefaultQueue string
	// Flat keeps queue names as they were recorded and adds no path (Hadoop 1,
	// or a caller that resolves names itself).
	Flat bool
	// Failed says what becomes of jobs that failed or were killed; their
	// recorded tasks used the cluster, so the zero value keeps them.
	DropFailed bool
	// AfterUp counts a task's time from when its process asked for work
	// (where that was recorded) and not from the launch, for a runtime that
	// models the launch itself.
	AfterUp bool
	// Seed draws input locations for tasks that recorded none, see Replicas.
	Seed uint64
	// Replicas is how many nodes hold the input of a map without recorded
	// locations; 0 = none, the map is equally far from all.
	Replicas int
}

// converter carries the workload under construction.
type converter struct {
	opt   WorkloadOptions
	w     *simcore.Workload
	notes notes
	hosts hostMap
	dists map[simcore.Time]int32
	queue map[string]string // recorded name to path

	queues, users, classes fileio.Index
}

// Workload converts the trace. Submission times count from the first job's.
// The notes say what was filled in or left out; they do not repeat those of
// the trace itself.
//
// A task takes the time of the attempt that won. A reduce's time counts from
// the end of its shuffle, and its shuffle time from the later of its own start
// and the end of the job's last map, for that is the part which does not
// depend on when the maps ran. Tasks of failed jobs that never ran are left
// out. Set-up and clean-up tasks of Hadoop 1 are left out. Spark applications whose parts
// do not fit together, as those made by hand may be, are an error.
func (t *Trace) Workload(opt WorkloadOptions) (*simcore.Workload, []Note, error) {
	c := &converter{opt: opt, w: &simcore.Workload{Name: t.Name}, dists: map[simcore.Time]int32{},
		queue: map[string]string{}}
	for i := range t.Jobs {
		if app := t.Jobs[i].Spark; app != nil {
			if err := app.Check(); err != nil {
				return nil, nil, &Error{File: t.Name, Key: t.Jobs[i].ID, Err: err}
			}
		}
	}
	c.hosts = newHostMap(t, opt.Cluster, &c.notes)
	origin, ok := t.origin()
	if !ok {
		c.notes.add(Assumed, "no job has a submission time; all are submitted at the start")
	}
	for i := range t.Jobs {
		c.job(&t.Jobs[i], origin)
	}
	if len(c.w.Jobs) == 0 {
		idle := "the only job ran no task"
		if n := len(t.Jobs); n != 1 {
			idle = fmt.Sprintf("none of the %d jobs ran a task", n)
		}
		return nil, nil, &Error{File: t.Name, Err: fmt.Errorf("%s: %w", idle, ErrEmpty)}
	}
	slices.SortStableFunc(c.w.Jobs, func(a, b simcore.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	c.trim()
	return c.w, c.notes.list, nil
}

// origin returns the first known submission.
func (t *Trace) origin() (Millis, bool) {
	first, ok := Millis(math.MaxInt64), false
	for i := range t.Jobs {
		if s := t.Jobs[i].Submit; s.Known() && s < first {
			first, ok = s, true
		}
	}
	if !ok {
		return 0, false
	}
	return first, true
}

func toTime(m Millis) simcore.Time { return simcore.Time(m) * simcore.Millisecond }

func (c *converter) job(j *Job, origin Millis) {
	if c.opt.DropFailed && (j.Result == Failed || j.Result == Killed) {
		c.notes.add(Dropped, "jobs that failed or were killed")
		return
	}
	s := simcore.Job{ID: j.ID, Name: j.Name, Class: -1, Priority: int32(j.Priority), PrioritySet: j.PrioritySet,
		FirstTask: -1, MapDist: -1, ReduceDist: -1, Slowstart: -1, Labels: j.Labels,
		MapAsk: ask(j.MapSize), ReduceAsk: ask(j.ReduceSize), AMAsk: ask(j.AMSize),
		InputBytes: max(0, j.InputBytes), ShuffleBytes: max(0, j.ShuffleBytes), OutputBytes: max(0, j.OutputBytes)}
	if j.Slowstart >= 0 {
		s.Slowstart = j.Slowstart
	}
	if j.Submit.Known() {
		s.Submit = toTime(j.Submit - origin)
	} else {
		c.notes.add(Assumed, "jobs without a submission time are submitted at the start")
	}
	if j.Spark != nil {
		if !c.spark(j, &s) {
			return
		}
	} else if !c.work(j, &s) {
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
	if j.Maps <= 0 && j.Reduces <= 0 {
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
	for i := range j.Tasks {
		if t := &j.Tasks[i]; t.Kind == Map {
			if a := t.Winner(); a != nil {
				lastMap = max(lastMap, a.Finish)
			}
		}
	}
	first := int32(len(c.w.Tasks.Duration))
	s.Maps = c.tasks(j, lastMap, Map, Container)
	s.Reduces = c.tasks(j, lastMap, Reduce, Reduce)
	if s.Maps+s.Reduces == 0 {
		return false
	}
	s.FirstTask = first
	if s.MapAsk == (simcore.Vec{}) {
		s.MapAsk = commonSize(j.Tasks, Map, Container)
	}
	if s.ReduceAsk == (simcore.Vec{}) {
		s.ReduceAsk = commonSize(j.Tasks, Reduce, Reduce)
	}
	if s.AMAsk == (simcore.Vec{}) {
		s.AMAsk = commonSize(j.Tasks, AM, AM)
	}
	return true
}

// tasks appends the tasks of two kinds and returns how many there are.
func (c *converter) tasks(j *Job, lastMap Millis, kind, also Kind) int32 {
	var n int32
	for i := range j.Tasks {
		t := &j.Tasks[i]
		if t.Kind != kind && t.Kind != also {
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
	ts := &c.w.Tasks
	ts.Duration = append(ts.Duration, toTime(max(0, a.Finish-start)))
	ts.Shuffle = append(ts.Shuffle, toTime(shuffle))
	ts.Input = append(ts.Input, max(0, t.InputBytes))
	ts.Output = append(ts.Output, max(0, t.OutputBytes))
	if len(ts.HostAt) == 0 {
		ts.HostAt = append(ts.HostAt, 0)
	}
	ts.Hosts = c.place(ts.Hosts, t)
	ts.HostAt = append(ts.HostAt, int32(len(ts.Hosts)))
}

// place appends the nodes that hold a task's input, each once.
func (c *converter) place(dst []int32, t *Task) []int32 {
	if t.Kind != Map || c.opt.Cluster == nil {
		return dst
	}
	from := len(dst)
	for _, h := range t.Hosts {
		if id, ok := c.hosts.node(h); ok && !slices.Contains(dst[from:], id) {
			dst = append(dst, id)
		}
	}
	if len(t.Hosts) == 0 && c.opt.Replicas > 0 {
		c.notes.add(Assumed, "maps without recorded input locations: %d nodes drawn for each", c.opt.Replicas)
		k := rng.NewKey(c.opt.Seed, purposePlace).At(uint64(len(c.w.Tasks.Duration)))
		n := len(c.opt.Cluster.Nodes)
		for i := uint64(0); len(dst)-from < min(c.opt.Replicas, n); i++ {
			if id := int32(k.IntN(i, n)); !slices.Contains(dst[from:], id) {
				dst = append(dst, id)
			}
		}
	}
	return dst
}

// Purposes of the random draws of this package.
const (
	purposePlace = 0x7472616365<<8 + iota
	purposeSynth
	purposeBootstrap
)

// trim sets slices to nil in which no task has a figure.
func (c *converter) trim() {
	ts := &c.w.Tasks
	zero := func(v int64) bool { return v == 0 }
	if !slices.ContainsFunc(ts.Shuffle, func(t simcore.Time) bool { return t != 0 }) {
		ts.Shuffle = nil
	}
	if !slices.ContainsFunc(ts.Input, func(v int64) bool { return !zero(v) }) {
		ts.Input = nil
	}
	if !slices.ContainsFunc(ts.Output, func(v int64) bool { return !zero(v) }) {
		ts.Output = nil
	}
	if len(ts.Hosts) == 0 {
		ts.HostAt, ts.Hosts = nil, nil
	}
}

func ask(s Size) simcore.Vec { return simcore.Vec{s.MiB, s.VCores} }

// commonSize returns the most frequent size among tasks of two kinds; of
// equally frequent ones the larger.
func commonSize(tasks []Task, kind, also Kind) simcore.Vec {
	count := map[Size]int{}
	var best Size
	for i := range tasks {
		if k := tasks[i].Kind; k != kind && k != also {
			continue
		}
		for _, a := range tasks[i].Attempts {
			if a.Size.MiB == 0 {
				continue
			}
			count[a.Size]++
			if count[a.Size] > count[best] || count[a.Size] == count[best] && larger(a.Size, best) {
				best = a.Size
			}
		}
	}
	return ask(best)
}

func larger(a, b Size) bool { return a.MiB > b.MiB || a.MiB == b.MiB && a.VCores > b.VCores }
