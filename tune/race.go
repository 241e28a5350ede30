package tune

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
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

// rungs are the sizes of the paired set; a race of one challenger takes at most
// a fortieth of the budget.
func (d *driver) rungs() []int {
	out := []int{firstRung}
	for _, n := range []int{8, 16, 24} {
		if d.budget == 0 || n <= d.budget/40 {
			out = append(out, n)
		}
	}
	return out
}

// raceNow races the sampler's own belief, or else the generation's best, if
// races have not had their share and a first rung is in the search's budget.
func (d *driver) raceNow(reserve float64) error {
	if float64(d.raceSpent) > raceShare*float64(d.spent)-2*firstRung || !d.affords(2*firstRung, reserve) {
		return nil
	}
	t, err := d.belief()
	if err != nil {
		return err
	}
	return d.race([]*trial{t}, d.rungs())
}

// belief is what the sampler believes in, or else the latest generation's best.
func (d *driver) belief() (*trial, error) {
	if t, err := d.mean(); err != nil || t != nil {
		return t, err
	}
	return d.recent[len(d.recent)-1], nil
}

// mean is the trial of the sampler's mean; nil if it has none.
func (d *driver) mean() (*trial, error) {
	if r, ok := d.sampler.(Recommender); ok {
		if p := r.Recommend(); p != nil {
			return d.pointTrial(p, "mean")
		}
	}
	return nil, nil
}

// lastRace is held before a search ends for want of progress: races are rare,
// and the search may have come further than the incumbent shows. In a short study
// fewer of the recent bests take part, or there is no race.
func (d *driver) lastRace(reserve float64) error {
	recent := d.recent
	if d.budget > 0 {
		recent = recent[max(0, len(recent)-d.budget/40):]
	}
	if len(d.recent) == 0 || !d.affords((2+len(recent))*firstRung, reserve) {
		return nil
	}
	t, err := d.belief()
	if err != nil {
		return err
	}
	rungs := d.rungs()
	if d.budget > 0 && d.budget < 100 { // four instances of three trials are too many of its runs
		rungs = []int{firstRung / 2}
	}
	return d.race(append([]*trial{t}, recent...), rungs)
}

// race lets challengers compete with the incumbent on growing sets of instances.
func (d *driver) race(ts []*trial, rungs []int) error {
	before := d.spent
	defer func() {
		d.raceSpent += d.spent - before
		d.leader = nil
	}()
	ts = d.withoutIncumbent(ts)
	for _, n := range rungs {
		if len(ts) == 0 {
			return nil
		}
		if n > len(d.races) {
			d.races = append(d.races, d.instances(n-len(d.races), d.search)...)
		}
		if err := d.measure("race", append([]*trial{d.incumbent}, ts...), d.races[:n]); err != nil {
			return err
		}
		if len(ts) > 1 {
			if err := d.learnFrom(append([]*trial{d.incumbent}, ts...), d.races[:n]); err != nil {
				return err
			}
		}
		var clear bool
		if ts, clear = d.survivors(ts, d.races[:n]); clear {
			break
		}
		if d.leader = nil; len(ts) > 0 {
			d.leader = ts[0]
		}
	}
	if len(ts) > 0 {
		d.incumbent, d.best = ts[0], ts[0]
		d.changedAt = d.spent
	}
	return nil
}

// raceCandidates races the caller's candidates. They are measured once; what was
// better than the incumbent is joined into one more candidate, since most change
// settings that others do not; and as many rungs follow as a short study can pay.
func (d *driver) raceCandidates(ts []*trial) error {
	if len(ts) == 0 {
		return nil
	}
	before := d.spent
	if err := d.measure("race", append([]*trial{d.incumbent}, ts...), d.races[:1]); err != nil {
		return err
	}
	d.raceSpent += d.spent - before
	if first, _ := d.survivors(ts, d.races[:1]); len(first) > 0 {
		d.leader = first[0]
	}
	joined, err := d.joined(ts, d.races[:1])
	if err != nil {
		return err
	}
	if joined != nil {
		ts = append(ts, joined)
	}
	rungs := []int{1}
	for _, n := range append([]int{2}, d.rungs()...) {
		if d.budget == 0 || d.budget >= candidateRuns*n {
			rungs = append(rungs, n)
		}
	}
	return d.race(ts, rungs)
}

// candidateRuns is the budget per instance of the candidates' last rung: with eight
// of them and 50, at most about a tenth of the runs.
const candidateRuns = 50

// joined is the trial with the changes of all trials that were better than the
// incumbent, the better one's where two change the same setting; nil if there are
// fewer than two.
func (d *driver) joined(ts []*trial, ins []instance) (*trial, error) {
	better, inc := []*trial(nil), d.score(d.incumbent, ins)
	for _, t := range ts {
		if d.score(t, ins).Less(inc) {
			better = append(better, t)
		}
	}
	if len(better) < 2 {
		return nil, nil
	}
	d.sortByScore(better, ins)
	set := slices.Clone(d.incumbent.settings)
	for _, t := range slices.Backward(better) {
		for i := range set {
			if t.settings[i] != d.incumbent.settings[i] {
				set[i] = t.settings[i]
			}
		}
	}
	at, err := d.p.Space.Encode(set)
	if err != nil {
		return nil, err
	}
	return d.pointTrial(at, "candidates joined")
}

func (d *driver) withoutIncumbent(ts []*trial) []*trial {
	var out []*trial
	seen := map[int]bool{d.incumbent.id: true}
	for _, t := range ts {
		if !seen[t.id] {
			seen[t.id] = true
			out = append(out, t)
		}
	}
	return out
}

// survivors returns the challengers better than the incumbent in the mean, the
// best half of all at most, best first, and whether the best is so beyond doubt.
func (d *driver) survivors(ts []*trial, ins []instance) ([]*trial, bool) {
	inc := d.score(d.incumbent, ins)
	var out []*trial
	for _, t := range ts {
		if d.score(t, ins).Less(inc) {
			out = append(out, t)
		}
	}
	d.sortByScore(out, ins)
	out = out[:min(len(out), (len(ts)+1)/2)]
	if len(out) == 0 || len(ins) < 8 {
		return out, false
	}
	return out, sameClass(d.score(out[0], ins), inc) && !inc.Failed &&
		pairedP(d.differences(out[0], d.incumbent, ins)) < 0.01
}

// sameClass reports that the objective decides between two scores.
func sameClass(a, b Score) bool { return a.Lost == b.Lost && a.Violation == b.Violation }

// differences are a's values minus b's on instances both have results on.
func (d *driver) differences(a, b *trial, ins []instance) []float64 {
	ins = d.usable(ins)
	out := make([]float64, len(ins))
	for i, in := range ins {
		out[i] = d.value(d.p.Objectives[0], a.runs[in]) - d.value(d.p.Objectives[0], b.runs[in])
	}
	return out
}

// pairedP is the one-sided p value of the t test that the mean is below 0.
func pairedP(x []float64) float64 {
	m, sd := moments(x)
	if sd == 0 {
		if m < 0 {
			return 0
		}
		return 1
	}
	t := m / sd * math.Sqrt(float64(len(x)))
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(x) - 1)}.CDF(t)
}
