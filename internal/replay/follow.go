package replay

import (
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// The order of two calls may be open in the records (see resolution). Where the
// comparison of decisions has found an order that explains them, the replay makes
// its calls in that order: else a heartbeat on the other side of an ask gives a
// container to another job, and all later times follow from that.

// settled is the sequence of calls that the comparison of decisions ended with,
// at ascending times, and what it said.
type settled struct {
	steps     []step
	decisions *Decisions
}

// settle compares the decisions once.
func (r *Run) settle() (*settled, error) {
	if r.calls == nil {
		d, modelled, err := r.newDecider()
		if err != nil {
			return nil, err
		}
		out, err := d.decide()
		if err != nil {
			return nil, err
		}
		out.Modelled = modelled
		for i := 1; i < len(d.steps); i++ {
			d.steps[i].at = max(d.steps[i].at, d.steps[i-1].at+simcore.Microsecond)
		}
		r.calls = &settled{d.steps, out}
	}
	return r.calls, nil
}

// follow moves heartbeats, submissions and the ends of processes to the times of
// the settled calls.
func (r *Run) follow(w *simcore.Workload, rec *yarn.Recorded, calls *settled) {
	handled := make([][]simcore.Time, len(r.Nodes))
	asks := make([][]step, len(r.Jobs))
	allocated, freed := map[*Container]simcore.Time{}, map[*Container]simcore.Time{}
	for i := range calls.steps {
		s := &calls.steps[i]
		switch s.kind {
		case stepSubmit:
			if s.try == 0 {
				w.Jobs[s.job].Submit = max(s.at, 0)
			}
		case stepAsk, stepModel:
			asks[s.job] = append(asks[s.job], *s)
		case stepBeat:
			handled[s.node] = append(handled[s.node], s.at)
			for _, c := range s.expected {
				allocated[c] = s.at
			}
			for _, c := range s.done {
				freed[c] = s.at
			}
		case stepCommit:
			for _, c := range s.expected {
				allocated[c] = s.at
			}
		}
	}
	rec.NodeHandled, rec.Killed = handled, map[[3]int32]simcore.Time{}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Registered == simcore.Never {
			continue
		}
		rec.MasterBeats[i] = j.settledBeats(asks[i])
		r.followJob(w, rec, i, allocated, freed, j.countedEnds(asks[i]))
	}
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

// followJob sets the latencies of a job's containers so that they end in the
// heartbeats that the settled calls have them end in; counted are ends of maps as
// the master counted them.
func (r *Run) followJob(w *simcore.Workload, rec *yarn.Recorded, i int, allocated, freed, counted map[*Container]simcore.Time) {
	j := &r.Jobs[i]
	several := j.severals(w.Jobs[i].FirstTask)
	for k := range j.Containers {
		c := &j.Containers[k]
		begin, ok := allocated[c]
		end, over := freed[c]
		if !ok {
			continue
		}
		if c.Kind == "AM" {
			if c.Try > 0 && int(c.Try) <= len(rec.Restarts[i]) {
				rec.Restarts[i][c.Try-1] = since(j.Tries[c.Try].Registered, begin)
			} else {
				rec.AMStart[i] = since(j.Registered, begin)
			}
			if over && int(c.Try) >= len(j.Tries)-1 {
				rec.AMExit[i] = since(end, j.Unregistered)
			}
			continue
		}
		if a, ok := several[c]; ok {
			followAttempt(rec, a, i, c, begin, end, over)
		}
		if c.Task < 0 || c.Status != succeeded || c.Finished == simcore.Never {
			if over {
				rec.Killed[[3]int32{int32(i), c.Try, c.Ordinal}] = end
			}
			continue
		}
		at := w.Jobs[i].FirstTask + c.Task
		if c.Kind == "REDUCE" {
			at += j.Maps
		}
		if b, _ := slices.BinarySearch(rec.MasterBeats[i], begin); b < len(rec.MasterBeats[i]) {
			rec.Launch[at] = since(c.Up, rec.MasterBeats[i][b])
		}
		finished := c.Finished
		if t, moved := counted[c]; moved {
			w.Tasks.Duration[at] = max(w.Tasks.Duration[at]+t-finished, 0)
			finished = t
		}
		if over {
			rec.Exit[at] = since(end, finished)
		}
	}
}

// followAttempt sets the latencies of one of several attempts of a task.
func followAttempt(rec *yarn.Recorded, key yarn.Attempt, i int, c *Container, begin, end simcore.Time, over bool) {
	a := rec.Attempts[key]
	if b, _ := slices.BinarySearch(rec.MasterBeats[i], begin); b < len(rec.MasterBeats[i]) {
		a.Launch = since(c.Up, rec.MasterBeats[i][b])
	}
	if over && c.Status == succeeded && c.Finished != simcore.Never {
		a.Exit = since(end, c.Finished)
	}
	rec.Attempts[key] = a
}
