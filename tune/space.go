package tune

import (
	"fmt"
	"math"
	"strconv"
)

// Point is a position in a space's unit cube: one coordinate in [0, 1] per
// degree of freedom. Coordinates outside are folded back (reflected).
type Point []float64

// Space maps the points of a unit cube to settings. Every point decodes to
// settings that satisfy all rules: there are no infeasible points. The present
// configuration is a point like any other and decodes to itself, letter by
// letter.
type Space struct {
	params  []Param
	coords  []coord   // per coordinate, what it belongs to
	scalars []*scalar // per parameter, nil if not free on its own
	first   []int     // per parameter, its coordinate, or -1
	groups  []*shares
	index   map[string]int
	present Point
}

// coord tells which parameter or group a coordinate belongs to.
type coord struct {
	param int // -1 for a group's
	group int // -1 for a parameter's
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
			return nil, fmt.Errorf("tune: %s: parameter appears twice", p.Name)
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
			if j, ok := s.index[p.Tied]; !ok || s.params[j].Tied != "" || s.params[j].When != nil {
				return fmt.Errorf("tune: %s: tied to %q; allowed: a free parameter of the space", p.Name, p.Tied)
			}
		case p.When != nil:
			if j, ok := s.index[p.When.Param]; !ok || s.params[j].When != nil || p.Kind == Share {
				return fmt.Errorf("tune: %s: condition on %q; allowed: an unconditional parameter, and not for shares", p.Name, p.When.Param)
			}
		case p.Kind == Ceiling && !p.Fixed:
			if j, ok := s.index[p.Of]; !ok || s.params[j].Kind != Share || s.params[j].total() != 100 {
				return fmt.Errorf("tune: %s: ceiling of %q; allowed: a share of 100 of the space", p.Name, p.Of)
			}
		}
	}
	return nil
}

