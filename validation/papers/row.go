package papers

import "math"

// Kind tells what a row is evidence of.
type Kind string

// Kinds. A row without one is shown only.
const (
	Claim       Kind = "claim"       // an order, a direction, a headline
	Magnitude   Kind = "magnitude"   // a number with a tolerance
	Calibration Kind = "calibration" // something is set by this figure; never counted
)

// Verdict of a row.
type Verdict string

// Verdicts. A row without a published figure to hold it against is shown only.
const (
	Met    Verdict = "met"
	Missed Verdict = "missed"
	Shown  Verdict = "shown"
)

func verdict(ok bool) Verdict {
	if ok {
		return Met
	}
	return Missed
}

// Row is one published figure beside ours.
type Row struct {
	What      string
	Unit      string
	Kind      Kind
	Published float64 // NaN where the paper states a direction only
	Ours      Estimate
	Rule      string // what "met" means here
	Verdict   Verdict
	// Apart is why a row with a verdict is not counted: it repeats another, the
	// null model meets it, or nothing is simulated.
	Apart string
	Note  string

	holds func(Estimate) bool // the rule; nil where nothing is simulated
	reach float64             // of a magnitude: the largest distance that is met
	group string              // magnitudes of a group share a null model, the group's mean
}

// Counted reports whether the row is evidence.
func (r *Row) Counted() bool {
	return (r.Kind == Claim || r.Kind == Magnitude) && r.Verdict != Shown && r.Apart == ""
}

// Uncounted is why a row with a verdict is not counted, empty otherwise; a note
// where there is one.
func (r *Row) Uncounted() string {
	switch {
	case r.Kind == Calibration:
		return "calibration: " + r.Note
	case r.Apart != "":
		return r.Apart
	}
	return r.Note
}

// Tally counts rows that are evidence.
type Tally struct {
	Claims, ClaimsMet         int
	Magnitudes, MagnitudesMet int
}

// Add adds another tally.
func (t *Tally) Add(o Tally) {
	t.Claims, t.ClaimsMet = t.Claims+o.Claims, t.ClaimsMet+o.ClaimsMet
	t.Magnitudes, t.MagnitudesMet = t.Magnitudes+o.Magnitudes, t.MagnitudesMet+o.MagnitudesMet
}

// Count counts a section's rows that are evidence.
func (s *Section) Count() (t Tally) {
	for i := range s.Rows {
		r := &s.Rows[i]
		if !r.Counted() {
			continue
		}
		met := 0
		if r.Verdict == Met {
			met = 1
		}
		if r.Kind == Claim {
			t.Claims, t.ClaimsMet = t.Claims+1, t.ClaimsMet+met
		} else {
			t.Magnitudes, t.MagnitudesMet = t.Magnitudes+1, t.MagnitudesMet+met
		}
	}
	return t
}

// Missed reports whether a row that counts is missed.
func (s *Section) Missed() bool {
	t := s.Count()
	return t.ClaimsMet < t.Claims || t.MagnitudesMet < t.Magnitudes
}

// leastGroup is how many magnitudes make a group whose mean is a null model.
const leastGroup = 2

// constantNull sets the magnitudes apart that the constant null model meets: the
// mean of the published figures of their group. It sees published figures only,
// so that which rows count does not depend on ours.
func (s *Section) constantNull() {
	sum, n := map[string]float64{}, map[string]int{}
	for _, r := range s.Rows {
		if r.Kind == Magnitude && r.group != "" {
			sum[r.group] += r.Published
			n[r.group]++
		}
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Kind != Magnitude || r.Apart != "" || n[r.group] < leastGroup {
			continue
		}
		if mean := sum[r.group] / float64(n[r.group]); math.Abs(mean-r.Published) <= r.reach {
			r.Apart = "null model: the constant " + Number(mean)
		}
	}
}
