package papers

import (
	"fmt"
	"math"

	"schedtune/internal/stats"
)

// The rules by which rows are met. They stand in docs/validation.md; their figures
// come from what the papers published (spread.go), never from ours.

// null is what a claim's figure would be if the claim were empty.
type null struct {
	name  string
	value float64
}

var (
	noDifference = null{"no effect", 0}
	noChange     = null{"no effect", 1} // of ratios
)

func (s *Section) add(r Row) { s.Rows = append(s.Rows, r) }

// claim adds a row for a statement about a figure; met tells whether an estimate
// meets it. A statement that its null model meets is set apart.
func (s *Section) claim(what, unit string, published float64, ours Estimate, n null, rule string, met func(Estimate) bool) {
	r := Row{What: what, Unit: unit, Kind: Claim, Published: published, Ours: ours, Rule: rule, Verdict: verdict(met(ours)), holds: met}
	if met(exact(n.value)) {
		r.Apart = "null model: " + n.name
	}
	s.add(r)
}

// above adds a claim that is met when the interval lies above zero.
func (s *Section) above(what, unit string, ours Estimate) {
	s.claim(what, unit, nan(), ours, noDifference, "interval above 0", func(e Estimate) bool { return e.Low > 0 })
}

// order adds a claim on the sign of a difference.
func (s *Section) order(what, unit string, ours Estimate, positive bool) {
	if positive {
		s.above(what, unit, ours)
		return
	}
	s.claim(what, unit, nan(), ours, noDifference, "interval below 0", func(e Estimate) bool { return e.High < 0 })
}

// between adds a claim that is met when the mean lies from low to high.
func (s *Section) between(what, unit string, published float64, ours Estimate, n null, low, high float64) {
	s.claim(what, unit, published, ours, n, fmt.Sprintf("%s to %s", Number(low), Number(high)),
		func(e Estimate) bool { return e.Mean >= low && e.Mean <= high })
}

// gain adds a claim for a published reduction in percent. With speed-up
// -ln(1 - reduction) it is met when our interval lies above zero and our speed-up
// is from 1/gainFactor of the published to gainFactor times it.
func (s *Section) gain(what string, published float64, ours Estimate) {
	low, high := gainRange(published)
	s.claim(what, "% lower", published, ours, noDifference, fmt.Sprintf("interval above 0, mean %s to %s", Number(low), Number(high)),
		func(e Estimate) bool { return e.Low > 0 && e.Mean >= low && e.Mean <= high })
}

// gainRange is what meets a published reduction, in percent.
func gainRange(published float64) (low, high float64) {
	speedup := -math.Log1p(-published / 100)
	return -100 * math.Expm1(-speedup/gainFactor), -100 * math.Expm1(-speedup*gainFactor)
}

// near adds a magnitude that is met within a share of the published figure.
func (s *Section) near(what, unit string, published float64, ours Estimate, share float64, group string) {
	s.within(what, unit, published, ours, share*math.Abs(published), fmt.Sprintf("within %.2g %%", 100*share), group)
}

// within adds a magnitude that is met within a distance of the published figure.
func (s *Section) within(what, unit string, published float64, ours Estimate, reach float64, rule, group string) {
	holds := func(e Estimate) bool { return math.Abs(e.Mean-published) <= reach }
	s.add(Row{What: what, Unit: unit, Kind: Magnitude, Published: published, Ours: ours, Rule: rule, Verdict: verdict(holds(ours)), holds: holds, reach: reach, group: group})
}

// factor adds a magnitude that is met within a factor of two, for figures that
// are differences of times.
func (s *Section) factor(what, unit string, published float64, ours Estimate) {
	holds := func(e Estimate) bool { return e.Mean >= published/2 && e.Mean <= published*2 }
	s.add(Row{What: what, Unit: unit, Kind: Magnitude, Published: published, Ours: ours, Rule: "half to twice", Verdict: verdict(holds(ours)), holds: holds, reach: published / 2})
}

// rank adds a claim on the order of a table's figures: Spearman's correlation of
// ours with the published. nulls are the null model's figures; one without any
// order correlates with nothing.
func (s *Section) rank(what string, ours, theirs, nulls []float64, name string) {
	n := null{name, 0}
	if nulls != nil {
		if r := stats.Spearman(nulls, theirs); !math.IsNaN(r) {
			n.value = r
		}
	}
	s.claim(what, "Spearman", nan(), exact(stats.Spearman(ours, theirs)), n, "at least 0.8", func(e Estimate) bool { return e.Mean >= 0.8 })
}

// last is the row added last.
func (s *Section) last() *Row { return &s.Rows[len(s.Rows)-1] }

// calibrates tells that something was set by the figure of the last row.
func (s *Section) calibrates(what string) {
	r := s.last()
	r.Kind, r.Note = Calibration, what
}

// apart sets the last row apart.
func (s *Section) apart(why string) {
	if r := s.last(); r.Apart == "" {
		r.Apart = why
	}
}

// show adds a row without a verdict.
func (s *Section) show(what, unit string, published float64, ours Estimate) {
	s.add(Row{What: what, Unit: unit, Published: published, Ours: ours, Verdict: Shown})
}

// absent adds a magnitude that the simulator does not give: a miss. reach and group are
// as in within: what the group's mean meets is set apart here too.
func (s *Section) absent(what, unit string, published, reach float64, group, why string) {
	s.add(Row{What: what, Unit: unit, Kind: Magnitude, Published: published, Ours: exact(nan()), Verdict: Missed, Note: why, reach: reach, group: group})
}
