package tune

import (
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

// simplified returns the settings with a unit's number cut to one digit, then to
// two, where that lies between the current value and this one. Shares, whose
// sum is fixed, and users, which are 100/n, stay as they are.
func (s *Space) simplified(set Settings, u unit) []Settings {
	if len(u.params) == 0 {
		return nil
	}
	i := u.params[0]
	p := &s.params[i]
	if p.Kind == Users || p.Kind == Category || p.Kind == Share {
		return nil
	}
	v, err1 := strconv.ParseFloat(set[i].Value, 64)
	current, err2 := strconv.ParseFloat(p.Present, 64)
	if err1 != nil || err2 != nil || p.special(set[i].Value) || v == 0 {
		return nil
	}
	var out []Settings
	for digits := 1; digits <= 2; digits++ {
		step := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-float64(digits-1))
		x := math.Floor(v/step+1e-9) * step
		if v < current {
			x = math.Ceil(v/step-1e-9) * step
		}
		x = rounded(x, digits+1)
		if x == v || (x-current)*(v-current) <= 0 || p.Kind != Ceiling && (x < p.Min || x > p.Max) || offGrid(x, p.Step) {
			continue
		}
		out = append(out, s.settled(s.replaced(set, u, func(int) string { return formatNumber(x) })))
	}
	return out
}

func (p *Param) special(value string) bool { return slices.Contains(p.Special, value) }

// offGrid reports whether a number is none of the grid that values are written
// on.
func offGrid(x, step float64) bool { return step > 0 && math.Abs(x/step-math.Round(x/step)) > 1e-9 }
