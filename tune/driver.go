package tune

import (
	"errors"
	"math"
	"sort"

	"schedtune/internal/rng"
)

// instance is what a run depends on besides its settings; comparisons are
// paired over instances.
type instance struct {
	seed   uint64
	window int
}

// trial is one configuration and all its runs.
type trial struct {
	id       int
	origin   string
	gen      int
	point    Point // nil for candidates of the caller
	settings Settings
	runs     map[instance]Outcome
	failed   bool // a run had no result
}

// request is one run the driver wants.
type request struct {
	t  *trial
	in instance
}

// errStop unwinds the driver when its study is closed.
var errStop = errors.New("tune: study closed")

// driver is the search as a straight-line program; it runs in the coroutine of
// a Study and gets its runs by yielding requests.
type driver struct {
	p Problem
	o Options
	s *Study

	samplerName string
	sampler     Sampler
	metrics     []string // that every outcome must have
	yield       func([]request) bool
	outs        []Outcome

	trials  []*trial
	byKey   map[string]*trial
	phase   string
	counter uint64 // seeds handed out
	base    uint64
	search  []int // windows of the search
	held    []int // windows of the confirmation
	budget  int   // runs in all
	spent   int   // runs asked

	present   *trial
	incumbent *trial
	logs      bool       // objectives are compared on a log scale
	races     []instance // instances of the races, in order
	raceSpent int
	gen       int
	changedAt int // runs spent when the incumbent last changed
	recent    []*trial
	history   []generation

	status  Status
	best    *trial   // recommended
	full    *trial   // before the ablation
	front   []*trial // several objectives
	confirm []instance
	frontOn []instance
	steps   []AblationStep
}

// generation is what the importance of parameters is estimated from.
type generation struct {
	points []Point
	scores []Score
}

func newDriver(p Problem, o Options) (*driver, error) {
	d := &driver{p: p, o: o, byKey: map[string]*trial{}, budget: o.Budget, phase: "present"}
	d.samplerName = o.Sampler
	if d.samplerName == "" {
		d.samplerName = "cmaes"
		if len(p.Objectives) > 1 {
			d.samplerName = "nsga2"
		}
	}
	for _, ob := range p.Objectives {
		d.metrics = append(d.metrics, ob.Metric)
	}
	for _, c := range p.Constraints {
		d.metrics = append(d.metrics, c.Metric)
	}
	// 52 bits of base plus a counter: seeds differ by construction, and JSON
	// readers that know doubles only do not spoil them.
	d.base = rng.NewKey(o.Seed, purposeSeeds).Uint64(0) >> 12
	for w := range p.Windows {
		if containsInt(p.HoldOut, w) {
			d.held = append(d.held, w)
		} else {
			d.search = append(d.search, w)
		}
	}
	if d.held == nil {
		d.held = d.search
	}
	var err error
	d.sampler, err = NewSampler(d.samplerName, SamplerConfig{
		Space: p.Space, Key: rng.NewKey(o.Seed, purposeSampler), Population: o.Population,
		Objectives: len(p.Objectives), Off: o.Off,
	})
	return d, err
}

// Purposes of random numbers.
const (
	purposeSeeds = iota
	purposeSampler
	purposeBootstrap
)

