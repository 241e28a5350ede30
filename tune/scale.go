package tune

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// maxLevels is the number of values up to which a parameter is treated as
// discrete, each value owning a cell of the unit interval. Finer grids are
// treated as continuous and rounded.
const maxLevels = 64

// specialWidth is the part of the unit interval of each special value.
const specialWidth = 0.1

// scalar maps the unit interval to the values of one parameter on its own.
type scalar struct {
	p     *Param
	i     int     // its place in settings
	value float64 // the current number; NaN if it has none
	at    float64 // the coordinate of the current value
	// Discrete parameters: level i has text texts[i] and owns the cell
	// between cuts[i-1] and cuts[i].
	texts []string
	cuts  cuts
}

// newScalar prepares a parameter; a current value outside the levels becomes a
// level of its own, so that every value of a discrete parameter has a cell.
func newScalar(i int, p *Param) (*scalar, error) {
	s := &scalar{p: p, i: i, value: math.NaN()}
	if p.Kind == Category {
		s.categories()
		return s, nil
	}
	special := slices.Index(p.Special, p.Present)
	if special < 0 {
		v, err := number(p, "current value", p.Present)
		if err != nil {
			return nil, err
		}
		s.value = v
	}
	if vals := s.levels(); vals != nil {
		s.discrete(vals, special < 0)
	} else {
		s.at = s.coordinate(s.value, special)
	}
	return s, nil
}

func (s *scalar) categories() {
	s.texts = slices.Clone(s.p.Choices)
	if !slices.Contains(s.texts, s.p.Present) {
		s.texts = append(s.texts, s.p.Present)
	}
	n := float64(len(s.texts))
	for k := 1; k < len(s.texts); k++ {
		s.cuts = append(s.cuts, float64(k)/n)
	}
	s.at = (float64(slices.Index(s.texts, s.p.Present)) + 0.5) / n
}

// levels lists the numbers of a discrete parameter in ascending order of
// coordinate, or nil if there are too many.
func (s *scalar) levels() []float64 {
	p := s.p
	var vals []float64
	if p.Kind == Users {
		for n := max(1, math.Ceil(p.Min)); n <= p.Max; n++ {
			vals = append(vals, math.Floor(100/n))
		}
		return slices.Compact(vals)
	}
	if p.Step == 0 || (p.Max-p.Min)/p.Step > maxLevels-1 {
		return nil
	}
	for k := 0; ; k++ {
		v := trim(p.Min + float64(k)*p.Step)
		if v > p.Max+1e-9*p.Step {
			return vals
		}
		vals = append(vals, v)
	}
}

// discrete lays the levels out: special values first, then the numbers with their cells'
// borders half-way on their scale.
func (s *scalar) discrete(vals []float64, isNumber bool) {
	if isNumber {
		vals = s.insertCurrent(vals)
	}
	left := s.left()
	for i, t := range s.p.Special {
		s.texts = append(s.texts, t)
		s.cuts = append(s.cuts, specialWidth*float64(i+1))
	}
	z := make([]float64, len(vals))
	for i, v := range vals {
		z[i] = s.warp(v)
		s.texts = append(s.texts, s.text(v))
	}
	n := len(z)
	lo, hi := z[0], z[n-1]
	if n > 1 {
		lo -= (z[1] - z[0]) / 2
		hi += (z[n-1] - z[n-2]) / 2
	}
	for i := 1; i < n; i++ {
		s.cuts = append(s.cuts, left+(1-left)*((z[i-1]+z[i])/2-lo)/(hi-lo))
	}
	s.at = s.cuts.middle(slices.Index(s.texts, s.p.Present))
}

// insertCurrent adds the current number to the levels, unless it is one.
func (s *scalar) insertCurrent(vals []float64) []float64 {
	if slices.ContainsFunc(vals, func(v float64) bool { return math.Abs(v-s.value) <= 1e-9*math.Max(1, math.Abs(v)) }) {
		return vals
	}
	if z := s.warp(s.value); math.IsInf(z, 0) || math.IsNaN(z) {
		// Not on the scale at all (such as 0 on a log scale): keep it first,
		// as a special value would be.
		s.p.Special = append([]string{s.p.Present}, s.p.Special...)
		return vals
	}
	vals = append(vals, s.value)
	slices.SortFunc(vals, func(a, b float64) int { return cmp.Compare(s.warp(a), s.warp(b)) })
	return vals
}

// left is the part of the unit interval of the special values.
func (s *scalar) left() float64 { return specialWidth * float64(len(s.p.Special)) }

