package tune

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/stats"
)

// Objective names a metric to bring down, or up.
type Objective struct {
	Metric   string `json:"metric"`             // key of Outcome.Metrics
	Maximize bool   `json:"maximize,omitempty"` // larger is better
}

// minimised returns a value, or its negative where larger is better.
func (o Objective) minimised(v float64) float64 {
	if o.Maximize {
		return -v
	}
	return v
}

// Constraint is a limit on a metric: on its mean, or relative to the current configuration. Settings that violate no
// constraint come before all that do.
type Constraint struct {
	Metric string  `json:"metric"`
	Op     string  `json:"op"`    // "<=" or ">="
	Limit  float64 `json:"limit"` // in the metric's unit
	// Factor, if not 0, makes the limit relative: Factor times the value of the
	// current configuration on the same instances, see Excess. Limit is then not read.
	Factor float64 `json:"factor,omitempty"`
	Text   string  `json:"text"` // as the user wrote it
}

// ParseConstraint reads "metric <= limit[unit]" or "metric >= limit[unit]".
// Units turn the limit into the metric's base unit: us, ms, s, m (or min), h,
// d into seconds; % into a fraction; k, M, G (10^3, 10^6, 10^9) and Ki, Mi, Gi
// (2^10, 2^20, 2^30) into a plain number.
func ParseConstraint(text string) (Constraint, error) {
	bad := func(reason string) (Constraint, error) {
		return Constraint{}, fmt.Errorf("tune: constraint %q: %s; must be METRIC <= NUMBER[UNIT] or METRIC >= NUMBER[UNIT]",
			text, reason)
	}
	i := strings.IndexAny(text, "<>")
	if i < 0 {
		return bad("no comparison")
	}
	metric := strings.TrimSpace(text[:i])
	if metric == "" || strings.ContainsAny(metric, " \t=") {
		return bad("no single metric name on the left")
	}
	limit, err := parseQuantity(strings.TrimSpace(strings.TrimPrefix(text[i+1:], "=")))
	if err != nil {
		return bad(err.Error())
	}
	return Constraint{Metric: metric, Op: text[i:i+1] + "=", Limit: limit, Text: text}, nil
}

// parseQuantity reads a number with an optional unit.
func parseQuantity(s string) (float64, error) {
	n := strings.LastIndexAny(s, "0123456789.") + 1
	v, err := strconv.ParseFloat(s[:n], 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a number with a unit", s)
	}
	unit := strings.TrimSpace(s[n:])
	f, ok := map[string]float64{
		"": 1, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400,
		"%": 0.01, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30,
	}[unit]
	if !ok {
		return 0, fmt.Errorf("unit %q must be one of us ms s m min h d %% k M G Ki Mi Gi", unit)
	}
	return v * f, nil
}

// Excess returns by how much values on workloads are beyond the limit, negative if within, the limit in the mean, and
// what makes a part of it of what they come to (Middle). A relative limit is that of the current configuration's values
// on the same workloads, and compared by the logarithm of the ratio, as in the forecast of what the metric will do;
// another, and where a value is not positive, by the difference in parts of the mean limit. A NaN is a workload without
// the metric, which does not count.
func (c Constraint) Excess(all, current []float64) (out []float64, limit float64, part func(middle float64) float64) {
	var values, limits []float64
	for i, v := range all {
		most := c.Limit
		if c.Factor != 0 {
			most = c.Factor * current[i]
		}
		if !math.IsNaN(v) && !math.IsNaN(most) {
			values, limits = append(values, v), append(limits, most)
		}
	}
	sign := Objective{Maximize: c.Op == ">="}.minimised(1)
	out, limit = make([]float64, len(values)), stats.Mean(limits)
	if c.Factor != 0 {
		if ratios, _ := logRatios(limits, values); ratios != nil {
			for i, r := range ratios {
				out[i] = sign * r
			}
			return out, limit, func(mean float64) float64 { return finite(sign * math.Expm1(sign*mean)) }
		}
	}
	scale := math.Max(math.Abs(limit), 1e-9)
	for i, v := range values {
		out[i] = sign * (v - limits[i]) / scale
	}
	return out, limit, func(mean float64) float64 { return mean }
}

