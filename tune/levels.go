package tune

import (
	"fmt"
	"math"
	"slices"

	"schedtune/internal/rng"
)

// Search on levels. Where a run is dear, the search can be made on cheaper runs that
// tell nearly as well which settings are better: shorter workloads, smaller clusters.
// Which are good enough is measured at the study's beginning, and nothing of them is
// in the result:
//
//  1. A first design of configurations, the present one, the caller's candidates and
//     points drawn around the present one, is measured on one instance of full
//     fidelity, and on each level, cheapest first, on as many instances as cost a
//     quarter of such a run.
//  2. The search is made on the cheapest level whose rank correlation with full
//     fidelity (Spearman's, over the design) is leastCorrelation or more, or else on
//     the level that has the largest.
//  3. Halving and ablation are made on the same level.
//  4. What is found meets a few other contenders on full fidelity (finals.go), between
//     halving and ablation.
//  5. All runs on levels together cost levelWork at most: the cheaper the level, the more.
//  6. The confirmation is made on full fidelity, and verdict, gain, intervals, limits
//     and lost work are judged by it alone.
//
// The idea is that of successive halving over fidelities (K. Jamieson and A. Talwalkar,
// "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS
// 2016; L. Li and others, "Hyperband", JMLR 18, 2018): few are promoted to dearer
// levels. A sampler stands for Hyperband's random configurations, as in S. Falkner,
// A. Klein and F. Hutter, "BOHB" (ICML 2018), and rank correlation chooses the level in
// place of several brackets, since with common instances it can be measured cheaply.
// Costs are counted in the work of runs, never in time: a study is the same anywhere.

// Level is a kind of run that is cheaper than those of full fidelity.
type Level struct {
	Name    string  `json:"name"`
	First   int     `json:"first"`   // its windows are First … First+Windows-1
	Windows int     `json:"windows"` // at least 1
	Cost    float64 `json:"cost"`    // of a run, in runs of full fidelity: inside (0, 1)
}

// LevelUse says what a level was used for.
type LevelUse struct {
	Name string  `json:"name"` // "full" for full fidelity
	Cost float64 `json:"cost"` // of a run, in runs of full fidelity
	Runs int     `json:"runs"`
	// Correlation with full fidelity of the first design's objectives, by ranks; nil
	// where it was not measured or could not be.
	Correlation *float64 `json:"correlation,omitempty"`
	Search      bool     `json:"search,omitempty"` // the search was made on it
}

// Numbers of the first design.
const (
	designSize       = 8    // configurations
	designRadius     = 0.5  // of the way from the present point to one anywhere
	designCost       = 0.25 // of a configuration on a level, in runs of full fidelity
	designMost       = 16   // instances of a level
	leastCorrelation = 0.7

	designContender = 1 // of the first design in the finals

	// levelWork bounds what search, halving and ablation cost together, in whole runs;
	// in long studies it is levelPart of the budget.
	levelWork = 13.0
	levelPart = 0.018

	// A level that allows fewer than leastLevelRuns within it is used only where no
	// cheaper one has a correlation above 0: one over so few configurations on one
	// instance says little, and a search needs runs.
	leastLevelRuns = 200
)

// LeastLevelBudget is the fewest runs of a study on levels: what its first design and its
// whole runs take, about 230 and 110 at most, and as many for the search.
const LeastLevelBudget = 500

// levelState is what a study with levels keeps of them; on says that it has any.
type levelState struct {
	on     bool
	whole  []int      // windows of full fidelity for the search
	at     int        // the level of the search
	runs   []int      // asked, by level; the last is full fidelity
	design []*trial   // the best of the first design on full fidelity; nil if it is the present
	ranked []*trial   // of the halving, without the best: those that stayed longest first
	heavy  []int      // windows of full fidelity by their work, heaviest first; nil if it is not known
	common []instance // whole ones, of all comparisons before the confirmation
	// contenders of the finals, best first
	contenders []*trial
	cut        int        // by how many runs the levels' cost has shortened the study
	measure    []*float64 // rank correlation by level
}

// checkLevels reports what is wrong with a problem's levels.
func checkLevels(p Problem) error {
	first := p.Windows - levelWindows(p)
	for i, l := range p.Levels {
		switch {
		case !(l.Cost > 0 && l.Cost < 1):
			return fmt.Errorf("tune: level %s: cost %v; allowed: inside (0, 1)", l.Name, l.Cost)
		case i > 0 && l.Cost < p.Levels[i-1].Cost:
			return fmt.Errorf("tune: level %s is cheaper than %s; allowed: cheapest first", l.Name, p.Levels[i-1].Name)
		case l.First < first || l.Windows < 1 || l.First+l.Windows > p.Windows:
			return fmt.Errorf("tune: level %s: windows %d to %d; allowed: inside %d to %d, the last ones", l.Name, l.First, l.First+l.Windows-1, first, p.Windows-1)
		}
	}
	if len(p.Levels) > 0 && len(p.Objectives) > 1 {
		return fmt.Errorf("tune: levels with %d objectives; allowed: one", len(p.Objectives))
	}
	return nil
}

// levelWindows counts the windows of levels, which are a problem's last.
func levelWindows(p Problem) int {
	n := 0
	for _, l := range p.Levels {
		n += l.Windows
	}
	return n
}

