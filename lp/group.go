package lp

import "math"

// Merging machines. Averaging a solution over identical machines gives a
// solution, so n machines with equal columns of mu are one machine of capacity
// n; and a machine whose column is s times another's counts as s of it. Columns
// are compared by their ratios to their first rate above 0, which are equal for
// multiples; 4e-15 of difference is allowed for rates that were themselves
// rounded (3 times 0.1 is not 0.3). The certificate is computed from the rates
// as given, so that even this is accounted for.

// group is a set of merged machines; rates are those of its first machine.
type group struct {
	first    int       // representative machine
	members  []int32   // machines, ascending
	scale    []float64 // speed of each in relation to the representative
	capacity float64   // sum of scale
}

// reduced is the program after classes and machines were set aside, merged and
// scaled: alpha'_i = alpha_i / (s_i a), mu'_ij = mu_ij / s_i, with s_i the
// largest rate of the class and a the largest alpha_i / s_i.
type reduced struct {
	classes []int // original numbers of the classes that arrive
	alpha   []float64
	mu      [][]float64 // class, group
	unit    []float64   // s_i a: original w_i = w'_i / s_i up to a common factor
	groups  []group
}

func reduce(alpha []float64, mu [][]float64, merge bool) (*reduced, error) {
	r := &reduced{}
	top := 0.0
	for i, a := range alpha {
		if a == 0 {
			continue
		}
		s := 0.0
		for _, v := range mu[i] {
			s = math.Max(s, v)
		}
		if s == 0 {
			return nil, &UnservableError{Class: i}
		}
		r.classes = append(r.classes, i)
		r.alpha, r.unit = append(r.alpha, a/s), append(r.unit, s)
		top = math.Max(top, a/s)
	}
	for k := range r.alpha {
		r.alpha[k] /= top
	}
	r.merge(mu, merge)
	r.mu = make([][]float64, len(r.classes))
	for k, i := range r.classes {
		r.mu[k] = make([]float64, len(r.groups))
		for g := range r.groups {
			r.mu[k][g] = mu[i][r.groups[g].first] / r.unit[k]
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
		p.members, p.scale, p.capacity = append(p.members, int32(j)), append(p.scale, s), p.capacity+s
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
		Cost: make([]float64, n), Start: make([]int32, n+1)}
	p.Cost[0] = 1
	for i, a := range r.alpha {
		p.RowUpper[i] = math.Inf(1)
		p.Index, p.Value = append(p.Index, int32(i)), append(p.Value, -a)
	}
	p.Start[1] = int32(f)
	for j := range r.groups {
		p.RowLower[f+j], p.RowUpper[f+j] = math.Inf(-1), r.groups[j].capacity
	}
	for i := range f {
		for j := range g {
			if v := r.mu[i][j]; v > 0 {
				p.Index, p.Value = append(p.Index, int32(i), int32(f+j)), append(p.Value, v, 1)
			} else {
				p.Index, p.Value = append(p.Index, int32(f+j)), append(p.Value, 1)
			}
			p.Start[2+i*g+j] = int32(len(p.Index))
		}
	}
	return p
}

// spread distributes the merged allocation x over f classes and m machines.
func (r *reduced) spread(x []float64, split Split, f, m int) [][]float64 {
	delta := make([][]float64, f)
	cells := make([]float64, f*m)
	for i := range delta {
		delta[i] = cells[i*m : (i+1)*m : (i+1)*m]
	}
	for g := range r.groups {
		if split == Even {
			r.even(delta, x, g)
		} else {
			r.greedy(delta, x, g)
		}
	}
	return delta
}

// tiny is the share below which an allocation is rounding.
const tiny = 1e-11

func (r *reduced) even(delta [][]float64, x []float64, g int) {
	p := &r.groups[g]
	for k, i := range r.classes {
		d := x[k*len(r.groups)+g] / p.capacity
		if d <= tiny {
			continue
		}
		for _, j := range p.members {
			delta[i][j] = math.Min(d, 1)
		}
	}
}

func (r *reduced) greedy(delta [][]float64, x []float64, g int) {
	p := &r.groups[g]
	at, room := 0, 1.0 // machine being filled and what is free of it
	for k, i := range r.classes {
		left := x[k*len(r.groups)+g]
		for left > tiny*p.capacity && at < len(p.members) {
			d := math.Min(room, left/p.scale[at])
			if d > tiny {
				delta[i][p.members[at]] = d
			}
			left -= d * p.scale[at]
			if room -= d; room <= tiny {
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
		w[i] = math.Max(-dual[k], 0) / r.unit[k]
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
