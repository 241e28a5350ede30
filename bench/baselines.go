package main

import (
	"errors"
	"math"
	"math/rand"
	"time"

	"github.com/MaxHalford/eaopt"

	"schedtune/internal/rng"
	"schedtune/tune"
)

// errSpent ends a library's loop when the runs are spent.
var errSpent = errors.New("budget spent")

// keeper is how the baselines meet a problem: a point of the unit cube is
// decoded by the same space ours uses (they get the good encoding too) and is
// evaluated on k fixed seeds; the points so far whose means no other's dominate, which
// is the best one where there is one objective, are the recommendation. The current
// configuration is evaluated first.
type keeper struct {
	p       *problem
	seeds   []uint64
	runs    int
	archive archive
	see     seeing
}

func newKeeper(p *problem, k int, seed uint64, see seeing) *keeper {
	see(0, p.space.PresentSettings())
	return &keeper{p: p, see: see, seeds: fixedSeeds(seed, k)}
}

// fixedSeeds are the seeds on which a method measures every point of a repeat.
func fixedSeeds(seed uint64, n int) []uint64 {
	k := rng.NewKey(seed, 99)
	var out []uint64
	for i := range n {
		out = append(out, k.Uint64(uint64(i))>>12)
	}
	return out
}

func (k *keeper) spent() bool { return k.runs+len(k.seeds) > k.p.budget }

// eval returns the mean cost at u, folded into the cube; after the budget it
// returns infinity without a run.
func (k *keeper) eval(u []float64) float64 {
	if k.spent() {
		return math.Inf(1)
	}
	s := k.p.space.Decode(tune.Point(u))
	values := k.measure(s, k.seeds)
	k.recommend(s, values)
	return means(values)[0]
}

// measure runs settings on seeds.
func (k *keeper) measure(s tune.Settings, seeds []uint64) (values [][]float64) {
	defer k.p.meter.add(time.Now(), len(seeds))
	for _, seed := range seeds {
		if k.p.runs != nil {
			values = append(values, k.p.runs(s, seed))
		} else {
			values = append(values, []float64{k.p.run(s, seed)})
		}
	}
	k.runs += len(seeds)
	return values
}

// recommend takes settings into account for the recommendation.
func (k *keeper) recommend(s tune.Settings, values [][]float64) {
	if k.archive.add(s, means(values)) {
		k.see(k.runs, k.archive.settings()...)
	}
}

// baseline makes a method of a loop over a keeper with k seeds.
func baseline(name string, k int, loop func(k *keeper, seed uint64) error) method {
	return method{name: name, run: func(p *problem, seed uint64, see seeing) error {
		kp := newKeeper(p, k, seed, see)
		kp.eval(p.space.Present())
		err := loop(kp, seed)
		if errors.Is(err, errSpent) {
			return nil
		}
		return err
	}}
}

// baselines lists the competitors with the seeds per candidate of their name.
// Of the hand-tuned GA and DE the better of 2 and 5 seeds is kept (2, on other
// instances of the functions); random search on single seeds recommends worse
// than nothing on most problems and is left out.
func baselines() []method {
	return []method{
		baseline("random, 5 seeds", 5, randomLoop),
		baseline("eaopt GA stock, 5 seeds", 5, gaLoop(stock)),
		baseline("eaopt GA tuned, 2 seeds", 2, gaLoop(tuned)),
		baseline("eaopt DE tuned, 2 seeds", 2, deLoop),
	}
}

func randomLoop(k *keeper, seed uint64) error {
	for i := uint64(0); !k.spent(); i++ {
		u := make([]float64, k.p.space.Dim())
		for j := range u {
			u[j] = rng.NewKey(seed, 98).At(i).Float64(uint64(j))
		}
		k.eval(u)
	}
	return nil
}

// chromosome is a point for eaopt.
type chromosome struct {
	x      []float64
	k      *keeper
	mutate func(x []float64, r *rand.Rand)
}

// Evaluate implements eaopt.Genome.
func (c *chromosome) Evaluate() (float64, error) {
	if c.k.spent() {
		return math.Inf(1), errSpent
	}
	return c.k.eval(c.x), nil
}

// Mutate implements eaopt.Genome.
func (c *chromosome) Mutate(r *rand.Rand) { c.mutate(c.x, r) }

// Crossover implements eaopt.Genome.
func (c *chromosome) Crossover(o eaopt.Genome, r *rand.Rand) {
	eaopt.CrossUniformFloat64(c.x, o.(*chromosome).x, r)
}

// Clone implements eaopt.Genome.
func (c *chromosome) Clone() eaopt.Genome {
	return &chromosome{append([]float64(nil), c.x...), c.k, c.mutate}
}

// stock is the library's normal mutation at the rate of its examples.
func stock(x []float64, r *rand.Rand) { eaopt.MutNormalFloat64(x, 0.8, r) }

// tuned is additive: a fifth of the genes, sd 0.15, reflected.
func tuned(x []float64, r *rand.Rand) {
	for i := range x {
		if r.Float64() < 0.2 {
			x[i] = tune.Point{x[i] + 0.15*r.NormFloat64()}.Fold()[0]
		}
	}
}

func gaLoop(mutate func([]float64, *rand.Rand)) func(*keeper, uint64) error {
	return func(k *keeper, seed uint64) error {
		conf := eaopt.NewDefaultGAConfig()
		conf.NGenerations = 1 << 20
		conf.RNG = rand.New(rand.NewSource(int64(seed)))
		g, err := conf.NewGA()
		if err != nil {
			return err
		}
		first := true
		return g.Minimize(func(r *rand.Rand) eaopt.Genome {
			c := &chromosome{eaopt.InitUnifFloat64(uint(k.p.space.Dim()), 0, 1, r), k, mutate}
			if first {
				first = false
				c.x = k.p.space.Present()
			}
			return c
		})
	}
}

// cube maps the libraries' [-1, 1] around the current configuration.
func (k *keeper) cube(z []float64) float64 {
	at := k.p.space.Present()
	for i := range at {
		at[i] += z[i] / 2
	}
	return k.eval(at)
}

func deLoop(k *keeper, seed uint64) error {
	de, err := eaopt.NewDiffEvo(20, 1<<20, -1, 1, 0.9, 0.5, false, rand.New(rand.NewSource(int64(seed))))
	if err != nil {
		return err
	}
	de.GA.EarlyStop = func(*eaopt.GA) bool { return k.spent() }
	_, _, err = de.Minimize(k.cube, uint(k.p.space.Dim()))
	return err
}