// levelOf is the level of a window; that of full fidelity is len(d.p.Levels).
func (d *driver) levelOf(window int) int {
	for i, l := range d.p.Levels {
		if window >= l.First && window < l.First+l.Windows {
			return i
		}
	}
	return len(d.p.Levels)
}

// levelCost is what a run on a level costs, in runs of full fidelity.
func (d *driver) levelCost(level int) float64 {
	if level < len(d.p.Levels) {
		return d.p.Levels[level].Cost
	}
	return 1
}

// levelWindows are the windows of a level for the search.
func (d *driver) levelWindows(level int) []int {
	if level >= len(d.p.Levels) {
		return d.levels.whole
	}
	l := d.p.Levels[level]
	out := make([]int, l.Windows)
	for i := range out {
		out[i] = l.First + i
	}
	return out
}

// chooseLevel measures the first design and chooses the levels.
func (d *driver) chooseLevel() error {
	if !d.levels.on {
		return nil
	}
	ts, err := d.design()
	if err != nil {
		return err
	}
	full := d.common(1)
	if d.o.Clock != nil { // what came before the first run is none of its time
		d.pace.last = d.o.Clock()
	}
	if err := d.measure("design", ts, full); err != nil {
		return err
	}
	if err := d.presentRan(full); err != nil {
		return err
	}
	best := 0
	for i, l := range d.p.Levels {
		if r := d.levels.measure[best]; r != nil && *r > 0 && d.levelWork() < leastLevelRuns*l.Cost {
			break
		}
		ins := d.instances(min(designMost, int(math.Ceil(designCost/l.Cost))), d.levelWindows(i))
		if err := d.measure("design", ts, ins); err != nil {
			return err
		}
		r := d.agreement(ts, full, ins)
		d.levels.measure[i] = r
		if r != nil && (d.levels.measure[best] == nil || *r > *d.levels.measure[best]) {
			best = i
		}
		if r != nil && *r >= leastCorrelation {
			break
		}
	}
	d.levels.at = best
	d.sortByScore(ts, full)
	if ts[0] != d.present {
		d.levels.design = ts[:designContender]
	}
	d.search = d.levelWindows(best)
	d.limitLevels()
	return nil
}

// levelWork is what runs on levels may cost, in whole runs.
func (d *driver) levelWork() float64 { return max(levelWork, levelPart*float64(d.budget)) }

// limitLevels takes the first design's runs and those that other contenders may need in
// the confirmation from the study, and shortens it so that its runs on levels cost
// levelWork at most.
func (d *driver) limitLevels() {
	most, asked := d.levelWork(), d.budget
	rest := fallBackMost(d.fewConfirm())
	if len(d.p.Constraints) > 0 { // counted with the confirmation already
		rest -= d.fewConfirm()
	}
	d.budget, d.spent = max(1, d.budget-d.spent-rest), 0
	for {
		if float64(d.budget)*(1-d.confirmPart())*d.levelCost(d.levels.at) <= most {
			d.levels.cut = asked - d.budget
			return
		}
		d.budget -= 1 + d.budget/50
	}
}

// wholeRuns are the runs of full fidelity after the first design.
func (d *driver) wholeRuns() float64 {
	return float64(finalRuns()+recheckInstances) + d.fewConfirmRuns()
}

// design is the present configuration, the caller's candidates and points around it.
func (d *driver) design() ([]*trial, error) {
	ts := []*trial{d.present}
	add := func(t *trial, err error) error {
		if err == nil && t.short == 0 && !slices.Contains(ts, t) {
			ts = append(ts, t)
		}
		return err
	}
	for _, c := range d.p.Candidates[:min(len(d.p.Candidates), designSize/2)] {
		set, err := d.p.Space.Complete(c.Settings)
		if err != nil {
			return nil, err
		}
		if err := add(d.trial(set, nil, c.Name)); err != nil {
			return nil, err
		}
	}
	key := rng.NewKey(d.o.Seed, purposeDesign)
	for n := uint64(0); len(ts) < designSize && n < 4*designSize; n++ {
		p := d.p.Space.Present()
		for k := range p {
			p[k] += designRadius * (key.At(n).Float64(uint64(k)) - p[k])
		}
		if err := add(d.pointTrial(p, "design")); err != nil {
			return nil, err
		}
	}
	return ts, nil
}

// agreement is the rank correlation of the objective on two sets of instances, over
// the configurations that have results on both; nil for fewer than four of them or
// where all are equal.
func (d *driver) agreement(ts []*trial, a, b []instance) *float64 {
	var x, y []float64
	for _, t := range ts {
		s, o := d.score(t, a), d.score(t, b)
		if !s.Failed && !o.Failed {
			x, y = append(x, s.Values[0]), append(y, o.Values[0])
		}
	}
	if len(x) < designSize/2 {
		return nil
	}
	r := spearman(x, y)
	if math.IsNaN(r) {
		return nil
	}
	return &r
}

// fillLevels tells what the levels were used for.
func (d *driver) fillLevels(r *Result) {
	if !d.levels.on {
		return
	}
	for i, l := range d.p.Levels {
		r.Levels = append(r.Levels, LevelUse{Name: l.Name, Cost: l.Cost, Runs: d.levels.runs[i], Correlation: d.levels.measure[i], Search: i == d.levels.at})
	}
	r.Levels = append(r.Levels, LevelUse{Name: "full", Cost: 1, Runs: d.levels.runs[len(d.p.Levels)]})
	for _, l := range r.Levels {
		r.Cost += l.Cost * float64(l.Runs)
	}
}
