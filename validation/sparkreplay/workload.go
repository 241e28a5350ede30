package sparkreplay

import (
	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
)

// cluster returns the run's nodes by their names, not by their addresses.
func (r *Run) cluster() *simcore.Cluster {
	c := r.Cluster()
	for i := range c.Nodes {
		c.Nodes[i].Name = r.Nodes[i].Name
	}
	return c
}

// builder makes a workload of a run.
type builder struct {
	r             *Run
	w             *simcore.Workload
	rec           *yarn.Recorded
	queues, users fileio.Index

	stages [][]int32        // by application: numbers of its stages
	calls  [][]simcore.Time // by application: its master's calls, as handled
}

// recorded returns the run as a workload of recorded task times, with the
// latencies of launches, drivers and heartbeats given.
func (r *Run) recorded() *builder {
	b := &builder{r: r, w: &simcore.Workload{Name: r.Name}, rec: &yarn.Recorded{}}
	r.RecordBeats(b.rec)
	b.stages = make([][]int32, len(r.Apps))
	for i, a := range r.Apps {
		b.calls = append(b.calls, a.handled())
		job := simcore.Job{ID: a.Name, Name: a.Name, Queue: b.queues.ID(&b.w.Queues, a.Queue),
			User: b.users.ID(&b.w.Users, a.User), Class: -1, Submit: max(a.Submit, 0), MapDist: -1, ReduceDist: -1,
			FirstTask: -1}
		b.rec.AMStart = append(b.rec.AMStart, runlog.Since(a.Registered, a.AMAllocated))
		b.rec.Commit = append(b.rec.Commit, runlog.Since(a.Finish, a.LastTask))
		b.rec.Unregister = append(b.rec.Unregister, runlog.Since(a.Unregistered, a.Finish))
		b.rec.AMExit = append(b.rec.AMExit, runlog.Since(a.Released, a.Unregistered))
		context := simcore.Time(-1)
		var spark *yarn.RecordedSpark
		var calls []simcore.Time
		if a.Kind == "spark" {
			job.AMAsk = a.Driver
			job.Spark, spark, b.stages[i] = b.app(a)
			if a.Settings.Start() == 0 {
				context = runlog.Since(a.Context, a.Registered)
			} else if len(a.Calls) > 1 { // then it waits for executors
				context = runlog.Since(a.Calls[1].At, a.Registered)
			}
		} else {
			b.mapReduce(a, &job)
			calls = a.handled()
		}
		b.rec.MasterBeats = append(b.rec.MasterBeats, calls)
		b.rec.Context, b.rec.Spark = append(b.rec.Context, context), append(b.rec.Spark, spark)
		b.w.Jobs = append(b.w.Jobs, job)
	}
	b.round()
	return b
}

// newTask appends a task to the workload.
func (b *builder) newTask(d simcore.Time) {
	t := &b.w.Tasks
	t.Duration, t.Shuffle, t.Output = append(t.Duration, d), append(t.Shuffle, 0), append(t.Output, 0)
	b.rec.Launch, b.rec.Exit = append(b.rec.Launch, -1), append(b.rec.Exit, -1)
}

// mapReduce describes a MapReduce job: a reduce's copying after the last map is
// part of its time.
func (b *builder) mapReduce(a *App, job *simcore.Job) {
	job.FirstTask = int32(len(b.w.Tasks.Duration))
	b.sizes(job, b.r.planned(a.Name))
	lastMap := simcore.Time(0)
	for _, t := range a.Tasks {
		if t.Kind == "MAP" && t.Status == "SUCCEEDED" {
			lastMap = max(lastMap, t.Finish)
		}
	}
	for range job.Maps + job.Reduces {
		b.newTask(0)
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
		for _, c := range a.Containers {
			if c.ID == t.Container {
				b.rec.Launch[at], b.rec.Exit[at] = runlog.Since(t.Launch, c.Acquired), runlog.Since(c.Released, t.Finish)
			}
		}
	}
}

func (b *builder) sizes(job *simcore.Job, p *PlanJob) {
	job.Maps, job.Reduces, job.Slowstart = p.Maps, p.Reduces, p.Slowstart
	job.MapAsk, job.ReduceAsk, job.AMAsk = simcore.Vec{p.MapMiB, 1}, simcore.Vec{p.ReduceMiB, 1}, simcore.Vec{p.AMMiB, 1}
}
