package tune

import (
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
)

// Searches in rounds, on workloads that differ: few runs on each teach generations that
// learn from ranks little. A model of all runs (roundsmodel.go) says what is measured next, as in
// sequential model-based optimization (F. Hutter, H. Hoos and K. Leyton-Brown, "Sequential
// Model-Based Optimization for General Algorithm Configuration", LION 2011, whose procedure
// Intensify also measures the best again beside what is new):
//
//  1. A design on one workload: the current configuration, the caller's candidates and
//     points drawn around the current one.
//  2. Rounds, each on another workload: the best so far, where local searches of the model
//     end, and in the first round the changes of all candidates that were better.
//
// The contenders of the choice that follows are the model's best.
//
// The workloads are of known places in the order of their work (workloads.go).

const (
	designSize   = 12   // configurations of the design
	designRadius = 0.5  // of the way from the current point to one anywhere
	leastRound   = 7    // configurations of a round beside the current one, at least
	mostRound    = 32   // and at most
	repeated     = 2    // of these that have been measured before
	reduceSlack  = 0.03 // of the gain that changes may cost by the model to be reverted
)

// rounds is a search in rounds.
type rounds struct {
	*course
	key    rng.Key
	common workloads // of all comparisons before the confirmation
	model  *roundsModel
}

// inRounds reports whether a study is searched in rounds.
func (c *course) inRounds() bool {
	return c.budget >= tinyRuns && len(c.search) > 1 && !c.multi() && c.o.TimeBudget == 0 && c.o.Method == ""
}

// contenders are the model's best.
func (r *rounds) contenders() []*trial {
	others := slices.DeleteFunc(without(r.model.ranked(), r.present), func(t *trial) bool {
		return r.stalled(t, r.common.of(t))
	})
	return others[:min(len(others), r.places(3, r.chooseRuns(), 2*leastRisk))]
}

// predict is the cost of settings by the model.
func (r *rounds) predict(set Settings) float64 {
	p, err := r.p.Space.Encode(set)
	must(err)
	return r.model.at(p)
}

// run makes the design, and rounds as long as the budget has one more and progress is made.
func (r *rounds) run() {
	r.key = rng.NewKey(r.o.Seed, purposeRounds)
	r.begin()
	r.learn(r.key)
	r.status = BudgetSpent
	for r.affords(r.roundSize() + 1) {
		if r.impatient() {
			r.status = NoProgress
			r.shrink()
			break
		}
		r.gen++
		key := r.key.At(uint64(r.gen))
		r.round(key)
		r.learn(key)
		if best := r.model.ranked()[0]; best != r.incumbent {
			r.lead(best)
		}
		r.remember(r.incumbent)
		r.forget()
	}
}

// roundSize is how many configurations a round has beside the current one: more in long
// studies, so that the model is not fitted too often.
func (r *rounds) roundSize() int { return min(max(leastRound, r.budget/60), mostRound) }

// begin measures the design.
func (r *rounds) begin() {
	r.course.begin()
	r.common.order(r.ledger)
	r.together("design", r.design(), 1)
	r.compareByLogs(r.common.first(1))
	r.mustRun(r.common.first(1))
}

// together measures trials beside the current configuration on the n-th common workload.
func (r *rounds) together(phase string, field []*trial, n int) {
	on := r.common.first(n)[n-1:]
	field = append([]*trial{r.present}, field...)
	r.measure(phase, field, on)
	r.history = append(r.history, generation{mapped(field, r.pointOf), r.scores(field, on), ownBlock, on})
}

// design returns the caller's candidates and points around the current configuration.
func (r *rounds) design() []*trial {
	var out []*trial
	add := func(t *trial) {
		if t.shortfall == 0 && t != r.present && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, c := range r.p.Candidates[:min(len(r.p.Candidates), designSize-1)] {
		add(r.candidate(c))
	}
	r.given = append(r.given, out...)
	key := rng.NewKey(r.o.Seed, purposeDesign)
	for n := uint64(0); len(out) < designSize-1 && n < 4*designSize; n++ {
		p := r.p.Space.Present()
		for k := range p {
			p[k] += designRadius * (key.At(n).Float64(uint64(k)) - p[k])
		}
		add(r.pointTrial(p, "design"))
	}
	return out
}

// round measures the next configurations.
func (r *rounds) round(key rng.Key) {
	ranked := r.model.ranked()
	var field []*trial
	add := func(t *trial) {
		if t.shortfall == 0 && len(t.runs) == 0 && !slices.Contains(field, t) {
			field = append(field, t)
		}
	}
	seen := without(ranked, r.present)
	if r.gen > 1 {
		field = append(field, seen[:min(repeated, len(seen))]...)
	} else if t := r.joined(seen, r.common.first(1)); t != nil {
		add(t)
	}
	size := r.roundSize()
	for i := 0; len(field) < size && i < 4*size; {
		n := min(size-len(field), 4*size-i)
		for _, p := range r.descents(ranked, key, i, n) {
			add(r.pointTrial(p, "model"))
		}
		i += n
	}
	r.together("search", field, len(r.common.drawn)+1)
}

// descents returns where n local searches of the model end, beginning with the i-th of a round.
func (r *rounds) descents(ranked []*trial, key rng.Key, i, n int) []Point {
	out := make([]Point, n)
	for k := range out {
		out[k] = r.pointOf(ranked[(i+k)%len(ranked)])
	}
	parallel.Each(r.o.Threads, n, func(k int) {
		out[k] = descend(r.model.at, out[k], r.p.Space.Present(), key.At(uint64(i+k)))
	})
	return out
}
