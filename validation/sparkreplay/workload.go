package sparkreplay

import (
	"cmp"

	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
	"schedtune/validation/replay"
)

// builder makes a workload of a run.
type builder struct {
	r             *Run
	w             *simcore.Workload
	rec           *yarn.Recorded
	queues, users fileio.Index

	stages [][]int32 // by application: numbers of its stages
	calls  *replay.Settled
}

// recorded returns the run as a workload of recorded task times, with the
// latencies of launches, drivers and heartbeats given.
func (r *Run) recorded() (*builder, error) {
	b := &builder{r: r, w: &simcore.Workload{Name: r.Name}, rec: &yarn.Recorded{}}
	b.stages = make([][]int32, len(r.Apps))
	var err error
	if b.calls, err = r.Decisions(); err != nil {
		return nil, err
	}
	r.Record(b.rec)
	b.rec.NodeBeats = b.calls.Beats
	for i, a := range r.Apps {
		job := simcore.Job{ID: a.Name, Name: a.Name, Queue: b.queues.ID(&b.w.Queues, a.Queue),
			User: b.users.ID(&b.w.Users, a.User), Class: -1, Submit: max(b.calls.Submitted[i], 0), MapDist: -1, ReduceDist: -1,
			FirstTask: -1}
		b.rec.AMStart = append(b.rec.AMStart, runlog.Since(a.Registered, a.AMAllocated))
		b.rec.Commit = append(b.rec.Commit, runlog.Since(a.Finish, a.LastTask))
		b.rec.Unregister = append(b.rec.Unregister, runlog.Since(a.Unregistered, a.Finish))
		master := cmp.Or(a.Master(), &replay.Container{Released: a.Released})
		b.rec.AMExit = append(b.rec.AMExit, runlog.Since(b.end(master), a.Unregistered))
		context := simcore.Time(-1)
		var spark *yarn.RecordedSpark
		var tez *yarn.RecordedTez
		var calls []simcore.Time
		if a.tez() {
			tez = b.tez(i, a, &job)
		} else if a.Kind == "spark" && len(a.Stages) == 0 { // no table has them
			job.AMAsk, job.Spark = a.Driver, b.program(b.r.planned(a.Name), a)
			context = runlog.Since(b.beside(a, job.Spark), a.Registered)
			for st := range job.Spark.Stages {
				b.stages[i] = append(b.stages[i], int32(st))
			}
			spark = &yarn.RecordedSpark{Calls: b.calls.Calls[i]}
		} else if a.Kind == "spark" {
			job.AMAsk = a.Driver
			job.Spark, spark, b.stages[i] = b.app(i, a)
			if a.Settings.Start() == 0 {
				context = runlog.Since(a.Context, a.Registered)
			} else if len(a.Calls) > 1 { // then it waits for executors
				context = runlog.Since(b.calls.Calls[i][1], a.Registered)
			}
		} else {
			b.mapReduce(a, &job)
			calls = b.calls.Calls[i]
		}
		b.rec.Tez = append(b.rec.Tez, tez)
		b.rec.MasterBeats = append(b.rec.MasterBeats, calls)
		b.rec.Context, b.rec.Spark = append(b.rec.Context, context), append(b.rec.Spark, spark)
		b.w.Jobs = append(b.w.Jobs, job)
	}
	b.round()
	return b, nil
}

// beside gives the tasks of a planned Spark application their recorded times and returns when its
// driver, whose executors had registered, began its program.
func (b *builder) beside(a *App, app *simcore.SparkApp) (began simcore.Time) {
	began = simcore.Never
	for _, t := range a.Tasks {
		if t.Stage >= 0 && int(t.Stage) < len(app.Stages) && t.Index >= 0 && t.Index < app.Stages[t.Stage].Tasks {
			b.w.Tasks.Duration[app.Stages[t.Stage].FirstTask+t.Index] = runlog.Since(t.Finish, t.Launch)
			began = min(began, t.Launch-stepGap)
		}
	}
	return began
}

// end is when a container ended for its node to tell with its next heartbeat.
func (b *builder) end(c *replay.Container) simcore.Time {
	if at, ok := b.calls.Ends[c]; ok {
		return at
	}
	return c.Released
}

// hosts makes room for the places of tasks.
func (b *builder) hosts() {
	for t := &b.w.Tasks; len(t.HostAt) <= len(t.Duration); {
		t.HostAt = append(t.HostAt, int32(len(t.Hosts)))
	}
}

// place appends the places of the next task.
func (b *builder) place(task int, hosts [][]string) {
	if task < len(hosts) {
		for _, h := range hosts[task] {
			b.w.Tasks.Hosts = append(b.w.Tasks.Hosts, b.r.NodeIndex(h))
		}
	}
}

// newTask appends a task to the workload.
func (b *builder) newTask(d simcore.Time) {
	b.w.Tasks.Duration = append(b.w.Tasks.Duration, d)
	b.fill()
}

// fill gives new tasks what belongs to their times.
func (b *builder) fill() {
	t := &b.w.Tasks
	for len(t.Shuffle) < len(t.Duration) {
		t.Shuffle, t.Output = append(t.Shuffle, 0), append(t.Output, 0)
		b.rec.Launch, b.rec.Exit = append(b.rec.Launch, -1), append(b.rec.Exit, -1)
	}
	if len(t.HostAt) > 0 {
		b.hosts()
	}
}

// planned describes a MapReduce job as planned, submitted when job is.
func (b *builder) planned(job *simcore.Job, p *PlanJob) {
	at := job.Submit
	*job = replay.PlannedJob(b.w, &p.ScenarioJob, job.Queue, job.User)
	job.Submit = at
	b.fill()
}

// mapReduce describes a MapReduce job: a reduce's copying after the last map is
// part of its time.
func (b *builder) mapReduce(a *App, job *simcore.Job) {
	b.planned(job, b.r.planned(a.Name))
	lastMap := simcore.Time(0)
	for _, t := range a.Tasks {
		if t.Kind == "MAP" && t.Status == "SUCCEEDED" {
			lastMap = max(lastMap, t.Finish)
		}
	}
	for _, t := range a.Tasks {
		if t.Status != "SUCCEEDED" {
			continue
		}
		at, from := int(job.FirstTask+t.Index), t.Launch
		if t.Kind == "REDUCE" {
			at, from = at+int(job.Maps), max(t.Launch, lastMap)
		}
		b.w.Tasks.Duration[at] = runlog.Since(t.Finish, from)
		if c := a.Container(t.Container); c != nil {
			b.rec.Launch[at], b.rec.Exit[at] = runlog.Since(t.Launch, c.Acquired), runlog.Since(b.end(c), t.Finish)
		}
	}
}
