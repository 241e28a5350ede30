package tune

import (
	"math"
	"slices"
	"strconv"
)

// Moderation: values of the changes that remain go back toward the present, and
// to numbers with few digits, as far as the slack of the gain allows. A mild
// change is easier to defend, and far values are often chance: where the
// objective is flat, a search stops anywhere.

// steps of the way back that are tried, mildest value first.
var wayBack = []float64{0.25, 0.5, 0.75}

// moderate is step 4 of the ablation.
func (a *ablation) moderate() error {
	for _, u := range a.kept {
		if err := a.first(u, a.d.p.Space.milder(a.best.settings, u)); err != nil {
			return err
		}
		if err := a.first(u, a.d.p.Space.simpler(a.best.settings, u)); err != nil {
			return err
		}
	}
	return nil
}

// first takes the first of several settings that is affordable, if any.
func (a *ablation) first(u unit, candidates []Settings) error {
	for _, set := range candidates {
		if !a.room(1+a.rest()) || !a.d.p.Space.changed(u, set) {
			return nil
		}
		if set.Equal(a.best.settings) {
			continue
		}
		t, err := a.d.trial(set, nil, "ablation")
		if err != nil {
			return err
		}
		if err := a.measure(t); err != nil {
			return err
		}
		if a.affordable(t) {
			a.best = t
			return nil
		}
	}
	return nil
}

// milder returns the settings with a unit moved part of the way to the present
// on the search's scale, nearest to the present first. Categories and special
// values have no way between.
func (s *Space) milder(set Settings, u unit) []Settings {
	at, err := s.Encode(set)
	if err != nil {
		return nil
	}
	for _, i := range u.params {
		if p := &s.params[i]; p.Kind == Category || special(p, set[i].Value) || special(p, p.Present) {
			return nil
		}
	}
	var out []Settings
	for _, part := range wayBack {
		to := append(Point(nil), at...)
		for _, c := range u.coords {
			to[c] = s.present[c] + part*(at[c]-s.present[c])
		}
		decoded := s.Decode(to)
		moved := append(Settings(nil), set...)
		for _, i := range u.params {
			moved[i].Value = decoded[i].Value
		}
		s.settle(moved)
		out = append(out, moved)
	}
	return out
}

func special(p *Param, value string) bool {
	return slices.Contains(p.Special, value)
}

// simpler returns the settings with a unit's number cut to one digit, then to
// two, where that lies between the present value and this one. Shares, whose
// sum is fixed, and users, which are 100/n, stay as they are.
func (s *Space) simpler(set Settings, u unit) []Settings {
	if len(u.params) == 0 {
		return nil
	}
	i := u.params[0]
	p := &s.params[i]
	switch p.Kind {
	case Linear, Logarithmic, Logit, Integer, LogInteger, Ceiling:
	default:
		return nil
	}
	v, err1 := strconv.ParseFloat(set[i].Value, 64)
	present, err2 := strconv.ParseFloat(p.Present, 64)
	if err1 != nil || err2 != nil || special(p, set[i].Value) || v == 0 {
		return nil
	}
	var out []Settings
	for digits := 1; digits <= 2; digits++ {
		unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-float64(digits-1))
		x := math.Floor(v/unit+1e-9) * unit
		if v < present {
			x = math.Ceil(v/unit-1e-9) * unit
		}
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits+1, 64), 64)
		if x == v || (x-present)*(v-present) <= 0 || p.Kind != Ceiling && (x < p.Min || x > p.Max) || offGrid(x, p.Step) {
			continue
		}
		moved := append(Settings(nil), set...)
		for _, j := range u.params {
			moved[j].Value = formatNumber(x)
		}
		s.settle(moved)
		out = append(out, moved)
	}
	return out
}

// offGrid reports whether a number is none of the grid that values are written
// on.
func offGrid(x, step float64) bool {
	if step <= 0 {
		return false
	}
	return math.Abs(x/step-math.Round(x/step)) > 1e-9
}

// settle puts ceilings that would fall below their share on it, and lets
// conditional parameters follow their condition.
func (s *Space) settle(out Settings) {
	for i, p := range s.params {
		if p.Kind == Ceiling && !p.Fixed && p.Tied == "" {
			share := out[s.index[p.Of]].Value
			if below(out[i].Value, share) && !s.sameCeiling(i, out) {
				out[i].Value = share
			}
		}
	}
	s.settleConditions(out)
}
