package lp

import "math"

// blandAfter is how many steps without progress are made before Bland's rule.
const blandAfter = 2000

// price returns the entering variable and its reduced cost, -1 at the optimum:
// the best of a section of the columns, or the next section that has one.
func (t *tableau) price(phase1 bool) (q int, d float64) {
	if t.idle > blandAfter {
		return t.priceRange(0, t.n+t.m, phase1, true)
	}
	total := t.n + t.m
	size := max(total/8, 500)
	for seen := 0; seen < total; seen += size {
		from := t.section
		to := min(from+size, total)
		if t.section = to; to == total {
			t.section = 0
		}
		if q, d = t.priceRange(from, to, phase1, false); q >= 0 {
			return q, d
		}
	}
	return -1, 0
}

// priceRange looks at the variables from <= v < to; first stops at the first
// that improves.
func (t *tableau) priceRange(from, to int, phase1, first bool) (q int, best float64) {
	q = -1
	top := t.tol
	for v := from; v < to; v++ {
		w := t.where[v]
		if w == basic || t.lo[v] == t.up[v] {
			continue
		}
		d := t.reduced(v, phase1)
		gain := math.Abs(d)
		if gain <= top || (w == atLower && d > 0) || (w == atUpper && d < 0) {
			continue
		}
		q, best, top = v, d, gain
		if first {
			break
		}
	}
	return q, best
}

// reduced returns c_v - y a_v.
func (t *tableau) reduced(v int, phase1 bool) float64 {
	if v >= t.n {
		return t.y[v-t.n]
	}
	d := 0.0
	if !phase1 {
		d = -t.p.Cost[v]
	}
	for k := t.p.Start[v]; k < t.p.Start[v+1]; k++ {
		d -= t.y[t.p.Index[k]] * t.p.Value[k]
	}
	return d
}

// ratio finds how far the entering variable q can move in direction dir: the
// step, the position that blocks (-1: q's own other bound) and whether the
// blocking variable goes to its upper bound. First pass: the largest step with
// bounds relaxed by the tolerance; second pass: the largest pivot within it.
func (t *tableau) ratio(q int, dir float64, phase1 bool) (pos int, step float64, toUpper bool) {
	reach := math.Inf(1)
	for i, a := range t.alpha {
		if math.Abs(a) <= 1e-9 {
			continue
		}
		if room, _ := t.room(i, -dir*a, phase1); !math.IsInf(room, 1) {
			reach = math.Min(reach, (room+t.tol)/math.Abs(a))
		}
	}
	pos, step = -1, math.Inf(1)
	top, bland := 0.0, t.idle > blandAfter
	for i, a := range t.alpha {
		if math.Abs(a) <= 1e-9 {
			continue
		}
		room, up := t.room(i, -dir*a, phase1)
		r := math.Max(room, 0) / math.Abs(a)
		if math.IsInf(room, 1) || r > reach {
			continue
		}
		better := math.Abs(a) > top
		if bland {
			better = pos < 0 || r < step-1e-12 || (r <= step+1e-12 && t.basis[i] < t.basis[pos])
		}
		if better {
			pos, step, toUpper, top = i, r, up, math.Abs(a)
		}
	}
	if own := t.up[q] - t.lo[q]; own <= step {
		return -1, own, dir > 0
	}
	return pos, step, toUpper
}

// room returns how far the basic variable at position i may move in the
// direction of rate before it blocks, and whether at its upper bound. In phase
// 1 a variable outside a bound blocks only when it comes back to that bound.
func (t *tableau) room(i int, rate float64, phase1 bool) (float64, bool) {
	v := t.basis[i]
	x, lo, up := t.x[v], t.lo[v], t.up[v]
	if phase1 {
		tol := t.feasTol(int(v))
		if x < lo-tol {
			if rate > 0 {
				return lo - x, false
			}
			return math.Inf(1), false
		}
		if x > up+tol {
			if rate < 0 {
				return x - up, true
			}
			return math.Inf(1), false
		}
	}
	if rate > 0 {
		return up - x, true
	}
	return x - lo, false
}
