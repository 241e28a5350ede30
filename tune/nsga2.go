package tune

import (
	"math"
	"sort"

	"schedtune/internal/rng"
)

// NSGA-II after K. Deb, A. Pratap, S. Agarwal and T. Meyarivan, "A Fast and
// Elitist Multiobjective Genetic Algorithm: NSGA-II", IEEE Trans. Evolutionary
// Computation 6 (2002): constrained non-dominated sorting, crowding distance,
// binary tournaments, simulated binary crossover (eta 15, rate 0.9) and
// polynomial mutation (eta 20, rate 1/n).
//
// What differs, for noise: parents are measured again together with their
// offspring on the generation's common seeds, so a lucky parent does not
// survive on its luck; a generation is therefore twice the population.
type nsga2 struct {
	n, size int
	key     rng.Key
	gen     uint64
	parents []Point
	asked   []Point
	best    []ranked // parents in the order of survival
}

// ranked is a parent's place.
type ranked struct {
	front    int
	crowding float64
}

var _ Sampler = (*nsga2)(nil)

func newNSGA2(c SamplerConfig) (Sampler, error) {
	s := &nsga2{n: c.Space.Dim(), size: max(4, c.population(24)) / 2 * 2, key: c.key()}
	s.asked = []Point{c.start()}
	for k := 1; k < s.size; k++ {
		s.asked = append(s.asked, uniformPoint(c.key().At(0).At(uint64(k)), s.n))
	}
	return s, nil
}

// Ask implements Sampler.
func (s *nsga2) Ask() []Point {
	if s.gen > 0 {
		s.asked = append(append([]Point(nil), s.parents...), s.offspring()...)
	}
	s.gen++
	return s.asked
}

// Tell implements Sampler: survivors of parents and offspring.
func (s *nsga2) Tell(points []Point, scores []Score) {
	place := crowdedOrder(scores)
	idx := make([]int, len(points))
	for i := range idx {
		idx[i] = i
	}
	sort.SliceStable(idx, func(a, b int) bool { return place[idx[a]].before(place[idx[b]]) })
	s.parents, s.best = nil, nil
	for _, i := range idx[:min(s.size, len(idx))] {
		s.parents = append(s.parents, points[i])
		s.best = append(s.best, place[i])
	}
}

func (r ranked) before(o ranked) bool {
	if r.front != o.front {
		return r.front < o.front
	}
	return r.crowding > o.crowding
}

// crowdedOrder gives every score its front and crowding distance.
func crowdedOrder(scores []Score) []ranked {
	out := make([]ranked, len(scores))
	left := make([]int, len(scores))
	for i := range left {
		left[i] = i
	}
	for f := 0; len(left) > 0; f++ {
		var front, rest []int
		for _, i := range left {
			if dominatedBy(scores, i, left) {
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

func dominatedBy(scores []Score, i int, among []int) bool {
	for _, j := range among {
		if scores[j].Dominates(scores[i]) {
			return true
		}
	}
	return false
}

// crowd sets the crowding distances within a front.
func crowd(scores []Score, front []int, out []ranked) {
	for k := range scores[front[0]].Values {
		v := func(a int) float64 { return scores[front[a]].Values[k] }
		sort.SliceStable(front, func(a, b int) bool { return v(a) < v(b) })
		last := len(front) - 1
		span := v(last) - v(0)
		out[front[0]].crowding, out[front[last]].crowding = math.Inf(1), math.Inf(1)
		for a := 1; a < last && span > 0; a++ {
			out[front[a]].crowding += (v(a+1) - v(a-1)) / span
		}
	}
}

// offspring breeds as many children as there are parents.
func (s *nsga2) offspring() []Point {
	var out []Point
	for k := 0; k < s.size; k += 2 {
		key := s.key.At(s.gen).At(uint64(k))
		a, b := s.tournament(key, 0), s.tournament(key, 2)
		c, d := s.crossover(a, b, key.At(1))
		out = append(out, s.mutate(c, key.At(2)), s.mutate(d, key.At(3)))
	}
	return out
}

func (s *nsga2) tournament(k rng.Key, draw uint64) Point {
	i, j := k.IntN(draw, len(s.parents)), k.IntN(draw+1, len(s.parents))
	if s.best[j].before(s.best[i]) {
		i = j
	}
	return s.parents[i]
}

// crossover is simulated binary crossover.
func (s *nsga2) crossover(a, b Point, k rng.Key) (Point, Point) {
	c, d := append(Point(nil), a...), append(Point(nil), b...)
	if k.Float64(0) > 0.9 {
		return c, d
	}
	for i := range c {
		if k.Float64(uint64(2*i+1)) < 0.5 {
			continue
		}
		u := k.Open(uint64(2*i + 2))
		beta := math.Pow(2*u, 1.0/16)
		if u > 0.5 {
			beta = math.Pow(1/(2*(1-u)), 1.0/16)
		}
		c[i] = fold(((1+beta)*a[i] + (1-beta)*b[i]) / 2)
		d[i] = fold(((1-beta)*a[i] + (1+beta)*b[i]) / 2)
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
