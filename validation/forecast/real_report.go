package forecast

import (
	"fmt"
	"io"
	"math"
	"strings"

	"schedtune/internal/text"
)

// WritePairs writes promised and realised gains as Markdown.
func WritePairs(w io.Writer, rs []Realised) {
	if len(rs) == 0 {
		fmt.Fprintln(w, "no pair is recorded yet")
		return
	}
	pct := func(x float64) string { return text.Fixed(100*x, 1) }
	span := func(r Range) string { return pct(r.Low) + " to " + pct(r.High) }
	list := func(v []float64) string {
		var s []string
		for _, x := range v {
			s = append(s, fmt.Sprintf("%.1f", x))
		}
		return strings.Join(s, ", ")
	}
	fmt.Fprintln(w, "| scenario | objective | before, s | after, s | came, % | on the recorded trace, % | 90 % "+
		"interval | on similar workloads, % | 90 % interval | recommended |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	var inAgain, inExpected int
	var again, expected, bias float64
	for _, r := range rs {
		rec := "no"
		if r.Proven {
			rec = "yes"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Scenario, r.Objective, list(r.Before),
			list(r.After), pct(r.Came),
			pct(r.Again.Point), span(r.Again), pct(r.Expected.Point), span(r.Expected), rec)
		if r.Again.in(r.Came) {
			inAgain++
		}
		if r.Expected.in(r.Came) {
			inExpected++
		}
		again += math.Abs(r.Again.Point - r.Came)
		expected += math.Abs(r.Expected.Point - r.Came)
		bias += r.Again.Point - r.Came
	}
	n := float64(len(rs))
	fmt.Fprintf(w, "\n%d pairs. On the recorded trace: %d inside, mean distance %.1f points, bias %s. On similar "+
		"workloads: %d inside, mean distance %.1f points.\n",
		len(rs), inAgain, 100*again/n, text.Signed(100*bias/n, 1), inExpected, 100*expected/n)
}
