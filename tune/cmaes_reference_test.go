package tune

import (
	"fmt"
	"math"
	"testing"

	"schedtune/internal/rng"

	"gonum.org/v1/gonum/mat"
)

// textbook is CMA-ES with the equations of Hansen's tutorial (arXiv:1604.00772) one
// by one, for n coordinates without cells: the second opinion on cmaes.go.
type textbook struct {
	n, gen       int
	mean, pc, ps []float64
	sigma        float64
	c            *mat.SymDense
}

func newTextbook(at []float64, sigma float64) *textbook {
	n := len(at)
	c := mat.NewSymDense(n, nil)
	for i := range n {
		c.SetSym(i, i, 1)
	}
	return &textbook{n: n, mean: append([]float64(nil), at...), pc: make([]float64, n), ps: make([]float64, n),
		sigma: sigma, c: c}
}

// root is C^{-1/2} as V diag(1/sqrt(lambda)) V', for the covariance of now.
func (b *textbook) root() *mat.Dense {
	var e mat.EigenSym
	if !e.Factorize(b.c, true) {
		panic("no eigenvalues")
	}
	var v, d, vd, out mat.Dense
	e.VectorsTo(&v)
	diag := mat.NewDiagDense(b.n, nil)
	for i, l := range e.Values(nil) {
		diag.SetDiag(i, 1/math.Sqrt(l))
	}
	d.CloneFrom(diag)
	vd.Mul(&v, &d)
	out.Mul(&vd, v.T())
	return &out
}

func times(m *mat.Dense, x []float64) []float64 {
	var y mat.VecDense
	y.MulVec(m, mat.NewVecDense(len(x), x))
	return y.RawVector().Data
}

// update is one generation of points, best first.
func (b *textbook) update(points [][]float64) {
	n, lambda := float64(b.n), float64(len(points))
	mu := len(points) / 2
	raw := make([]float64, len(points)) // eq. 49
	for i := range raw {
		raw[i] = math.Log((lambda+1)/2) - math.Log(float64(i+1))
	}
	part := func(w []float64) (sum, mueff float64) { // of table 1
		squares := 0.0
		for _, v := range w {
			sum += v
			squares += v * v
		}
		return math.Abs(sum), sum * sum / squares
	}
	pos, mueff := part(raw[:mu])
	neg, mueffNeg := part(raw[mu:])
	c1 := 2 / (math.Pow(n+1.3, 2) + mueff)                                   // eq. 57
	cmu := math.Min(1-c1, 2*(0.25+mueff+1/mueff-2)/(math.Pow(n+2, 2)+mueff)) // eq. 58
	cs := (mueff + 2) / (n + mueff + 5)                                      // eq. 55
	ds := 1 + 2*math.Max(0, math.Sqrt((mueff-1)/(n+1))-1) + cs               // eq. 55
	cc := (4 + mueff/n) / (n + 4 + 2*mueff/n)                                // eq. 56
	least := min(1+c1/cmu, 1+2*mueffNeg/(mueff+2), (1-c1-cmu)/(n*cmu))       // eq. 50 to 53
	expected := math.Sqrt(2) * math.Exp(lgamma((n+1)/2)-lgamma(n/2))         // E|N(0,I)|
	weight := func(i int) float64 {
		if i < mu {
			return raw[i] / pos
		}
		return raw[i] * least / neg
	}
	root := b.root()
	steps := make([][]float64, len(points))
	for k, p := range points { // no longer than arXiv:1110.4181, eq. 4, allows
		steps[k] = make([]float64, b.n)
		for i := range p {
			steps[k][i] = (p[i] - b.mean[i]) / b.sigma
		}
		if l := mat.Norm(mat.NewVecDense(b.n, times(root, steps[k])), 2); l > math.Sqrt(n)+2*n/(n+2) {
			for i := range steps[k] {
				steps[k][i] *= (math.Sqrt(n) + 2*n/(n+2)) / l
			}
		}
	}
	yw := make([]float64, b.n)
	for i := range mu {
		for j := range yw {
			yw[j] += weight(i) * steps[i][j]
		}
	}
	b.gen++
	norm := 0.0
	for j, v := range times(root, yw) {
		b.mean[j] = math.Max(0, math.Min(1, b.mean[j]+b.sigma*yw[j])) // eq. 42
		b.ps[j] = (1-cs)*b.ps[j] + math.Sqrt(cs*(2-cs)*mueff)*v       // eq. 43
		norm += b.ps[j] * b.ps[j]
	}
	norm = math.Sqrt(norm)
	h := 0.0
	if norm/math.Sqrt(1-math.Pow(1-cs, 2*float64(b.gen))) < (1.4+2/(n+1))*expected {
		h = 1
	}
	sum := 0.0
	for i := range points {
		sum += weight(i)
	}
	next := mat.NewSymDense(b.n, nil) // eq. 47
	for i := range b.n {
		b.pc[i] = (1-cc)*b.pc[i] + h*math.Sqrt(cc*(2-cc)*mueff)*yw[i] // eq. 45
	}
	for i := range b.n {
		for j := i; j < b.n; j++ {
			v := (1-c1-cmu*sum)*b.c.At(i, j) + c1*b.pc[i]*b.pc[j]
			for k, y := range steps {
				w := weight(k)
				if w < 0 { // eq. 46
					white := times(root, y)
					w *= n / mat.Dot(mat.NewVecDense(b.n, white), mat.NewVecDense(b.n, white))
				}
				v += cmu * w * y[i] * y[j]
			}
			next.SetSym(i, j, v)
		}
	}
	b.c = next
	b.sigma = math.Min(1, b.sigma*math.Exp(math.Min(1, cs/ds*(norm/expected-1)))) // eq. 44, a factor of e at most
}

