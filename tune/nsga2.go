package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/parallel"
	"schedtune/internal/rng"
)

// NSGA-II after K. Deb, A. Pratap, S. Agarwal and T. Meyarivan, "A Fast and
// Elitist Multiobjective Genetic Algorithm: NSGA-II", IEEE Trans. Evolutionary
// Computation 6 (2002): constrained non-dominated sorting, crowding distance,
// binary tournaments, simulated binary crossover (eta 15, rate 0.9) and
// polynomial mutation (eta 20, rate 1/n).
//
// What differs: parents are asked again together with their offspring, to be compared
// on common seeds; where those are the seeds of the generation before, that costs no
// run (generations.go). No settings are in a population twice. The first generation is the
// start, SamplerConfig.First and random points. There may be fewer children than parents,
// and models choose most of them (nsga2model.go).
type nsga2 struct {
	n, size  int
	children int // of a generation
	space    *Space
	key      rng.Key
	gen      uint64
	parents  []Point
	asked    []Point
	best     []ranked                     // parents in the order of survival
	costs    func() func(Point) []float64 // the model; may be nil
	threads  int
}

// ranked is a parent's place.
type ranked struct {
	front    int
	crowding float64
}

var _ Sampler = (*nsga2)(nil)

func newNSGA2(c SamplerConfig) (Sampler, error) {
	s := &nsga2{n: c.Space.Dim(), space: c.Space, size: max(4, c.population(24)) / 2 * 2, key: c.key(),
		costs: c.costs, threads: c.threads}
	s.children = cmp.Or(c.Children, s.size)
	s.asked = append([]Point{c.start()}, c.First...)
	s.asked = s.asked[:min(len(s.asked), s.size)]
	for k := len(s.asked); k < s.size; k++ {
		s.asked = append(s.asked, uniformPoint(c.key().At(0).At(uint64(k)), s.n))
	}
	return s, nil
}

// Ask implements Sampler.
func (s *nsga2) Ask() []Point {
	if s.gen > 0 {
		s.asked = slices.Concat(s.parents, s.brood())
	}
	s.gen++
	return s.asked
}

// brood are the children of a generation, most of them chosen by the models.
func (s *nsga2) brood() []Point {
	key := s.key.At(purposeModel).At(s.gen)
	var m frontModel
	if s.costs != nil {
		m = s.costs()
	}
	if m == nil {
		return s.offspring(s.children)
	}
	draws := s.offspring(frontDraws * s.children)
	bred := s.children - int(math.Round(frontChosen*float64(s.children)))
	out, rest := draws[:bred:bred], draws[bred:]
	ends := make([]Point, min(frontSearches, s.children-bred))
	parallel.Each(s.threads, len(ends), func(i int) {
		ends[i] = m.search(s.parents, s.space.Present(), key.At(uint64(i)))
	})
	rest = append(rest, ends...)
	seen := map[string]bool{}
	s.unseen(seen, s.parents)
	s.unseen(seen, out)
	return append(out, m.choose(s.children-bred, s.unseen(seen, rest), s.parents, s.threads)...)
}

// unseen returns the points whose settings have not been seen, and adds them to the seen.
func (s *nsga2) unseen(seen map[string]bool, points []Point) []Point {
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool {
		name := s.settings(p)
		was := seen[name]
		seen[name] = true
		return was
	})
}

// Tell implements Sampler: survivors of parents and offspring.
func (s *nsga2) Tell(points []Point, scores []Score, _ int) {
	names := mapped(points, s.settings)
	place := crowdedOrder(scores)
	s.parents, s.best = nil, nil
	seen := map[string]bool{}
	for _, i := range placeOrder(place) {
		if k := names[i]; len(s.parents) < s.size && !seen[k] {
			seen[k] = true
			s.parents = append(s.parents, points[i])
			s.best = append(s.best, place[i])
		}
	}
}

// settings is equal for points of the same settings, one of which is enough.
func (s *nsga2) settings(p Point) string { return s.space.Decode(p).Key() }

