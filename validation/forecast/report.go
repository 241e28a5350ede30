package forecast

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/text"
)

// Write writes a judgement as Markdown. Points are hundredths of the value with the current
// configuration.
func Write(w io.Writer, j Judgement) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d cases drawn, %d with nothing to gain; %d with a forecast, %d files recommended, which bring %.1f "+
		"points in the mean.\n\n", j.Drawn, j.Nothing, j.Found, j.Recommended, j.MeanCame)
	b.WriteString("| forecast (90 %) | holds what came | bias | mean distance | mean width | interval score " +
		"|\n|---|---|---|---|---|---|\n")
	row := func(name string, s Scores) {
		fmt.Fprintf(&b, "| %s | %.0f %% | %s | %.1f | %.1f | %.0f |\n", name, 100*s.Coverage, text.Signed(s.Bias, 1),
			s.Distance, s.Width, s.Interval)
	}
	row("on similar workloads", j.Expected)
	row("on the recorded trace", j.Again)
	row("constant, fitted to all other cases", j.Constant)
	if j.Queues.Cases > 0 {
		row(fmt.Sprintf("mean completion of %d queues with limits", j.Queues.Cases), j.Queues)
		fmt.Fprintf(&b, "| constant for queues | | | | | %.0f |\n", j.QueuesConstant.Interval)
	}
	b.WriteString("\n| target | measured | |\n|---|---|---|\n")
	for _, f := range j.figures() {
		verdict := "met"
		switch {
		case f.cases == 0:
			verdict = "not measured"
		case !f.met:
			verdict = "**missed**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f.target, f.measured, verdict)
	}
	b.WriteString("\n| stated probability | cases | Brier score | of the base rate | bins of 40 cases: stated, came " +
		"(90 % of a binomial distribution) |\n|---|---|---|---|---|\n")
	bins := func(name string, c *Calibration) {
		var in []string
		for _, x := range c.Bins {
			n := float64(x.Cases)
			in = append(in, fmt.Sprintf("%.0f %%, %.0f %% (%.0f to %.0f)", 100*x.Stated, 100*float64(x.Came)/n,
				100*float64(x.Low)/n, 100*float64(x.High)/n))
		}
		fmt.Fprintf(&b, "| %s | %d | %.3f | %.3f | %s |\n", name, c.Cases, c.Brier, c.Base, strings.Join(in, "; "))
	}
	bins("better", &j.Better)
	for _, n := range slices.Sorted(maps.Keys(j.ByPeriods)) {
		c := j.ByPeriods[n]
		bins(fmt.Sprintf("better, from %s", text.Count(n, "recorded period")), &c)
	}
	bins("more than 2 % worse", &j.Verdicts.Worse)
	bins("a queue more than 10 % slower", &j.QueueWorse)
	_, err := io.WriteString(w, b.String())
	return err
}

// figure is what a target is compared with.
type figure struct {
	target, measured string
	met              bool
	cases            int // it rests on
}