// build lays out the coordinates in the order of the parameters; a group's lie
// where its first free member stands.
func (s *Space) build() error {
	s.scalars = make([]*scalar, len(s.params))
	s.first = make([]int, len(s.params))
	done := map[string]bool{}
	for i := range s.params {
		p := &s.params[i]
		s.first[i] = -1
		var err error
		switch {
		case p.Kind == Share:
			if !done[p.Group] {
				done[p.Group] = true
				err = s.addGroup(p.Group)
			}
		case p.Fixed || p.Tied != "":
		case p.Kind == Ceiling:
			err = s.addCeiling(i)
		default:
			err = s.addScalar(i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Space) addGroup(name string) error {
	var members []int
	for i, p := range s.params {
		if p.Kind == Share && p.Group == name {
			members = append(members, i)
		}
	}
	g, err := newShares(name, s.params, members)
	if err != nil {
		return err
	}
	g.first = len(s.coords)
	for range g.dim() {
		s.coords = append(s.coords, coord{param: -1, group: len(s.groups)})
		s.present = append(s.present, 0.5)
	}
	s.groups = append(s.groups, g)
	return nil
}

func (s *Space) addScalar(i int) error {
	sc, err := newScalar(&s.params[i])
	if err != nil {
		return err
	}
	s.scalars[i] = sc
	s.addCoord(i, sc.at)
	return nil
}

func (s *Space) addCeiling(i int) error {
	p := &s.params[i]
	ceil, err := ceilingNumber(p, p.Present)
	if err != nil {
		return err
	}
	share, err := number(p, "share", s.params[s.index[p.Of]].Present)
	if err != nil {
		return err
	}
	s.addCoord(i, p.position(share, ceil))
	return nil
}

func (s *Space) addCoord(param int, at float64) {
	s.first[param] = len(s.coords)
	s.coords = append(s.coords, coord{param: param, group: -1})
	s.present = append(s.present, at)
}

// ceilingNumber reads a ceiling; -1 stands for 100 as in the Capacity
// Scheduler's maximum-capacity.
func ceilingNumber(p *Param, text string) (float64, error) {
	v, err := number(p, "present value", text)
	if v == -1 {
		v = 100
	}
	return v, err
}

// position returns the coordinate of a ceiling above a share.
func (p *Param) position(share, ceil float64) float64 {
	if share >= 100 {
		return 1
	}
	t := (ceil - share) / (100 - share)
	return math.Min(1, math.Max(0, (t-p.Min)/(p.Max-p.Min)))
}

// Dim is the number of coordinates of a point.
func (s *Space) Dim() int { return len(s.coords) }

// Params returns the parameters with defaults filled in; do not modify.
func (s *Space) Params() []Param { return s.params }

// Present returns the point of the present configuration.
func (s *Space) Present() Point { return append(Point(nil), s.present...) }

// PresentSettings returns the present configuration.
func (s *Space) PresentSettings() Settings {
	out := make(Settings, len(s.params))
	for i, p := range s.params {
		out[i] = Setting{p.Name, p.Present}
	}
	return out
}

// Cuts returns the borders of the cells of a discrete coordinate in ascending
// order, nil for a continuous one and for none of the space. Points of one cell decode alike.
func (s *Space) Cuts(coordinate int) []float64 {
	if coordinate < 0 || coordinate >= len(s.coords) {
		return nil
	}
	c := s.coords[coordinate]
	if c.param < 0 || s.scalars[c.param] == nil {
		return nil
	}
	return s.scalars[c.param].cuts
}

// Unordered reports whether a coordinate's cells have no order.
func (s *Space) Unordered(coordinate int) bool {
	if coordinate < 0 || coordinate >= len(s.coords) {
		return false
	}
	c := s.coords[coordinate]
	return c.param >= 0 && s.params[c.param].Kind == Category
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
	out := make(Point, len(p))
	for i, u := range p {
		out[i] = fold(u)
	}
	return out
}

// Decode returns the settings at a point of Dim coordinates. It panics on a shorter one.
func (s *Space) Decode(p Point) Settings {
	p = p.Fold()
	out := s.PresentSettings()
	for _, g := range s.groups {
		for k, text := range g.decode(p[g.first : g.first+g.dim()]) {
			out[g.params[k]].Value = text
		}
	}
	for i, sc := range s.scalars {
		if sc != nil {
			out[i].Value = sc.decode(p[s.first[i]])
		}
	}
	for i := range s.params {
		if q := &s.params[i]; q.Kind == Ceiling && s.first[i] >= 0 {
			out[i].Value = s.ceiling(q, p[s.first[i]], s.present[s.first[i]], out[s.index[q.Of]].Value)
		}
	}
	s.settleTies(out)
	s.settleConditions(out)
	return out
}

// ceiling returns the text of a ceiling at coordinate u above a share.
func (s *Space) ceiling(p *Param, u, at float64, shareText string) string {
	was := s.params[s.index[p.Of]].Present
	if u == at && shareText == was {
		return p.Present
	}
	share, _ := strconv.ParseFloat(shareText, 64)
	present, _ := ceilingNumber(p, p.Present)
	v := share + (p.Min+u*(p.Max-p.Min))*(100-share)
	if math.Abs(v-present) <= p.Step/2 && present >= share && present <= 100 {
		return p.Present
	}
	return formatNumber(math.Min(100, math.Max(share, math.Round(v/p.Step)*p.Step)))
}

func (s *Space) settleTies(out Settings) {
	for i, p := range s.params {
		if p.Tied == "" {
			continue
		}
		if j := s.index[p.Tied]; out[j].Value != s.params[j].Present {
			out[i].Value = out[j].Value
		}
	}
}

func (s *Space) settleConditions(out Settings) {
	for i, p := range s.params {
		if p.When != nil && !p.When.holds(out[s.index[p.When.Param]].Value) {
			out[i].Value = p.Present
		}
	}
}

// Encode returns a point near settings: exact for discrete parameters, within
// the range and the rounding for the rest. Missing names mean the present
// value; unknown names and texts that are no values are errors.
func (s *Space) Encode(set Settings) (Point, error) {
	full, err := s.Complete(set)
	if err != nil {
		return nil, err
	}
	p := s.Present()
	for _, g := range s.groups {
		if err := s.encodeGroup(g, full, p); err != nil {
			return nil, err
		}
	}
	for i := range s.params {
		if err := s.encodeParam(i, full, p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (s *Space) encodeGroup(g *shares, full Settings, p Point) error {
	v := make([]float64, len(g.params))
	same := true
	for k, i := range g.params {
		x, err := number(&s.params[i], "share", full[i].Value)
		if err != nil {
			return err
		}
		v[k] = x
		same = same && full[i].Value == g.texts[k]
	}
	if !same {
		copy(p[g.first:], g.encode(v))
	}
	return nil
}

func (s *Space) encodeParam(i int, full Settings, p Point) error {
	q := &s.params[i]
	if s.first[i] < 0 {
		return nil
	}
	if sc := s.scalars[i]; sc != nil {
		u, err := sc.encode(full[i].Value)
		p[s.first[i]] = u
		return err
	}
	share := full[s.index[q.Of]].Value
	if full[i].Value == q.Present && share == s.params[s.index[q.Of]].Present {
		return nil
	}
	ceil, err := ceilingNumber(q, full[i].Value)
	if err != nil {
		return err
	}
	sv, err := number(q, "share", share)
	p[s.first[i]] = q.position(sv, ceil)
	return err
}

// Complete returns settings of all parameters in the space's order, taking
// present values for missing names. Settings taken over from the caller are
// not rounded; sums, bounds and ceilings are the caller's care.
func (s *Space) Complete(set Settings) (Settings, error) {
	out := s.PresentSettings()
	for _, e := range set {
		i, ok := s.index[e.Name]
		if !ok {
			return nil, &ValueError{e.Name, e.Value, "a parameter of the space"}
		}
		out[i].Value = e.Value
	}
	return out, nil
}
