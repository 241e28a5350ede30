package tune

import (
	"math"
	"slices"

	"schedtune/internal/rng"
)

// Studies of few runs that are searched in rounds (rounds.go). After the rounds come:
//
//  1. Finals of the best few on the same workloads.
//  2. Changes that the model sees nothing in are taken back together, where the finals'
//     workloads agree.
//  3. The confirmation, on workloads that nothing has seen (confirmfew.go).

const (
	fewFinal   = 3   // configurations of the finals
	fewOn      = 6   // workloads of the finals at least
	fewPerRun  = 20  // runs of the budget to each of them
	fewRecheck = 4   // of these that tell whether changes are needed
	fewSpare   = 140 // the budget from which on runs are kept for another contender in the confirmation
)

// fewState is what a study of few runs keeps.
type fewState struct {
	heavy      []int      // windows of the search by their work, heaviest first; nil if it is not known
	common     []instance // of all comparisons before the confirmation
	contenders []*trial   // best first
}

// ofFewRuns reports whether a study is one of few runs.
func (d *driver) ofFewRuns() bool { return d.shortStudy() && d.inRounds() }

// fewRuns is the whole study.
func (d *driver) fewRuns() error {
	key := rng.NewKey(d.o.Seed, purposeFew)
	m, err := d.rounds(key, func() bool { return d.spent+d.roundsNeed() <= d.budget })
	if err != nil {
		return err
	}
	if m, err = d.finals(m, key.At(math.MaxUint32)); err != nil {
		return err
	}
	d.chosen = true
	if err := d.takeBack(m); err != nil {
		return err
	}
	return d.confirmBest()
}

// roundsNeed are the runs of one more round and of all that follows, at most.
func (d *driver) roundsNeed() int {
	on := d.finalsOn()
	runs := fewRound + 1 + fewFinal*on + max(0, on-len(d.few.common)-1) + d.fewConfirmRuns()
	if d.o.Off&PartAblation == 0 {
		runs += fewRecheck
	}
	if d.budget >= fewSpare && d.o.Off&PartConfirm == 0 {
		runs += fallBackStep + minConfirm
	}
	return runs
}

// finalsOn is the number of workloads of the finals.
func (d *driver) finalsOn() int { return max(fewOn, d.budget/fewPerRun) }

// finals lets the best meet on the same workloads; where none is better than the present
// configuration there, that stays.
func (d *driver) finals(m *fewModel, key rng.Key) (*fewModel, error) {
	top := without(m.ranked(), d.present)
	top = top[:min(fewFinal, len(top))]
	ins := d.common(d.finalsOn())
	if err := d.measure("finals", append([]*trial{d.present}, top...), ins); err != nil {
		return nil, err
	}
	m, err := d.fewModel(key)
	if err != nil {
		return nil, err
	}
	ranked := m.ranked()
	d.few.contenders = without(ranked, d.present)
	top = slices.DeleteFunc(ranked, func(t *trial) bool { return t != d.present && (!slices.Contains(top, t) || d.lossBefore(t)) })
	d.best = d.nearest(top, m.estimates(), ins)
	d.incumbent = d.best
	return m, nil
}

// nearest is, of the ranked before the present configuration, the nearest to it of those
// whose cost is within one standard error of the best (L. Breiman, J. Friedman, R. Olshen and
// C. Stone, "Classification and Regression Trees", 1984, section 3.4.3): what goes less far
// is less likely to break on what few runs do not show.
func (d *driver) nearest(ranked []*trial, costs map[*trial]float64, ins []instance) *trial {
	out, least := ranked[0], d.distance(ranked[0])
	for _, t := range ranked[1:] {
		if t == d.present {
			break
		}
		_, sd := moments(d.differences(t, ranked[0], ins))
		if far := d.distance(t); far < least && costs[t]-costs[ranked[0]] <= sd/math.Sqrt(float64(len(ins))) {
			out, least = t, far
		}
	}
	return out
}

// lossBefore reports whether a trial has no result or lost work before the confirmation.
func (d *driver) lossBefore(t *trial) bool {
	s := d.score(t, d.ranOn(t))
	return s.Failed || s.Lost > 0
}

// distance is a trial's from the present configuration, in the unit cube.
func (d *driver) distance(t *trial) float64 {
	at, err := d.p.Space.Encode(t.settings)
	if err != nil {
		return math.Inf(1)
	}
	sum := 0.0
	for k, from := range d.p.Space.Present() {
		sum += (at[k] - from) * (at[k] - from)
	}
	return math.Sqrt(sum)
}

// takeBack takes back together what the model sees nothing in, least loss first, where the
// finals' workloads agree.
func (d *driver) takeBack(m *fewModel) error {
	d.full = d.best
	if d.best == d.present || d.o.Off&PartAblation != 0 || len(d.changes(d.best)) == 0 {
		return nil
	}
	d.reaching = d.ablationBudget(len(d.changes(d.best)))
	t, gone, kept, err := d.reduced(m, d.best)
	if err != nil || t == nil || t == d.present || t.short > 0 {
		return err
	}
	for i, u := range append(gone, kept...) {
		d.steps = append(d.steps, AblationStep{Change: u.name, Kept: i >= len(gone)})
	}
	d.best = t
	return d.recheck()
}

// recheck measures what is left of the changes on some of the finals' workloads: where it
// keeps less there than an ablation may take, all changes stay.
func (d *driver) recheck() error {
	ins := d.common(fewRecheck)
	if err := d.measure("check", []*trial{d.best}, ins); err != nil {
		return err
	}
	a, b := d.score(d.best, ins), d.score(d.full, ins)
	if !a.Failed && a.Lost <= b.Lost && a.Violation <= b.Violation {
		full := d.cost(d.full, d.usable(ins))
		if d.cost(d.best, d.usable(ins))-full <= ablationSlack*(d.cost(d.present, d.usable(ins))-full) {
			return nil
		}
	}
	d.best, d.steps = d.full, keepAll(d.steps)
	return nil
}
