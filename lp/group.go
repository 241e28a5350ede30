package lp

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Merging machines. Averaging a solution over identical machines gives a
// solution, so n machines with equal columns of mu are one machine of capacity
// n; and a machine whose column is s times another's counts as s of it. Columns
// are compared by their ratios to their first rate above 0, which are equal for
// multiples; 4e-15 of difference is allowed for rates that were themselves
// rounded (3 times 0.1 is not 0.3). The certificate is computed from the rates
// as given, so that even this is accounted for.

// group is a set of merged machines; rates are those of its representative.
type group struct {
	first    int       // representative machine, the fastest
	members  []int32   // machines, ascending
	scale    []float64 // speed of each in relation to the representative, at most 1
	capacity float64   // sum of scale
}

// reduced is the program after classes and machines were set aside, merged and
// scaled. Its variables are x_ig, the part of group g given to class i, in
// machines / s_i; with l0 the smallest multiple that a class reaches on its best
// group, and rate_ig = mu_ig / (alpha_i l0),
//
//	sum over g of rate_ig / (s_i r_i) x_ig >= lambda' / r_i   (lambda = l0 lambda')
//	sum over i of x_ig / s_i <= capacity_g
//
// whatever the units. r_i is the largest rate of the class, so that coefficients
// are at most 1, but not above highRate; what is beyond goes into s_i, or the
// shares of classes that need very little would vanish in the tolerances.
type reduced struct {
	classes []int       // original numbers of the classes that arrive
	unit    []float64   // alpha_i l0
	rate    [][]float64 // mu_ig / unit_i for class, group; 0 where useless
	row     []float64   // r_i, 1 to highRate
	scale   []float64   // s_i, 1 or more
	groups  []group
}

const (
	// uselessRate is the rate below which a class gains nothing from a group
	// that rounding would not take away; each class has a group of rate 1.
	uselessRate = 1e-12
	// highRate is the rate from which a class's shares are scaled, not its row.
	highRate = 1e3
)

// reduce sets the program up; high takes the place of highRate.
func reduce(alpha []float64, mu [][]float64, merge bool, high float64) (*reduced, error) {
	r := &reduced{}
	least := math.Inf(1)
	for i, a := range alpha {
		if a == 0 {
			continue
		}
		s := slices.Max(mu[i])
		if s == 0 {
			return nil, &UnservableError{Class: i}
		}
		r.classes, r.unit = append(r.classes, i), append(r.unit, a)
		if math.IsInf(s/a, 1) {
			return nil, fmt.Errorf("lp: class %d arrives %v times per unit of time and is worked off at up to %v; use a "+
				"ratio below %.2g", i, a, s, math.MaxFloat64)
		}
		least = math.Min(least, s/a)
	}
	r.merge(mu, merge)
	r.rate = make([][]float64, len(r.classes))
	for k, i := range r.classes {
		r.unit[k] *= least
		top := slices.Max(mu[i]) / r.unit[k]
		if math.IsInf(top, 1) {
			return nil, fmt.Errorf("lp: class %d can be carried %.2g times as often as it arrives, another class only %.2g "+
				"times; use a ratio below %.2g", i, slices.Max(mu[i])/alpha[i], least, math.MaxFloat64)
		}
		r.row, r.scale = append(r.row, math.Min(top, high)), append(r.scale, math.Max(1, top/high))
		r.rate[k] = make([]float64, len(r.groups))
		for g := range r.groups {
			if v := mu[i][r.groups[g].first] / r.unit[k]; v >= uselessRate {
				r.rate[k][g] = v
			}
		}
	}
	return r, nil
}

// merge finds the groups, in order of their first machine; machines that serve
// no class are left out.
func (r *reduced) merge(mu [][]float64, merge bool) {
	m := len(mu[0])
	base := make([]float64, m) // first rate above 0
	hash := make([]uint64, m)
	for _, i := range r.classes {
		for j, v := range mu[i] {
			if base[j] == 0 {
				base[j] = v
			}
			if base[j] != 0 {
				v /= base[j]
			}
			h := hash[j] ^ (math.Float64bits(v)+1<<11)>>12 // equal within rounding
			hash[j] = (h ^ h>>29) * 0xbf58476d1ce4e5b9
		}
	}
	seen := make(map[uint64][]int) // groups by hash; read only by key, never ranged over
	for j := range m {
		if base[j] == 0 {
			continue
		}
		g := -1
		if merge {
			for _, c := range seen[hash[j]] {
				if r.proportional(mu, base, j, r.groups[c].first) {
					g = c
					break
				}
			}
		}
		if g < 0 {
			g = len(r.groups)
			r.groups = append(r.groups, group{first: j})
			seen[hash[j]] = append(seen[hash[j]], g)
		}
		p := &r.groups[g]
		s := base[j] / base[p.first]
		p.members, p.scale = append(p.members, int32(j)), append(p.scale, s)
	}
	for g := range r.groups {
		r.groups[g].measure()
	}
}

