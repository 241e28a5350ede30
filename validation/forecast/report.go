package forecast

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"schedtune/internal/text"
)

// Write writes a judgement as Markdown. Points are hundredths of the value with the current
// configuration.
func Write(w io.Writer, j Judgement) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d cases drawn, %d with a forecast, %d files recommended.\n\n", j.Drawn, j.Found, j.Recommended)
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
	fmt.Fprintf(&b, "\nRecommended files: %.0f %% make the next period more than 2 %% worse, %.0f %% a queue with five "+
		"jobs or more by more than 10 %%, %.0f %% lose jobs; mean gain %.1f points. %.0f %% of the queues came out worse "+
		"than their whole interval.\n",
		100*j.Worse, 100*j.WorseQueue, 100*j.Losing, j.MeanCame, 100*j.QueuesAbove)
	_, err := io.WriteString(w, b.String())
	return err
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
