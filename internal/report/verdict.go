package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/internal/accuracy"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// Verdict tells the outcome of a search: whether the best configuration found is recommended, or
// why not, its gain, and the risk.
func Verdict(r *tune.Result) string {
	if r.Found == nil {
		if r.Status == tune.Cancelled {
			return "not recommended: the study was interrupted before its confirmation" + lossVerdict(r)
		}
		if r.Status == tune.TimeUp && r.Runs == 0 {
			return "no change recommended: the time of --budget ended before a configuration was measured"
		}
		return "no change recommended: nothing tried was better than the current configuration" + lossVerdict(r)
	}
	var gains []string
	for i := range r.Gain {
		gains = append(gains, gainText(&r.Gain[i], r.Confirmed > 0))
	}
	if d := &r.Decision; d.Recommended && d.Mean != nil && len(gains) > 0 {
		// Where most periods do not change, the middle one shows nothing of what the mean is recommended for.
		metric := r.Gain[0].Metric
		sign, figures := improvement(*d.Mean)
		gains[0] = strings.Replace(gains[0], noDifference+metric+" on similar workloads", differenceText(metric, sign,
			figures[0])+
			" on average over similar workloads, the same in most", 1)
	}
	gain := strings.Join(gains, "; ")
	if r.Decision.Recommended {
		gain = "recommended: " + limitsVerdict(r) + gain
	} else {
		gain = "not recommended: " + reasonText(r) + "; best found: " + gain
	}
	if risk := riskText(&r.Decision, r.Gain); risk != "" {
		gain += "; " + risk
	}
	return gain + lossVerdict(r)
}

// reasonText tells why the best found is not recommended.
func reasonText(r *tune.Result) string {
	d := &r.Decision
	switch d.Reason {
	case tune.ReasonFails:
		return "a run with it has no result"
	case tune.ReasonLosesWork:
		return "it loses work that the current configuration does"
	case tune.ReasonBreaksLimit:
		return brokenText(r.Constraints, r.Present.Feasible)
	case tune.ReasonUnknownError:
		return "the simulation is too far from the record to tell what a change would bring"
	case tune.ReasonGainUnsure:
		if d.Mean == nil {
			return "its mean gain is not certain"
		}
		_, figures := improvement(*d.Mean)
		return fmt.Sprintf("its mean gain is not certain (%.0f %% confidence interval %s to %s %%)", 100*d.Mean.Level,
			figures[1], figures[2])
	case tune.ReasonWorseRisk: // the probabilities follow
		return fmt.Sprintf("a similar period gets worse in more than %.3g of 100 (--risk)", 100*d.Risk.Worse)
	case tune.ReasonQueueRisk:
		return fmt.Sprintf("a queue gets slower in more than %.3g of 100 similar periods (--risk)", 100*d.Risk.Queue)
	}
	if r.Status == tune.Cancelled {
		return "the study was interrupted before its confirmation"
	}
	return "too few runs were left to confirm it"
}

// riskText tells the probabilities of a decision and on how little they rest; "" where there are none.
func riskText(d *tune.Decision, gains []tune.Gain) string {
	if d.Better == nil || d.Worse == nil || len(gains) == 0 {
		return ""
	}
	name := gains[0].Metric
	out := fmt.Sprintf("%s in %s of 100 similar periods, more than %.0f %% %s in %s of 100", direction(name, 1),
		of100(d.Better),
		100*tune.WorseBy, direction(name, -1), of100(d.Worse))
	for i, q := range riskiest(d) {
		if i == risksNamed || i > 0 && *q.Worse < leastRisk {
			break
		}
		out += fmt.Sprintf("; %s more than %.0f %% slower in %s of 100", protectedName(q.Metric), 100*tune.QueueBy,
			of100(q.Worse))
	}
	switch {
	case d.Periods <= 1:
		out += "; estimated from one recorded period"
	case d.Periods < fewPeriods:
		out += fmt.Sprintf("; estimated from %.3g recorded periods", d.Periods)
	}
	return out
}

// Bounds of what a verdict names: queues, the probability below which only the first is, and the
// number of recorded periods from which on it is not told.
const (
	risksNamed = 2
	leastRisk  = 0.005
	fewPeriods = 3
)

// riskiest are the protected metrics with a known probability, the largest first.
func riskiest(d *tune.Decision) []tune.Protected {
	list := slices.DeleteFunc(slices.Clone(d.Protected), func(p tune.Protected) bool { return p.Worse == nil })
	slices.SortStableFunc(list, func(a, b tune.Protected) int { return cmp.Compare(*b.Worse, *a.Worse) })
	return list
}

// protectedName is the queue or user of a protected metric, or the metric.
func protectedName(metric string) string {
	for _, kind := range []string{"queue", "user", "class"} {
		if name, ok := strings.CutPrefix(metric, kind+"."); ok {
			return kind + " " + name[:max(strings.LastIndexByte(name, '.'), 0)]
		}
	}
	return metric
}

