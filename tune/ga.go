package tune

import (
	"math/rand"
	"slices"

	"github.com/MaxHalford/eaopt"

	"schedtune/internal/rng"
)

// The genetic algorithm of eaopt, in two settings. Its generational model
// (tournament of 3, crossover rate 0.7, mutation rate 0.5, population 30) makes
// offspring without evaluating them, so a generation is asked as one batch.
// Mutation is additive, of sd 0.15 on a fifth of the genes, folded into the cube.

// genome is a point with eaopt's operators.
type genome struct{ x []float64 }

var _ eaopt.Genome = (*genome)(nil)

// Evaluate is never called: scores are given.
func (g *genome) Evaluate() (float64, error) { return 0, errNotHere }

// Mutate changes genes in place.
func (g *genome) Mutate(r *rand.Rand) {
	for i := range g.x {
		if r.Float64() < 0.2 {
			g.x[i] = fold(g.x[i] + 0.15*r.NormFloat64())
		}
	}
}

// Crossover mixes two points by random convex combination per gene.
func (g *genome) Crossover(mate eaopt.Genome, r *rand.Rand) {
	eaopt.CrossUniformFloat64(g.x, mate.(*genome).x, r)
}

// Clone copies the point.
func (g *genome) Clone() eaopt.Genome {
	return &genome{slices.Clone(g.x)}
}

// ga drives an eaopt population generation by generation.
type ga struct {
	pop   eaopt.Population
	model eaopt.ModGenerational
	asked []int // individuals out for evaluation
}

var _ Sampler = (*ga)(nil)

func newGA(c SamplerConfig) (Sampler, error) {
	r := c.random()
	conf := eaopt.NewDefaultGAConfig()
	g := &ga{model: conf.Model.(eaopt.ModGenerational)}
	g.pop.RNG = r
	// Tournaments of 3 for two parents need at least four individuals.
	for i := range max(4, c.population(int(conf.PopSize))) {
		x := eaopt.InitUnifFloat64(uint(c.Space.Dim()), 0, 1, r)
		if i == 0 {
			x = c.start()
		}
		g.pop.Individuals = append(g.pop.Individuals, eaopt.NewIndividual(&genome{x}, r))
	}
	return g, nil
}

// Ask implements Sampler. After the first generation the model breeds first.
func (g *ga) Ask() []Point {
	var out []Point
	for len(out) == 0 {
		if g.asked != nil {
			// The error of Apply is that of a selector short of individuals,
			// which the constructor rules out.
			_ = g.model.Apply(&g.pop)
		}
		g.asked = g.asked[:0]
		for i, ind := range g.pop.Individuals {
			if !ind.Evaluated {
				g.asked = append(g.asked, i)
				out = append(out, Point(ind.Genome.(*genome).x).Fold())
			}
		}
	}
	return out
}

// Tell implements Sampler.
func (g *ga) Tell(_ []Point, scores []Score, _ int) {
	for k, i := range g.asked {
		ind := &g.pop.Individuals[i]
		ind.Fitness, ind.Evaluated = scores[k].cost(), true
	}
	g.pop.Individuals.SortByFitness()
}

// random returns a generator of the sampler's draws.
func (c SamplerConfig) random() *rand.Rand { return rand.New(&source{rng.NewStream(c.key())}) }

// source feeds math/rand from a counter-based stream.
type source struct{ s *rng.Stream }

var _ rand.Source64 = (*source)(nil)

// Uint64 returns the next draw.
func (s *source) Uint64() uint64 { return s.s.Uint64() }

// Int63 returns the next draw's upper 63 bits.
func (s *source) Int63() int64 { return int64(s.s.Uint64() >> 1) }

// Seed is part of the interface; a counter-based stream has no other seed.
func (s *source) Seed(int64) {}