func containsInt(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// instances returns n instances nobody has used, cycling through windows.
func (d *driver) instances(n int, windows []int) []instance {
	out := make([]instance, n)
	for i := range out {
		out[i] = instance{d.base + d.counter, windows[int(d.counter)%len(windows)]}
		d.counter++
	}
	return out
}

// trial returns the trial of settings, making it if they are new.
func (d *driver) trial(set Settings, p Point, origin string) (*trial, error) {
	key := set.Key()
	if t := d.byKey[key]; t != nil {
		return t, nil
	}
	t := &trial{id: len(d.trials), origin: origin, gen: d.gen, point: p, settings: set, runs: map[instance]Outcome{}}
	d.trials = append(d.trials, t)
	d.byKey[key] = t
	return t, d.o.Log.put(trialLine{t.id, origin, t.gen, set})
}

// pointTrial returns the trial of a point.
func (d *driver) pointTrial(p Point, origin string) (*trial, error) {
	return d.trial(d.p.Space.Decode(p), p, origin)
}

// measure has every trial run on every instance, once.
func (d *driver) measure(phase string, ts []*trial, ins []instance) error {
	var reqs []request
	for _, in := range ins {
		for _, t := range ts {
			reqs = append(reqs, request{t, in})
		}
	}
	return d.request(phase, reqs)
}

func (d *driver) request(phase string, reqs []request) error {
	var fresh []request
	seen := map[int]map[instance]bool{}
	for _, r := range reqs {
		if _, done := r.t.runs[r.in]; done || seen[r.t.id][r.in] {
			continue
		}
		if seen[r.t.id] == nil {
			seen[r.t.id] = map[instance]bool{}
		}
		seen[r.t.id][r.in] = true
		fresh = append(fresh, r)
	}
	if len(fresh) == 0 {
		return nil
	}
	d.phase = phase
	d.spent += len(fresh)
	if !d.yield(fresh) {
		return errStop
	}
	for i, r := range fresh {
		r.t.runs[r.in] = d.outs[i]
		r.t.failed = r.t.failed || d.outs[i].Err != ""
	}
	return nil
}

// score is a trial's mean over instances it has been measured on.
func (d *driver) score(t *trial, ins []instance) Score {
	s := Score{Values: make([]float64, len(d.p.Objectives))}
	n := float64(len(ins))
	limits := make([]float64, len(d.p.Constraints))
	for _, in := range ins {
		o, ok := t.runs[in]
		if !ok || o.Err != "" {
			return Score{Values: s.Values, Failed: true}
		}
		for k, ob := range d.p.Objectives {
			s.Values[k] += d.value(ob, o) / n
		}
		for k, c := range d.p.Constraints {
			limits[k] += o.Metrics[c.Metric] / n
		}
	}
	for k, c := range d.p.Constraints {
		s.Violation += c.violation(limits[k])
	}
	return s
}

// value is an outcome's objective as the search compares it: to be minimised,
// on a log scale if all is positive.
func (d *driver) value(ob Objective, o Outcome) float64 {
	v := o.Metrics[ob.Metric]
	if d.logs {
		v = math.Log(math.Max(v, 1e-300))
	}
	if ob.Maximize {
		v = -v
	}
	return v
}

// sortByScore orders trials by their scores on instances, best first.
func (d *driver) sortByScore(ts []*trial, ins []instance) {
	scores := map[int]Score{}
	for _, t := range ts {
		scores[t.id] = d.score(t, ins)
	}
	sort.SliceStable(ts, func(a, b int) bool { return scores[ts[a].id].Less(scores[ts[b].id]) })
}

// run is the whole study.
func (d *driver) run(yield func([]request) bool) error {
	d.yield = yield
	err := d.phases()
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func (d *driver) phases() error {
	if err := d.start(); err != nil {
		return err
	}
	reserve := d.reserve()
	if err := d.generations(reserve); err != nil {
		return err
	}
	if len(d.p.Objectives) > 1 {
		return d.finishFront()
	}
	if err := d.choose(); err != nil {
		return err
	}
	if err := d.ablate(); err != nil {
		return err
	}
	return d.confirmBest()
}

// Parts of the budget for the phases after the search.
const (
	halvingShare  = 0.12
	ablationShare = 0.08
	confirmShare  = 0.10
)

// ablationPart is the ablation's part of the budget: at least two runs for
// each of its configurations, within a fifth.
func (d *driver) ablationPart() float64 {
	return d.atLeast(ablationShare, 4*len(d.p.Space.units()), 0.2)
}

// confirmPart is the confirmation's: three configurations on the fewest
// instances, within 30 %.
func (d *driver) confirmPart() float64 {
	return d.atLeast(confirmShare, 3*minConfirm, 0.3)
}

// atLeast is a part of the budget that gives some runs, within limits.
func (d *driver) atLeast(part float64, runs int, most float64) float64 {
	if d.budget == 0 {
		return part
	}
	return math.Max(part, math.Min(most, float64(runs)/float64(d.budget)))
}

// reserve is what the phases after the search need, in parts of the budget.
func (d *driver) reserve() float64 {
	r := 0.0
	if d.o.Off&PartHalving == 0 {
		r += halvingShare
	}
	if d.o.Off&PartAblation == 0 {
		r += d.ablationPart()
	}
	if d.o.Off&PartConfirm == 0 {
		r += d.confirmPart()
	}
	return r
}

// start measures the present configuration and the caller's candidates.
func (d *driver) start() error {
	t, err := d.trial(d.p.Space.PresentSettings(), d.p.Space.Present(), "present")
	if err != nil {
		return err
	}
	d.present, d.incumbent, d.best = t, t, t
	d.races = d.instances(firstRung, d.search)
	if err := d.measure("present", []*trial{t}, d.races); err != nil {
		return err
	}
	d.logs = d.allPositive(t)
	var cands []*trial
	for _, c := range d.p.Candidates {
		set, err := d.p.Space.Complete(c.Settings)
		if err != nil {
			return err
		}
		t, err := d.trial(set, nil, c.Name)
		if err != nil {
			return err
		}
		cands = append(cands, t)
	}
	return d.race(cands)
}

func (d *driver) allPositive(t *trial) bool {
	for _, in := range d.races {
		for _, ob := range d.p.Objectives {
			if !(t.runs[in].Metrics[ob.Metric] > 0) {
				return false
			}
		}
	}
	return true
}

// generations asks and tells the sampler until the search's part of the budget
// is spent.
func (d *driver) generations(reserve float64) error {
	for {
		points := d.sampler.Ask()
		stop, err := d.stopBefore(len(points)*d.o.Replicates, reserve)
		if err != nil || stop {
			return err
		}
		d.gen++
		if err := d.generation(points); err != nil {
			return err
		}
		if len(d.p.Objectives) == 1 && d.o.Off&PartRace == 0 {
			if err := d.raceNow(); err != nil {
				return err
			}
		}
	}
}

// stopBefore reports whether the search ends before n more runs, and why.
func (d *driver) stopBefore(n int, reserve float64) (bool, error) {
	if d.o.TimeBudget > 0 {
		// The log says in which generation the clock stopped the search.
		v, err := d.o.Log.decide("go-on", func() int {
			if d.o.Clock() >= time34(d.o.TimeBudget) {
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
	if d.budget > 0 && float64(d.spent+n) > float64(d.budget)*(1-reserve) {
		d.status = BudgetSpent
		return true, nil
	}
	if d.o.Patience > 0 && d.spent-d.changedAt > d.o.Patience && len(d.p.Objectives) == 1 {
		d.status = NoProgress
		d.shrink(reserve)
		return true, nil
	}
	return false, nil
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
	na, ok := d.sampler.(noiseAware)
	if !ok || d.gen%noiseEvery != 0 || d.o.Off&PartNoise != 0 {
		d.sampler.Tell(points, scores)
	} else {
		again, err := d.scoreGeneration(ts)
		if err != nil {
			return err
		}
		correlation := spearman(firstValues(scores), firstValues(again))
		scores = averages(scores, again)
		d.sampler.Tell(points, scores)
		na.tellNoise(correlation)
	}
	d.history = append(d.history, generation{points, scores})
	d.recent = append(d.recent, ts[order(scores)[0]])
	return nil
}

// noiseEvery is the number of generations between checks of the noise.
const noiseEvery = 6

// scoreGeneration measures trials on a fresh block of instances: one for all
// (common random numbers), or one for each if that is switched off.
func (d *driver) scoreGeneration(ts []*trial) ([]Score, error) {
	scores := make([]Score, len(ts))
	if d.o.Off&PartCRN == 0 {
		block := d.instances(d.o.Replicates, d.search)
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
		out[i] = Score{Failed: a[i].Failed || b[i].Failed, Violation: (a[i].Violation + b[i].Violation) / 2}
		for k := range a[i].Values {
			out[i].Values = append(out[i].Values, (a[i].Values[k]+b[i].Values[k])/2)
		}
	}
	return out
}
