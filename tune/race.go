package tune

import (
	"slices"

	"schedtune/internal/stats"
)

// Racing against the incumbent on paired instances, after F. Hutter, H. Hoos
// and K. Leyton-Brown, "Sequential Model-Based Optimization for General
// Algorithm Configuration" (LION 2011, procedure Intensify), with the rungs of
// the paired set fixed: 4, 8, 16, 24 instances.
//
//  1. All challengers of a race are measured on the instances of the next rung,
//     the incumbent too where it has not been.
//  2. A challenger leaves as soon as its mean paired difference is not better,
//     or if it is not among the better half.
//  3. It may stop early and win when the paired t test is clear (one-sided 1 %).
//  4. The challenger left after the last rung becomes the incumbent.
//
// The caller's candidates meet on one and on two instances first (raceCandidates):
// most are worse at first sight, and what they cost the search must win back.
//
// The races share one growing list of instances, so an incumbent's runs are
// used again; what this over-fits is undone by the halving and the
// confirmation, which use other seeds. raceShare of the runs go into races.

// firstRung is the number of instances of the first comparison.
const firstRung = 4

// raceShare is the largest part of all runs that races may take.
const raceShare = 0.05

// candidateRuns is the budget per instance of the candidates' last rung: with eight
// of them and 50, at most about a tenth of the runs.
const candidateRuns = 50

// races compares challengers with the incumbent.
type races struct {
	*course
	raced    []instance // instances of the races, in order
	raceRuns int        // runs that races took
	leader   *trial     // of a race that is not over; nil without one

	observe func(ts []*trial, ins []instance) // receives what several challengers have shown
}

// firstInstances is the number of instances the current configuration is
// measured on at once: those of the first race, within a hundredth of the
// budget, since in a short study no race comes soon.
func (r *races) firstInstances() int {
	return min(firstRung, max(1, r.budget/100))
}

// rungs returns the sizes of the paired set; a race of one challenger takes at most
// a fortieth of the budget.
func (r *races) rungs() []int {
	out := []int{firstRung}
	for _, n := range []int{8, 16, 24} {
		if n <= r.budget/40 {
			out = append(out, n)
		}
	}
	return out
}

// first returns the first n instances of the races.
func (r *races) first(n int) []instance {
	if more := n - len(r.raced); more > 0 {
		r.raced = append(r.raced, r.instances(more, r.search)...)
	}
	return r.raced[:n]
}

// race lets challengers compete with the incumbent on growing sets of instances.
func (r *races) race(ts []*trial, rungs []int) {
	before := r.spent
	defer func() {
		r.raceRuns += r.spent - before
		r.leader = nil
	}()
	ts = distinct(without(ts, r.incumbent))
	for _, n := range rungs {
		if len(ts) == 0 {
			return
		}
		ins := r.first(n)
		field := append([]*trial{r.incumbent}, ts...)
		r.measure("race", field, ins)
		if len(ts) > 1 {
			r.observe(field, ins)
		}
		var clear bool
		if ts, clear = r.survivors(ts, ins); clear {
			break
		}
		r.lookAt(ts)
	}
	if len(ts) > 0 {
		r.lead(ts[0])
	}
}

// lookAt makes the first of the survivors the leader.
func (r *races) lookAt(ts []*trial) {
	if r.leader = nil; len(ts) > 0 {
		r.leader = ts[0]
	}
}

// raceCandidates races the caller's candidates. They are measured once; what was
// better than the incumbent is joined into one more candidate, since most change
// settings that others do not; and as many rungs follow as a short study can pay.
func (r *races) raceCandidates(ts []*trial) {
	if len(ts) == 0 {
		return
	}
	before, on := r.spent, r.raced[:1]
	r.measure("race", append([]*trial{r.incumbent}, ts...), on)
	r.raceRuns += r.spent - before
	ahead, _ := r.survivors(ts, on)
	r.lookAt(ahead)
	if t := r.joined(ts, on); t != nil {
		ts = append(ts, t)
	}
	rungs := []int{1}
	for _, n := range append([]int{2}, r.rungs()...) {
		if r.budget >= candidateRuns*n {
			rungs = append(rungs, n)
		}
	}
	r.race(ts, rungs)
}

// survivors returns the challengers better than the incumbent in the mean, the
// best half of all at most, best first, and whether the best is so beyond doubt.
func (r *races) survivors(ts []*trial, ins []instance) ([]*trial, bool) {
	out := r.better(ts, ins)
	out = out[:min(len(out), (len(ts)+1)/2)]
	if len(out) == 0 || len(ins) < 8 {
		return out, false
	}
	a, b := r.score(out[0], ins), r.score(r.incumbent, ins)
	return out, a.Lost == b.Lost && a.Violation == b.Violation && !b.Failed &&
		stats.BelowZero(r.differences(out[0], r.incumbent, ins)) < 0.01
}

// without returns trials but for one.
func without(ts []*trial, one *trial) []*trial {
	return slices.DeleteFunc(slices.Clone(ts), func(t *trial) bool { return t == one })
}

// distinct returns each trial once, in their order.
func distinct(ts []*trial) []*trial {
	var out []*trial
	for _, t := range ts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