func strategy(t testing.TB, c SamplerConfig) *cmaes {
	s, err := newCMAES(c)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*cmaes)
}

func lgamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

// The strategy follows the tutorial's equations: mean, step and covariance are those
// of the second opinion after every generation, for populations of the tutorial's size
// 4 + 3 ln n (the first ones 4 + 1.5 ln n) and of others, on a slope, where the step
// grows, in a narrow valley, where it shrinks, and where ranks are chance. The length
// that a step is compared with is the tutorial's approximation of E|N(0,I)|, which is
// within a thousandth from five coordinates on.
func TestCMAESFollowsTheTutorial(t *testing.T) {
	for name, cost := range map[string]func(p Point, k uint64) float64{
		"slope":  func(p Point, _ uint64) float64 { return p[0] + p[1]/2 },
		"valley": func(p Point, _ uint64) float64 { return math.Pow(p[0]-0.25, 2) + 900*math.Pow(p[1]-p[0], 2) },
		"chance": func(_ Point, k uint64) float64 { return rng.NewKey(9, k).Norm(0) },
	} {
		for _, c := range []struct {
			n, population, first, later int
		}{{5, 0, 6, 8}, {8, 0, 7, 10}, {6, 20, 20, 20}, {5, 70, 70, 70}, {5, 5, 5, 5}} {
			t.Run(fmt.Sprintf("%s/%d-%d", name, c.n, c.population), func(t *testing.T) {
				es := strategy(t, SamplerConfig{Space: cube(t, c.n), Seed: 5, Population: c.population})
				ref := newTextbook(es.belief(), startSigma)
				told := 0
				for g := range 25 {
					points := es.Ask()
					want := c.later
					if told < 5*c.n {
						want = c.first
					}
					if len(points) != want {
						t.Fatalf("generation %d of %d points, want %d", g, len(points), want)
					}
					scores := make([]Score, len(points))
					for k, p := range points {
						scores[k] = Score{Values: []float64{cost(p, uint64(told+k))}}
					}
					told += len(points)
					var ranked [][]float64
					for _, k := range order(scores) {
						ranked = append(ranked, points[k])
					}
					es.Tell(points, scores, 0)
					ref.update(ranked)
					if what := apart(es, ref); what != "" {
						t.Fatalf("generation %d: %s", g, what)
					}
				}
			})
		}
	}
}

// Restarts begin when every coordinate's deviation is below a thousandth, or the axes
// differ by more than 1e7, and not before eleven generations; each doubles the
// population and begins half-way to somewhere else.
func TestCMAESStartsAgain(t *testing.T) {
	fresh := func() *cmaes {
		return strategy(t, SamplerConfig{Space: cube(t, 4), Seed: 2, Population: 6})
	}
	s := fresh()
	s.gen, s.sigma = 11, 0.99e-3
	if !s.collapsed() {
		t.Error("deviations below a thousandth: not collapsed")
	}
	s.gen = 10
	if s.collapsed() {
		t.Error("collapsed after ten generations")
	}
	s.gen, s.a[2] = 20, 1.1
	if s.collapsed() {
		t.Error("one coordinate still moves: collapsed")
	}
	s = fresh()
	if s.d[3] = 0.9e-7; !s.collapsed() {
		t.Error("axes that differ by more than 1e7: not collapsed")
	}
	if s.d[3] = 1.1e-7; s.collapsed() {
		t.Error("axes that differ by less than 1e7: collapsed")
	}
	s = fresh()
	for k := range s.mean {
		s.mean[k] = 0.9
	}
	size := len(s.Ask())
	s.startAgain()
	if got := len(s.Ask()); got != 2*size {
		t.Errorf("%d points after a restart, %d before", got, size)
	}
	if s.sigma != startSigma {
		t.Errorf("begins again with step %v", s.sigma)
	}
	for k, v := range s.mean {
		if v < 0.45 || v > 0.95 || v == 0.9 {
			t.Errorf("coordinate %d begins again at %v, want half-way from 0.9 to a point of the cube", k, v)
		}
	}
	// Doublings end at 64 times.
	s.restart = 8
	if got := len(s.Ask()); got != 64*size {
		t.Errorf("%d points after 8 restarts, want %d", got, 64*size)
	}
}
