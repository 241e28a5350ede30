package learners

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedtune/internal/stats"
)

// Comparison is a variant against another over all cases, by one metric.
type Comparison struct {
	Variant string  `json:"variant"`
	Metric  string  `json:"metric"`
	Against string  `json:"against"`
	Cases   int     `json:"cases"`
	Change  float64 `json:"change"` // geometric mean of the ratios less 1; below 0 is better
	Low     float64 `json:"low"`    // of the 90 % interval over cases
	High    float64 `json:"high"`
	Better  int     `json:"better"` // cases in which it is better, by a paired 95 % interval over seeds
	Worse   int     `json:"worse"`
	Stuck   int     `json:"stuck"` // cases of which a run does not end
	Worst   float64 `json:"worst"` // the largest ratio of a case less 1
}

// compare summarises a variant against another.
func compare(outs []Outcome, variant, against string, metric int) Comparison {
	c := Comparison{Variant: variant, Against: against, Metric: metrics[metric], Worst: math.Inf(-1)}
	var logs []float64
	for _, o := range outs {
		if slices.Contains(o.Stuck, variant) {
			c.Stuck++
		}
		a, b := o.Figures[variant], o.Figures[against]
		if a == nil || b == nil {
			continue
		}
		ratio := stats.Mean(a[metric]) / stats.Mean(b[metric])
		c.Cases++
		logs = append(logs, math.Log(ratio))
		c.Worst = math.Max(c.Worst, ratio-1)
		d := make([]float64, len(a[metric]))
		for i := range d {
			d[i] = a[metric][i] - b[metric][i]
		}
		switch _, low, high := stats.MeanInterval(d, 0.95); {
		case high < 0:
			c.Better++
		case low > 0:
			c.Worse++
		}
	}
	if len(logs) > 0 {
		mean, low, high := stats.MeanInterval(logs, 0.9)
		c.Change, c.Low, c.High = math.Expm1(mean), math.Expm1(low), math.Expm1(high)
	}
	return c
}

// tables are what is shown: each its baseline and the variants beside it.
func tables() []struct {
	title, note, against string
	variants             []string
} {
	with := func(base string, filter func(int) bool) []string {
		var out []string
		for i, p := range policies {
			if filter(i) {
				out = append(out, base+", "+p.name)
			}
		}
		return out
	}
	return []struct {
		title, note, against string
		variants             []string
	}{
		{"Start of reduces, present queue file", "The fixed slowstart is the best of 0.05, 0.25, 0.5, 0.8, 0.95 and 1 in the first period. OMO and Coupling choose nothing.",
			fixed, append(append([]string{present}, with(present, func(i int) bool { return policies[i].onPresent })...), presentAdvice)},
		{"On the tuned Capacity Scheduler", "The search moves all settings of the queues, locality and slowstart. A policy of reduces takes the slowstart's place.",
			tunedCS, append(append([]string{present, fixed}, with(tunedCS, func(int) bool { return true })...), advice)},
	}
}

// Comparisons are the rows of all tables.
func Comparisons(outs []Outcome) []Comparison {
	var out []Comparison
	for _, t := range tables() {
		for _, v := range t.variants {
			for m := range metrics {
				out = append(out, compare(outs, v, t.against, m))
			}
		}
	}
	return out
}

// Write writes the page.
func Write(w io.Writer, outs []Outcome, command string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# The papers' mathematics on YARN\n\n`%s`\n\n", command)
	fmt.Fprintf(&b, "%d cases are drawn: a workload (generated, or from a trace), a queue file, a cluster. Every choice, the tuned file\nincluded, is made on one period; the figures are those of the next, with %d seeds that no choice has seen. Task times\nare processor work; reading (three replicas, on random nodes), copying and writing share disks and links. In every\nother case half of the nodes compute twice as fast with one disk in place of six.\n\n", len(outs), replication)
	b.WriteString("A change is the geometric mean over cases of the ratio of means, with its 90 % interval; below 0 is better. A case counts\nas better or worse where a paired 95 % interval over seeds excludes 0; locked are cases in\nwhich some run does not end, as reduces hold what the maps of other jobs wait for. They count in no ratio.\n")
	for _, t := range tables() {
		fmt.Fprintf(&b, "\n## %s\n\n%s Against: %s.\n\n| variant | metric | change | 90 %% interval | better | worse | of | worst case | locked |\n|---|---|---|---|---|---|---|---|---|\n", t.title, t.note, t.against)
		for _, v := range t.variants {
			for m := range metrics {
				c := compare(outs, v, t.against, m)
				if c.Cases == 0 {
					continue
				}
				fmt.Fprintf(&b, "| %s | %s | %s | %s to %s | %d | %d | %d | %s | %d |\n", v, c.Metric, stats.Percent(c.Change), stats.Signed(100*c.Low, 1), stats.Signed(100*c.High, 1), c.Better, c.Worse, c.Cases, stats.Percent(c.Worst), c.Stuck)
			}
		}
	}
	b.WriteString("\n## Cases\n\n| case | best fixed slowstart | with the tuned file | changes of the tuned file |\n|---|---|---|---|\n")
	for _, o := range outs {
		if o.Skipped != "" {
			fmt.Fprintf(&b, "| %s | no run: %s | | |\n", o.Case, o.Skipped)
			continue
		}
		fmt.Fprintf(&b, "| %s | %g | %g | %d |\n", o.Case, o.Slowstart, o.Tuned, o.Changes)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
