package papers

import (
	"encoding/json"
	"fmt"
	"math"

	"schedtune/internal/text"
)

// Kind is what a row is evidence of.
type Kind string

// Kinds. A row without one is shown only, as it has no rule.
const (
	Claim       Kind = "claim"       // an order, a direction, a headline
	Magnitude   Kind = "magnitude"   // a number with a tolerance
	Calibration Kind = "calibration" // a parameter is set by this figure; never counted
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
	What      string   `json:"what"`
	Unit      string   `json:"unit"`
	Kind      Kind     `json:"kind"` // empty: shown only
	Published float64  `json:"-"`    // NaN where the paper states a direction only
	Ours      Estimate `json:"-"`
	Rule      string   `json:"rule"` // what "met" means here
	Verdict   Verdict  `json:"verdict"`
	// Apart is why a row with a verdict is not counted: it repeats another, or its null
	// model meets it.
	Apart string `json:"apart,omitempty"`
	Note  string `json:"note,omitempty"`

	rule  *rule
	group string // magnitudes of a group share a null model, the group's mean
}

// MarshalJSON writes figures that are not known as null.
func (r Row) MarshalJSON() ([]byte, error) {
	type fields Row
	return json.Marshal(struct {
		fields
		Published text.Num `json:"published"`
		Ours      text.Num `json:"ours"`
		Low       text.Num `json:"low"`
		High      text.Num `json:"high"`
		N         int      `json:"n"`
		Counted   bool     `json:"counted"`
	}{fields(r), text.Num(r.Published), text.Num(r.Ours.Mean), text.Num(r.Ours.Low), text.Num(r.Ours.High), r.Ours.N,
		r.Counted()})
}

// Counted reports whether the row is evidence.
func (r *Row) Counted() bool {
	return (r.Kind == Claim || r.Kind == Magnitude) && r.Verdict != Shown && r.Apart == ""
}

// Uncounted is why a row with a verdict is not counted; empty if it is. Rows that are shown
// only have their note.
func (r *Row) Uncounted() string {
	switch {
	case r.Kind == Calibration:
		return "calibration: " + r.Note
	case r.Verdict == Shown:
		return r.Note
	}
	return r.Apart
}

// Tally counts rows that are evidence.
type Tally struct {
	Claims        int `json:"claims"`
	ClaimsMet     int `json:"claims_met"`
	Magnitudes    int `json:"magnitudes"`
	MagnitudesMet int `json:"magnitudes_met"`
}

// Add adds another tally.
func (t *Tally) Add(o Tally) {
	t.Claims, t.ClaimsMet = t.Claims+o.Claims, t.ClaimsMet+o.ClaimsMet
	t.Magnitudes, t.MagnitudesMet = t.Magnitudes+o.Magnitudes, t.MagnitudesMet+o.MagnitudesMet
}

// count adds a row that is evidence.
func (t *Tally) count(kind Kind, verdict Verdict) {
	met := 0
	if verdict == Met {
		met = 1
	}
	if kind == Claim {
		t.Add(Tally{Claims: 1, ClaimsMet: met})
	} else {
		t.Add(Tally{Magnitudes: 1, MagnitudesMet: met})
	}
}

func (t Tally) String() string {
	return fmt.Sprintf("%d of %d claims met, %d of %d magnitudes", t.ClaimsMet, t.Claims, t.MagnitudesMet, t.Magnitudes)
}

// Count counts a section's rows that are evidence.
func (s *Section) Count() (t Tally) {
	for i := range s.Rows {
		if r := &s.Rows[i]; r.Counted() {
			t.count(r.Kind, r.Verdict)
		}
	}
	return t
}

// Total counts the rows of sections that are evidence.
func Total(sections []Section) (t Tally) {
	for i := range sections {
		t.Add(sections[i].Count())
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

// constantNull does not count the magnitudes that the constant null model meets: the mean of
// the published figures of their group. It uses published figures only, so that which rows
// count does not depend on ours.
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
		if mean := sum[r.group] / float64(n[r.group]); math.Abs(mean-r.Published) <= r.rule.reach {
			r.Apart = "null model: the constant " + Number(mean)
		}
	}
}
