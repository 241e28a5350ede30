package sparkreplay

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
)

// How a recorded Spark application becomes one of a workload.

// app describes a Spark application as it ran, with the recorded numbers of its stages.
func (b *builder) app(a *App) (*simcore.SparkApp, *yarn.RecordedSpark, []int32) {
	s := newSteps(b.r, a)
	app := &simcore.SparkApp{Settings: a.Settings, Executors: []simcore.SparkExecutor{a.Executor}}
	rec := &yarn.RecordedSpark{}
	if a.Settings.Dynamic {
		l := b.r.JudgeTargets(a).Loop
		rec.LoopPhase, rec.LoopPeriod = l.turn(0), l.Period
	}
	p := b.r.planned(a.Name)
	x := &recordedApp{builder: b, steps: s, app: app, rec: rec, ends: map[int32]simcore.Time{}, number: map[int32]int32{}}
	last := []int32{} // jobs of the last step that had jobs
	for k := range p.Steps {
		if name := p.Steps[k].Unpersist; name != "" {
			app.Jobs = append(app.Jobs, simcore.SparkJob{After: last, Delay: 10 * simcore.Millisecond,
				FirstStage: int32(len(app.Stages)), Unpersist: []int32{s.set(p, name)}})
		}
		if jobs := x.step(a, k, last); len(jobs) > 0 {
			last = jobs
		}
	}
	b.executors(a, rec)
	rec.Revive = s.revive()
	if a.Context != simcore.Never && a.Settings.Start() > 0 {
		rec.Ready = a.Context
	}
	return app, rec, x.ids
}

// recordedApp is an application being built.
type recordedApp struct {
	*builder
	steps  *steps
	app    *simcore.SparkApp
	rec    *yarn.RecordedSpark
	ends   map[int32]simcore.Time // when a job was recorded to end, by its number
	number map[int32]int32        // of a stage, by its id
	ids    []int32                // by stage
}

// step appends the jobs of the k-th step of the program, which begin behind the jobs
// after, and returns their numbers.
func (x *recordedApp) step(a *App, k int, after []int32) (jobs []int32) {
	for _, in := range a.Jobs {
		var step, at int
		if n, _ := fmt.Sscanf(in.Group, "step%d-job%d", &step, &at); n != 2 || step != k {
			continue
		}
		id := int32(len(x.app.Jobs))
		job := simcore.SparkJob{After: after, Delay: max(runlog.Since(in.Submit, x.begin(a, after)), 0),
			FirstStage: int32(len(x.app.Stages))}
		for _, st := range in.Stages {
			x.stage(st, id, in.Submit)
		}
		job.Stages = int32(len(x.app.Stages)) - job.FirstStage
		x.app.Jobs = append(x.app.Jobs, job)
		x.ends[id] = in.End
		jobs = append(jobs, id)
	}
	return jobs
}

// begin is when a job could begin that follows others: at the last of their ends, or
// when the driver has its context.
func (x *recordedApp) begin(a *App, after []int32) simcore.Time {
	if len(after) == 0 {
		return a.Context
	}
	from := simcore.Time(0)
	for _, j := range after {
		from = max(from, x.ends[j])
	}
	return from
}

// revive is an instant of the offers to all executors that the driver makes once
// a second from when its scheduler backend comes up, shortly before the AM
// registers: a task launched where nothing else can have brought it about, at a
// moment of the second that fits. Of several the one with which most others agree
// is taken, then the one nearest to what a backend usually takes.
func (s *steps) revive() (at simcore.Time) {
	var list []simcore.Time // backend up to AM registered, within a second
	most, best := 0, simcore.Time(0)
	for _, t := range s.app.Tasks {
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
		if agree > most || agree == most && max(before-backendUsual, backendUsual-before) < max(best-backendUsual,
			backendUsual-best) {
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
	for _, o := range s.app.Tasks {
		if o.Executor == t.Executor && o != t && o.Launch < t.Launch && o.Finish >= t.Launch-oneOffer {
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
	for _, t := range a.Tasks {
		if t.Stage == stage && t.Index < tasks && !t.Speculative {
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

// stage appends a stage of a job with its recorded tasks.
func (x *recordedApp) stage(id, job int32, submitted simcore.Time) {
	s, app, rec := x.steps, x.app, x.rec
	i, ok := s.stage[stageKey{id, 0}]
	if !ok {
		return // skipped: its output was there
	}
	a := s.app
	in := a.Stages[i]
	st := simcore.SparkStage{Job: job, Tasks: in.Tasks, FirstTask: int32(len(x.w.Tasks.Duration)), Dist: -1,
		Reads: s.reads[i], Caches: s.sets[i]}
	from := submitted
	for _, p := range in.Parents {
		if n, ok := x.number[p]; ok {
			st.Parents = append(st.Parents, n)
			app.Stages[n].ShuffleWrite, app.Stages[n].Parts = true, s.parts(p, in.Tasks)
		}
		if k, ok := s.stage[stageKey{p, 0}]; ok {
			from = max(from, a.Stages[k].Complete)
		}
	}
	rec.StageGap = append(rec.StageGap, runlog.Since(in.Submit, from))
	for range in.Tasks {
		x.newTask(-1)
	}
	rec.Runner = append(rec.Runner, a.runners(id, in.Tasks))
	offered := a.offered(in)
	rec.Offer = append(rec.Offer, runlog.Since(offered, in.Submit))
	for _, t := range a.Tasks {
		if t.Stage != id || t.Status != "SUCCEEDED" || t.Index >= in.Tasks {
			continue
		}
		at := st.FirstTask + t.Index
		if x.w.Tasks.Duration[at] < 0 {
			x.w.Tasks.Duration[at], x.w.Tasks.Output[at] = s.held(t)+launchedAfter(t, offered), t.Written
		}
	}
	x.number[id], x.ids = int32(len(app.Stages)), append(x.ids, id)
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
		for _, o := range s.app.Tasks {
			if o.Executor == t.Executor && o.Launch > t.Launch && o.Launch < end {
				end = o.Launch
			}
		}
	}
	return runlog.Since(end, t.Launch)
}

// atOnce is within what span of its block manager's registration an executor that
// found tasks waiting was offered one: it reports itself as launched after that.
const atOnce = 500 * simcore.Millisecond

// executors gives the launch latencies of an application's executors, by number.
func (b *builder) executors(a *App, rec *yarn.RecordedSpark) {
	for _, e := range a.Executors {
		for int(e.ID) > len(rec.Launch) {
			rec.Launch, rec.Start, rec.Accept = append(rec.Launch, -1), append(rec.Start, -1), append(rec.Accept, -1)
			rec.Gone, rec.Stop = append(rec.Gone, -1), append(rec.Stop, -1)
		}
		if e.Released < a.Finish {
			rec.Gone[e.ID-1] = b.reported(e, e.Released)
		} else {
			rec.Stop[e.ID-1] = b.inOrder(runlog.Since(e.Released, a.Finish), e.Node, e.Released)
		}
		rec.Launch[e.ID-1], rec.Start[e.ID-1] = runlog.Since(e.Started, e.Acquired), runlog.Since(e.Registered, e.Started)
		if ready := runlog.Since(e.FirstTask, runlog.Latest(e.Registered, e.BlockManager)); ready >= 0 && ready < atOnce {
			rec.Accept[e.ID-1] = runlog.Since(e.FirstTask, e.Registered)
		}
	}
	rec.Turns, rec.Calls = a.turns(), a.handled()
}
