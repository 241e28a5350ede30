package replay

import (
	"fmt"
	"slices"

	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
)

// Cluster returns the run's nodes, which come and go as recorded.
func (r *Run) Cluster() *simcore.Cluster {
	c := &simcore.Cluster{}
	var racks fileio.Index
	for _, n := range r.Nodes {
		node := simcore.Node{Name: n.address(), Rack: racks.ID(&c.Racks, n.Rack), Capacity: simcore.Vec{n.MiB, n.VCores}}
		if n.stays()[0].From <= 0 {
			c.Nodes = append(c.Nodes, node)
		} else {
			c.Elastic.Spare = append(c.Elastic.Spare, node)
		}
	}
	r.follows(c)
	return c
}

// recorded returns the run as a workload of recorded task times with all
// launch latencies given.
func (r *Run) recorded() (*simcore.Workload, *yarn.Recorded, error) {
	var queues, users fileio.Index
	w, rec := &simcore.Workload{Name: r.Name}, &yarn.Recorded{}
	for i, j := range r.Jobs {
		w.Jobs = append(w.Jobs, simcore.Job{ID: j.Name, Name: j.Name, Queue: queues.ID(&w.Queues, j.Queue),
			User: users.ID(&w.Users, j.User), Class: -1,
			Submit: max(j.Submit, 0), Maps: j.Maps, Reduces: j.Reduces, FirstTask: int32(len(w.Tasks.Duration)),
			Slowstart: j.Slowstart,
			MapAsk:    r.ask(j, "MAP", j.MapMiB), ReduceAsk: r.ask(j, "REDUCE", j.ReduceMiB), AMAsk: r.ask(j, "AM", j.AMMiB),
			MapDist: -1, ReduceDist: -1})
		rec.AMStart = append(rec.AMStart, runlog.Since(j.Registered, j.AMAllocated))
		rec.Commit = append(rec.Commit, runlog.Since(j.Finish, j.LastTask))
		rec.Unregister = append(rec.Unregister, runlog.Since(j.Unregistered, j.Finish))
		rec.AMExit = append(rec.AMExit, runlog.Since(j.Released, j.Unregistered))
		if err := r.tasks(w, rec, j); err != nil {
			return nil, nil, err
		}
		rec.Restarts = append(rec.Restarts, j.restarts())
		for c, a := range j.severals(w.Jobs[i].FirstTask) {
			if rec.Attempts == nil {
				rec.Attempts = map[yarn.Attempt]yarn.RecordedAttempt{}
			}
			rec.Attempts[a] = r.recordedAttempt(j, c, w.Tasks.Duration[a.Task])
		}
	}
	r.Record(rec)
	for i := range r.Jobs {
		var beats []simcore.Time
		for _, v := range r.Jobs[i].views() {
			beats = append(beats, r.masterBeats(&v)...)
		}
		rec.MasterBeats = append(rec.MasterBeats, beats)
	}
	if calls, err := r.settle(); err == nil { // else the times as recorded
		r.follow(w, rec, calls)
	}
	return w, rec, nil
}

// ask is the container size of a kind: as planned, else as recorded.
func (r *Run) ask(j *Job, kind string, planned int64) simcore.Vec {
	for i := range j.Containers {
		if planned == 0 && j.Containers[i].Kind == kind {
			planned = j.Containers[i].MiB
		}
	}
	return simcore.Vec{planned, 1}
}

// Record gives the numbers of the applications, and the instants of the nodes' heartbeats.
func (r *Run) Record(rec *yarn.Recorded) {
	rec.NodeBeats = make([][]simcore.Time, len(r.Nodes))
	for _, b := range r.Beats {
		rec.NodeBeats[b.Node] = append(rec.NodeBeats[b.Node], b.At)
	}
	for _, j := range r.Jobs {
		stamp, number := jobNumber(j.ID)
		rec.Numbers, rec.Stamp = append(rec.Numbers, number), stamp
	}
}

// place gives a task its input's nodes. A job of files reads from the run's
// local disk, and where all nodes are one host every node holds it.
func (r *Run) place(w *simcore.Workload, j *Job, task, maps int) {
	t := &w.Tasks
	if len(t.HostAt) == 0 {
		t.HostAt = []int32{0}
	}
	if r.readsFiles(j) && task < maps {
		for n := range r.Nodes {
			t.Hosts = append(t.Hosts, int32(n))
		}
	}
	t.HostAt = append(t.HostAt, int32(len(t.Hosts)))
}

// readsFiles tells jobs with input from those that sleep.
func (r *Run) readsFiles(j *Job) bool {
	s := r.scenario(j.Name)
	return s != nil && s.Kind != "" && s.Kind != "sleep"
}

// tasks appends the job's tasks: maps, then reduces.
func (r *Run) tasks(w *simcore.Workload, rec *yarn.Recorded, j *Job) error {
	base := len(w.Tasks.Duration)
	n := base + int(j.Maps+j.Reduces)
	for len(w.Tasks.Duration) < n {
		if r.located {
			r.place(w, j, len(w.Tasks.Duration)-base, int(j.Maps))
		}
		w.Tasks.Duration, w.Tasks.Shuffle = append(w.Tasks.Duration, -1), append(w.Tasks.Shuffle, 0)
		rec.Launch, rec.Exit = append(rec.Launch, -1), append(rec.Exit, -1)
	}
	for _, c := range j.Containers {
		if c.Task < 0 || c.Status != succeeded || c.Finished == simcore.Never {
			continue
		}
		at := base + int(c.Task)
		start := c.Up
		if c.Kind == "REDUCE" {
			at += int(j.Maps)
			w.Tasks.Shuffle[at] = max(runlog.Since(c.Shuffled, max(c.Up, j.lastMapBefore(c.Shuffled))), 0)
			start = c.Shuffled
		}
		w.Tasks.Duration[at] = runlog.Since(c.Finished, start)
		rec.Launch[at], rec.Exit[at] = runlog.Since(c.Up, c.Acquired), runlog.Since(c.Released, c.Finished)
	}
	return r.unfinished(w.Tasks.Duration[base:n], j)
}