// Middle returns what excesses come to: their mean, and where they are relative to the current configuration their
// median, which is what the forecast of the metric states: how often it gets much worse is for Risk.
func (c Constraint) Middle(excesses []float64) float64 {
	if c.Factor != 0 {
		return stats.Median(excesses)
	}
	return stats.Mean(excesses)
}

// At returns the value that is so far beyond a limit.
func (c Constraint) At(limit, beyond float64) float64 {
	return finite(limit + math.Abs(limit)*Objective{Maximize: c.Op == ">="}.minimised(beyond))
}

// finite returns a number that JSON can hold.
func finite(x float64) float64 { return math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, x)) }

// Score is what a sampler learns about a point: Values, one per objective, to
// be minimised, by how much the constraints are violated, and what is lost that
// the current configuration keeps.
type Score struct {
	Values    []float64 `json:"values"`
	Lost      float64   `json:"lost,omitempty"`      // pieces of work a run, and Problem.Shortfall; 0 if feasible
	Violation float64   `json:"violation,omitempty"` // 0 if feasible; relative to the limits
	Failed    bool      `json:"failed,omitempty"`    // the run had no result

	parts  []float64 // means of Outcome.Parts; nil if a run has none
	excess []float64 // by how much each limit is passed, in parts of it; nil without limits
}

// Less orders scores by the first value: feasible before infeasible, smaller
// violation first, behind them what loses work, and failures last.
func (s Score) Less(o Score) bool {
	switch {
	case s.Failed || o.Failed:
		return !s.Failed && o.Failed
	case s.Lost != o.Lost:
		return s.Lost < o.Lost
	case s.Violation != o.Violation:
		return s.Violation < o.Violation
	}
	return s.Values[0] < o.Values[0]
}

// Dominates reports constrained Pareto dominance (Deb 2000).
func (s Score) Dominates(o Score) bool {
	if s.Failed || o.Failed || s.Lost != o.Lost {
		return !s.Failed && (o.Failed || s.Lost < o.Lost)
	}
	if s.Violation != o.Violation {
		return s.Violation < o.Violation
	}
	better := false
	for i := range s.Values {
		if s.Values[i] > o.Values[i] {
			return false
		}
		better = better || s.Values[i] < o.Values[i]
	}
	return better
}

// cost folds a score into one finite number that keeps the order of Less, for
// methods that take numbers only.
func (s Score) cost() float64 {
	switch {
	case s.Failed:
		return 1e30
	case s.Lost > 0:
		return 1e25 * (1 + math.Min(s.Lost, 1e4)) // above every violation
	case s.Violation > 0:
		return 1e15 * (1 + math.Min(s.Violation, 1e9))
	}
	return s.Values[0]
}

// feasible reports whether there is a result that breaks no limit and loses no work.
func (s Score) feasible() bool { return !s.Failed && s.Lost == 0 && s.Violation == 0 }

// order returns indices that sort scores; equal scores keep their order.
func order(scores []Score) []int {
	return sortedIndices(len(scores), func(a, b int) int {
		switch {
		case scores[a].Less(scores[b]):
			return -1
		case scores[b].Less(scores[a]):
			return 1
		}
		return 0
	})
}

// dominated reports whether one of the others dominates a score.
func dominated(s Score, others []Score) bool {
	return slices.ContainsFunc(others, func(o Score) bool { return o.Dominates(s) })
}

// mapped returns what a function makes of each element.
func mapped[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// indices returns the numbers from 0 to n-1.
func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// sortedIndices returns the numbers from 0 to n-1 in the order of what they number; equals keep
// their order.
func sortedIndices(n int, compare func(a, b int) int) []int {
	out := indices(n)
	slices.SortStableFunc(out, compare)
	return out
}
