package replay

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
)

// The order of two calls may be open in the records (see resolution). Where the
// comparison of decisions has found an order that explains them, the replay makes
// its calls in that order: else a heartbeat on the other side of an ask gives a
// container to another job, and all later times follow from that.

// settle compares the decisions once.
func (r *Run) settle() (_ *Settled, err error) {
	if r.calls == nil {
		r.calls, err = r.judged(r.steps)
	}
	return r.calls, err
}

// follow moves heartbeats, submissions and the ends of processes to the times of
// the settled calls.
func (r *Run) follow(w *simcore.Workload, rec *yarn.Recorded, calls *Settled) {
	asks := make([][]step, len(r.Jobs))
	allocated, freed := map[*Container]simcore.Time{}, ends(calls.steps)
	for i := range calls.steps {
		s := &calls.steps[i]
		switch s.kind {
		case stepAsk, stepModel:
			asks[s.job] = append(asks[s.job], *s)
		case stepBeat, stepCommit:
			for _, c := range s.expected {
				allocated[c] = s.at
			}
		}
	}
	rec.NodeBeats, rec.Killed = calls.Beats, map[[3]int32]simcore.Time{}
	f := follower{w, rec, allocated, freed}
	for i, j := range r.Jobs {
		w.Jobs[i].Submit = max(calls.Submitted[i], 0)
		if j.Registered == simcore.Never {
			continue
		}
		rec.MasterBeats[i] = j.settledBeats(asks[i])
		f.job(i, j, j.countedEnds(asks[i]))
	}
}

// ends are instants between the heartbeat that brought the end of a container, or of a
// process that outlived its container, and the one before it of the node.
func ends(steps []step) map[*Container]simcore.Time {
	at, before := map[*Container]simcore.Time{}, map[int32]simcore.Time{}
	for i := range steps {
		s := &steps[i]
		if s.kind != stepBeat {
			continue
		}
		for _, c := range slices.Concat(s.gone, s.done) {
			at[c] = s.at - (s.at-before[s.node])/2
		}
		before[s.node] = s.at
	}
	return at
}

// settledBeats are the heartbeats of a job's masters, those of its calls at their
// instants and the others evenly between them.
func (j *Job) settledBeats(calls []step) []simcore.Time {
	var beats []simcore.Time
	for k, v := range j.views() {
		if v.Registered == simcore.Never {
			continue
		}
		known := []simcore.Time{v.Registered}
		for i := range calls {
			if int(calls[i].try) == k && calls[i].at > v.Registered {
				known = append(known, calls[i].at)
			}
		}
		beats = append(beats, even(known)...)
	}
	return beats
}

// follower sets latencies of a run so that containers end in the heartbeats that the
// settled calls have them end in.
type follower struct {
	w                *simcore.Workload
	rec              *yarn.Recorded
	allocated, freed map[*Container]simcore.Time // in which heartbeat
}

// job sets those of a job's containers; counted are ends of maps as the master
// counted them.
func (f *follower) job(i int, j *Job, counted map[*Container]simcore.Time) {
	several := j.severals(f.w.Jobs[i].FirstTask)
	for _, c := range j.Containers {
		begin, ok := f.allocated[c]
		if !ok {
			continue
		}
		if c.Kind == "AM" {
			f.master(i, j, c, begin)
			continue
		}
		if a, ok := several[c]; ok {
			f.attempt(i, a, c, begin)
		}
		end, over := f.freed[c]
		if c.Task < 0 || c.Status != succeeded || c.Finished == simcore.Never {
			if over {
				f.rec.Killed[[3]int32{int32(i), c.Try, c.Ordinal}] = end
			}
			continue
		}
		at := f.w.Jobs[i].FirstTask + c.Task
		if c.Kind == "REDUCE" {
			at += j.Maps
		}
		if beat, ok := f.masterBeat(i, begin); ok {
			f.rec.Launch[at] = runlog.Since(c.Up, beat)
		}
		finished := c.Finished
		if t, moved := counted[c]; moved {
			f.w.Tasks.Duration[at] = max(f.w.Tasks.Duration[at]+t-finished, 0)
			finished = t
		}
		if over {
			f.rec.Exit[at] = max(end-finished, 0)
		}
	}
}

// masterBeat is the first heartbeat of a job's master from an instant on.
func (f *follower) masterBeat(i int, from simcore.Time) (at simcore.Time, ok bool) {
	beats := f.rec.MasterBeats[i]
	k, _ := slices.BinarySearch(beats, from)
	if k == len(beats) {
		return 0, false
	}
	return beats[k], true
}

// master sets the latencies of one of a job's masters.
func (f *follower) master(i int, j *Job, c *Container, begin simcore.Time) {
	if c.Try > 0 && int(c.Try) <= len(f.rec.Restarts[i]) {
		f.rec.Restarts[i][c.Try-1] = runlog.Since(j.Tries[c.Try].Registered, begin)
	} else {
		f.rec.AMStart[i] = runlog.Since(j.Registered, begin)
	}
	if end, over := f.freed[c]; over && int(c.Try) >= len(j.Tries)-1 {
		f.rec.AMExit[i] = max(end-j.Unregistered, 0)
	}
}

// attempt sets the latencies of one of several attempts of a task.
func (f *follower) attempt(i int, key yarn.Attempt, c *Container, begin simcore.Time) {
	a := f.rec.Attempts[key]
	if beat, ok := f.masterBeat(i, begin); ok {
		a.Launch = runlog.Since(c.Up, beat)
	}
	if end, over := f.freed[c]; over && c.Status == succeeded && c.Finished != simcore.Never {
		a.Exit = max(end-c.Finished, 0)
	}
	f.rec.Attempts[key] = a
}
