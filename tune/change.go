package tune

import "strconv"

// unit is what changes together: one parameter, or the shares of one parent.
type unit struct {
	name   string
	params []int
	coords []int
}

// units lists the free parts of a space in the order of their parameters.
func (s *Space) units() []unit {
	var out []unit
	seen := map[int]bool{}
	for k, c := range s.coords {
		if c.param >= 0 {
			out = append(out, unit{s.params[c.param].Name, s.withTied(c.param), []int{k}})
			continue
		}
		if g := s.groups[c.group]; !seen[c.group] {
			seen[c.group] = true
			u := unit{name: "shares of " + g.name, params: g.params}
			for j := range g.dim() {
				u.coords = append(u.coords, g.first+j)
			}
			out = append(out, u)
		}
	}
	return out
}

// withTied returns a parameter and those tied to it.
func (s *Space) withTied(i int) []int {
	out := []int{i}
	for j, p := range s.params {
		if p.Tied == s.params[i].Name {
			out = append(out, j)
		}
	}
	return out
}

// changed reports whether settings differ from the present in a unit.
func (s *Space) changed(u unit, set Settings) bool {
	for _, i := range u.params {
		if set[i].Value != s.params[i].Present {
			return true
		}
	}
	return false
}

// revert returns the settings with some units back at their present values.
// Ceilings that would fall below their share stand on it instead, and
// conditional parameters follow their condition.
func (s *Space) revert(set Settings, us []unit) Settings {
	out := append(Settings(nil), set...)
	for _, u := range us {
		for _, i := range u.params {
			out[i].Value = s.params[i].Present
		}
	}
	s.settle(out)
	return out
}

// sameCeiling reports whether ceiling i and its share both stand as at present.
func (s *Space) sameCeiling(i int, out Settings) bool {
	p := s.params[i]
	j := s.index[p.Of]
	return out[i].Value == p.Present && out[j].Value == s.params[j].Present
}

func below(ceiling, share string) bool {
	c, err1 := strconv.ParseFloat(ceiling, 64)
	v, err2 := strconv.ParseFloat(share, 64)
	return err1 == nil && err2 == nil && c != -1 && c < v
}
