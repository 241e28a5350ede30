package tune

import (
	"cmp"

	"schedtune/internal/rng"
)

// generations is a search by a sampler, which is asked for generations of points and
// told what they cost.
type generations struct {
	*races
	sampler Sampler
	step    float64      // first step of the sampler; 0 = its own
	learned []generation // what a new sampler is given: blocks of points on common instances
	epoch   epoch        // of a front
}

func newGenerations(c *course) (*generations, error) {
	g := &generations{races: &races{course: c}}
	g.observe = g.learnFrom
	c.samplerName = cmp.Or(c.o.Method, defaultSampler(len(c.p.Objectives)))
	return g, g.newSampler(nil)
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

func (g *generations) samplerConfig(start Point) SamplerConfig {
	step := g.step
	if step == 0 && start != nil {
		step = closeStep
	}
	return SamplerConfig{
		Space: g.p.Space, Start: start, Step: step, Seed: uint64(rng.NewKey(g.o.Seed, purposeSampler)),
		Objectives: len(g.p.Objectives), known: g.knowledge, threads: g.o.Threads,
	}
}

// newSampler makes the sampler, to begin at a point.
func (g *generations) newSampler(start Point) (err error) {
	g.close()
	cfg := g.samplerConfig(start)
	if g.sampler, err = NewSampler(g.samplerName, cfg); err != nil {
		return err
	}
	if l, ok := g.sampler.(learner); ok {
		for _, b := range g.learned {
			l.learn(b.points, b.scores, b.block)
		}
	}
	return nil
}

// close ends the sampler.
func (g *generations) close() {
	if c, ok := g.sampler.(closer); ok {
		c.close()
		g.sampler = nil
	}
}

// begin measures the current configuration and the caller's candidates.
func (g *generations) begin() {
	g.course.begin()
	g.measure("present", g.given, g.first(g.firstInstances()))
	g.mustRun(g.raced)
	g.compareByLogs(g.raced)
	now := mapped(g.p.Candidates, func(c Candidate) *trial { return g.candidate(c) })
	g.given = append(g.given, now...)
	if g.multi() { // no order to race by
		g.beginFront()
		return
	}
	g.raceCandidates(now)
	if len(g.p.Constraints) > 0 && !g.infeasible(g.incumbent, g.first(g.firstInstances())) {
		g.step = cautiousStep
	}
	if g.incumbent != g.present || g.step != 0 {
		g.restart()
	}
}

// restart lets the sampler begin at the incumbent, or with another step.
func (g *generations) restart() { must(g.newSampler(g.pointOf(g.incumbent))) }

// run asks and tells the sampler until the search's part of the budget is spent.
func (g *generations) run() {
	for {
		points := g.ask()
		runs := len(points)
		if g.multi() {
			runs = g.frontRuns(points)
		}
		if g.paired() && g.short() {
			runs++ // of the current configuration
		}
		if g.checksNoise(g.gen + 1) {
			runs *= 2
		}
		if g.stopBefore(runs) {
			return
		}
		g.gen++
		g.generation(points)
		if !g.multi() {
			g.raceNow()
		}
	}
}

// ask returns the sampler's next points.
func (g *generations) ask() []Point { return g.sampler.Ask() }

// tell tells the sampler the scores of its generation.
func (g *generations) tell(points []Point, scores []Score, block int) {
	g.sampler.Tell(points, scores, block)
}

// recommend returns what the sampler believes in; nil if it does in nothing.
func (g *generations) recommend() Point {
	if r, ok := g.sampler.(recommender); ok {
		if p := r.recommend(); p != nil {
			return p
		}
	}
	return nil
}

func (g *generations) bestGuess() *trial {
	p := g.recommend()
	if p == nil {
		return cmp.Or(g.leader, g.best)
	}
	set := g.p.Space.Decode(p)
	if t := g.byKey[keyOf(set)]; t != nil {
		return t
	}
	return &trial{id: g.count, origin: "mean", gen: g.gen, point: p, settings: set}
}

// maxLearned bounds the blocks that a new sampler is given.
const maxLearned = 100

// keep keeps a block of points for samplers to come.
func (g *generations) keep(b generation) { g.learned = lastOf(append(g.learned, b), maxLearned) }

// learnFrom tells the sampler what trials have shown on common instances.
func (g *generations) learnFrom(ts []*trial, ins []instance) {
	l, ok := g.sampler.(learner)
	if !ok {
		return
	}
	b := generation{points: mapped(ts, g.pointOf), scores: g.scores(ts, ins), block: g.blockOf(ins)}
	g.keep(b)
	l.learn(b.points, b.scores, b.block)
}

// generation measures one generation and tells the sampler.
func (g *generations) generation(points []Point) {
	ts := mapped(points, func(p Point) *trial { return g.pointTrial(p, g.samplerName) })
	on, block := g.block()
	g.measure("search", ts, on)
	scores := g.scores(ts, on)
	if !g.checksNoise(g.gen) {
		g.tell(points, scores, block)
	} else {
		again := g.instances(1, g.search)
		g.measure("search", ts, again)
		second := g.scores(ts, again)
		correlation := spearman(costs(scores), costs(second))
		scores = averages(scores, second)
		g.tell(points, scores, block)
		g.sampler.(noiseAware).tellNoise(correlation)
	}
	b := generation{points, scores, block, on}
	g.history = append(g.history, b)
	g.keep(b)
	g.remember(ts[order(scores)[0]])
	g.forget()
}

// noiseEvery is the number of generations between checks of the noise.
const noiseEvery = 6

// checksNoise reports whether a generation is measured twice. In a short study that
// costs more than it brings.
func (g *generations) checksNoise(gen int) bool {
	_, ok := g.sampler.(noiseAware)
	return ok && gen%noiseEvery == 0 && !g.short()
}

// stopBefore reports whether the search ends before n more runs, and sets why.
func (g *generations) stopBefore(n int) bool {
	if g.o.TimeBudget > 0 {
		// The log says in which generation the clock stopped the search.
		most := g.decide("go-on", func() int {
			if g.o.Clock() >= g.o.TimeBudget/5*3 {
				return g.spent + 2*g.spent/3 + 1
			}
			return 0
		})
		if most > 0 {
			g.status, g.budget = TimeUp, min(most, g.budget)
			return true
		}
	}
	if !g.affords(n) {
		g.status = BudgetSpent
		return true
	}
	if g.impatient() {
		g.lastRace()
	}
	if !g.impatient() {
		return false
	}
	g.status = NoProgress
	g.shrink()
	return true
}

// raceNow races the sampler's own belief, or else the generation's best, if
// races have not had their share and a first rung is in the search's budget.
func (g *generations) raceNow() {
	if float64(g.raceRuns) <= raceShare*float64(g.spent)-2*firstRung && g.affords(2*firstRung) {
		g.race([]*trial{g.belief()}, g.rungs())
	}
}

// belief is the trial that the sampler believes in, or else the latest generation's best.
func (g *generations) belief() *trial {
	return cmp.Or(g.mean(), g.recent[len(g.recent)-1])
}

// mean is the trial of the sampler's mean; nil if it has none.
func (g *generations) mean() *trial {
	if p := g.recommend(); p != nil {
		return g.pointTrial(p, "mean")
	}
	return nil
}

// lastRace is held before a search ends for want of progress: races are rare,
// and the search may have come further than the incumbent shows. In a short study
// fewer of the recent bests take part, or there is no race.
func (g *generations) lastRace() {
	recent := g.recent[max(0, len(g.recent)-g.budget/40):]
	if len(g.recent) == 0 || !g.affords((2+len(recent))*firstRung) {
		return
	}
	rungs := g.rungs()
	if g.budget < tinyRuns { // four instances of three trials are too many of its runs
		rungs = []int{firstRung / 2}
	}
	g.race(append([]*trial{g.belief()}, recent...), rungs)
}

// costs returns scores as single numbers.
func costs(scores []Score) []float64 { return mapped(scores, Score.cost) }

func averages(a, b []Score) []Score {
	out := make([]Score, len(a))
	for i := range a {
		out[i] = Score{
			Failed: a[i].Failed || b[i].Failed, Lost: (a[i].Lost + b[i].Lost) / 2,
			Violation: (a[i].Violation + b[i].Violation) / 2,
			Values:    midway(a[i].Values, b[i].Values), parts: midway(a[i].parts, b[i].parts),
			excess: midway(a[i].excess, b[i].excess),
		}
	}
	return out
}

// midway returns the means of two lists of the same numbers; nil if one is missing.
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
