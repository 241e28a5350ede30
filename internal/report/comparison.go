package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"schedtune/internal/text"
)

// known returns nil for NaN and infinity, which JSON cannot represent.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Print writes one table per metric.
func (c *Comparison) Print(w io.Writer, metrics []string) error {
	tw := text.New(w)
	fmt.Fprintf(tw, "%s: %s on %s, %s from seed %d\n", c.Workload, text.Count(c.Jobs, "job"), text.Count(c.Nodes, "node"),
		text.Count(c.Replications, "replication"), c.Seed)
	for _, name := range metrics {
		fmt.Fprintf(tw, "\n%s\tmean\t95 %% interval\tagainst %s\t95 %% interval\t\n", name, c.Baseline)
		show := amountsLike(largestMean(c, name))
		for _, s := range c.Schedulers {
			i := slices.IndexFunc(s.Metrics, func(m comparedMetric) bool { return m.Name == name })
			if i < 0 {
				fmt.Fprintf(tw, "%s\tno value\t\t\t\t\n", s.Scheduler)
				continue
			}
			m := &s.Metrics[i]
			row := fmt.Sprintf("%s\t%s\t%s\t", s.Scheduler, show(m.Mean, m.Unit), spanLike(m.Low, m.High, m.Unit, c.Replications,
				show))
			if m.Difference == nil {
				row += "\t\t"
			} else {
				diff := ""
				if m.DiffLow != nil {
					diff = spanLike(*m.DiffLow, *m.DiffHigh, m.Unit, c.Replications, show)
				}
				row += fmt.Sprintf("%s\t%s\t%s", text.SignedPercent(*m.Difference/(m.Mean-*m.Difference)),
					diff, m.Verdict)
			}
			fmt.Fprintln(tw, row)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	printLost(w, c)
	return nil
}

// printLost names the schedulers under which jobs fail or are refused: their
// means are over fewer jobs.
func printLost(w io.Writer, c *Comparison) {
	for _, s := range c.Schedulers {
		i := slices.IndexFunc(s.Metrics, func(m comparedMetric) bool { return m.Name == "jobs" })
		if i < 0 || s.Metrics[i].Mean >= float64(c.Jobs) {
			continue
		}
		fmt.Fprintf(w, "\n%s finishes %s of %d jobs per run; its means are over these jobs\n", s.Scheduler,
			text.Plain(s.Metrics[i].Mean), c.Jobs)
		for k, r := range s.Refused {
			if k == kindsOfRefusal {
				fmt.Fprintf(w, "%d more kinds of refusal: see --json\n", len(s.Refused)-k)
				break
			}
			fmt.Fprintln(w, r)
		}
	}
}

func spanLike(low, high float64, unit string, n int, show func(float64, string) string) string {
	if n < 2 {
		return ""
	}
	return show(low, unit) + " to " + show(high, unit)
}

// largestMean is the largest mean of a metric over the schedulers.
func largestMean(c *Comparison, name string) float64 {
	most := 0.0
	for _, s := range c.Schedulers {
		for i := range s.Metrics {
			if m := &s.Metrics[i]; m.Name == name && m.Mean > most {
				most = m.Mean
			}
		}
	}
	return most
}

// amountsLike returns a function that formats the amounts of a table: times in the unit of the
// largest.
func amountsLike(largest float64) func(v float64, unit string) string {
	scale, name := text.TimeUnit(largest)
	return func(v float64, unit string) string {
		if unit != "s" {
			return text.Amount(v, unit)
		}
		return text.Plain(v/scale) + name
	}
}
