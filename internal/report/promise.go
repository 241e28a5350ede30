package report

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// longer is the interval of a prediction for a period some times as long, from a
// history as long: the spread between workloads shrinks with the root of the
// length where what is far apart does not depend on each other.
func longer(g tune.Gain, times float64) (low, high float64) {
	sign := -1.0
	if dir, err := simcore.Direction(g.Metric); err == nil && dir == simcore.Higher {
		sign = 1
	}
	ratio := func(gain float64) float64 { return math.Log(math.Max(1+sign*gain, 1e-9)) }
	model := distuv.UnitNormal.Quantile((1+g.Level)/2) * g.Model
	end := func(gain float64) float64 {
		h := ratio(gain) - ratio(g.Mean)
		shorter := math.Sqrt(math.Max(0, h*h-model*model)/times + model*model)
		return sign * math.Expm1(ratio(g.Mean)+math.Copysign(math.Min(shorter, math.Abs(h)), h))
	}
	return end(g.Low), end(g.High)
}

// promiseLines say what stands behind the headline's interval and what would
// narrow it; none where nothing is predicted.
func (sum *Summary) promiseLines() []string {
	var out []string
	for i := range sum.Gain {
		g := &sum.Gain[i]
		if g.Again == nil {
			continue
		}
		out = append(out, fmt.Sprintf("%s on the recorded trace: %s %% (%s)", g.Metric,
			text.Signed(change(g.Metric, g.Again.Mean), 1), againText(g, changesOf(g))))
		expected := expectedLines(g)
		out = append(out, g.Metric+" "+expected[0])
		for _, line := range expected[1:] {
			out = append(out, "  "+line)
		}
	}
	return out
}

// changesOf gives intervals of a gain as changes of its metric, as text.
func changesOf(g *tune.Gain) func(low, high float64) string {
	return func(low, high float64) string {
		if g.Unknown {
			return "not known"
		}
		return span(change(g.Metric, low), change(g.Metric, high))
	}
}

// expectedLines say what a similar workload is expected to show, and how
// much more the search's own workloads did.
func expectedLines(g *tune.Gain) []string {
	out := []string{fmt.Sprintf("expected on similar workloads: %s %% (%.0f %% interval %s, %d workloads not used by "+
		"the search)", text.Signed(change(g.Metric, g.Mean), 1), 100*g.Level, changesOf(g)(g.Low, g.High), g.N)}
	if g.Optimism != nil {
		out = append(out, optimismText(*g.Optimism))
	}
	return out
}

// againText says what the interval of the recorded period is and on how many runs it
// stands, or why there is none.
func againText(g *tune.Gain, changes func(low, high float64) string) string {
	stands := fmt.Sprintf("%d runs of each", g.Again.N)
	if g.AgainWindows > 1 {
		stands += fmt.Sprintf(" in %d windows", g.AgainWindows)
	}
	if g.Again.Level == 0 {
		return "no interval: " + stands + " do not show how much two runs of one window differ"
	}
	return fmt.Sprintf("%.0f %% prediction interval %s for one more run of each configuration; %s", 100*g.Again.Level,
		changes(g.Again.Low, g.Again.High), stands)
}

// optimismText gives the selection bias: how much more gain the search's own workloads showed.
func optimismText(o float64) string {
	return fmt.Sprintf("selection bias: %s percentage points", text.Fixed(100*o, 1))
}

// narrowingLines say what would narrow the interval of what is expected; none where
// nothing is predicted.
func (sum *Summary) narrowingLines() []string {
	var out []string
	if r := sum.Reproduction; r != nil && r.Unknown() {
		return append(out, "no interval: the simulation is off by more than a factor of two from the record")
	}
	if r := sum.Reproduction; r != nil && r.Jobs > 0 && !r.Reproduces {
		return append(out, "to narrow the interval: inputs with which the simulation agrees with the record; the interval "+
			"contains the simulator's error")
	}
	for _, g := range sum.Gain {
		if g.Again == nil {
			continue
		}
		low, high := longer(g, 3)
		if high-low > modelShare*(g.High-g.Low) {
			out = append(out, fmt.Sprintf("the interval of %s is the simulator's error about a change, as measured on "+
				"recorded clusters; neither more history nor a larger --budget would narrow it", g.Metric))
			continue
		}
		text := fmt.Sprintf("to narrow the interval of %s: three times as much history would give about %s",
			g.Metric, span(change(g.Metric, low), change(g.Metric, high)))
		if g.N < steady {
			text += fmt.Sprintf("; a larger --budget would not (its ends rest on %d workloads)", g.N)
		} else {
			text += "; a larger --budget would not"
		}
		out = append(out, text)
	}
	return out
}

// modelShare is the part of an interval's width from which on three times as much
// history is said to leave it as it is.
const modelShare = 0.95

// steady is the number of workloads from which on the ends of a 90 % interval lie
// inside the third smallest and largest value.
const steady = 60

// change turns a gain into the change of the metric in percent.
func change(name string, gain float64) float64 {
	if dir, err := simcore.Direction(name); err == nil && dir == simcore.Higher {
		return 100 * gain
	}
	return -100 * gain
}