// measure makes the fastest member the representative.
func (p *group) measure() {
	top := slices.Max(p.scale)
	p.first = int(p.members[slices.Index(p.scale, top)])
	for k := range p.scale {
		p.scale[k] /= top
		p.capacity += p.scale[k]
	}
}

func (r *reduced) proportional(mu [][]float64, base []float64, j, k int) bool {
	for _, i := range r.classes {
		a, b := mu[i][j]/base[j], mu[i][k]/base[k]
		if math.Abs(a-b) > 4e-15*a {
			return false
		}
	}
	return true
}

// problem builds the merged program: variable 0 is lambda', then x_ig for
// class i and group g at 1 + i G + g.
func (r *reduced) problem() *Problem {
	f, g := len(r.classes), len(r.groups)
	n := 1 + f*g
	p := &Problem{RowLower: make([]float64, f+g), RowUpper: make([]float64, f+g),
		Cost: make([]float64, n), Start: make([]int32, n+1), Lower: make([]float64, n), Upper: make([]float64, n)}
	p.Cost[0], p.Upper[0] = 1, math.Inf(1)
	for i := range f {
		p.RowUpper[i] = math.Inf(1)
		p.Index, p.Value = append(p.Index, int32(i)), append(p.Value, -1/r.row[i])
	}
	p.Start[1] = int32(f)
	for j := range r.groups {
		p.RowLower[f+j], p.RowUpper[f+j] = math.Inf(-1), r.groups[j].capacity
	}
	for i := range f {
		for j := range g {
			k := 1 + i*g + j
			if v := r.rate[i][j]; v > 0 {
				p.Index, p.Value = append(p.Index, int32(i), int32(f+j)), append(p.Value, v/(r.scale[i]*r.row[i]), 1/r.scale[i])
				p.Upper[k] = math.Inf(1)
			}
			p.Start[k+1] = int32(len(p.Index))
		}
	}
	return p
}

// spread distributes the merged allocation x over f classes and m machines.
func (r *reduced) spread(x []float64, f, m int) [][]float64 {
	delta := make([][]float64, f)
	cells := make([]float64, f*m)
	for i := range delta {
		delta[i] = cells[i*m : (i+1)*m : (i+1)*m]
	}
	for g := range r.groups {
		r.greedy(delta, x, g)
	}
	return delta
}

// tiny is the part of lambda below which an allocation is rounding.
const tiny = 1e-11

// needs returns how much of group g class k gets, in machines.
func (r *reduced) needs(x []float64, k, g int) float64 {
	d := x[k*len(r.groups)+g] / r.scale[k]
	if d*r.rate[k][g] <= tiny {
		return 0
	}
	return d
}

// greedy fills one machine after the other, so that at most as many machines are shared by
// classes as in a basic solution of the whole program (classes - 1): first the classes that need least first:
// what rounding leaves over at the end is then taken from the largest.
func (r *reduced) greedy(delta [][]float64, x []float64, g int) {
	p := &r.groups[g]
	order := make([]int, 0, len(r.classes))
	for k := range r.classes {
		if r.needs(x, k, g) > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.needs(x, a, g), r.needs(x, b, g)) })
	at, room := 0, 1.0 // machine being filled and what is free of it
	for _, k := range order {
		need := r.needs(x, k, g)
		for left := need; left > 1e-12*need && at < len(p.members); {
			d := math.Min(room, left/p.scale[at])
			delta[r.classes[k]][p.members[at]] = d
			left -= d * p.scale[at]
			if room -= d; room <= 1e-12 {
				at, room = at+1, 1
			}
		}
	}
}

// work returns the dual w of the original classes, scaled to alpha w = 1, from
// the duals of the class rows.
func (r *reduced) work(dual, alpha []float64) []float64 {
	w, norm := make([]float64, len(alpha)), 0.0
	for k, i := range r.classes {
		w[i] = math.Max(-dual[k], 0) / (r.row[k] * r.unit[k])
		norm += alpha[i] * w[i]
	}
	if norm == 0 {
		return w
	}
	for i := range w {
		w[i] /= norm
	}
	return w
}