// of100 is a probability as a number of 100.
func of100(p *float64) string {
	if p == nil {
		return "an unknown number"
	}
	switch n := math.Round(100 * *p); {
	case n == 0 && *p > 0:
		return "fewer than 1"
	case n == 100 && *p < 1:
		return "more than 99"
	default:
		return fmt.Sprintf("%.0f", n)
	}
}

// direction is what a gain (sign 1) or a loss (-1) of a metric is called.
func direction(metric string, sign float64) string {
	words := [2]string{"lower", "higher"}
	if simcore.MetricOf(metric).Unit == "s" {
		words = [2]string{"shorter", "longer"}
	}
	if change(metric, sign) < 0 {
		return words[0]
	}
	return words[1]
}

// brokenLimits are the limits that are not kept.
func brokenLimits(limits []tune.ConstraintResult) []tune.ConstraintResult {
	return slices.DeleteFunc(slices.Clone(limits), func(c tune.ConstraintResult) bool { return c.Kept })
}

// brokenText tells which limits the best found breaks on similar workloads, and by what figure; within:
// the current configuration meets them, so that they are within reach.
func brokenText(limits []tune.ConstraintResult, within bool) string {
	broken := brokenLimits(limits)
	unit := simcore.MetricOf(broken[0].Metric).Unit
	verb, first := "it breaks", fmt.Sprintf("“%s” (%s", broken[0].Text, text.Amount(broken[0].Value.Mean, unit))
	if !within {
		verb, first = "no configuration found meets", first+" at best"
	}
	which := "the limit"
	if len(broken) > 1 {
		which = fmt.Sprintf("%d of %d limits, the first", len(broken), len(limits))
	}
	return fmt.Sprintf("%s %s %s on similar workloads)", verb, which, first)
}

// limitsVerdict is what a recommendation says of limits before the gain.
func limitsVerdict(r *tune.Result) string {
	switch broken := len(brokenLimits(r.Constraints)); {
	case broken > 0:
		return fmt.Sprintf("%d of %s NOT kept; ", broken, text.Count(len(r.Constraints), "limit"))
	case len(r.Constraints) > 0 && !r.Present.Feasible:
		return "the limits are kept, which the current configuration breaks; "
	}
	return ""
}

// gainText tells how a metric changes, with the interval behind it: what is to be expected of a
// similar workload, and what the recorded one shows. Without a confirmation the figures are of
// runs by which the search has chosen.
func gainText(g *tune.Gain, confirmed bool) string {
	word, figures := improvement(g.Interval)
	what := differenceText(g.Metric, word, figures[0])
	if g.Unknown {
		return what + " in the simulation; what will come is not known"
	}
	if g.Again == nil && g.N < 2 {
		return what + " (one run: no interval)"
	}
	if g.Again == nil {
		of := text.Count(g.N, "unused seed")
		if !confirmed {
			of = text.CountAs(g.N, "run of the search", "runs of the search")
		}
		return fmt.Sprintf("%s (%.0f %% interval %s to %s %%, %s)", what, 100*g.Level, figures[1], figures[2], of)
	}
	again, recorded := improvement(*g.Again)
	trace := "no difference"
	if recorded[0] != "0.0" {
		trace = recorded[0] + " % " + direction(g.Metric, again)
	}
	return fmt.Sprintf("%s on similar workloads (%.0f %% prediction interval %s to %s %%), %s on the recorded trace", what,
		100*g.Level, figures[1], figures[2], trace)
}

// noDifference begins the text of a difference that rounds to nothing.
const noDifference = "no difference in "

// differenceText is such as "makespan 36 % shorter"; a difference that rounds to nothing is none.
func differenceText(metric string, sign float64, figure string) string {
	if figure == "0.0" {
		return noDifference + metric
	}
	return fmt.Sprintf("%s %s %% %s", metric, figure, direction(metric, sign))
}

// improvement is a relative gain as figures in percent: mean, low and high of a gain (sign 1), or
// of a loss (-1).
func improvement(iv tune.Interval) (sign float64, figures [3]string) {
	sign = 1
	low, high := iv.Low, iv.High
	if iv.Mean < 0 {
		sign, low, high = -1, -iv.High, -iv.Low
	}
	for i, v := range []float64{math.Abs(iv.Mean), low, high} {
		figures[i] = text.PercentFigure(100 * v)
	}
	return sign, figures
}

// reproductionVerdict is what the verdict says of a simulation that does not agree with the
// record, "" where it does or nothing is recorded.
func reproductionVerdict(r *accuracy.Report) string {
	if r == nil || r.Nothing != "" || r.Reproduces {
		return ""
	}
	why := r.ApartText()
	switch {
	case len(r.Forbidden) > 0:
		why = "the history ran under another file"
	case r.Lost > 0:
		why = fmt.Sprintf("%d jobs that ended in the record do not end in the simulation", r.Lost)
	}
	return "baseline check failed (" + why + "); "
}

// reproductionLines are the comparison; none for embedded jobs.
func (sum *Summary) reproductionLines() []string {
	if sum.Reproduction == nil || sum.Reproduction.Embedded {
		return nil
	}
	return sum.Reproduction.Lines()
}
