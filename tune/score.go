package tune

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// Objective names a metric to bring down, or up.
type Objective struct {
	Metric   string `json:"metric"`             // key of Outcome.Metrics
	Maximize bool   `json:"maximize,omitempty"` // larger is better
}

// Constraint is a limit on the mean of a metric. Settings that violate no
// constraint come before all that do.
type Constraint struct {
	Metric string  `json:"metric"`
	Op     string  `json:"op"`    // "<=" or ">="
	Limit  float64 `json:"limit"` // in the metric's unit
	// Factor, if not 0, makes the limit relative: Factor times the mean of the
	// present configuration on the same instances. Limit is then not read.
	Factor float64 `json:"factor,omitempty"`
	Text   string  `json:"text"` // as the user wrote it
}

// ParseConstraint reads "metric <= limit[unit]" or "metric >= limit[unit]".
// Units turn the limit into the metric's base unit: us, ms, s, m (or min), h,
// d into seconds; % into a fraction; k, M, G (10^3, 10^6, 10^9) and Ki, Mi, Gi
// (2^10, 2^20, 2^30) into a plain number.
func ParseConstraint(text string) (Constraint, error) {
	bad := func(why string) (Constraint, error) {
		return Constraint{}, fmt.Errorf("tune: constraint %q: %s; allowed: METRIC <= NUMBER[UNIT] or METRIC >= NUMBER[UNIT]", text, why)
	}
	i := strings.IndexAny(text, "<>")
	if i < 0 {
		return bad("no comparison")
	}
	metric := strings.TrimSpace(text[:i])
	if metric == "" || strings.ContainsAny(metric, " \t=") {
		return bad("no single metric name on the left")
	}
	rest := strings.TrimPrefix(text[i+1:], "=")
	limit, err := parseQuantity(strings.TrimSpace(rest))
	if err != nil {
		return bad(err.Error())
	}
	return Constraint{Metric: metric, Op: text[i:i+1] + "=", Limit: limit, Text: text}, nil
}

// parseQuantity reads a number with an optional unit.
func parseQuantity(s string) (float64, error) {
	n := len(s)
	for n > 0 && !(s[n-1] >= '0' && s[n-1] <= '9' || s[n-1] == '.') {
		n--
	}
	v, err := strconv.ParseFloat(s[:n], 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a number with a unit", s)
	}
	f, ok := unitFactor(strings.TrimSpace(s[n:]))
	if !ok {
		return 0, fmt.Errorf("unit %q is unknown (us ms s m min h d %% k M G Ki Mi Gi)", strings.TrimSpace(s[n:]))
	}
	return v * f, nil
}

func unitFactor(u string) (float64, bool) {
	switch u {
	case "", "s":
		return 1, true
	case "us":
		return 1e-6, true
	case "ms":
		return 1e-3, true
	case "m", "min":
		return 60, true
	case "h":
		return 3600, true
	case "d":
		return 86400, true
	case "%":
		return 0.01, true
	case "k":
		return 1e3, true
	case "M":
		return 1e6, true
	case "G":
		return 1e9, true
	case "Ki":
		return 1 << 10, true
	case "Mi":
		return 1 << 20, true
	case "Gi":
		return 1 << 30, true
	}
	return 0, false
}

// excess is how far a value is beyond a limit, negative if within, relative
// to the scale of limits.
func (c Constraint) excess(v, limit, scale float64) float64 {
	d := v - limit
	if c.Op == ">=" {
		d = -d
	}
	return d / math.Max(math.Abs(scale), 1e-9)
}

// Score is what a sampler is told about a point: Values, one per objective, to
// be minimised, by how much the constraints are violated, and what is lost that
// the present configuration keeps.
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

// order returns indices that sort scores; equal scores keep their order.
func order(scores []Score) []int {
	idx := make([]int, len(scores))
	for i := range idx {
		idx[i] = i
	}
	sort.SliceStable(idx, func(a, b int) bool { return scores[idx[a]].Less(scores[idx[b]]) })
	return idx
}
