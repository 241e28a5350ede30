package tune

import (
	"slices"

	"schedtune/internal/rng"
)

// The one loop of a search. It begins with a design on one workload; then round after round measures
// what a proposer proposes, on another workload, beside the current configuration; a model of all runs
// says which configuration is best so far. What follows is the finisher's.

// proposer says what a round measures.
type proposer interface {
	// design returns what is measured first, beside the current configuration and the caller's candidates.
	design(given []*trial) []*trial
	// runs is how many runs the next round takes at most.
	runs() int
	// propose returns what the next round measures.
	propose() []*trial
	// learn takes the scores of what was measured together.
	learn(field []*trial, g generation)
	// close ends what runs beside the search.
	close()
}

// finisher makes the result of what the search has found.
type finisher interface{ finish() }

// driver is a study from its first trial to the confirmation; it gets its runs by
// yielding requests to the Study in whose coroutine it runs.
type driver struct {
	*parts
	proposer proposer
	finisher finisher
	name     string // of the proposer
	epoch    int    // rounds on one instance
	enough   enough // whether the answer is known
}

// purposeModel keys the draws of the model's trees.
const purposeModel = 1 << 20

// newDriver chooses proposer and finisher by the problem.
func newDriver(p Problem, o Options) (*driver, error) {
	c := newParts(p, o)
	s := &driver{parts: c, name: o.Method, epoch: 1}
	c.model = &model{figures: newFigures(p, o, c.led, c.judge)}
	s.finisher = &single{parts: c}
	if c.p.multi() {
		s.epoch, s.finisher = frontEpoch(c), &frontFinisher{parts: c}
	}
	if s.name == "" && !c.p.multi() {
		s.name, s.proposer = "model", newModelProposer(c)
		return s, nil
	}
	var err error
	s.proposer, s.name, err = newGenerations(c)
	return s, err
}

// run is the whole study.
func (s *driver) run() {
	s.begin()
	for s.goesOn() {
		s.led.gen++
		s.together(s.block(), s.proposer.propose())
	}
	s.finisher.finish()
}

// sharedRuns is how many runs there are to each instance that rounds are measured on, in turn, where there is one
// workload: fresh seeds for each round leave its configurations comparable with no others but by the model
// (bench/tried.md).
const sharedRuns = 50

// block is the number of the instance that a round is measured on. Where workloads differ each round has another: a few
// would be all that the search sees.
func (s *driver) block() int {
	if s.epoch == 1 && len(s.led.search) == 1 {
		return s.led.gen % max(1, s.led.spent/sharedRuns)
	}
	return s.led.gen / s.epoch
}

// begin measures the current configuration, the caller's candidates and the design.
func (s *driver) begin() {
	t := s.led.trial(s.p.Space.PresentSettings(), s.p.Space.Present(), "present")
	s.led.present, s.found.best, s.found.given = t, t, []*trial{t}
	on := s.work.first(1)
	s.led.measure("present", []*trial{t}, on)
	s.led.mustRun(on)
	s.judge.compareByLogs(on)
	room := max(1, s.plan.searchRuns()-1)
	for _, c := range s.p.Candidates[:min(len(s.p.Candidates), room)] {
		s.found.given = append(s.found.given, s.led.candidate(c))
	}
	s.found.given = distinct(s.found.given)
	design := s.proposer.design(s.found.given[1:])
	s.together(0, design[:min(len(design), room)])
}

// together measures trials beside the current configuration on a workload and learns from them.
func (s *driver) together(block int, field []*trial) {
	on := s.work.first(block + 1)[block:]
	field = distinct(append([]*trial{s.led.present}, field...))
	before := s.led.spent
	phase := "search"
	if s.led.gen == 0 {
		phase = "design"
	}
	s.led.measure(phase, field, on)
	g := generation{mapped(field, s.led.pointOf), s.judge.scores(field, on), block, on[0]}
	s.found.history = append(s.found.history, g)
	s.proposer.learn(field, g)
	s.model.learn(&s.work, s.led.spent-before, rng.NewKey(s.o.Seed, purposeModel).At(uint64(s.led.gen)))
	if !s.p.multi() {
		s.lead(s.model.ranked()[0])
	}
	s.found.history = lastOf(s.found.history, maxHistory)
	s.led.forget(append(slices.Clone(s.found.given), s.found.best))
}

// goesOn reports whether another round follows, and sets why none does.
func (s *driver) goesOn() bool {
	switch {
	case s.timeUp():
		s.found.status = TimeUp
	case s.led.spent+s.proposer.runs() > s.plan.searchRuns():
		s.found.status = BudgetSpent
	case !s.p.multi() && s.o.Patience > 0 && s.led.spent-s.found.changedAt > s.o.Patience:
		s.found.status = NoProgress
		s.plan.shrink(s.led.spent)
	case s.name == "model" && s.o.Patience == 0 && s.enough.known(s.model):
		s.found.status = AnswerKnown
		s.plan.shrink(s.led.spent)
	default:
		return true
	}
	return false
}

// timeUp reports whether the clock ends the search, which the log keeps.
func (s *driver) timeUp() bool {
	if s.o.TimeBudget == 0 {
		return false
	}
	most, err := s.o.Log.decide("go-on", func() int {
		if s.o.Clock() >= s.o.TimeBudget/5*3 {
			return s.led.spent + 2*s.led.spent/3 + 1
		}
		return 0
	})
	must(err)
	if most > 0 {
		s.plan.whole = min(most, s.plan.whole)
		s.plan.budget = s.plan.whole
	}
	return most > 0
}
