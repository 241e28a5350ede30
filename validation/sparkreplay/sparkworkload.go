package sparkreplay

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
)

// How a recorded Spark application becomes one of a workload.

// app describes a Spark application as it ran, with the recorded numbers of its stages.
func (b *builder) app(i int, a *App) (*simcore.SparkApp, *yarn.RecordedSpark, []int32) {
	s := newSteps(b.r, a)
	app := &simcore.SparkApp{Settings: a.Settings, Executors: []simcore.SparkExecutor{a.Executor}}
	rec := &yarn.RecordedSpark{}
	if a.Settings.Dynamic {
		l := b.r.JudgeTargets(a).Loop
		rec.LoopPhase, rec.LoopPeriod = l.turn(0), l.Period
	}
	p := b.r.planned(a.Name)
	x := &recordedApp{builder: b, steps: s, app: app, rec: rec, ends: map[int32]simcore.Time{}, number: map[int32]int32{}}
	sets, last := p.sets(), []int32{} // last: jobs of the last step that had jobs
	for k := range p.Steps {
		if name := p.Steps[k].Unpersist; name != "" {
			app.Jobs = append(app.Jobs, simcore.SparkJob{After: last, Delay: 10 * simcore.Millisecond,
				FirstStage: int32(len(app.Stages)), Unpersist: []int32{sets[name]}})
		}
		if jobs := x.step(a, k, last); len(jobs) > 0 {
			last = jobs
		}
	}
	b.executors(i, a, rec)
	rec.Revive = a.Revive
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
	for _, in := range a.Jobs { // by number, which decides who goes first
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
		x.ends[id] = 0
		for _, st := range in.Stages {
			x.ends[id] = max(x.ends[id], a.lastEnd(st))
		}
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

// sets numbers the data sets of a program in the order of their names in it; no name is -1.
func (p *PlanJob) sets() map[string]int32 {
	number := map[string]int32{"": -1}
	add := func(name string) {
		if _, ok := number[name]; !ok {
			number[name] = int32(len(number)) - 1
		}
	}
	for _, step := range p.Steps {
		for _, j := range step.Jobs {
			add(j.From)
			for _, st := range j.Stages {
				add(st.Cache)
			}
		}
		add(step.Unpersist)
	}
	return number
}

// stage appends a stage of a job with its recorded tasks.
func (x *recordedApp) stage(id, job int32, submitted simcore.Time) {
	s, app, rec := x.steps, x.app, x.rec
	a, in := s.app, s.app.stage(id, 0)
	if in == nil {
		return // skipped: its output was there
	}
	st := simcore.SparkStage{Job: job, Tasks: in.Tasks, FirstTask: int32(len(x.w.Tasks.Duration)), Dist: -1,
		Reads: in.reads, Caches: in.caches}
	from := submitted
	for _, p := range in.Parents {
		if n, ok := x.number[p]; ok {
			st.Parents = append(st.Parents, n)
			app.Stages[n].ShuffleWrite, app.Stages[n].Parts = true, s.parts(p, in.Tasks)
		}
		from = max(from, a.lastEnd(p))
	}
	for range in.Tasks {
		x.newTask(-1)
	}
	attempts := x.attempts(id, in.Tasks)
	attempts[0].Gap = runlog.Since(in.Submit, from)
	rec.Stages = append(rec.Stages, attempts)
	for _, t := range a.Tasks {
		at := st.FirstTask + t.Index
		if t.Stage == id && t.Status == succeeded && t.Index < in.Tasks && x.w.Tasks.Duration[at] < 0 {
			x.w.Tasks.Duration[at], x.w.Tasks.Output[at] = t.Finish-t.Launch, t.Written
		}
	}
	x.number[id], x.ids = int32(len(app.Stages)), append(x.ids, id)
	app.Stages = append(app.Stages, st)
}

const succeeded = "SUCCEEDED"

// lastEnd is when the driver noted the last end of a task of a stage, of all its attempts.
func (a *App) lastEnd(stage int32) (at simcore.Time) {
	for _, t := range a.Tasks {
		if t.Stage == stage && t.Status == succeeded {
			at = max(at, t.Finish)
		}
	}
	return at
}

// attempts gives what is recorded of the attempts of a stage. Speculative copies are not among
// the tasks.
func (x *recordedApp) attempts(id, tasks int32) (list []yarn.RecordedStage) {
	a := x.steps.app
	launches := slices.Clone(a.Tasks)
	slices.SortStableFunc(launches, func(x, y *Task) int { return cmp.Compare(x.ID, y.ID) })
	for try := int32(0); ; try++ {
		st := a.stage(id, try)
		if st == nil {
			return list
		}
		offered := a.offered(st)
		out := yarn.RecordedStage{Gap: -1, Offer: runlog.Since(offered, st.Submit), Tasks: make([][]yarn.RecordedTask, tasks)}
		took := make([]simcore.Time, tasks) // by the attempt that succeeded
		for _, t := range launches {
			if t.Stage == id && t.StageAttempt == try && t.Index < tasks && t.Status == succeeded {
				took[t.Index] = t.Finish - t.Launch
			}
		}
		for _, t := range launches {
			if t.Stage != id || t.StageAttempt != try || t.Index >= tasks || t.Speculative || t.Finish == simcore.Never {
				continue
			}
			r := yarn.RecordedTask{Executor: t.Executor, Nth: t.ID, Held: x.steps.held[t], Ran: t.Finish - t.Launch}
			// what ended another one comes before its own end
			if r.Failed = t.Status == "FetchFailed"; t.Status != succeeded && !r.Failed {
				r.Ran = max(took[t.Index], r.Ran+simcore.Second)
				r.Held = r.Ran
			}
			later := launchedAfter(t, offered)
			r.Held, r.Ran = r.Held+later, r.Ran+later
			out.Tasks[t.Index] = append(out.Tasks[t.Index], r)
		}
		list = append(list, out)
	}
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

// holds works out how long tasks held their cores: the driver hands a core on some milliseconds
// before it notes the task's end. A task launched where all cores are taken has that of the task
// noted to end next.
func (s *steps) holds() {
	s.held = map[*Task]simcore.Time{}
	list := slices.Clone(s.app.Tasks)
	slices.SortStableFunc(list, func(x, y *Task) int { return cmp.Compare(x.Launch, y.Launch) })
	running := map[int32][]*Task{} // by executor, by end
	for _, t := range list {
		s.held[t] = runlog.Since(t.Finish, t.Launch)
		on := slices.DeleteFunc(running[t.Executor], func(o *Task) bool { return o.Finish <= t.Launch })
		if len(on) >= int(s.app.Executor.Slots()) {
			s.held[on[0]] = t.Launch - on[0].Launch
			on = on[1:]
		}
		on = append(on, t)
		slices.SortStableFunc(on, func(x, y *Task) int { return cmp.Compare(x.Finish, y.Finish) })
		running[t.Executor] = on
	}
}

// executors gives the launch latencies of an application's executors, by number.
func (b *builder) executors(i int, a *App, rec *yarn.RecordedSpark) {
	rec.Calls = b.calls.Calls[i]
	for _, e := range a.Executors {
		for _, l := range []*[]simcore.Time{&rec.Launch, &rec.Start, &rec.Accept, &rec.Heard, &rec.Gone, &rec.Seen,
			&rec.Removed, &rec.Stop} {
			for len(*l) < int(e.ID) {
				*l = append(*l, -1)
			}
		}
		n, c := e.ID-1, a.container(e)
		rec.Seen[n] = runlog.Since(e.Exited, e.Released)
		if at, ok := a.Closed[e.ID]; ok {
			rec.Seen[n] = runlog.Since(at, e.Released)
		} else if a.Revive > 0 && e.Removed != simcore.Never { // the log has none: the AM heard first
			rec.Seen[n] = runlog.Since(e.Removed+simcore.Second, e.Released)
		}
		end := b.end(c)
		rec.Gone[n], rec.Removed[n] = runlog.Since(end, e.Released), runlog.Since(e.Removed, e.Released)
		if e.Released >= a.Finish {
			rec.Stop[n] = runlog.Since(end, a.Finish)
		}
		if c.ToldEnd != simcore.Never && (e.KillAsked == simcore.Never || e.Released < e.KillAsked) {
			rec.Removed[n] = runlog.Since(e.Removed, c.ToldEnd)
		}
		rec.Launch[n], rec.Start[n] = runlog.Since(e.Started, e.Acquired), runlog.Since(e.Registered, e.Started)
		if rec.Start[n] < 0 && e.Released != simcore.Never { // what ended it came first
			rec.Start[n] = runlog.Since(e.Released+10*simcore.Second, e.Started)
		}
		rec.Accept[n] = a.accepted(e)
		// its release goes out with a call behind one that it should have met
		if k, _ := slices.BinarySearch(rec.Calls, e.ReleaseAsked-simcore.Millisecond); k > 0 && k < len(rec.Calls) &&
			e.KillAsked != simcore.Never && rec.Calls[k-1] >= e.KillAsked-noted {
			rec.Heard[n] = rec.Calls[k-1] + simcore.Millisecond - (e.KillAsked - noted)
		}
	}
	rec.Turns = append(a.turns(), a.Finish+loopPeriod)
}

// container returns the container of an executor.
func (a *App) container(e *Executor) *replay.Container {
	if c := a.Container(e.Container); c != nil {
		return c
	}
	return &replay.Container{ID: e.Container, Released: e.Released, ToldEnd: simcore.Never}
}

// accepted is how long after its registration an executor was ready for tasks: its first task tells
// unless that waited for a nearer one and was offered it with all once a second. One of
// a stage's first offer came to an executor that was ready then.
func (a *App) accepted(e *Executor) simcore.Time {
	first := a.firstTask(e.ID)
	const offering = 30 * simcore.Millisecond
	switch {
	case first == nil:
		return -1
	case first.Near != "RACK_LOCAL" && first.Near != "ANY":
	case a.Revive == 0 || (first.Launch-a.Revive)%simcore.Second < offering: // the wait may just have been over
		return -1
	}
	at := first.Launch
	if st := a.stage(first.Stage, first.StageAttempt); st != nil {
		if offered := a.offered(st); offered >= e.Registered && launchedAfter(first, offered) > 0 {
			at = offered
		}
	}
	return runlog.Since(at, e.Registered)
}
