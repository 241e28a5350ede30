package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// longer is the interval of a prediction for a period some times as long, from a
// history as long: the spread between workloads shrinks with the root of the
// length where what is far apart does not depend on each other.
func longer(g *tune.Gain, times float64) (low, high float64) {
	sign := upwards(g.Metric)
	ratio := func(gain float64) float64 { return math.Log(math.Max(1+sign*gain, 1e-9)) }
	model := distuv.UnitNormal.Quantile((1+g.Level)/2) * g.Model
	end := func(gain float64) float64 {
		h := ratio(gain) - ratio(g.Mean)
		shorter := math.Sqrt(math.Max(0, h*h-model*model)/times + model*model)
		return sign * math.Expm1(ratio(g.Mean)+math.Copysign(math.Min(shorter, math.Abs(h)), h))
	}
	return end(g.Low), end(g.High)
}

// behind tells on what the figures rest, and what would narrow the interval of what is expected.
func (sum *Summary) behind() []string {
	var out []string
	for i := range sum.Gain {
		g := &sum.Gain[i]
		if g.Again == nil {
			continue
		}
		recorded, ends := gainParts(g, *g.Again)
		similar, prediction := gainParts(g, g.Interval)
		out = append(out, fmt.Sprintf("%s on the recorded trace (%s)", recorded, againText(g, ends)),
			fmt.Sprintf("%s on similar workloads (%.0f %% prediction interval %s; %s not used by the search)", similar,
				100*g.Level, prediction, text.Count(g.N, "workload")))
		if g.Optimism != nil {
			out = append(out, fmt.Sprintf("selection bias of the search: %s percentage points; the figures above are free "+
				"of it", text.Fixed(100**g.Optimism, 1)))
		}
	}
	out = append(out, sum.narrowing()...)
	return append(out, fmt.Sprintf("jobs finished per run: %s of %s with the current settings, %s after; means are "+
		"over these",
		trimmed(sum.Finished.Present), trimmed(sum.Finished.Jobs), trimmed(sum.Finished.Best)))
}

// gainParts is a gain such as "makespan 28 % shorter" and the ends of its interval.
func gainParts(g *tune.Gain, iv tune.Interval) (what, ends string) {
	sign, figures := improvement(iv)
	if ends = figures[1] + " to " + figures[2] + " %"; g.Unknown {
		ends = "not known"
	}
	return differenceText(g.Metric, sign, figures[0]), ends
}

// againText tells what the interval of the recorded period is and on how many runs it
// rests, or why there is none.
func againText(g *tune.Gain, ends string) string {
	if g.Again.Level == 0 {
		return "no interval: one run per window and configuration"
	}
	runs := fmt.Sprintf("%d runs of each", g.Again.N)
	if g.AgainWindows > 1 {
		runs += fmt.Sprintf(" in %d windows", g.AgainWindows)
	}
	return fmt.Sprintf("%.0f %% prediction interval %s for one more run of each configuration; %s", 100*g.Again.Level,
		ends, runs)
}

// narrowing tells what would narrow the interval of what is expected; nothing where
// nothing is predicted.
func (sum *Summary) narrowing() []string {
	if r := sum.Reproduction; r != nil && r.Unknown() {
		return []string{"no interval: the simulation is off by more than a factor of two from the record"}
	} else if r != nil && r.Jobs > 0 && !r.Reproduces {
		return []string{"to narrow the interval: inputs with which the simulation agrees with the record; the interval " +
			"contains the simulator's error"}
	}
	var out []string
	for i := range sum.Gain {
		g := &sum.Gain[i]
		if g.Again == nil {
			continue
		}
		low, high := longer(g, 3)
		if high-low > modelShare*(g.High-g.Low) {
			out = append(out, fmt.Sprintf("the interval of %s is the simulator's error about a change, as measured on "+
				"recorded clusters; neither more history nor a larger --budget would narrow it", g.Metric))
			continue
		}
		_, ends := gainParts(g, tune.Interval{Mean: g.Mean, Low: low, High: high})
		out = append(out, fmt.Sprintf("to narrow the interval of %s: three times as much history would give about %s; "+
			"a larger --budget would not narrow it", g.Metric, ends))
	}
	return out
}

// modelShare is the part of an interval's width from which on three times as much
// history is said to leave it as it is.
const modelShare = 0.95

// change turns a gain into the change of the metric in percent.
func change(name string, gain float64) float64 { return 100 * upwards(name) * gain }

// upwards is 1 for a metric that is better the higher it is, and -1 for others.
func upwards(name string) float64 {
	if simcore.MetricOf(name).Better == simcore.Higher {
		return 1
	}
	return -1
}

// apart reports whether before and after are of the trace again and gains of similar workloads.
func (sum *Summary) apart() bool {
	return slices.ContainsFunc(sum.Gain, func(g tune.Gain) bool { return g.Again != nil })
}

// confirmation tells on what the best found was measured after the search.
func (sum *Summary) confirmation() string {
	switch n := sum.Study.Confirmed; {
	case n == 0:
		return "not confirmed"
	case sum.apart():
		return fmt.Sprintf("confirmed on %s not used by the search", text.Count(n, "workload"))
	default:
		return fmt.Sprintf("confirmed on %s", text.Count(n, "unused seed"))
	}
}

// byShare lists the changed settings by the share of the gain that they carry, those of which
// it was not measured by the spread of scores that they explain; then the other settings.
func (sum *Summary) byShare() (names []string) {
	spread := map[string]float64{}
	for _, i := range sum.Importance {
		spread[i.Name] = i.Share
	}
	changed := slices.Clone(sum.found().Changes)
	slices.SortStableFunc(changed, func(a, b Change) int {
		return cmp.Or(byMeasured(a, b), cmp.Compare(spread[unitOf(b)], spread[unitOf(a)]))
	})
	for _, c := range changed {
		names = append(names, c.Setting)
	}
	for _, i := range sum.Importance {
		if !slices.Contains(names, i.Name) {
			names = append(names, i.Name)
		}
	}
	return names
}

// byMeasured orders changes by the share of the gain that they carry, those of which it was not
// measured last.
func byMeasured(a, b Change) int {
	none := new(float64)
	return cmp.Compare(*cmp.Or(b.Share, none), *cmp.Or(a.Share, none))
}

// valueOf is a setting's value as a number, NaN if it is none.
func valueOf(c Configuration, name string) float64 {
	text, _ := c.Settings.Get(name)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// moves says what a change does to what its queue is granted, as far as that is
// one figure; "" where it is not.
func (sum *Summary) moves(c *Change) string {
	if c.Setting == study.Slowstart {
		return fmt.Sprintf("reduces start at %s of the maps done, not at %s", share(c.To), share(c.From))
	}
	at := strings.LastIndexByte(c.Setting, '.')
	row, ok := map[string]int{"capacity": 0, "maximum-capacity": 1, "user-limit-factor": 2,
		"minimum-user-limit-percent": 2, "maximum-am-resource-percent": 3}[c.Setting[at+1:]]
	if !ok || at < 0 {
		return ""
	}
	for i := range sum.Terms {
		if rows := termsRows(&sum.Terms[i]); sum.Terms[i].Queue == c.Setting[:at] && row < len(rows) &&
			rows[row].before != rows[row].after {
			return rows[row].Name + " " + rows[row].Text()
		}
	}
	return ""
}

// share is a fraction in percent.
func share(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(math.Round(1000*v)/10, 'f', -1, 64) + " %"
}