// placeOrder gives the numbers of places, the best first.
func placeOrder(place []ranked) []int {
	return sortedIndices(len(place), func(a, b int) int { return place[a].compare(place[b]) })
}

// compare orders places, the better one first.
func (r ranked) compare(o ranked) int {
	return cmp.Or(cmp.Compare(r.front, o.front), cmp.Compare(o.crowding, r.crowding))
}

// crowdedOrder gives every score its front and crowding distance.
func crowdedOrder(scores []Score) []ranked {
	out := make([]ranked, len(scores))
	left := indices(len(scores))
	for f := 0; len(left) > 0; f++ {
		var front, rest []int
		for _, i := range left {
			if slices.ContainsFunc(left, func(j int) bool { return scores[j].Dominates(scores[i]) }) {
				rest = append(rest, i)
			} else {
				front = append(front, i)
				out[i].front = f
			}
		}
		crowd(scores, front, out)
		left = rest
	}
	return out
}

// crowd sets the crowding distances within a front.
func crowd(scores []Score, front []int, out []ranked) {
	for k := range scores[front[0]].Values {
		v := func(a int) float64 { return scores[front[a]].Values[k] }
		slices.SortStableFunc(front, func(i, j int) int { return cmp.Compare(scores[i].Values[k], scores[j].Values[k]) })
		last := len(front) - 1
		span := v(last) - v(0)
		out[front[0]].crowding, out[front[last]].crowding = math.Inf(1), math.Inf(1)
		for a := 1; a < last && span > 0; a++ {
			out[front[a]].crowding += (v(a+1) - v(a-1)) / span
		}
	}
}

// offspring breeds n children.
func (s *nsga2) offspring(n int) []Point {
	var out []Point
	seen := map[string]bool{}
	s.unseen(seen, s.parents)
	for k := 0; len(out) < n; k++ {
		key := s.key.At(s.gen).At(uint64(k))
		a, b := s.tournament(key, 0), s.tournament(key, 2)
		c, d := s.crossover(a, b, key.At(1))
		for _, p := range []Point{s.mutate(c, key.At(2)), s.mutate(d, key.At(3))} {
			// Where hardly anything new is left, a child may repeat another.
			if name := s.settings(p); len(out) < n && (!seen[name] || k > 10*n) {
				seen[name] = true
				out = append(out, p)
			}
		}
	}
	return out
}

func (s *nsga2) tournament(k rng.Key, draw uint64) Point {
	i, j := k.IntN(draw, len(s.parents)), k.IntN(draw+1, len(s.parents))
	if s.best[j].compare(s.best[i]) < 0 {
		i = j
	}
	return s.parents[i]
}

// crossover is simulated binary crossover; the children exchange half of the
// coordinates, as in the authors' program.
func (s *nsga2) crossover(a, b Point, k rng.Key) (Point, Point) {
	c, d := append(Point(nil), a...), append(Point(nil), b...)
	if k.Float64(0) > 0.9 {
		return c, d
	}
	for i := range c {
		if k.At(1).Float64(uint64(i)) < 0.5 {
			c[i], d[i] = d[i], c[i]
		}
		if k.Float64(uint64(2*i+1)) < 0.5 {
			continue
		}
		u := k.Open(uint64(2*i + 2))
		beta := math.Pow(2*u, 1.0/16)
		if u > 0.5 {
			beta = math.Pow(1/(2*(1-u)), 1.0/16)
		}
		x, y := c[i], d[i]
		c[i] = fold(((1+beta)*x + (1-beta)*y) / 2)
		d[i] = fold(((1-beta)*x + (1+beta)*y) / 2)
	}
	return c, d
}

// mutate is polynomial mutation.
func (s *nsga2) mutate(p Point, k rng.Key) Point {
	for i := range p {
		if k.Float64(uint64(2*i)) > 1/float64(s.n) {
			continue
		}
		u := k.Open(uint64(2*i + 1))
		delta := math.Pow(2*u, 1.0/21) - 1
		if u > 0.5 {
			delta = 1 - math.Pow(2*(1-u), 1.0/21)
		}
		p[i] = fold(p[i] + delta)
	}
	return p
}
