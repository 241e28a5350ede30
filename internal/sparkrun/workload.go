package sparkrun

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/internal/recorded"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Cluster returns the run's nodes.
func (r *Run) Cluster() *simcore.Cluster {
	c := &simcore.Cluster{}
	for _, n := range r.Nodes {
		i := slices.Index(c.Racks, n.Rack)
		if i < 0 {
			i = len(c.Racks)
			c.Racks = append(c.Racks, n.Rack)
		}
		c.Nodes = append(c.Nodes, simcore.Node{Name: n.Name, Rack: int32(i), Capacity: simcore.Vec{n.MiB, n.VCores}})
	}
	return c
}

type names []string

func (n *names) id(name string) int32 {
	if i := slices.Index(*n, name); i >= 0 {
		return int32(i)
	}
	*n = append(*n, name)
	return int32(len(*n) - 1)
}

// since is a span, -1 where either end is not recorded.
func since(to, from simcore.Time) simcore.Time {
	if to == simcore.Never || from == simcore.Never {
		return -1
	}
	return max(to-from, 0)
}

// builder makes a workload of a run.
type builder struct {
	r      *Run
	w      *simcore.Workload
	rec    *yarn.Recorded
	queues names
	users  names
	jobOf  []jobRef
}

// Recorded returns the run as a workload of recorded task times, with the
// latencies of launches, drivers and heartbeats given.
func (r *Run) Recorded() (*simcore.Workload, *yarn.Recorded, error) {
	b := &builder{r: r, w: &simcore.Workload{Name: r.Name}, rec: &yarn.Recorded{}}
	b.beats()
	for i := range r.Apps {
		a := &r.Apps[i]
		job := simcore.Job{ID: a.Name, Name: a.Name, Queue: b.queues.id(a.Queue), User: b.users.id(a.User), Class: -1, Submit: max(a.Submit, 0), MapDist: -1, ReduceDist: -1, FirstTask: -1}
		b.rec.AMStart = append(b.rec.AMStart, since(a.Registered, a.Allocated))
		b.rec.Commit = append(b.rec.Commit, since(a.Finish, a.LastTask))
		b.rec.Unregister = append(b.rec.Unregister, since(a.Unregister, a.Finish))
		b.rec.AMExit = append(b.rec.AMExit, since(a.Released, a.Unregister))
		context := simcore.Time(-1)
		var spark *yarn.RecordedSpark
		var calls []simcore.Time
		if a.Kind == "spark" {
			job.AMAsk = a.Driver
			job.Spark, spark = b.app(a)
			if a.Settings.Start() == 0 {
				context = since(a.Context, a.Registered)
			} else if len(a.Calls) > 1 { // then it waits for executors
				context = since(a.Calls[1].At, a.Registered)
			}
		} else {
			if err := b.mapReduce(a, &job); err != nil {
				return nil, nil, err
			}
			calls = a.handled()
		}
		b.rec.MasterBeats = append(b.rec.MasterBeats, calls)
		b.rec.Context, b.rec.Spark = append(b.rec.Context, context), append(b.rec.Spark, spark)
		b.w.Jobs = append(b.w.Jobs, job)
	}
	b.w.Queues, b.w.Users = b.queues, b.users
	b.round()
	return b.w, b.rec, nil
}

// newTask appends a task to the workload and returns its index.
func (b *builder) newTask(d simcore.Time) int {
	t := &b.w.Tasks
	t.Duration, t.Shuffle, t.Output = append(t.Duration, d), append(t.Shuffle, 0), append(t.Output, 0)
	b.rec.Launch, b.rec.Exit = append(b.rec.Launch, -1), append(b.rec.Exit, -1)
	return len(t.Duration) - 1
}

// mapReduce describes a MapReduce job: a reduce's copying after the last map is
// part of its time.
func (b *builder) mapReduce(a *App, job *simcore.Job) error {
	job.FirstTask = int32(len(b.w.Tasks.Duration))
	p := b.r.Planned(a.Name)
	if p == nil {
		return fmt.Errorf("%s: job %q is not in scenario.json", b.r.Dir, a.Name)
	}
	b.sizes(job, p)
	lastMap := simcore.Time(0)
	for i := range a.Tasks {
		if t := &a.Tasks[i]; t.Kind == "MAP" && t.Status == "SUCCEEDED" {
			lastMap = max(lastMap, t.Finish)
		}
	}
	for range job.Maps + job.Reduces {
		b.newTask(0)
	}
	for i := range a.Tasks {
		t := &a.Tasks[i]
		if t.Status != "SUCCEEDED" {
			continue
		}
		at, from := int(job.FirstTask+t.Index), t.Launch
		if t.Kind == "REDUCE" {
			at, from = at+int(job.Maps), max(t.Launch, lastMap)
		}
		b.w.Tasks.Duration[at] = since(t.Finish, from)
		for k := range a.Containers {
			if c := &a.Containers[k]; c.ID == t.Container {
				b.rec.Launch[at], b.rec.Exit[at] = since(t.Launch, c.Acquired), since(c.Released, t.Finish)
			}
		}
	}
	return nil
}

