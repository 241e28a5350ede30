package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// generations asks and tells the sampler until the search's part of the budget
// is spent.
func (d *driver) generations(reserve float64) error {
	for {
		if err := d.nextStage(reserve); err != nil {
			return err
		}
		points := d.sampler.Ask()
		if err := d.checkPoints(points); err != nil {
			return err
		}
		runs := len(points) * d.o.Replicates
		if d.frontBlocks() {
			runs = d.frontRuns(points)
		}
		if d.paired && d.shortStudy() {
			runs += d.o.Replicates // of the present configuration
		}
		if d.checksNoise(d.gen + 1) {
			runs *= 2
		}
		stop, err := d.stopBefore(runs, reserve)
		if err != nil || stop {
			return err
		}
		d.gen++
		if err := d.generation(points); err != nil {
			return err
		}
		if len(d.p.Objectives) == 1 && d.o.Off&PartRace == 0 {
			if err := d.raceNow(reserve); err != nil {
				return err
			}
		}
	}
}

// checkPoints refuses what a sampler of the caller's must not ask.
func (d *driver) checkPoints(points []Point) error {
	if len(points) == 0 {
		return fmt.Errorf("tune: sampler %s asks no point; allowed: one or more", d.samplerName)
	}
	for _, p := range points {
		if len(p) != d.p.Space.Dim() {
			return fmt.Errorf("tune: sampler %s asks a point of %d coordinates; allowed: %d, one per dimension of the space", d.samplerName, len(p), d.p.Space.Dim())
		}
		for _, u := range p {
			if math.IsNaN(u) || math.IsInf(u, 0) {
				return fmt.Errorf("tune: sampler %s asks coordinate %v; allowed: finite, folded into 0 to 1", d.samplerName, u)
			}
		}
	}
	return nil
}

// standIn is the best guess: the recommended trial, but before the halving has
// chosen one, what the sampler believes in, measured or not. The winner of the
// last race is safer and older. Before the sampler has been told anything it is who
// leads in the candidates' race.
func (d *driver) standIn() *trial {
	r, ok := d.sampler.(Recommender)
	if !ok || d.chosen || len(d.p.Objectives) > 1 {
		return d.best
	}
	p := r.Recommend()
	if p == nil {
		return cmp.Or(d.leader, d.best)
	}
	set := d.p.Space.Decode(p)
	if t := d.byKey[keyOf(set)]; t != nil {
		return t
	}
	return &trial{id: d.count, origin: "mean", gen: d.gen, point: p, settings: set}
}

// stopBefore reports whether the search ends before n more runs, and why.
func (d *driver) stopBefore(n int, reserve float64) (bool, error) {
	if d.o.TimeBudget > 0 {
		// The log says in which generation the clock stopped the search.
		v, err := d.o.Log.decide("go-on", func() int {
			if d.o.Clock() >= d.o.TimeBudget/4*3 {
				return d.spent + d.spent/3 + 1
			}
			return 0
		})
		if err != nil {
			return true, err
		}
		if v > 0 {
			d.status = TimeUp
			if d.budget == 0 || v < d.budget {
				d.budget = v
			}
			return true, nil
		}
	}
	if !d.affords(n, reserve) {
		d.status = BudgetSpent
		return true, nil
	}
	if !d.impatient() {
		return false, nil
	}
	if err := d.lastRace(reserve); err != nil || !d.impatient() {
		return err != nil, err
	}
	d.status = NoProgress
	d.shrink(reserve)
	return true, nil
}

func (d *driver) impatient() bool {
	return d.o.Patience > 0 && d.spent-d.changedAt > d.o.Patience && len(d.p.Objectives) == 1
}

// shrink scales the budget to what has been spent, so that the phases after an
// early end are no longer than those of a study of that length.
func (d *driver) shrink(reserve float64) {
	if n := int(float64(d.spent) / (1 - reserve)); d.budget == 0 || n < d.budget {
		d.budget = n
	}
}

// generation measures one generation and tells the sampler.
func (d *driver) generation(points []Point) error {
	ts := make([]*trial, len(points))
	for i, p := range points {
		t, err := d.pointTrial(p, d.samplerName)
		if err != nil {
			return err
		}
		ts[i] = t
	}
	scores, err := d.scoreGeneration(ts)
	if err != nil {
		return err
	}
	block := ownBlock
	switch {
	case d.repeats():
		block = d.blockOf(d.block())
	case d.frontBlocks():
		block = d.since
	}
	if b, ok := d.sampler.(blockAware); ok {
		b.tellBlock(block)
	}
	if !d.checksNoise(d.gen) {
		d.sampler.Tell(points, scores)
	} else {
		again, err := d.scoreGeneration(ts)
		if err != nil {
			return err
		}
		correlation := spearman(firstValues(scores), firstValues(again))
		scores = averages(scores, again)
		d.sampler.Tell(points, scores)
		d.sampler.(noiseAware).tellNoise(correlation)
	}
	d.history = append(d.history, generation{points, scores, block, d.since, d.epochOn})
	d.learn(points, scores, block)
	d.remember(ts[order(scores)[0]])
	d.forget()
	return nil
}