// unfinished gives tasks without a finished attempt the median time of the job's
// tasks of their kind.
func (r *Run) unfinished(times []simcore.Time, j *Job) error {
	for k, part := range [][]simcore.Time{times[:j.Maps], times[j.Maps:]} {
		known := slices.DeleteFunc(slices.Clone(part), func(t simcore.Time) bool { return t < 0 })
		slices.Sort(known)
		missing := len(part) - len(known)
		if missing == 0 {
			continue
		}
		kind := []string{"maps", "reduces"}[k]
		if len(known) == 0 {
			return fmt.Errorf("%s: job %s: none of its %d %s has a finished attempt in tasks.csv", r.Dir, j.Name, len(part),
				kind)
		}
		for i := range part {
			if part[i] < 0 {
				part[i] = known[len(known)/2]
			}
		}
		r.note("job %s: %d of its %d %s have no finished attempt: they take the median time of the others", j.Name, missing,
			len(part), kind)
	}
	return nil
}

// Planned returns the scenario as a workload of user code times. A job that
// reads files has as many maps as its input had splits, which jobs.csv says,
// and takes the calibration's processor time of its kind.
func (r *Run) Planned(cal *yarn.Calibration) (*simcore.Workload, error) {
	var queues, users fileio.Index
	w := &simcore.Workload{Name: r.Name}
	for i := range r.Jobs {
		s := r.scenario(r.Jobs[i].Name)
		if s == nil {
			return nil, fmt.Errorf("%s: job %q is not in scenario.json", r.Dir, r.Jobs[i].Name)
		}
		work, known := cal.UserWork[s.Kind]
		if r.readsFiles(r.Jobs[i]) && !known {
			return nil, fmt.Errorf("%s: job %q: neither scenario nor calibration has task times of kind %q", r.Dir, s.Name,
				s.Kind)
		}
		plan := *s
		plan.Maps = r.Jobs[i].Maps
		job := PlannedJob(w, &plan, queues.ID(&w.Queues, s.Queue), users.ID(&w.Users, s.User))
		job.InputBytes, job.ShuffleBytes = int64(job.Maps), int64(job.Reduces)
		job.MapCPU, job.ReduceCPU = work.Map/1000, work.Reduce/1000
		w.Jobs = append(w.Jobs, job)
		if r.located {
			for k := range job.Maps + job.Reduces {
				r.place(w, r.Jobs[i], int(k), int(job.Maps))
			}
		}
	}
	return w, nil
}

// PlannedJob returns a planned MapReduce job and appends its tasks to the workload.
func PlannedJob(w *simcore.Workload, s *ScenarioJob, queue, user int32) simcore.Job {
	first := int32(len(w.Tasks.Duration))
	w.Tasks.Duration = append(w.Tasks.Duration, slices.Repeat([]simcore.Time{millis(s.MapTime)}, int(s.Maps))...)
	w.Tasks.Duration = append(w.Tasks.Duration, slices.Repeat([]simcore.Time{millis(s.RedTime)}, int(s.Reduces))...)
	return simcore.Job{ID: s.Name, Name: s.Name, Queue: queue, User: user, Class: -1, Submit: millis(s.Submit),
		Maps: s.Maps, Reduces: s.Reduces, FirstTask: first, Slowstart: s.Slowstart,
		MapAsk: simcore.Vec{s.MapMiB, 1}, ReduceAsk: simcore.Vec{s.ReduceMiB, 1}, AMAsk: simcore.Vec{s.AMMiB, 1},
		MapDist: -1, ReduceDist: -1}
}

// amPeriod is the usual gap between two heartbeats of an AM: it sleeps a
// second, then talks.
const amPeriod = 1004 * simcore.Millisecond

// masterBeats rebuilds an AM's heartbeats: those in which it picked up
// containers are recorded, its log has more where there is one, and between
// them it beats evenly, about once a second.
func (r *Run) masterBeats(j *Job) []simcore.Time {
	if j.Registered == simcore.Never {
		return nil
	}
	known := []simcore.Time{j.Registered}
	for _, c := range j.Containers {
		if c.Kind != "AM" && c.Acquired != simcore.Never && c.Acquired > j.Registered {
			known = append(known, c.Acquired)
		}
	}
	if t0, err := runlog.Epoch(r.Dir); err == nil {
		beats, _ := r.masterLog(j, t0, 1)
		for _, b := range beats {
			if _, ok := j.acquiredNear(b.at, b.last); !ok && b.at > j.Registered {
				known = append(known, b.at-2*simcore.Millisecond)
			}
		}
	}
	slices.Sort(known)
	return even(known)
}

// even puts heartbeats about a second apart between the known ones, the first of
// which is the registration.
func even(known []simcore.Time) []simcore.Time {
	var beats []simcore.Time
	for i := 1; i < len(known); i++ {
		gap := known[i] - known[i-1]
		if gap < 400*simcore.Millisecond {
			continue
		}
		n := max((gap+amPeriod/2)/amPeriod, 1)
		for k := simcore.Time(1); k <= n; k++ {
			beats = append(beats, known[i-1]+gap*k/n)
		}
	}
	return beats
}

func millis(ms float64) simcore.Time { return simcore.Time(ms * float64(simcore.Millisecond)) }