func (b *builder) sizes(job *simcore.Job, p *PlanJob) {
	job.Maps, job.Reduces, job.Slowstart = p.Maps, p.Reduces, p.Slowstart
	job.MapAsk, job.ReduceAsk, job.AMAsk = simcore.Vec{p.MapMiB, 1}, simcore.Vec{p.ReduceMiB, 1}, simcore.Vec{p.AMMiB, 1}
}

// app describes a Spark application as it ran.
func (b *builder) app(a *App) (*simcore.SparkApp, *yarn.RecordedSpark) {
	s := newSteps(b.r, a)
	app := &simcore.SparkApp{Settings: a.Settings, Executors: []simcore.SparkExecutor{a.Executor}}
	rec := &yarn.RecordedSpark{}
	if a.Settings.Dynamic {
		l := b.r.JudgeTargets(a).Loop
		rec.LoopPhase, rec.LoopPeriod = l.turn(0), l.Period
	}
	p := b.r.Planned(a.Name)
	number := map[int32]int32{} // stage id to number
	last := []int32{}           // jobs of the last step that had jobs
	for k := range p.Steps {
		if name := p.Steps[k].Unpersist; name != "" {
			app.Jobs = append(app.Jobs, simcore.SparkJob{After: last, Delay: 10 * simcore.Millisecond, FirstStage: int32(len(app.Stages)), Unpersist: []int32{s.set(p, name)}})
		}
		var jobs []int32
		for i := range a.Jobs {
			var step, at int
			if n, _ := fmt.Sscanf(a.Jobs[i].Group, "step%d-job%d", &step, &at); n != 2 || step != k {
				continue
			}
			from := a.Context
			for _, j := range last {
				from = max(from, b.end(app, a, j))
			}
			if len(last) > 0 {
				from = 0
				for _, j := range last {
					from = max(from, b.end(app, a, j))
				}
			}
			id := int32(len(app.Jobs))
			job := simcore.SparkJob{After: last, Delay: max(since(a.Jobs[i].Submit, from), 0), FirstStage: int32(len(app.Stages))}
			for _, st := range a.Jobs[i].Stages {
				b.stage(s, app, rec, st, id, number, a.Jobs[i].Submit)
			}
			job.Stages = int32(len(app.Stages)) - job.FirstStage
			app.Jobs = append(app.Jobs, job)
			b.jobOf = append(b.jobOf, jobRef{app, id, i})
			jobs = append(jobs, id)
		}
		if len(jobs) > 0 {
			last = jobs
		}
	}
	b.executors(a, rec)
	rec.Revive = s.revive()
	if a.Context != simcore.Never && a.Settings.Start() > 0 {
		rec.Ready = a.Context
	}
	return app, rec
}

// revive is an instant of the offers to all executors that the driver makes once
// a second from when its scheduler backend comes up, shortly before the AM
// registers: a task launched where nothing else can have brought it about, at a
// moment of the second that fits. Of several the one with which most others agree
// is taken, then the one nearest to what a backend usually takes.
func (s *steps) revive() (at simcore.Time) {
	var list []simcore.Time // backend up to AM registered, within a second
	most, best := 0, simcore.Time(0)
	for i := range s.app.Tasks {
		t := &s.app.Tasks[i]
		e := s.executor(t.Executor)
		if t.Kind != "SPARK" || t.StageAttempt != 0 || e == nil || t.Launch <= e.Registered+offeredWithin || s.causes(t) {
			continue
		}
		before := ((s.app.Registered-t.Launch)%simcore.Second + simcore.Second) % simcore.Second
		if before < backendLeast || before > backendMost {
			continue
		}
		list = append(list, before)
		agree := 0
		for _, b := range list {
			if max(b-before, before-b) < reviveWithin {
				agree++
			}
		}
		if agree > most || agree == most && max(before-backendUsual, backendUsual-before) < max(best-backendUsual, backendUsual-best) {
			most, best, at = agree, before, t.Launch
		}
	}
	return at
}

// How long before the AM registers its scheduler backend comes up, and how near
// each other launches of one phase are.
const (
	backendLeast = 100 * simcore.Millisecond
	backendUsual = 200 * simcore.Millisecond
	backendMost  = 450 * simcore.Millisecond
	reviveWithin = 40 * simcore.Millisecond
)

// causes reports whether a task was launched behind the end of another on its
// executor, or the submission of a stage.
func (s *steps) causes(t *Task) bool {
	for i := range s.app.Tasks {
		if o := &s.app.Tasks[i]; o.Executor == t.Executor && o != t && o.Launch < t.Launch && o.Finish >= t.Launch-oneOffer {
			return true
		}
	}
	for i := range s.app.Stages {
		if d := t.Launch - s.app.Stages[i].Submit; d >= 0 && d < offeredWithin {
			return true
		}
	}
	return false
}

type jobRef struct {
	app *simcore.SparkApp
	id  int32
	i   int
}

// end is the recorded end of a job of an application being built.
func (b *builder) end(app *simcore.SparkApp, a *App, id int32) simcore.Time {
	for _, r := range b.jobOf {
		if r.app == app && r.id == id {
			return a.Jobs[r.i].End
		}
	}
	return 0
}

