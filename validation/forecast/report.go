package forecast

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/template"

	"schedtune/internal/text"
)

//go:embed judgement.tmpl
var judgementPage string

//go:embed pairs.tmpl
var pairsPage string

var judgementTable, pairsTable = text.Table(judgementPage, functions), text.Table(pairsPage, functions)

var functions = template.FuncMap{"points": func(v float64) string { return text.Signed(v, 1) },
	"part":  func(n, of int) float64 { return 100 * float64(n) / float64(of) },
	"tenth": func(part float64) string { return text.Fixed(100*part, 1) }}

// Write writes a judgement as Markdown. Points are hundredths of the value with the current
// configuration.
func Write(w io.Writer, j Judgement) error {
	return judgementTable.Execute(w, struct {
		*Judgement
		Targets []figure
	}{&j, j.figures()})
}

// figure is what a target is compared with.
type figure struct {
	Target, Measured string
	Met              bool
	Cases            int // it rests on
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
