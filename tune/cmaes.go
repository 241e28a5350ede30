package tune

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"schedtune/internal/rng"
)

// CMA-ES after N. Hansen, "The CMA Evolution Strategy: A Tutorial",
// arXiv:1604.00772 (2016), section numbers below. With
//
//	x_k = m + sigma A B D z_k,   z_k ~ N(0, I),   C = B D² Bᵀ
//
// a generation is
//
//  1. sample lambda points (mirrored.go), reflect them into the cube, rank them
//     (eq. 38-40);
//  2. move the mean to the weighted mean of the better half (eq. 42);
//  3. update the path p_s and the step sigma (eq. 43, 44);
//  4. update the path p_c and C by rank one and rank mu, with the negative
//     weights of active CMA (eq. 45-47);
//  5. keep discrete coordinates mobile by the margin (margin.go), whose
//     diagonal A stands outside C;
//  6. restart with twice the population (Auger and Hansen, CEC 2005) from a
//     point between the best mean and a random one if the step has collapsed.
//
// What differs: the first mean is the current configuration; ranks come from
// one run per point on seeds shared by the generation, so noise common to all
// cancels; steps not drawn from the distribution are cut to a likely length; for the first youngPoints points per
// coordinate a generation has
// about two thirds of the usual population, because more and smaller generations
// get further at first (bench/tried.md); the reflected point, not the sample,
// enters the update, so the mean never leaves the cube.
type cmaes struct {
	cfg     SamplerConfig
	dims    []int // coordinates with an order
	n       int   // their number
	points  int   // told so far
	cats    []*categorical
	start   Point
	gen     int // generations of this restart
	asked   int // generations of all restarts
	restart int

	lambda, mu         int
	w                  []float64 // lambda recombination weights, negative beyond mu
	mueff              float64
	cs, ds, cc, c1, cm float64
	chiN               float64

	mean   []float64
	sigma  float64
	pc, ps []float64
	c      *mat.SymDense
	b      *mat.Dense // columns are the axes
	d      []float64  // lengths of the axes
	a      []float64  // margin's diagonal
	cuts   []cuts     // per ordered coordinate
}

var (
	_ Sampler = (*cmaes)(nil)
)

// startSigma is the first step, as a part of the range.
const startSigma = 0.3

func newCMAES(c SamplerConfig) (Sampler, error) {
	s := &cmaes{cfg: c, start: c.start()}
	for i := range c.Space.Dim() {
		if c.Space.Unordered(i) {
			s.cats = append(s.cats, newCategorical(i, c.Space.Cuts(i), s.start[i]))
			continue
		}
		s.dims = append(s.dims, i)
		s.cuts = append(s.cuts, c.Space.Cuts(i))
	}
	s.n = len(s.dims)
	s.begin(s.start, cmp.Or(c.Step, startSigma))
	return s, nil
}

// begin starts a run of the strategy at a point.
func (s *cmaes) begin(at Point, sigma float64) {
	n := s.n
	s.gen = 0
	s.sigma = sigma
	s.mean = make([]float64, n)
	s.pc, s.ps = make([]float64, n), make([]float64, n)
	s.d, s.a = make([]float64, n), make([]float64, n)
	for k, i := range s.dims {
		s.mean[k], s.d[k], s.a[k] = at[i], 1, 1
	}
	for _, c := range s.cats {
		*c = *newCategorical(c.coord, c.cuts, at[c.coord])
	}
	if n > 0 {
		s.c, s.b = mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
	}
	for i := range n {
		s.c.SetSym(i, i, 1)
		s.b.Set(i, i, 1)
	}
}

