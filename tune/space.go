package tune

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Point is a position in a space's unit cube: one coordinate in [0, 1] per
// degree of freedom. Coordinates outside are folded back (reflected).
type Point []float64

// Space maps the points of a unit cube to settings. Every point decodes to
// settings that satisfy all rules: there are no infeasible points. The current
// configuration is a point like any other and decodes to itself, letter by
// letter.
type Space struct {
	params  []Param
	index   map[string]int
	axes    []unit // in the order of their coordinates
	present Point
}

// unit is what changes together: one parameter, or the shares of one parent.
type unit struct {
	axis
	name       string
	label      string // as Composite names it
	params     []int  // with those tied to it
	first, dim int    // its coordinates
}

// axis maps the coordinates of a unit to its values.
type axis interface {
	current() []float64                     // the coordinates of the current values
	decode(u []float64, out Settings)       // sets the values
	encode(set Settings, u []float64) error // sets the coordinates, which are the current ones, of other values
}

// NewSpace checks the parameters and builds their space. Settings keep the
// order of the parameters.
func NewSpace(params ...Param) (*Space, error) {
	s := &Space{index: map[string]int{}}
	for _, p := range params {
		p = p.withDefaults()
		if err := p.check(); err != nil {
			return nil, err
		}
		if _, dup := s.index[p.Name]; dup {
			return nil, fmt.Errorf("tune: parameter %s: appears twice", p.Name)
		}
		p.Special = append([]string(nil), p.Special...)
		s.index[p.Name] = len(s.params)
		s.params = append(s.params, p)
	}
	if err := s.checkReferences(); err != nil {
		return nil, err
	}
	return s, s.build()
}

func (s *Space) checkReferences() error {
	for i := range s.params {
		p := &s.params[i]
		switch {
		case p.Tied != "":
			if q := s.param(p.Tied); q == nil || q.Tied != "" || q.When != nil {
				return fmt.Errorf("tune: %s: tied to %q, which is no free parameter of the space", p.Name, p.Tied)
			}
		case p.When != nil:
			if q := s.param(p.When.Param); q == nil || q.When != nil || p.Kind == Share {
				return fmt.Errorf("tune: %s: condition on %q: must be on an unconditional parameter, and not of a share", p.Name,
					p.When.Param)
			}
		case p.Kind == Ceiling && !p.Fixed:
			if q := s.param(p.Of); q == nil || q.Kind != Share || q.total() != 100 {
				return fmt.Errorf("tune: %s: ceiling of %q, which is no share of 100 of the space", p.Name, p.Of)
			}
		}
	}
	return nil
}

// param returns a parameter by name, nil if there is none.
func (s *Space) param(name string) *Param {
	if i, ok := s.index[name]; ok {
		return &s.params[i]
	}
	return nil
}

// build lays out the coordinates in the order of the parameters; a group's lie
// where its first member stands.
func (s *Space) build() error {
	done := map[string]bool{}
	for i := range s.params {
		p := &s.params[i]
		u := unit{name: p.Name, label: p.Name, params: s.withTied(i), first: len(s.present)}
		var err error
		switch {
		case p.Kind == Share && !done[p.Group]:
			done[p.Group] = true
			u.axis, u.params, err = newShares(p.Group, s.params)
			u.name, u.label = "shares of "+p.Group, p.Group+".*"
		case p.Kind == Share || p.Fixed || p.Tied != "":
			continue
		case p.Kind == Ceiling:
			u.axis, err = newCeiling(s, i)
		default:
			u.axis, err = newScalar(i, p)
		}
		if err != nil {
			return err
		}
		at := u.current()
		u.dim = len(at)
		s.axes, s.present = append(s.axes, u), append(s.present, at...)
	}
	return nil
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

// Hash identifies a space: equal parameters, equal hash.
func (s *Space) Hash() string {
	b, err := json.Marshal(s.params)
	if err != nil {
		return "" // parameters hold strings and finite numbers only
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// Dim returns the number of coordinates of a point.
func (s *Space) Dim() int { return len(s.present) }

// Params returns the parameters with defaults filled in; do not modify.
func (s *Space) Params() []Param { return s.params }

// Present returns the point of the current configuration.
func (s *Space) Present() Point { return slices.Clone(s.present) }

// PresentSettings returns the current configuration.
func (s *Space) PresentSettings() Settings {
	return mapped(s.params, func(p Param) Setting { return Setting{p.Name, p.Present} })
}

// scalarAt returns what lies along a coordinate, if it is a parameter on its own; else nil.
func (s *Space) scalarAt(coordinate int) *scalar {
	for _, u := range s.axes {
		if c, ok := u.axis.(*scalar); ok && u.first == coordinate {
			return c
		}
	}
	return nil
}

// Cuts returns the borders of the cells of a discrete coordinate in ascending
// order, nil for a continuous one and for none of the space. Points of one cell decode alike.
func (s *Space) Cuts(coordinate int) []float64 {
	if c := s.scalarAt(coordinate); c != nil {
		return c.cuts
	}
	return nil
}

// Unordered reports whether a coordinate's cells have no order.
func (s *Space) Unordered(coordinate int) bool {
	c := s.scalarAt(coordinate)
	return c != nil && c.p.Kind == Category
}

// fold reflects a coordinate into [0, 1].
func fold(u float64) float64 {
	if u >= 0 && u <= 1 {
		return u
	}
	if math.IsNaN(u) || math.IsInf(u, 0) {
		return 0.5
	}
	u = math.Mod(math.Abs(u), 2)
	if u > 1 {
		u = 2 - u
	}
	return u
}

// Fold returns the point with every coordinate reflected into [0, 1].
func (p Point) Fold() Point {
	return mapped(p, fold)
}

// Decode returns the settings at a point of Dim coordinates. It panics on a shorter one.
func (s *Space) Decode(p Point) Settings {
	p = p.Fold()
	out := s.PresentSettings()
	for _, ceilings := range []bool{false, true} { // which need their shares
		for _, u := range s.axes {
			if _, is := u.axis.(*ceiling); is == ceilings {
				u.decode(p[u.first:u.first+u.dim], out)
			}
		}
	}
	for i, p := range s.params {
		if j, ok := s.index[p.Tied]; ok && out[j].Value != s.params[j].Present {
			out[i].Value = out[j].Value
		}
	}
	s.settleConditions(out)
	return out
}

func (s *Space) settleConditions(out Settings) {
	for i, p := range s.params {
		if p.When != nil && !slices.Contains(p.When.In, out[s.index[p.When.Param]].Value) {
			out[i].Value = p.Present
		}
	}
}

// Encode returns a point near settings: exact for discrete parameters, within
// the range and the rounding for the rest. Missing names mean the current
// value; unknown names and texts that are no values are errors.
func (s *Space) Encode(set Settings) (Point, error) {
	full, err := s.Complete(set)
	if err != nil {
		return nil, err
	}
	p := s.Present()
	for _, u := range s.axes {
		if err := u.encode(full, p[u.first:u.first+u.dim]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Complete returns settings of all parameters in the space's order, taking
// current values for missing names. Settings taken over from the caller are
// not rounded; sums, bounds and ceilings are the caller's care.
func (s *Space) Complete(set Settings) (Settings, error) {
	out := s.PresentSettings()
	for _, e := range set {
		i, ok := s.index[e.Name]
		if !ok {
			return nil, &ValueError{e.Name, e.Value, "is no parameter of the space"}
		}
		out[i].Value = e.Value
	}
	return out, nil
}
