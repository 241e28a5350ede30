package sparkreplay

import (
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
func (r *Run) recorded() *builder {
	b := &builder{r: r, w: &simcore.Workload{Name: r.Name}, rec: &yarn.Recorded{}}
	b.stages = make([][]int32, len(r.Apps))
	b.calls = r.played()
	r.Record(b.rec)
	b.rec.NodeBeats = b.calls.Beats
	for i, a := range r.Apps {
		job := simcore.Job{ID: a.Name, Name: a.Name, Queue: b.queues.ID(&b.w.Queues, a.Queue),
			User: b.users.ID(&b.w.Users, a.User), Class: -1, Submit: max(b.calls.Submitted[i], 0), MapDist: -1, ReduceDist: -1,
			FirstTask: -1}
		b.rec.AMStart = append(b.rec.AMStart, runlog.Since(a.Registered, a.AMAllocated))
		b.rec.Commit = append(b.rec.Commit, runlog.Since(a.Finish, a.LastTask))
		b.rec.Unregister = append(b.rec.Unregister, runlog.Since(a.Unregistered, a.Finish))
		b.rec.AMExit = append(b.rec.AMExit, runlog.Since(b.end(a.master()), a.Unregistered))
		context := simcore.Time(-1)
		var spark *yarn.RecordedSpark
		var tez *yarn.RecordedTez
		var calls []simcore.Time
		if a.tez() {
			tez = b.tez(i, a, &job)
		} else if a.Kind == "spark" && len(a.Stages) == 0 { // no table has them
			job.AMAsk, job.Spark = a.Driver, b.program(b.r.planned(a.Name), a)
			b.stages[i] = make([]int32, len(job.Spark.Stages))
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
	return b
}

// played returns when the calls of the run were made: as settled, else as recorded.
func (r *Run) played() *replay.Settled {
	if len(r.Beats) > 0 && r.called() {
		if s, err := r.Decisions(); err == nil {
			return s
		}
	}
	rec := &yarn.Recorded{}
	r.Record(rec)
	s := &replay.Settled{Beats: rec.NodeBeats}
	for _, a := range r.Apps {
		s.Submitted, s.Calls = append(s.Submitted, a.Submit), append(s.Calls, a.handled())
	}
	return s
}

// end is when a container ended for its node to tell with its next heartbeat.
func (b *builder) end(c *replay.Container) simcore.Time {
	switch at, ok := b.calls.Ends[c.ID]; {
	case ok:
		return at
	default:
		return c.Released
	}
}

// master returns the container of an application's master, an empty one if it is not recorded.
func (a *App) master() *replay.Container {
	for _, c := range a.Containers {
		if c.Kind == "AM" {
			return c
		}
	}
	return &replay.Container{Released: a.Released}
}

// newTask appends a task to the workload.
func (b *builder) newTask(d simcore.Time) {
	t := &b.w.Tasks
	t.Duration, t.Shuffle, t.Output = append(t.Duration, d), append(t.Shuffle, 0), append(t.Output, 0)
	if len(t.HostAt) > 0 {
		t.HostAt = append(t.HostAt, int32(len(t.Hosts)))
	}
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
				b.rec.Launch[at], b.rec.Exit[at] = runlog.Since(t.Launch, c.Acquired), runlog.Since(b.end(c), t.Finish)
			}
		}
	}
}

func (b *builder) sizes(job *simcore.Job, p *PlanJob) {
	job.Maps, job.Reduces, job.Slowstart = p.Maps, p.Reduces, p.Slowstart
	job.MapAsk, job.ReduceAsk, job.AMAsk = simcore.Vec{p.MapMiB, 1}, simcore.Vec{p.ReduceMiB, 1}, simcore.Vec{p.AMMiB, 1}
}
