package tune

import (
	"math"
	"slices"
	"testing"

	"schedtune/internal/rng"

	"schedtune/internal/stats"
)

// Every sampler's own number of points, and the smallest that its method can do with.
func TestPopulations(t *testing.T) {
	for name, want := range map[string][2]int{"random": {16, 1}, "sobol": {16, 1}, "ga": {30, 4},
		"de": {20, 4}, "pso": {40, 0}, "nsga2": {24, 4}, "cmaes": {6, 4}} {
		for i, population := range []int{0, 1} {
			if want[i] == 0 {
				continue
			}
			s, err := NewSampler(name, SamplerConfig{Space: cube(t, 5), Seed: 1, Population: population})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			points := s.Ask()
			if c, ok := s.(closer); ok {
				c.close()
			}
			if len(points) != want[i] {
				t.Errorf("%s, population %d: %d points, want %d", name, population, len(points), want[i])
			}
		}
	}
}

// Random points are uniform and differ from generation to generation: mean 1/2 and
// variance 1/12 of 16000 within 5 standard errors.
func TestRandomIsUniform(t *testing.T) {
	s, err := NewSampler("random", SamplerConfig{Space: cube(t, 2), Seed: 4, Population: 100})
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for range 80 {
		for _, p := range s.Ask() {
			all = append(all, p...)
		}
	}
	mean, sd := stats.Moments(all)
	if math.Abs(mean-0.5) > 5/math.Sqrt(12*16000) || math.Abs(sd*sd-1.0/12) > 0.003 {
		t.Errorf("mean %v, variance %v", mean, sd*sd)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != 16000 {
		t.Error("a draw comes twice")
	}
}

// Fronts and crowding distances by hand: (1,5), (2,3), (4,1) dominate nothing of each
// other; (3,4) is dominated by (2,3), (4,5) by all of these, and what breaks a limit by
// everybody. In the first front the ends are infinitely far, the middle (4-1)/3 + (5-1)/4.
func TestCrowdingByHand(t *testing.T) {
	v := func(a, b float64) Score { return Score{Values: []float64{a, b}} }
	got := crowdedOrder([]Score{v(4, 5), v(2, 3), v(1, 5), v(3, 4), v(4, 1), {Values: []float64{0, 0}, Violation: 1}})
	inf := math.Inf(1)
	want := []ranked{{2, inf}, {0, 2}, {0, inf}, {1, inf}, {0, inf}, {3, inf}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// Four in a row at 0, 1, 3, 6: the inner ones have 3/6 + 3/6 and 5/6 + 5/6.
	got = crowdedOrder([]Score{v(0, 6), v(1, 5), v(3, 3), v(6, 0)})
	if math.Abs(got[1].crowding-1) > 1e-12 || math.Abs(got[2].crowding-10.0/6) > 1e-12 {
		t.Errorf("%v", got)
	}
	for _, c := range []struct {
		a, b ranked
		want bool
	}{{ranked{0, 1}, ranked{1, 9}, true}, {ranked{1, 9}, ranked{0, 1}, false}, {ranked{0, 2}, ranked{0, 1}, true},
		{ranked{0, 1}, ranked{0, 1}, false}} {
		if got := c.a.compare(c.b) < 0; got != c.want {
			t.Errorf("%v before %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	// Survivors of a generation of six where four stay.
	s := &nsga2{n: 1, size: 4, space: cube(t, 1)}
	s.Tell([]Point{{0}, {0.1}, {0.2}, {0.3}, {0.4}, {0.5}}, []Score{v(4, 5), v(2, 3), v(1, 5), v(3, 4), v(4, 1),
		{Values: []float64{0, 0}, Violation: 1}}, 0)
	var stay []float64
	for _, p := range s.parents {
		stay = append(stay, p[0])
	}
	if !slices.Equal(stay, []float64{0.2, 0.4, 0.1, 0.3}) {
		t.Errorf("points %v stay, want 0.2, 0.4, 0.1 and 0.3", stay)
	}
}

// Simulated binary crossover keeps the parents' sum and spreads the children by beta,
// whose distribution (eta 15) has Pr(beta < b) = b^16 / 2 below 1 and 1 - b^-16 / 2
// above; one pair in ten and half of the other coordinates keep the parents' values, and half
// of the coordinates of the others change places. Within 5 standard
// errors of 6000 coordinates.
func TestSimulatedBinaryCrossover(t *testing.T) {
	s := &nsga2{n: 3}
	const pairs = 2000
	same, below, above, exchanged := 0, 0, 0, 0
	for i := range uint64(pairs) {
		a, b := Point{0.4, 0.45, 0.6}, Point{0.6, 0.5, 0.5}
		c, d := s.crossover(a, b, rng.NewKey(7, i))
		for k := range c {
			if math.Abs(c[k]+d[k]-a[k]-b[k]) > 1e-12 {
				t.Fatalf("children %v and %v of %v and %v", c, d, a, b)
			}
			beta := (c[k] - d[k]) / (a[k] - b[k])
			if beta < 0 {
				exchanged++
			}
			switch beta = math.Abs(beta); {
			case c[k] == a[k] || c[k] == b[k]:
				same++
			case beta < 0.95:
				below++
			case beta > 1.05:
				above++
			}
		}
	}
	tell := func(what string, got int, want float64) {
		n := 3.0 * pairs
		// A pair that stays has three coordinates at once: three times the variance.
		if se := math.Sqrt(3 * n * want * (1 - want)); math.Abs(float64(got)-n*want) > 5*se {
			t.Errorf("%s: %d of %.0f, want about %.0f", what, got, n, n*want)
		}
	}
	tell("unchanged", same, 0.1+0.9*0.5)
	tell("exchanged", exchanged, 0.45)
	tell("closer together", below, 0.45*math.Pow(0.95, 16)/2)
	tell("farther apart", above, 0.45*math.Pow(1.05, -16)/2)
}

// Polynomial mutation changes one coordinate in n by delta with Pr(|delta| > d) =
// (1 - d)^21, half of them down.
func TestPolynomialMutation(t *testing.T) {
	s := &nsga2{n: 4}
	changed, down, far := 0, 0, 0
	const points = 4000
	for i := range uint64(points) {
		for _, u := range s.mutate(Point{0.5, 0.5, 0.5, 0.5}, rng.NewKey(8, i)) {
			if u != 0.5 {
				changed++
				if u < 0.5 {
					down++
				}
				if math.Abs(u-0.5) > 0.05 {
					far++
				}
			}
		}
	}
	tell := func(what string, got, n int, want float64) {
		if math.Abs(float64(got)-float64(n)*want) > 5*math.Sqrt(float64(n)*want*(1-want)) {
			t.Errorf("%s: %d of %d, want about %.0f", what, got, n, float64(n)*want)
		}
	}
	tell("changed", changed, 4*points, 0.25)
	tell("down", down, changed, 0.5)
	tell("far", far, changed, math.Pow(0.95, 21))
}

// A binary tournament returns the better of two parents drawn: of ten the best with
// probability 1 - 0.9², the worst with 0.1².
func TestTournaments(t *testing.T) {
	s := &nsga2{n: 1, size: 10, space: cube(t, 1)}
	for i := range 10 {
		s.parents, s.best = append(s.parents, Point{float64(i) / 10}), append(s.best, ranked{front: i})
	}
	var won [10]int
	for i := range uint64(4000) {
		won[int(math.Round(10*s.tournament(rng.NewKey(9, i), 0)[0]))]++
	}
	for i, n := range won {
		k := float64(9 - i) // of 10 are worse
		want := 4000 * (math.Pow((k+1)/10, 2) - math.Pow(k/10, 2))
		if math.Abs(float64(n)-want) > 5*math.Sqrt(want) {
			t.Errorf("parent %d won %d times, want about %.0f", i, n, want)
		}
	}
	if kids := s.offspring(10); len(kids) != 10 {
		t.Errorf("%d children of 10 parents", len(kids))
	}
}

// The categories' probabilities by hand. Three choices, the current one the second: 1/4,
// 1/2, 1/4. A best point of the third with weight 0.7 and one of the first with 0.3 at
// rate 0.2 make them 0.26, 0.4 and 0.34; a margin of 0.3 raises to the cap 1/6 at most.
func TestCategoriesByHand(t *testing.T) {
	cuts := []float64{1.0 / 3, 2.0 / 3}
	c := newCategorical(1, cuts, 0.5)
	near := func(what string, got, want []float64) {
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%s: %v, want %v", what, got, want)
				return
			}
		}
	}
	near("at first", c.q, []float64{0.25, 0.5, 0.25})
	for u, want := range map[float64]float64{0: 1.0 / 6, 0.249: 1.0 / 6, 0.25: 0.5, 0.749: 0.5, 0.75: 5.0 / 6,
		0.999: 5.0 / 6} {
		if got := c.sample(u); math.Abs(got-want) > 1e-12 {
			t.Errorf("draw %v: %v, want %v", u, got, want)
		}
	}
	if c.mode() != 0.5 {
		t.Errorf("mode %v", c.mode())
	}
	points := []Point{{9, 0.1}, {9, 0.9}, {9, 0.5}}
	c.update(points, []int{1, 0, 2}, []float64{0.7, 0.3}, 0.2, 0.01)
	near("after", c.q, []float64{0.26, 0.4, 0.34})
	c.q = []float64{0.9, 0.08, 0.02}
	c.raise(0.05)
	// 0.05 each; of 0.88 that is above, 0.85 stays, in proportion.
	near("raised", c.q, []float64{0.05 + 0.85*0.85/0.88, 0.05 + 0.03*0.85/0.88, 0.05})
	c.q = []float64{1, 0, 0}
	c.raise(0.3)
	near("capped", c.q, []float64{2.0 / 3, 1.0 / 6, 1.0 / 6})
	for u, want := range map[float64]int{0: 0, 0.3: 0, 1.0 / 3: 1, 0.6: 1, 2.0 / 3: 2, 1: 2} {
		if got := c.cuts.cell(u); got != want {
			t.Errorf("cell of %v: %d, want %d", u, got, want)
		}
	}
	if one := newCategorical(0, nil, 0.2); one.q[0] != 1 || one.sample(0.9) != 0.5 || one.mode() != 0.5 {
		t.Errorf("a single choice: %v", one.q)
	}
}

// A library's method gets the score of the point that it asked: differential evolution
// that is strict never has a worse member than before, and the mutants are those of the
// generation before. All samplers of libraries improve on a slope.
func TestLibrariesSeeTheirScores(t *testing.T) {
	for _, name := range []string{"de", "pso", "ga"} {
		s, err := NewSampler(name, SamplerConfig{Space: cube(t, 3), Seed: 11})
		if err != nil {
			t.Fatal(err)
		}
		var first, last, best float64
		for g := range 30 {
			points := s.Ask()
			scores := make([]Score, len(points))
			mean := 0.0
			for i, p := range points {
				f := square(p[0]-0.4) + square(p[1]-0.3) + square(p[2]-0.6)
				scores[i] = Score{Values: []float64{f}}
				mean += f / float64(len(points))
				if g+i == 0 || f < best {
					best = f
				}
			}
			if g == 0 {
				first = mean
			}
			last = mean
			s.Tell(points, scores, 0)
		}
		if c, ok := s.(closer); ok {
			c.close()
		}
		limit := map[string]float64{"de": 0.6, "ga": 0.3}[name]
		if limit == 0 {
			limit = 1.2 // the library's own swarm and strategy hardly move
		}
		if name == "de" && best > 0.01*first { // it asks mutants around its members
			t.Errorf("de: best cost %.4f after 30 generations, mean of the first %.4f", best, first)
		}
		if last > limit*first {
			t.Errorf("%s: mean cost %.4f at first, %.4f after 30 generations (best %.4f)", name, first, last, best)
		}
	}
}