// checksNoise reports whether a generation is measured twice. In a short study that
// costs more than it brings.
func (d *driver) checksNoise(gen int) bool {
	_, ok := d.sampler.(noiseAware)
	return ok && gen%noiseEvery == 0 && !d.shortStudy() && d.o.Off&PartNoise == 0
}

// affords reports that n more runs stay within the search's part of the budget.
func (d *driver) affords(n int, reserve float64) bool {
	return d.budget == 0 || float64(d.spent+n) <= float64(d.budget)*(1-reserve)
}

// shortRuns is the budget from which on a study is not a short one, in which every run
// counts (bench/tried.md).
const shortRuns = 300

func (d *driver) shortStudy() bool { return d.budget > 0 && d.budget < shortRuns }

// shortInstanceRuns is how many runs of a short study there are to each instance that its
// generations are measured on, in turn, where there is one workload: fresh seeds for each
// generation leave its points comparable with no others but by the model (bench/tried.md).
const shortInstanceRuns = 50

// shortInstances is the number of these instances.
func (d *driver) shortInstances() int { return max(1, d.budget/shortInstanceRuns) }

// repeats reports whether generations are measured on shortInstances in turn. Where
// workloads differ, each generation has another: a few would be all that the search sees.
func (d *driver) repeats() bool {
	return d.shortStudy() && len(d.search) == 1 && len(d.p.Objectives) == 1 && d.o.Replicates == 1 && d.o.Off&PartCRN == 0
}

// block is what a generation is measured on: fresh instances, or one of the first
// races', on which the present configuration and the caller's candidates have runs.
func (d *driver) block() []instance {
	if d.frontBlocks() {
		return d.frontBlock()
	}
	if !d.repeats() {
		return d.instances(d.o.Replicates, d.search)
	}
	many := d.shortInstances()
	if n := many - len(d.races); n > 0 {
		d.races = append(d.races, d.instances(n, d.search)...)
	}
	k := d.gen % many
	return d.races[k : k+1]
}

// blockOf is the number of a block that others may share, or ownBlock.
func (d *driver) blockOf(ins []instance) int {
	if !d.repeats() || len(ins) != 1 {
		return ownBlock
	}
	if k := slices.Index(d.races, ins[0]); k >= 0 && k < d.shortInstances() {
		return k
	}
	return ownBlock
}

// noiseEvery is the number of generations between checks of the noise.
const noiseEvery = 6

// scoreGeneration measures trials on a fresh block of instances: one for all
// (common random numbers), or one for each if that is switched off.
func (d *driver) scoreGeneration(ts []*trial) ([]Score, error) {
	scores := make([]Score, len(ts))
	if d.o.Off&PartCRN == 0 {
		block := d.block()
		err := d.measure("search", ts, block)
		for i, t := range ts {
			scores[i] = d.score(t, block)
		}
		return scores, err
	}
	blocks := make([][]instance, len(ts))
	var reqs []request
	for i, t := range ts {
		blocks[i] = d.instances(d.o.Replicates, d.search)
		for _, in := range blocks[i] {
			reqs = append(reqs, request{t, in})
			if d.paired {
				reqs = append(reqs, request{d.present, in})
			}
		}
	}
	err := d.request("search", reqs)
	for i, t := range ts {
		scores[i] = d.score(t, blocks[i])
	}
	return scores, err
}

func firstValues(ss []Score) []float64 {
	out := make([]float64, len(ss))
	for i, s := range ss {
		out[i] = s.cost()
	}
	return out
}

func averages(a, b []Score) []Score {
	out := make([]Score, len(a))
	for i := range a {
		out[i] = Score{Failed: a[i].Failed || b[i].Failed, Lost: (a[i].Lost + b[i].Lost) / 2, Violation: (a[i].Violation + b[i].Violation) / 2}
		for k := range a[i].Values {
			out[i].Values = append(out[i].Values, (a[i].Values[k]+b[i].Values[k])/2)
		}
		out[i].parts, out[i].excess = midway(a[i].parts, b[i].parts), midway(a[i].excess, b[i].excess)
	}
	return out
}

// midway are the means of two lists of the same numbers; nil if one is missing.
func midway(a, b []float64) []float64 {
	if a == nil || b == nil {
		return nil
	}
	out := make([]float64, len(a))
	for k := range out {
		out[k] = (a[k] + b[k]) / 2
	}
	return out
}
