package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"schedtune/internal/calibrate"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// ComparisonDocument is the document of tune compare.
type ComparisonDocument struct {
	Schema       string              `json:"schema"`
	Workload     string              `json:"workload"`
	Nodes        int                 `json:"nodes"`
	Jobs         int                 `json:"jobs"`
	Seed         uint64              `json:"seed"`
	Replications int                 `json:"replications"`
	Baseline     string              `json:"baseline"`
	Schedulers   []comparedScheduler `json:"schedulers"`
	// Latencies has the origin of those of YARN's schedulers; absent without a history.
	Latencies *calibrate.Latencies `json:"latencies"`
	Notes     []string             `json:"notes"`
	Warnings  []string             `json:"warnings"`
}

type comparedScheduler struct {
	Scheduler string           `json:"scheduler"`
	Plot      string           `json:"plot,omitempty"`
	Metrics   []comparedMetric `json:"metrics"`
	// Refused are jobs that the scheduler did not take, per run.
	Refused []simcore.Refusal `json:"refused"`
}

type comparedMetric struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Mean   float64   `json:"mean"`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
	Values []float64 `json:"values"`
	// Against the baseline, paired by seed; absent for the baseline.
	Difference *float64 `json:"difference"`
	DiffLow    *float64 `json:"difference_low"`
	DiffHigh   *float64 `json:"difference_high"`
	Verdict    string   `json:"verdict,omitempty"` // better, worse, not proven
}

// Document returns the document of a comparison, with the names of the plots if they are
// written.
func (c *Comparison) Document(plots bool) *ComparisonDocument {
	out := &ComparisonDocument{Schema: text.SchemaCompare, Workload: c.Workload, Nodes: c.Nodes, Jobs: c.Jobs,
		Seed:         c.Seed,
		Replications: c.Replications, Baseline: c.Schedulers[0].Spec, Notes: c.Notes, Warnings: c.Warnings}
	if c.Latencies.Source != "" {
		out.Latencies = &c.Latencies
	}
	for _, s := range c.Schedulers {
		js := comparedScheduler{Scheduler: s.Spec, Metrics: []comparedMetric{}, Refused: s.Refused}
		if plots {
			js.Plot = "plots/" + PlotName(s.Spec)
		}
		for i := range s.Metrics {
			m := &s.Metrics[i]
			jm := comparedMetric{Name: m.Name, Unit: m.Unit, Mean: m.Mean, Low: m.Low, High: m.High, Values: m.Values}
			if !math.IsNaN(m.Difference) {
				jm.Difference, jm.DiffLow, jm.DiffHigh = &m.Difference, known(m.DiffLow), known(m.DiffHigh)
				jm.Verdict = m.verdict()
			}
			js.Metrics = append(js.Metrics, jm)
		}
		out.Schedulers = append(out.Schedulers, js)
	}
	return out
}

func (m *Metric) verdict() string {
	switch m.Better() {
	case 1:
		return "better"
	case -1:
		return "worse"
	}
	return "not proven"
}

// known returns nil for NaN and infinity, which JSON cannot represent.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// CSV returns a table with one row per scheduler and metric.
func (c *Comparison) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"scheduler", "metric", "unit", "mean", "low", "high", "difference", "difference_low",
		"difference_high", "verdict"}}
	digits := func(v float64) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, s := range c.Schedulers {
		for i := range s.Metrics {
			m, verdict := &s.Metrics[i], ""
			if !math.IsNaN(m.Difference) {
				verdict = m.verdict()
			}
			rows = append(rows, []string{s.Spec, m.Name, m.Unit, digits(m.Mean), digits(m.Low), digits(m.High),
				digits(m.Difference), digits(m.DiffLow), digits(m.DiffHigh), verdict})
		}
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

// Print writes one table per metric.
func (c *Comparison) Print(w io.Writer, metrics []string) error {
	tw := text.New(w)
	fmt.Fprintf(tw, "%s: %s on %s, %s from seed %d\n", c.Workload, text.Count(c.Jobs, "job"), text.Count(c.Nodes, "node"),
		text.Count(c.Replications, "replication"), c.Seed)
	for _, name := range metrics {
		fmt.Fprintf(tw, "\n%s\tmean\t95 %% interval\tagainst %s\t95 %% interval\t\n", name, c.Schedulers[0].Spec)
		show := amountsLike(largestMean(c, name))
		for _, s := range c.Schedulers {
			i := slices.IndexFunc(s.Metrics, func(m Metric) bool { return m.Name == name })
			if i < 0 {
				fmt.Fprintf(tw, "%s\tno value\t\t\t\t\n", s.Spec)
				continue
			}
			m := &s.Metrics[i]
			row := fmt.Sprintf("%s\t%s\t%s\t", s.Spec, show(m.Mean, m.Unit), spanLike(m.Low, m.High, m.Unit, c.Replications,
				show))
			if math.IsNaN(m.Difference) {
				row += "\t\t"
			} else {
				row += fmt.Sprintf("%s\t%s\t%s", text.SignedPercent(m.Difference/(m.Mean-m.Difference)),
					spanLike(m.DiffLow, m.DiffHigh, m.Unit, c.Replications, show), m.verdict())
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
		i := slices.IndexFunc(s.Metrics, func(m Metric) bool { return m.Name == "jobs" })
		if i < 0 || s.Metrics[i].Mean >= float64(c.Jobs) {
			continue
		}
		fmt.Fprintf(w, "\n%s finishes %s of %d jobs per run; its means are over these jobs\n", s.Spec,
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
