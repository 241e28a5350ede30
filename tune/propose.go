package tune

import (
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
)

// Proposals of a model, as in sequential model-based optimization (F. Hutter, H. Hoos and
// K. Leyton-Brown, "Sequential Model-Based Optimization for General Algorithm Configuration", LION
// 2011, whose procedure Intensify also measures the best again beside what is new). A round measures
// the best so far again, in the first round the changes of all candidates that were better, and where local
// searches of the model end.

const (
	designSize   = 12  // configurations of the design
	designRadius = 0.5 // of the way from the current point to one anywhere
	leastRound   = 7   // configurations of a round beside the current one, at least
	mostRound    = 32  // and at most
	roundPart    = 30  // of the runs so far are a round between these
	repeated     = 2   // of these that have been measured before

	explorePart   = 0.3     // of its coordinates are drawn at most
	exploreMost   = 2.0     // and so many of them in the mean
	exploreDraw   = 1 << 30 // key of these
	descendSweeps = 3       // of a local search over the coordinates at most
)

// modelProposer proposes by the model of all runs, and now and then a generation of an evolution strategy that begins
// at the best so far: where the objective is smooth, trees see steps only. Its part of the runs follows from how many
// of the best points are its own: a third to two thirds.
type modelProposer struct {
	*parts
	key       rng.Key
	evolution *generations
	credit    float64 // runs that the evolution has to get
	evolves   bool    // it has the next one
}

const (
	evolutionFrom  = 100  // runs before the first generation
	evolutionPrior = 10.0 // points that it is taken to have among them, and to have not
	evolutionAmong = 10   // the best ones, which tell its part of the rounds
)

func newModelProposer(c *parts) *modelProposer {
	return &modelProposer{parts: c, key: rng.NewKey(c.o.Seed, purposeRounds),
		evolution: &generations{parts: c, name: defaultSampler(1)}}
}

// runs implements proposer.
func (r *modelProposer) runs() int {
	if r.evolves {
		return r.evolution.runs()
	}
	return r.size() + 1
}

// size is how many configurations a round has beside the current one: more in long
// searches, so that the model is not fitted too often.
func (r *modelProposer) size() int { return min(max(leastRound, r.led.spent/roundPart), mostRound) }

// learn implements proposer: the evolution learns from its generation, and it is decided whether it has the next round.
func (r *modelProposer) learn(field []*trial, g generation) {
	if r.evolves {
		r.evolution.learn(field, g)
	}
	if r.led.spent < evolutionFrom {
		return
	}
	best := r.model.ranked()
	best = best[:min(len(best), evolutionAmong)]
	own := evolutionPrior
	for _, t := range best {
		if t.origin == r.evolution.name {
			own++
		}
	}
	share := own / (float64(len(best)) + 2*evolutionPrior)
	if r.evolves {
		share--
	}
	r.credit += share * float64(len(field))
	if r.evolves = r.credit >= 0; r.evolves && r.evolution.sampler == nil {
		must(r.evolution.start(SamplerConfig{Start: r.led.pointOf(best[0])}))
	}
}

// close implements proposer.
func (r *modelProposer) close() { r.evolution.close() }

// field collects different trials that may be recommended.
type field []*trial

func (f *field) add(t *trial) {
	if t.shortfall == 0 && !slices.Contains(*f, t) {
		*f = append(*f, t)
	}
}

// design implements proposer: the caller's candidates and points around the current configuration.
func (r *modelProposer) design(given []*trial) []*trial {
	var out field
	for _, t := range given[:min(len(given), designSize-1)] {
		out.add(t)
	}
	key := rng.NewKey(r.o.Seed, purposeDesign)
	for n := uint64(0); len(out) < designSize-1 && n < 4*designSize; n++ {
		p := r.p.Space.Present()
		for k := range p {
			p[k] += designRadius * (key.At(n).Float64(uint64(k)) - p[k])
		}
		if t := r.led.pointTrial(p, "design"); t != r.led.present {
			out.add(t)
		}
	}
	return out
}

// propose implements proposer.
func (r *modelProposer) propose() []*trial {
	if r.evolves {
		return r.evolution.propose()
	}
	ranked := r.model.ranked()
	seen := without(ranked, r.led.present)
	var out field
	fresh := func(t *trial) {
		if len(t.runs) == 0 {
			out.add(t)
		}
	}
	if r.led.gen > 1 {
		out = append(out, seen[:min(repeated, len(seen))]...)
	} else if t := r.joined(seen, r.work.first(1)); t != nil {
		fresh(t)
	}
	key, size := r.key.At(uint64(r.led.gen)), r.size()
	fresh(r.led.pointTrial(r.explored(ranked[0], key.At(exploreDraw)), "explore"))
	for i := 0; len(out) < size && i < 4*size; {
		n := min(size-len(out), 4*size-i)
		for _, p := range r.descents(ranked, key, i, n) {
			fresh(r.led.pointTrial(p, "model"))
		}
		i += n
	}
	return out
}

// explored returns the point of a trial with a part of its coordinates drawn anew, where the model may know nothing.
func (r *modelProposer) explored(t *trial, key rng.Key) Point {
	p := r.led.pointOf(t)
	for k := range p {
		if key.Float64(uint64(2*k)) < min(explorePart, exploreMost/float64(len(p))) {
			p[k] = key.Float64(uint64(2*k + 1))
		}
	}
	return p
}

// descents returns where n local searches of the model end, beginning with the i-th of a round.
func (r *modelProposer) descents(ranked []*trial, key rng.Key, i, n int) []Point {
	out := make([]Point, n)
	for k := range out {
		out[k] = r.led.pointOf(ranked[(i+k)%len(ranked)])
	}
	parallel.Each(r.o.Threads, n, func(k int) {
		out[k] = descend(r.model.at, out[k], r.p.Space.Present(), key.At(uint64(i+k)))
	})
	return out
}

// joined returns the trial with the changes of all trials that were better than the current configuration,
// the better one's where two change the same setting, since most candidates change settings that others
// do not; nil if there are fewer than two.
func (r *modelProposer) joined(ts []*trial, ins []instance) *trial {
	now := r.led.present
	score := r.judge.score(now, ins)
	better := slices.DeleteFunc(slices.Clone(ts), func(t *trial) bool { return !r.judge.score(t, ins).Less(score) })
	if len(better) < 2 {
		return nil
	}
	set := slices.Clone(now.settings)
	for _, t := range slices.Backward(r.judge.sorted(better, ins)) {
		for i := range set {
			if t.settings[i] != now.settings[i] {
				set[i] = t.settings[i]
			}
		}
	}
	at, err := r.p.Space.Encode(set)
	must(err)
	return r.led.pointTrial(at, "candidates joined")
}

// descend moves a point one coordinate at a time as long as its cost falls.
func descend(cost func(Point) float64, p, current Point, key rng.Key) Point {
	best := cost(p)
	for sweep := range descendSweeps {
		moved := false
		for c := range p {
			d := key.At(uint64(sweep)).At(uint64(c))
			was, to := p[c], p[c]
			for _, u := range [...]float64{current[c], d.Float64(0), fold(was + 0.2*d.Norm(1)), fold(was + 0.2*d.Norm(2))} {
				p[c] = u
				if v := cost(p); v < best-1e-9 {
					best, to, moved = v, u, true
				}
			}
			p[c] = to
		}
		if !moved {
			break
		}
	}
	return p
}