// setPopulation computes the next generation's lambda and the constants that
// follow from it (tutorial, table 1).
func (s *cmaes) setPopulation() {
	n := float64(s.n)
	more := 3.0
	if s.young() {
		more = 1.5
	}
	s.lambda = s.cfg.population(4+int(more*math.Log(float64(s.n+len(s.cats))))) << min(6, s.restart)
	s.lambda = max(4, s.lambda)
	s.mu = s.lambda / 2
	raw := make([]float64, s.lambda)
	for i := range raw {
		raw[i] = math.Log(float64(s.lambda+1)/2) - math.Log(float64(i+1))
	}
	pos, pos2 := sums(raw[:s.mu])
	neg, neg2 := sums(raw[s.mu:])
	s.mueff = pos * pos / pos2
	mueffNeg := neg * neg / neg2
	s.cs = (s.mueff + 2) / (n + s.mueff + 5)
	s.ds = 1 + 2*math.Max(0, math.Sqrt((s.mueff-1)/(n+1))-1) + s.cs
	s.cc = (4 + s.mueff/n) / (n + 4 + 2*s.mueff/n)
	s.c1 = 2 / ((n+1.3)*(n+1.3) + s.mueff)
	s.cm = math.Min(1-s.c1, 2*(0.25+s.mueff+1/s.mueff-2)/((n+2)*(n+2)+s.mueff))
	s.chiN = math.Sqrt(n) * (1 - 1/(4*n) + 1/(21*n*n))
	alpha := math.Min(1+s.c1/s.cm, 1+2*mueffNeg/(s.mueff+2))
	alpha = math.Min(alpha, (1-s.c1-s.cm)/(n*s.cm))
	s.w = raw
	for i := range s.w {
		if i < s.mu {
			s.w[i] /= pos
		} else {
			s.w[i] *= alpha / neg
		}
	}
}

// youngPoints is the number of points per coordinate that are measured before
// generations get their usual size.
const youngPoints = 5

func (s *cmaes) young() bool {
	return s.points < youngPoints*s.cfg.Space.Dim() && s.restart == 0
}

// sums returns the sum of absolute values and that of squares.
func sums(weights []float64) (sum, squares float64) {
	for _, v := range weights {
		sum += math.Abs(v)
		squares += v * v
	}
	return math.Max(sum, 1e-12), math.Max(squares, 1e-24)
}

// Ask implements Sampler.
func (s *cmaes) Ask() []Point {
	s.decompose()
	s.setPopulation()
	key := s.cfg.key().At(uint64(s.asked))
	out := s.draw(key)
	s.asked++
	return out
}

// draw samples a generation.
func (s *cmaes) draw(key rng.Key) []Point {
	out := make([]Point, s.lambda)
	steps := s.steps(key)
	for k := range out {
		p := make(Point, s.n+len(s.cats))
		for i, v := range steps[k] {
			p[s.dims[i]] = fold(s.mean[i] + s.sigma*s.a[i]*v)
		}
		for i, c := range s.cats {
			p[c.coord] = c.sample(key.At(uint64(k)).At(1).Float64(uint64(i)))
		}
		out[k] = p
	}
	return out
}

// decompose factors C into its axes.
func (s *cmaes) decompose() {
	if s.n == 0 {
		return
	}
	var e mat.EigenSym
	if !e.Factorize(s.c, true) {
		s.begin(s.belief(), s.sigma) // C has lost its meaning: start over from here
		return
	}
	e.VectorsTo(s.b)
	for i, v := range e.Values(nil) {
		s.d[i] = math.Sqrt(math.Max(v, 1e-14))
	}
}

// Tell implements Sampler.
func (s *cmaes) Tell(points []Point, scores []Score, _ int) {
	s.gen++
	s.points += len(points)
	rank := order(scores)
	total := float64(s.n + len(s.cats))
	for _, c := range s.cats {
		c.update(points, rank, s.w[:s.mu], s.mueff/(total+s.mueff), 1/(float64(s.lambda)*total))
	}
	if s.n == 0 {
		return
	}
	s.update(points, rank)
	s.applyMargin()
	if s.collapsed() {
		s.startAgain()
	}
}

