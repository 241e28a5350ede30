package tune

import (
	"errors"
	"slices"

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
	failed   bool    // a run had no result
	short    float64 // Problem.Shortfall
}

// ranOn reports whether it has been measured on an instance.
func (t *trial) ranOn(in instance) bool {
	_, done := t.runs[in]
	return done
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

	samplerName string
	sampler     Sampler
	metrics     []string // that every outcome must have
	yield       func([]request) bool
	outs        []Outcome

	count   int      // trials so far
	given   []*trial // the present configuration and the caller's candidates
	byKey   map[settingsKey]*trial
	failed  int    // runs without result
	failure string // what the first of them said
	paired  bool   // a limit is relative to the present, which every instance measures
	lossy   bool   // a trial has lost work that the present does
	phase   string
	counter uint64 // seeds handed out
	base    uint64
	search  []int // windows of the search
	held    []int // windows of the confirmation
	few     fewState
	budget  int // runs in all
	spent   int // runs asked

	present   *trial
	incumbent *trial
	leader    *trial     // of a race that is not over; nil without one
	logs      bool       // objectives are compared on a log scale
	races     []instance // instances of the races, in order
	raceSpent int
	gen       int
	changedAt int      // runs spent when the incumbent last changed
	holding   bool     // the first stage: costly parameters stay
	mild      *trial   // the incumbent at its end; in rounds the best without what the model sees nothing in
	later     []*trial // the caller's candidates that touch costly parameters
	step      float64  // first step of the sampler; 0 = its own
	chosen    bool     // by the halving
	recent    []*trial
	history   []generation
	learned   []generation // what a new sampler is told: blocks of points on common instances
	last      standing

	status  Status
	best    *trial   // recommended
	ranked  []*trial // of the halving, without the best: those that stayed longest first
	full    *trial   // before the ablation
	late    bool     // best was chosen on the confirmation's instances
	named   *trial   // what the ablation left, where the confirmation's figures preferred what it began at; else nil
	lifted  *Lifted  // what breaks limits and is better; nil = none found
	safe    *trial   // the contender that keeps the limits best beyond doubt; nil without limits
	front   []*trial // several objectives
	confirm []instance
	again   []instance // of Problem.Again
	// reaching is Result.AblationBudget.
	reaching int
	frontOn  []instance
	epochOn  []instance // what generations of a front are measured on, for some of them
	since    int        // the first of these generations
	epoch    int        // how many they are
	steps    []AblationStep
}

// generation is what the importance of parameters is estimated from.
type generation struct {
	points []Point
	scores []Score
	block  int        // of shared seeds, or ownBlock
	epoch  int        // of a front: the first generation on this instance
	on     []instance // of a front: what it was measured on
}