// set is the number of a data set.
func (s *steps) set(p *PlanJob, name string) int32 {
	n := int32(0)
	seen := map[string]int32{}
	for k := range p.Steps {
		for _, j := range p.Steps[k].Jobs {
			for _, st := range j.Stages {
				if _, ok := seen[st.Cache]; !ok && st.Cache != "" {
					seen[st.Cache] = n
					n++
				}
			}
		}
	}
	return seen[name]
}

// runners gives, for each task of a stage, the executors that ran its attempts, in
// order of launch. Speculative copies are not among them.
func (a *App) runners(stage, tasks int32) [][]int32 {
	var list []*Task
	for k := range a.Tasks {
		if t := &a.Tasks[k]; t.Stage == stage && t.Index < tasks && !t.Speculative {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(x, y *Task) int { return cmp.Compare(x.Launch, y.Launch) })
	out := make([][]int32, tasks)
	for _, t := range list {
		out[t.Index] = append(out[t.Index], t.Executor)
	}
	return out
}

// stage appends a stage with its recorded tasks.
func (b *builder) stage(s *steps, app *simcore.SparkApp, rec *yarn.RecordedSpark, id, job int32, number map[int32]int32, submitted simcore.Time) {
	i, ok := s.stage[stageKey{id, 0}]
	if !ok {
		return // skipped: its output was there
	}
	a := s.app
	in := &a.Stages[i]
	st := simcore.SparkStage{Job: job, Tasks: in.Tasks, FirstTask: int32(len(b.w.Tasks.Duration)), Dist: -1, Reads: s.reads[i], Caches: s.sets[i]}
	from := submitted
	for _, p := range in.Parents {
		if n, ok := number[p]; ok {
			st.Parents = append(st.Parents, n)
			app.Stages[n].ShuffleWrite, app.Stages[n].Parts = true, s.parts(p, in.Tasks)
		}
		if k, ok := s.stage[stageKey{p, 0}]; ok {
			from = max(from, a.Stages[k].Complete)
		}
	}
	rec.StageGap = append(rec.StageGap, since(in.Submit, from))
	for range in.Tasks {
		b.newTask(-1)
	}
	rec.Runner = append(rec.Runner, a.runners(id, in.Tasks))
	offered := a.offered(in)
	rec.Offer = append(rec.Offer, since(offered, in.Submit))
	for k := range a.Tasks {
		t := &a.Tasks[k]
		if t.Stage != id || t.Status != "SUCCEEDED" || t.Index >= in.Tasks {
			continue
		}
		at := st.FirstTask + t.Index
		if b.w.Tasks.Duration[at] < 0 {
			b.w.Tasks.Duration[at], b.w.Tasks.Output[at] = s.held(t)+launchedAfter(t, offered), t.Written
		}
	}
	number[id] = int32(len(app.Stages))
	app.Stages = append(app.Stages, st)
}

// launchedAfter is how much later than the first task of its stage's first offer a
// task of that offer was launched: the driver launches one after the other.
func launchedAfter(t *Task, offered simcore.Time) simcore.Time {
	if d := t.Launch - offered; d < oneOffer {
		return max(d, 0)
	}
	return 0
}

const oneOffer = 100 * simcore.Millisecond

// held is how long a task held its core: the driver hands it on some
// milliseconds before it notes the task's end.
func (s *steps) held(t *Task) simcore.Time {
	end := t.Finish
	if s.app.Executor.Slots() == 1 {
		for i := range s.app.Tasks {
			if o := &s.app.Tasks[i]; o.Executor == t.Executor && o.Launch > t.Launch && o.Launch < end {
				end = o.Launch
			}
		}
	}
	return since(end, t.Launch)
}

// atOnce is within what span of its block manager's registration an executor that
// found tasks waiting was offered one: it reports itself as launched after that.
const atOnce = 500 * simcore.Millisecond

// executors gives the launch latencies of an application's executors, by number.
func (b *builder) executors(a *App, rec *yarn.RecordedSpark) {
	for i := range a.Executors {
		e := &a.Executors[i]
		for int(e.ID) > len(rec.Launch) {
			rec.Launch, rec.Start, rec.Accept = append(rec.Launch, -1), append(rec.Start, -1), append(rec.Accept, -1)
			rec.Gone, rec.Stop = append(rec.Gone, -1), append(rec.Stop, -1)
		}
		if e.Released < a.Finish {
			rec.Gone[e.ID-1] = b.reported(e, e.Released)
		} else {
			rec.Stop[e.ID-1] = b.inOrder(since(e.Released, a.Finish), e.Node, e.Released)
		}
		rec.Launch[e.ID-1], rec.Start[e.ID-1] = since(e.Started, e.Acquired), since(e.Registered, e.Started)
		if ready := since(e.FirstTask, recorded.Latest(e.Registered, e.BlockManager)); ready >= 0 && ready < atOnce {
			rec.Accept[e.ID-1] = since(e.FirstTask, e.Registered)
		}
	}
	rec.Turns, rec.Calls = a.turns(), a.handled()
}