// coordinate returns where a number or special value of a continuous
// parameter lies.
func (s *scalar) coordinate(v float64, special int) float64 {
	if special >= 0 {
		return specialWidth * (float64(special) + 0.5)
	}
	a, b := s.warp(s.p.Min), s.warp(s.p.Max)
	u := (s.warp(v) - a) / (b - a)
	if math.IsNaN(u) {
		u = 0
	}
	return s.left() + (1-s.left())*math.Min(1, math.Max(0, u))
}

// current implements axis.
func (s *scalar) current() []float64 { return []float64{s.at} }

// decode implements axis.
func (s *scalar) decode(u []float64, out Settings) { out[s.i].Value = s.valueAt(u[0]) }

// encode implements axis.
func (s *scalar) encode(set Settings, u []float64) (err error) {
	u[0], err = s.coordinateOf(set[s.i].Value)
	return err
}

// valueAt returns the value at coordinate u in [0, 1].
func (s *scalar) valueAt(u float64) string {
	if s.texts != nil {
		return s.texts[s.cuts.cell(u)]
	}
	if u == s.at {
		return s.p.Present
	}
	left := s.left()
	if u < left {
		return s.p.Special[min(int(u/specialWidth), len(s.p.Special)-1)]
	}
	a, b := s.warp(s.p.Min), s.warp(s.p.Max)
	v := s.unwarp(a + (u-left)/(1-left)*(b-a))
	if math.Abs(v-s.value) <= s.p.Step/2 {
		return s.p.Present
	}
	return s.text(math.Min(s.p.Max, math.Max(s.p.Min, s.round(v))))
}

// coordinateOf returns a coordinate that decodes to the text, or as near as the
// range allows.
func (s *scalar) coordinateOf(text string) (float64, error) {
	if text == s.p.Present {
		return s.at, nil
	}
	if i := slices.Index(s.texts, text); i >= 0 {
		return s.cuts.middle(i), nil
	}
	if s.p.Kind == Category {
		return 0, &ValueError{s.p.Name, text, "is none of the choices"}
	}
	if i := slices.Index(s.p.Special, text); i >= 0 && s.texts == nil {
		return s.coordinate(0, i), nil
	}
	v, err := number(s.p, "value", text)
	if err != nil {
		return 0, err
	}
	if s.texts != nil {
		return s.nearest(v), nil
	}
	u := s.coordinate(v, -1)
	if u == s.at { // a current value outside the range stands on its end, which is a value too
		u = math.Nextafter(u, 0.5)
	}
	return u, nil
}

// nearest returns the middle of the cell of the level next to v on the scale.
func (s *scalar) nearest(v float64) float64 {
	best, at := math.Inf(1), 0
	for i, t := range s.texts {
		l, err := strconv.ParseFloat(t, 64)
		if err != nil || s.p.special(t) {
			continue
		}
		if d := math.Abs(s.warp(l) - s.warp(v)); d < best {
			best, at = d, i
		}
	}
	return s.cuts.middle(at)
}

// warp maps a number to the scale on which steps are even.
func (s *scalar) warp(v float64) float64 {
	switch s.p.Kind {
	case Logarithmic, LogInteger:
		return math.Log(v)
	case Logit:
		return math.Log(v / (1 - v))
	case Users:
		return 100 / v // the number of users
	}
	return v
}

func (s *scalar) unwarp(z float64) float64 {
	switch s.p.Kind {
	case Logarithmic, LogInteger:
		return math.Exp(z)
	case Logit:
		return 1 / (1 + math.Exp(-z))
	}
	return z
}

func (s *scalar) round(v float64) float64 {
	if s.p.Step > 0 {
		return trim(math.Round(v/s.p.Step) * s.p.Step)
	}
	return rounded(v, 4)
}

// text writes a number; the current number keeps its own spelling.
func (s *scalar) text(v float64) string {
	if v == s.value {
		return s.p.Present
	}
	if s.p.Step == 0 { // already rounded to four digits, or an end of the range
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return formatNumber(v)
}

// formatNumber writes a number as a person would: no exponent, no rounding
// dust.
func formatNumber(v float64) string { return strconv.FormatFloat(trim(v), 'f', -1, 64) }

// trim drops rounding dust beyond twelve significant digits.
func trim(v float64) float64 { return rounded(v, 12) }

// rounded returns a number with so many significant digits.
func rounded(v float64, digits int) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return r
}

// ValueError reports a value that its parameter does not allow.
type ValueError struct {
	Param, Value, Reason string // name, what was given, what is wrong with it
}

// Error names parameter, value and reason.
func (e *ValueError) Error() string {
	return "tune: " + e.Param + ": value " + strconv.Quote(e.Value) + ": " + e.Reason
}