// update is steps 2 to 4 for ranked points.
func (s *cmaes) update(points []Point, rank []int) {
	n := s.n
	steps := make([][]float64, len(rank)) // y_k = (x_k - m) / (sigma A)
	for r, k := range rank {
		steps[r] = make([]float64, n)
		for i := range n {
			steps[r][i] = (points[k][s.dims[i]] - s.mean[i]) / (s.sigma * s.a[i])
		}
		s.clip(steps[r])
	}
	yw := make([]float64, n)
	for r := range s.mu {
		floats.AddScaled(yw, s.w[r], steps[r])
	}
	for i := range n {
		s.mean[i] = math.Min(1, math.Max(0, s.mean[i]+s.sigma*s.a[i]*yw[i]))
	}
	norm := s.updatePaths(yw)
	s.updateC(steps)
	s.sigma *= math.Exp(math.Min(1, s.cs/s.ds*(norm/s.chiN-1)))
	s.sigma = math.Min(s.sigma, 1)
}

// clip bounds the length of a step that was not drawn from the distribution, after
// N. Hansen, "Injecting External Solutions Into CMA-ES", arXiv:1110.4181 (2011), eq. 4.
func (s *cmaes) clip(step []float64) {
	n := float64(s.n)
	white := s.whiten(step)
	if most := math.Sqrt(n) + 2*n/(n+2); dot(white, white) > most*most {
		floats.Scale(most/math.Sqrt(dot(white, white)), step)
	}
}

// updatePaths moves p_s and p_c and returns |p_s|.
func (s *cmaes) updatePaths(yw []float64) float64 {
	n := s.n
	white := s.whiten(yw)
	norm := 0.0
	for i := range n {
		s.ps[i] = (1-s.cs)*s.ps[i] + math.Sqrt(s.cs*(2-s.cs)*s.mueff)*white[i]
		norm += s.ps[i] * s.ps[i]
	}
	norm = math.Sqrt(norm)
	h := 0.0 // stall p_c while p_s is long
	if norm/math.Sqrt(1-math.Pow(1-s.cs, 2*float64(s.gen))) < (1.4+2/(float64(n)+1))*s.chiN {
		h = 1
	}
	for i := range n {
		s.pc[i] = (1-s.cc)*s.pc[i] + h*math.Sqrt(s.cc*(2-s.cc)*s.mueff)*yw[i]
	}
	return norm
}

// whiten returns C^{-1/2} y.
func (s *cmaes) whiten(y []float64) []float64 {
	n := s.n
	t := mat.NewVecDense(n, nil)
	t.MulVec(s.b.T(), mat.NewVecDense(n, y))
	for i := range n {
		t.SetVec(i, t.AtVec(i)/s.d[i])
	}
	out := mat.NewVecDense(n, nil)
	out.MulVec(s.b, t)
	return out.RawVector().Data
}

// updateC is the active rank-one and rank-mu update.
func (s *cmaes) updateC(steps [][]float64) {
	n := s.n
	sum := 0.0
	w := slices.Clone(s.w)
	for r := range w {
		sum += w[r]
		if w[r] < 0 {
			white := s.whiten(steps[r])
			w[r] *= float64(n) / math.Max(dot(white, white), 1e-12) // keeps C positive
		}
	}
	keep := 1 - s.c1 - s.cm*sum
	s.c.ScaleSym(keep, s.c)
	s.c.SymRankOne(s.c, s.c1, mat.NewVecDense(n, s.pc))
	for r := range steps {
		s.c.SymRankOne(s.c, s.cm*w[r], mat.NewVecDense(n, steps[r]))
	}
}

// belief is the mean with the likeliest choices.
func (s *cmaes) belief() Point {
	p := make(Point, len(s.start))
	for k, i := range s.dims {
		p[i] = s.mean[k]
	}
	for _, c := range s.cats {
		p[c.coord] = c.mode()
	}
	return p
}
