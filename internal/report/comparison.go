package report

import (
	"fmt"
	"io"
	"strings"

	"schedtune/internal/text"
)

// metric is one of a scheduler's, nil if it has no value.
func (s *comparedScheduler) metric(name string) *comparedMetric {
	for i := range s.Metrics {
		if s.Metrics[i].Name == name {
			return &s.Metrics[i]
		}
	}
	return nil
}

// Print writes one table per metric.
func (c *Comparison) Print(w io.Writer, metrics []string) error {
	tw := text.New(w)
	fmt.Fprintf(tw, "%s: %s on %s, %s from seed %d\n", c.Workload, text.Count(c.Jobs, "job"), text.Count(c.Nodes, "node"),
		text.Count(c.Replications, "replication"), c.Seed)
	for _, name := range metrics {
		fmt.Fprintf(tw, "\n%s\tmean\t95 %% interval\tagainst %s\t95 %% interval\t\n", name, c.Baseline)
		c.printMetric(tw, name)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for i := range c.Schedulers { // under which jobs fail or are refused: their means are over fewer jobs
		s := &c.Schedulers[i]
		if m := s.metric("jobs"); m != nil && m.Mean < float64(c.Jobs) {
			fmt.Fprintf(w, "\n%s finishes %s of %d jobs per run; its means are over these jobs\n", s.Scheduler,
				text.Plain(m.Mean), c.Jobs)
			printRefused(w, s.Refused)
		}
	}
	return nil
}

// printMetric writes a row for each scheduler, times in the unit of the largest mean.
func (c *Comparison) printMetric(w io.Writer, name string) {
	most := 0.0
	for i := range c.Schedulers {
		if m := c.Schedulers[i].metric(name); m != nil {
			most = max(most, m.Mean)
		}
	}
	show := amountsLike(most)
	for i := range c.Schedulers {
		s := &c.Schedulers[i]
		m := s.metric(name)
		if m == nil {
			fmt.Fprintf(w, "%s\tno value\t\t\t\t\n", s.Scheduler)
			continue
		}
		span := func(low, high *float64) string {
			if low == nil || c.Replications < 2 {
				return ""
			}
			return show(*low, m.Unit) + " to " + show(*high, m.Unit)
		}
		against := ""
		if m.Difference != nil {
			against = text.SignedPercent(*m.Difference / (m.Mean - *m.Difference))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Scheduler, show(m.Mean, m.Unit), span(&m.Low, &m.High), against,
			span(m.DiffLow, m.DiffHigh), strings.Replace(m.Verdict, notProven, "no difference shown", 1))
	}
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
