package tune

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// units lists the free parts of a space in the order of their parameters.
func (s *Space) units() []unit {
	return slices.DeleteFunc(slices.Clone(s.axes), func(u unit) bool { return u.dim == 0 })
}

// changed reports whether settings differ from the current ones in a unit.
func (s *Space) changed(u unit, set Settings) bool {
	return slices.ContainsFunc(u.params, func(i int) bool { return set[i].Value != s.params[i].Present })
}

// revert returns the settings with some units back at their current values.
func (s *Space) revert(set Settings, us []unit) Settings {
	current := s.PresentSettings()
	for _, u := range us {
		set = s.replaced(set, u, func(i int) string { return current[i].Value })
	}
	return s.settled(set)
}

// replaced returns the settings with other values of a unit's parameters.
func (s *Space) replaced(set Settings, u unit, value func(param int) string) Settings {
	out := slices.Clone(set)
	for _, i := range u.params {
		out[i].Value = value(i)
	}
	return out
}

// settled returns the settings with ceilings that would fall below their share on it, and
// conditional parameters as their condition requires.
func (s *Space) settled(set Settings) Settings {
	out := slices.Clone(set)
	for _, u := range s.axes {
		if c, ok := u.axis.(*ceiling); ok {
			c.settle(out)
		}
	}
	s.settleConditions(out)
	return out
}

// moderateParts are the parts of the way from the current value that are tried, the most moderate first.
var moderateParts = []float64{0.25, 0.5, 0.75}

// moderated returns the settings with a unit moved part of the way to the current value
// on the search's scale, nearest to it first. Categories and special
// values have no way between.
func (s *Space) moderated(set Settings, u unit) []Settings {
	at, err := s.Encode(set)
	if err != nil || slices.ContainsFunc(u.params, func(i int) bool {
		p := &s.params[i]
		return p.Kind == Category || p.special(set[i].Value) || p.special(p.Present)
	}) {
		return nil
	}
	var out []Settings
	for _, part := range moderateParts {
		to := slices.Clone(at)
		for c := u.first; c < u.first+u.dim; c++ {
			to[c] = s.present[c] + part*(at[c]-s.present[c])
		}
		decoded := s.Decode(to)
		out = append(out, s.settled(s.replaced(set, u, func(i int) string { return decoded[i].Value })))
	}
	return out
}

// ladder returns the settings with round values of a unit in place of its own, those nearest to
// the current value first: the numbers of one digit between the current value and this one, this
// one included, or where there are none of two or three digits. Shares, whose sum is fixed, and
// users, which are 100/n, go in parts of the way; categories and special values have no way between.
func (s *Space) ladder(set Settings, u unit) []Settings {
	i := u.params[0]
	p := &s.params[i]
	if p.Kind == Users || p.Kind == Share {
		return s.moderated(set, u)
	}
	v, err1 := strconv.ParseFloat(set[i].Value, 64)
	current, err2 := strconv.ParseFloat(p.Present, 64)
	if err1 != nil || err2 != nil || p.Kind == Category || p.special(set[i].Value) || p.special(p.Present) {
		return nil
	}
	decade := func(x float64) int { return int(math.Floor(math.Log10(math.Abs(x)) + 1e-9)) }
	lo, hi := math.Min(v, current), math.Max(v, current)
	var out []Settings
	for digits := 0; digits < 3 && len(out) == 0 && v != current; digits++ {
		var values []float64
		first, last := decade(cmp.Or(v, current)), decade(cmp.Or(v, current))
		if v != 0 && current != 0 {
			first, last = min(first, decade(current)), max(last, decade(current))
		}
		for d := first; d <= last; d++ {
			step := math.Pow(10, float64(d-digits))
			for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step && k*step <= 10*math.Pow(10, float64(d)); k++ {
				x := rounded(k*step, 12)
				if x != current && (p.Kind == Ceiling || x >= p.Min && x <= p.Max) && !offGrid(x, p.Step) && decade(x) >= d {
					values = append(values, x)
				}
			}
		}
		slices.SortFunc(values, func(a, b float64) int { return cmp.Compare(math.Abs(a-current), math.Abs(b-current)) })
		for _, x := range slices.Compact(values) {
			out = append(out, s.settled(s.replaced(set, u, func(int) string { return formatNumber(x) })))
		}
	}
	return out
}

func (p *Param) special(value string) bool { return slices.Contains(p.Special, value) }

// offGrid reports whether a number is none of the grid that values are written
// on.
func offGrid(x, step float64) bool { return step > 0 && math.Abs(x/step-math.Round(x/step)) > 1e-9 }
