package tune

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"schedtune/internal/rng"
)

func mustSpace(t testing.TB, ps ...Param) *Space {
	t.Helper()
	s, err := NewSpace(ps...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cube is a space of d linear parameters whose present lies at 0.2.
func cube(t testing.TB, d int) *Space {
	var ps []Param
	for i := range d {
		ps = append(ps, Param{Name: fmt.Sprint("x", i), Max: 1, Present: "0.2"})
	}
	return mustSpace(t, ps...)
}

// drive runs generations of a sampler on f until n points were asked, and
// returns the best value and the number of points.
func drive(s Sampler, n int, f func(Point) Score) (best float64, asked int) {
	best = math.Inf(1)
	for asked < n {
		ps := s.Ask()
		scores := make([]Score, len(ps))
		for i, p := range ps {
			scores[i] = f(p)
			if !scores[i].Failed && scores[i].Violation == 0 {
				best = math.Min(best, scores[i].Values[0])
			}
		}
		s.Tell(ps, scores, 0)
		asked += len(ps)
	}
	if c, ok := s.(closer); ok {
		c.close()
	}
	return best, asked
}

// Every sampler stays in the cube, survives failures and infinite violations,
// and is a pure function of its configuration and what it was given.
func TestSamplersBehave(t *testing.T) {
	mixed := mustSpace(t,
		Param{Name: "a", Kind: Share, Group: "r", Present: "30", Min: 1},
		Param{Name: "b", Kind: Share, Group: "r", Present: "70", Min: 1},
		Param{Name: "n", Kind: Integer, Min: 0, Max: 3, Present: "1"},
		Param{Name: "c", Kind: Category, Choices: []string{"x", "y"}, Present: "x"},
	)
	only := mustSpace(t, Param{Name: "c", Kind: Category, Choices: []string{"x", "y", "z"}, Present: "x"})
	for _, info := range Samplers() {
		for name, sp := range map[string]*Space{"mixed": mixed, "one category": only, "ten": cube(t, 10)} {
			t.Run(info.Name+"/"+name, func(t *testing.T) {
				var first []string
				for range 2 {
					s, err := NewSampler(info.Name, SamplerConfig{Space: sp, Seed: uint64(rng.NewKey(1, 2))})
					if err != nil {
						t.Fatal(err)
					}
					var all []string
					n := 0
					drive(s, 400, func(p Point) Score {
						n++
						for _, u := range p {
							if !(u >= 0 && u <= 1) {
								t.Fatalf("coordinate %v", u)
							}
						}
						if len(p) != sp.Dim() {
							t.Fatalf("%d coordinates, want %d", len(p), sp.Dim())
						}
						all = append(all, fmt.Sprint(p))
						switch n % 7 {
						case 0:
							return Score{Values: []float64{0}, Failed: true}
						case 1:
							return Score{Values: []float64{1}, Violation: math.Inf(1)}
						}
						return Score{Values: []float64{p[0]}}
					})
					if first != nil && strings.Join(first, "") != strings.Join(all, "") {
						t.Error("two runs with one key differ")
					}
					first = all
				}
			})
		}
	}
}

func TestSamplerNames(t *testing.T) {
	_, err := NewSampler("annealing", SamplerConfig{Space: cube(t, 2)})
	if err == nil || !strings.Contains(err.Error(), "cmaes, ga, de, pso, random, sobol, nsga2") {
		t.Errorf("%v", err)
	}
	if _, err := NewSampler("cmaes", SamplerConfig{Space: cube(t, 2), Objectives: 2}); err == nil {
		t.Error("cmaes must refuse two objectives")
	}
}

// Without noise CMA-ES converges linearly. The tutorial's default strategy
// needs about 10 n evaluations per factor of 10 in f on the sphere and, once C
// is learnt (about 10 n² evaluations), the same on an ellipsoid: from f of
// about 1 to where it begins again, 1e-5 and 1e-3, in ten dimensions 500 and 1300. Twice that is allowed.
func TestCMAESConverges(t *testing.T) {
	sp := cube(t, 10)
	for name, c := range map[string]struct {
		cond, want float64
		n          int
	}{"sphere": {1, 1e-5, 1000}, "ellipsoid": {1e4, 1e-3, 2600}} {
		s, err := NewSampler("cmaes", SamplerConfig{Space: sp, Seed: uint64(rng.NewKey(7, 1))})
		if err != nil {
			t.Fatal(err)
		}
		best, _ := drive(s, c.n, func(p Point) Score {
			f := 0.0
			for i, u := range p {
				f += math.Pow(c.cond, float64(i)/9) * (u - 0.6) * (u - 0.6)
			}
			return Score{Values: []float64{f}}
		})
		if best > c.want {
			t.Errorf("%s: %v after %d evaluations, want %v", name, best, c.n, c.want)
		}
	}
}

// A generation's steps come in mirrored pairs; those of different pairs are
// orthogonal, and their squared lengths keep the mean n of a standard normal
// vector (standard error sqrt(2 n / pairs)).
func TestMirroredOrthogonalSamples(t *testing.T) {
	const n = 12
	s, err := NewSampler("cmaes", SamplerConfig{Space: cube(t, n), Population: 16})
	if err != nil {
		t.Fatal(err)
	}
	c := s.(*cmaes)
	sum, pairs := 0.0, 0.0
	for g := range uint64(200) {
		steps := c.steps(rng.NewKey(1, g))
		for k := 0; k < len(steps); k += 2 {
			for i := range steps[k] {
				if steps[k][i] != -steps[k+1][i] {
					t.Fatal("not mirrored")
				}
			}
			for j := range k / 2 {
				if d := dot(steps[k], steps[2*j]); math.Abs(d) > 1e-9 {
					t.Fatalf("pairs %d and %d: product %v", k/2, j, d)
				}
			}
			sum += dot(steps[k], steps[k])
			pairs++
		}
	}
	if m := sum / pairs; math.Abs(m-n) > 5*math.Sqrt(2*n/pairs) {
		t.Errorf("mean squared length %v, want %d", m, n)
	}
}

// A monotone transformation of the objective changes no rank and hence no
// point. The model that chooses among draws sees numbers and is off.
func TestCMAESSeesRanksOnly(t *testing.T) {
	sp := cube(t, 5)
	var traces [2]string
	for k, g := range []func(float64) float64{func(v float64) float64 { return v }, math.Exp} {
		s := strategy(t, SamplerConfig{Space: sp, Seed: uint64(rng.NewKey(1, 1))})
		drive(s, 300, func(p Point) Score {
			traces[k] += fmt.Sprint(p)
			return Score{Values: []float64{g(sum2(p))}}
		})
	}
	if traces[0] != traces[1] {
		t.Error("exp of the objective led to other points")
	}
}

func sum2(p Point) float64 {
	s := 0.0
	for i, u := range p {
		s += (u - 0.1*float64(i)) * (u - 0.1*float64(i))
	}
	return s
}

// NSGA-II on f1 = x², f2 = (x-1)² plus a penalty in the other coordinates: the
// Pareto set is the segment of x with the others at 0.5, and dominates 5/6 of the unit
// square. 24 points of it come to some 2 % less.
func TestNSGA2FindsTheFront(t *testing.T) {
	sp := cube(t, 4)
	s, err := NewSampler("nsga2", SamplerConfig{Space: sp, Seed: uint64(rng.NewKey(1, 1)), Objectives: 2})
	if err != nil {
		t.Fatal(err)
	}
	value := func(p Point) []float64 {
		pen := 0.0
		for _, u := range p[1:] {
			pen += (u - 0.5) * (u - 0.5)
		}
		return []float64{p[0]*p[0] + pen, (p[0]-1)*(p[0]-1) + pen}
	}
	for range 60 {
		last := s.Ask()
		scores := make([]Score, len(last))
		for i, p := range last {
			scores[i] = Score{Values: value(p)}
		}
		s.Tell(last, scores, 0)
	}
	lo, hi := 1.0, 0.0
	front := [][]float64{{0, 1}, {1, 0}} // so that the box is the unit square
	for _, p := range s.(*nsga2).parents {
		lo, hi = math.Min(lo, p[0]), math.Max(hi, p[0])
		front = append(front, value(p))
	}
	area := hypervolume(front, []float64{1, 1})
	t.Logf("from %.3f to %.3f, area %.4f", lo, hi, area)
	if lo > 0.1 || hi < 0.9 || area < 0.95*5.0/6 {
		t.Errorf("front from %v to %v, area %v", lo, hi, area)
	}
}