func newDriver(p Problem, o Options) (*driver, error) {
	d := &driver{p: p, o: o, byKey: map[settingsKey]*trial{}, budget: o.Budget, phase: "present"}
	d.samplerName = o.Method
	switch {
	case d.samplerName != "":
	case o.Sampler != nil:
		d.samplerName = "own"
	default:
		d.samplerName = "cmaes"
		if len(p.Objectives) > 1 {
			d.samplerName = "nsga2"
		}
	}
	for _, c := range p.Constraints {
		d.paired = d.paired || c.Factor != 0
	}
	for _, ob := range p.Objectives {
		d.metrics = append(d.metrics, ob.Metric)
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
	if d.inRounds() {
		d.samplerName = "model"
		return d, nil
	}
	d.holding = o.Sampler == nil && len(p.Objectives) == 1 && o.Off&PartStages == 0 && p.Space.costly()
	return d, d.newSampler(nil)
}

// newSampler makes the sampler, to begin at a point.
func (d *driver) newSampler(start Point) (err error) {
	if d.o.Sampler != nil {
		d.sampler = d.o.Sampler
		return nil
	}
	if c, ok := d.sampler.(closer); ok {
		c.close()
	}
	if d.holding {
		d.sampler, err = newHeld(d.samplerName, d.samplerConfig(start))
	} else {
		d.sampler, err = NewSampler(d.samplerName, d.samplerConfig(start))
	}
	if l, ok := d.sampler.(learner); ok && err == nil {
		for _, g := range d.learned {
			l.learn(g.points, g.scores, g.block)
		}
	}
	return err
}

// maxLearned bounds the blocks that a new sampler is told.
const maxLearned = 100

// learn keeps a block of a generation for samplers to come.
func (d *driver) learn(points []Point, scores []Score, block int) {
	d.learned = lastOf(append(d.learned, generation{points: points, scores: scores, block: block}), maxLearned)
}

// learnFrom keeps what trials of the caller have shown on common instances, and
// tells the sampler.
func (d *driver) learnFrom(ts []*trial, ins []instance) error {
	l, ok := d.sampler.(learner)
	if !ok {
		return nil
	}
	var points []Point
	var scores []Score
	for _, t := range ts {
		p, err := d.p.Space.Encode(t.settings)
		if err != nil {
			return err
		}
		points, scores = append(points, p), append(scores, d.score(t, ins))
	}
	block := d.blockOf(ins)
	d.learn(points, scores, block)
	l.learn(points, scores, block)
	return nil
}

// cautiousStep is the first step of a search that begins within its limits: with
// the sampler's own, nearly all of the first generations break one, and a quarter
// of the runs goes into finding back. On four problems of queue files with limits
// the gain was a fifth larger than with 0.3, and larger than with 0.1 on three.
const cautiousStep = 0.05

// closeStep is the first step of a search that begins at a candidate that has won a
// race: with the sampler's own, its first generations lose much of what was won
// (bench/tried.md).
const closeStep = 0.1

func (d *driver) samplerConfig(start Point) SamplerConfig {
	step := d.step
	if step == 0 && start != nil {
		step = closeStep
	}
	return SamplerConfig{
		Space: d.p.Space, Start: start, Step: step, Seed: uint64(rng.NewKey(d.o.Seed, purposeSampler)), Population: d.o.Population,
		Objectives: len(d.p.Objectives), Off: d.o.Off, made: d.composition, threads: d.o.Threads,
	}
}

// composition is what is known of an objective over points of a space; nil if nothing.
func (d *driver) composition(s *Space, objective int) *composition {
	if d.p.Composite == nil {
		return nil
	}
	made, first := d.p.Composite.of(objective)
	return &composition{d.p.Composite, made, first, s, func(v float64) float64 { return d.compared(d.p.Objectives[objective], v) }}
}

// Purposes of random numbers.
const (
	purposeSeeds = iota
	purposeSampler
	purposeBootstrap
	purposeDesign
	purposeFew
)

func containsInt(list []int, v int) bool {
	return slices.Contains(list, v)
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
	key := keyOf(set)
	if t := d.byKey[key]; t != nil {
		return t, nil
	}
	t := &trial{id: d.count, origin: origin, gen: d.gen, point: p, settings: set, runs: map[instance]Outcome{}}
	if d.p.Shortfall != nil {
		t.short = d.p.Shortfall(set)
	}
	d.count++
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
		if d.paired {
			reqs = append(reqs, request{d.present, in})
		}
	}
	return d.request(phase, reqs)
}

func (d *driver) request(phase string, reqs []request) error {
	var fresh []request
	seen := map[int]map[instance]bool{}
	for _, r := range reqs {
		if r.t.ranOn(r.in) || seen[r.t.id][r.in] {
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
	var against []request // what the present loses or can't run there nobody has to
	for i, r := range fresh {
		r.t.runs[r.in] = d.outs[i]
		if o := d.outs[i]; r.t != d.present && (len(o.Lost) > 0 || o.Err != "") {
			against = append(against, request{d.present, r.in})
		}
		if text := d.outs[i].Err; text != "" {
			r.t.failed = true
			d.failed++
			if d.failed == 1 {
				d.failure = text
			}
		}
	}
	if len(against) == 0 {
		return nil
	}
	return d.request(phase, against)
}
