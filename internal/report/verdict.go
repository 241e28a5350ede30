package report

import (
	"fmt"
	"math"
	"strings"

	"schedtune/internal/text"
	"schedtune/tune"
)

// Verdict is the outcome of a search in one sentence.
func Verdict(r *tune.Result) string {
	return verdict(r) + lossVerdict(r)
}

// notModelled is what a headline says of what was not simulated.
func notModelled(what []string) string {
	if len(what) == 0 {
		return ""
	}
	return "; NOT modelled, so not part of this: " + strings.Join(what, "; ")
}

func verdict(r *tune.Result) string {
	if len(r.Gain) == 0 {
		stopped := ""
		if r.Status == tune.Cancelled {
			stopped = "stopped before confirmation: "
		}
		return stopped + "no proven improvement: the current configuration stays"
	}
	// A gain or loss in the first objective; in every one where there are several.
	var gains []string
	for _, g := range r.Gain {
		gains = append(gains, gainText(g, r.Confirmed > 0))
	}
	gain := strings.Join(gains, "; ")
	switch {
	case r.Status == tune.Cancelled:
		return "stopped before confirmation, nothing is proven: with the best so far " + gain
	case r.Decision.Recommended:
		return limitsVerdict(r) + gain
	case r.Found == nil:
		return "no proven improvement: nothing tried was better than the current configuration"
	}
	return "no proven improvement" + lateVerdict(r) + ": with the best found " + gain
}

// lateVerdict is what it says of settings that break a limit in the confirmation, or that
// the confirmation's own runs have chosen.
func lateVerdict(r *tune.Result) string {
	switch {
	case r.ChosenLate:
		return " (what the search had chosen broke a limit or lost work in the confirmation; the figures are those of the " +
			"contender that took its place, by which it was chosen)"
	case r.Found != nil && !r.Found.Feasible && len(r.Constraints) > 0:
		return brokenVerdict(r.Constraints)
	}
	return ""
}

// brokenVerdict says which limit what was found breaks, or how many; no limit where a run without a result or
// lost work is what made it infeasible.
func brokenVerdict(limits []tune.ConstraintResult) string {
	var broken []string
	for _, c := range limits {
		if !c.Kept {
			broken = append(broken, c.Text)
		}
	}
	switch len(broken) {
	case 0:
		return ""
	case 1:
		return " (what was found breaks “" + broken[0] + "” on similar workloads)"
	}
	return fmt.Sprintf(" (what was found breaks %d of %d limits on similar workloads)", len(broken), len(limits))
}

// limitsVerdict is what the headline says of constraints before the gain.
func limitsVerdict(r *tune.Result) string {
	broken := 0
	for _, c := range r.Constraints {
		if !c.Kept {
			broken++
		}
	}
	switch {
	case broken > 0 && len(r.Constraints) == 1:
		return "the constraint is NOT kept; "
	case broken > 0:
		return fmt.Sprintf("%d of %d constraints NOT kept; ", broken, len(r.Constraints))
	case len(r.Constraints) > 0 && !r.Present.Feasible:
		return "the constraints are kept, which the current configuration breaks; "
	}
	return ""
}

// gainText says how a metric changes, with the interval behind it: what is to be
// expected of a similar workload, and what the recorded one shows. Without a
// confirmation the figures are of runs by which the search has chosen.
func gainText(g tune.Gain, confirmed bool) string {
	verb, figures := improvement(g.Interval)
	if g.Unknown {
		return fmt.Sprintf("%s %s by %s %% in the simulation, but what will come is not known", g.Metric, verb, figures[0])
	}
	if g.Again == nil {
		of := text.Count(g.N, "unused seed")
		if !confirmed {
			of = text.CountAs(g.N, "run of the search", "runs of the search")
		}
		return fmt.Sprintf("%s %s by %s %% (%.0f %% interval %s to %s, %s)", g.Metric, verb, figures[0], 100*g.Level,
			figures[1], figures[2], of)
	}
	text := fmt.Sprintf("%s %s by %s %% on similar workloads (%.0f %% interval %s to %s)", g.Metric, verb, figures[0],
		100*g.Level, figures[1], figures[2])
	then, again := improvement(*g.Again)
	if then == verb {
		return fmt.Sprintf("%s, by %s %% on the recorded trace", text, again[0])
	}
	return fmt.Sprintf("%s; on the recorded trace it %s by %s %%", text, then, again[0])
}

// improvement is a relative gain in words and figures: mean, low and high in
// percent of what the verb says.
func improvement(iv tune.Interval) (verb string, figures [3]string) {
	mean, low, high := 100*iv.Mean, 100*iv.Low, 100*iv.High
	digits := 1
	if a := math.Abs(mean); a > 0 && a < 0.05 { // not “improves by 0.0 %”
		digits = min(1-int(math.Floor(math.Log10(a))), 6)
	}
	verb = "improves"
	if mean < 0 {
		verb, mean, low, high = "gets worse", -mean, -high, -low
	}
	figures[0] = text.Fixed(mean, digits)
	for i, v := range []float64{low, high} {
		switch a := math.Abs(v); {
		case a >= knownEnd:
			figures[i+1] = farEnd(v)
		case a >= 0.05:
			figures[i+1] = text.Fixed(v, 1)
		default:
			figures[i+1] = text.Fixed(v, digits)
		}
	}
	return verb, figures
}

// knownEnd is the change in percent beyond which the end of an interval says no
// more than that it is not known.
const knownEnd = 1000

func farEnd(v float64) string {
	if v < 0 {
		return fmt.Sprintf("%d or less", -knownEnd)
	}
	return fmt.Sprintf("%d or more", knownEnd)
}

// span is an interval of changes in percent, from the lower end.
func span(a, b float64) string {
	end := func(v float64) string {
		if math.Abs(v) >= knownEnd {
			return farEnd(v)
		}
		return text.Signed(v, 1)
	}
	return end(min(a, b)) + " to " + end(max(a, b))
}