// figures are the targets of the judged half.
func (j *Judgement) figures() []figure {
	v := &j.Verdicts
	part := func(of float64, n int) string { return fmt.Sprintf("%.0f %% of %d", 100*of, n) }
	of := func(part, all int) string { return fmt.Sprintf("%d of %d", part, all) }
	better := v.Better.Brier < v.Better.Base && v.Better.reliable()
	for _, c := range v.ByPeriods {
		better = better && c.reliable()
	}
	calibrated := v.Better.Cases
	if calibrated < leastBin { // which are too few for a bin
		calibrated = 0
	}
	return []figure{
		{"recommended files bring at least 80 % of the gain of what was found", part(v.Share, v.Gains) + " cases",
			v.Share >= 0.8, v.Gains},
		{"also of the cases that start from a tuned file", part(v.ShareTuned, v.GainsTuned) + " cases", v.ShareTuned >= 0.8,
			v.GainsTuned},
		{"at most 5 % of recommended files make the next period more than 2 % worse", part(j.Worse, j.Recommended),
			j.Worse <= 0.05, j.Recommended},
		{"at most 5 % make a queue with five jobs or more more than 10 % slower", part(j.WorseQueue, j.Recommended),
			j.WorseQueue <= 0.05, j.Recommended},
		{"none stalls or loses jobs", part(j.Losing, j.Recommended), j.Losing == 0, j.Recommended},
		{"probability of being better: Brier score below that of the base rate, every bin reliable",
			fmt.Sprintf("%.3f beside %.3f, %d cases", v.Better.Brier, v.Better.Base, v.Better.Cases), better, calibrated},
		{"nothing to gain: at most 5 % recommended", of(v.NothingRecommended, v.Nothing),
			20*v.NothingRecommended <= v.Nothing, v.Nothing},
		{"90 % interval holds what came in 85 to 96 %", part(j.Expected.Coverage, j.Expected.Cases),
			j.Expected.Coverage >= 0.85 && j.Expected.Coverage <= 0.96, j.Expected.Cases},
		{"interval score at most 79, absolute bias at most 3 points", fmt.Sprintf("%.0f, %s", j.Expected.Interval,
			text.Signed(j.Expected.Bias, 1)), j.Expected.Interval <= 79 && math.Abs(j.Expected.Bias) <= 3, j.Expected.Cases},
		{"median of at most 4 changes", text.Fixed(v.Changes, 1), v.Changes <= 4, j.Recommended},
		{"no change without effect", of(v.WithoutEffect, v.AllChanges), v.WithoutEffect == 0, v.AllChanges},
		{"four seeds: same changes for 80 % of the gain in at least 90 % of problems", of(v.SameChanges, v.Seeds),
			10*v.SameChanges >= 9*v.Seeds, v.Seeds},
		{"four seeds: gains within each other's interval in at least 90 % of problems", of(v.SameGains, v.Seeds),
			10*v.SameGains >= 9*v.Seeds, v.Seeds},
		{"at most 5 % of verdicts go from yes to no with the next larger budget", of(v.Reversed, v.Yes),
			20*v.Reversed <= v.Yes, v.Yes},
	}
}

// WriteCases writes a row of CSV for each case, in points; "stalls" stands for a next period
// without a result.
func WriteCases(w io.Writer, outs []Outcome) error {
	rows := [][]string{{"case", "workload", "file", "periods", "objective", "budget", "seed", "recommended", "reason",
		"changes", "without_effect", "better", "worse", "expected", "low", "high", "recorded_trace", "came", "worst_queue",
		"lost"}}
	for _, o := range outs {
		number, rest, _ := strings.Cut(o.Case, ": ")
		workload, _, _ := strings.Cut(rest, ",")
		row := []string{number, workload, string(o.Kind), strconv.Itoa(o.Periods), o.Objective, strconv.Itoa(o.Budget),
			strconv.Itoa(o.Repeat + 1)}
		switch {
		case o.Invalid:
			row = append(row, "no such case")
		case o.Found:
			row = append(row, strconv.FormatBool(o.Recommended), string(o.Decision.Reason), strconv.Itoa(len(o.Changes)),
				strconv.Itoa(o.withoutEffect()), percent(o.Decision.Better), percent(o.Decision.Worse), points(o.Expected.Point),
				points(o.Expected.Low), points(o.Expected.High), points(o.Again.Point), points(o.Came), points(o.WorstQueue),
				text.Fixed(o.Lost, 2))
		default:
			row = append(row, "nothing found")
		}
		rows = append(rows, append(row, make([]string, len(rows[0])-len(row))...))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// percent prints a probability.
func percent(p *float64) string {
	if p == nil {
		return ""
	}
	return points(*p)
}

// points prints a part in hundredths.
func points(v float64) string {
	if math.IsInf(v, 0) || math.Abs(v) > 1e4 {
		return "stalls"
	}
	return text.Fixed(100*v, 1)
}
