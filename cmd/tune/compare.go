package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"schedtune/internal/calibrate"
	"schedtune/internal/cli"
	"schedtune/internal/fileio"
	"schedtune/internal/report"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/sched"
)

// compareJSON is the document of tune compare.
type compareJSON struct {
	Schema       string             `json:"schema"`
	Workload     string             `json:"workload"`
	Nodes        int                `json:"nodes"`
	Jobs         int                `json:"jobs"`
	Seed         uint64             `json:"seed"`
	Replications int                `json:"replications"`
	Baseline     string             `json:"baseline"`
	Schedulers   []compareScheduler `json:"schedulers"`
	// Latencies says where those of YARN's schedulers come from; absent without a
	// history.
	Latencies *calibrate.Latencies `json:"latencies,omitempty"`
	Notes     []string             `json:"notes,omitempty"`
	Warnings  []string             `json:"warnings,omitempty"`
}

type compareScheduler struct {
	Scheduler string          `json:"scheduler"`
	Plot      string          `json:"plot,omitempty"`
	Metrics   []compareMetric `json:"metrics"`
	// Refused are jobs that the scheduler did not take, per run.
	Refused []simcore.Refusal `json:"refused,omitempty"`
}

type compareMetric struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Mean   float64   `json:"mean"`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
	Values []float64 `json:"values"`
	// Against the baseline, paired by seed; absent for the baseline.
	Difference *float64 `json:"difference,omitempty"`
	DiffLow    *float64 `json:"difference_low,omitempty"`
	DiffHigh   *float64 `json:"difference_high,omitempty"`
	Verdict    string   `json:"verdict,omitempty"` // better, worse, not proven
}

// compareFlags are the options of tune compare.
type compareFlags struct {
	req report.Request
	runFlags
	schedulers string
	metrics    []string
	out        string
	replace    bool // finished results in out
}

func newCompareCmd(e *env) *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:  "compare",
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runCompare(c.Context(), e, &f) },
	}
	fs := c.Flags()
	inputFlags(fs, &f.req.Inputs)
	cli.Group(fs, "Run", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.schedulers, "schedulers", "fifo,fair", "`LIST` of NAME[:k=v,…], see tune help schedulers; the first is the baseline")
		f.runFlags.declare(fs)
		replicationsFlag(fs, &f.req.Runs, 5, 1, "runs of each scheduler")
		cli.Seed(fs, &f.req.Seed, "the first replication")
		workersFlag(fs, &f.req.Workers, "runs")
	})
	cli.Group(fs, "Output", func(fs *pflag.FlagSet) {
		fs.StringSliceVar(&f.metrics, "metric", []string{"mean-completion", "makespan"}, "metrics to print (`NAME,…`), or all")
		cli.Output(fs, &f.out, &f.replace, "all metrics and the plots")
	})
	return c
}

func (f *compareFlags) check() error {
	f.req.Schedulers = sched.Split(f.schedulers)
	for _, s := range f.req.Schedulers {
		if _, err := sched.Parse(s); err != nil {
			return cli.Usagef("--schedulers: %v", err)
		}
	}
	var err error
	if f.req.Options, err = f.options(&f.req.Inputs); err != nil {
		return err
	}
	f.req.Dataset, f.req.Slowstart = f.dataset, f.slowstart
	var known []string
	for _, m := range simcore.Metrics() {
		known = append(known, m.Name)
	}
	if slices.Equal(f.metrics, []string{"all"}) {
		f.metrics = known
	}
	for _, m := range f.metrics {
		if !slices.Contains(known, m) {
			return cli.Usagef("--metric %q: must be all or one of %s", m, strings.Join(known, ", "))
		}
	}
	return nil
}

func runCompare(ctx context.Context, e *env, f *compareFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	var c *report.Comparison
	var out *compareJSON
	err := fileio.Into(f.out, "tune compare", f.replace, func(dir *fileio.Dir) (err error) {
		progress := e.NewProgress(int64(len(f.req.Schedulers)*f.req.Runs), "runs")
		f.req.Progress = func(done int) { progress.Set(int64(done), "") }
		c, err = cli.Interruptible(ctx, func() (*report.Comparison, error) { return report.Run(ctx, f.req) })
		progress.Finish()
		if err != nil {
			return err
		}
		if out = f.json(c); dir == nil {
			return nil
		}
		return f.write(dir, c, out)
	})
	if err != nil {
		return err
	}
	e.Notes(c.Notes...)
	if line := c.Latencies.Line(); line != "" {
		e.Notef("%s", line)
	}
	e.Warnings(c.Warnings)
	if e.JSON {
		return e.WriteJSON(out)
	}
	return f.print(e, c)
}

func (f *compareFlags) json(c *report.Comparison) *compareJSON {
	out := &compareJSON{Schema: "schedtune/compare/v1", Workload: c.Workload, Nodes: c.Nodes, Jobs: c.Jobs, Seed: f.req.Seed,
		Replications: c.Replications, Baseline: f.req.Schedulers[0], Notes: c.Notes, Warnings: c.Warnings}
	if c.Latencies.Source != "" {
		out.Latencies = &c.Latencies
	}
	for _, s := range c.Schedulers {
		js := compareScheduler{Scheduler: s.Spec, Metrics: []compareMetric{}, Refused: s.Refused}
		if f.out != "" {
			js.Plot = "plots/" + report.PlotName(s.Spec)
		}
		for i := range s.Metrics {
			m := &s.Metrics[i]
			jm := compareMetric{Name: m.Name, Unit: m.Unit, Mean: m.Mean, Low: m.Low, High: m.High, Values: m.Values}
			if !math.IsNaN(m.Difference) {
				jm.Difference, jm.DiffLow, jm.DiffHigh = &m.Difference, known(m.DiffLow), known(m.DiffHigh)
				jm.Verdict = comparison(m)
			}
			js.Metrics = append(js.Metrics, jm)
		}
		out.Schedulers = append(out.Schedulers, js)
	}
	return out
}

func comparison(m *report.Metric) string {
	switch m.Better() {
	case 1:
		return "better"
	case -1:
		return "worse"
	}
	return "not proven"
}

func (f *compareFlags) write(d *fileio.Dir, c *report.Comparison, out *compareJSON) error {
	table, err := compareCSV(c)
	if err != nil {
		return err
	}
	files := []fileio.OutputFile{{Name: "metrics.csv", Data: table}}
	for _, s := range c.Schedulers {
		files = append(files, fileio.OutputFile{Name: "plots/" + report.PlotName(s.Spec), Data: s.Plot})
	}
	return publish(d, out, files)
}

func compareCSV(c *report.Comparison) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"scheduler", "metric", "unit", "mean", "low", "high", "difference", "difference_low", "difference_high", "verdict"}}
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
				verdict = comparison(m)
			}
			rows = append(rows, []string{s.Spec, m.Name, m.Unit, digits(m.Mean), digits(m.Low), digits(m.High),
				digits(m.Difference), digits(m.DiffLow), digits(m.DiffHigh), verdict})
		}
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

// print writes one table per metric that was asked for.
func (f *compareFlags) print(e *env, c *report.Comparison) error {
	tw := text.New(e.Stdout)
	fmt.Fprintf(tw, "%s: %s on %s, %s from seed %d\n", c.Workload, text.Count(c.Jobs, "job"), text.Count(c.Nodes, "node"), text.Count(c.Replications, "replication"), f.req.Seed)
	for _, name := range f.metrics {
		fmt.Fprintf(tw, "\n%s\tmean\t95 %% interval\tagainst %s\t95 %% interval\t\n", name, f.req.Schedulers[0])
		show := amountsLike(largestMean(c, name))
		for _, s := range c.Schedulers {
			i := slices.IndexFunc(s.Metrics, func(m report.Metric) bool { return m.Name == name })
			if i < 0 {
				fmt.Fprintf(tw, "%s\tno value\t\t\t\t\n", s.Spec)
				continue
			}
			m := &s.Metrics[i]
			row := fmt.Sprintf("%s\t%s\t%s\t", s.Spec, show(m.Mean, m.Unit), span(m.Low, m.High, m.Unit, c.Replications, show))
			if math.IsNaN(m.Difference) {
				row += "\t\t"
			} else {
				row += fmt.Sprintf("%s\t%s\t%s", text.SignedPercent(m.Difference/(m.Mean-m.Difference)), span(m.DiffLow, m.DiffHigh, m.Unit, c.Replications, show), comparison(m))
			}
			fmt.Fprintln(tw, row)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	printLost(e.Stdout, c)
	return nil
}

// printLost names the schedulers under which jobs fail or are refused: their
// means are over fewer jobs.
func printLost(w io.Writer, c *report.Comparison) {
	for _, s := range c.Schedulers {
		i := slices.IndexFunc(s.Metrics, func(m report.Metric) bool { return m.Name == "jobs" })
		if i < 0 || s.Metrics[i].Mean >= float64(c.Jobs) {
			continue
		}
		fmt.Fprintf(w, "\n%s finishes %s of %d jobs per run; its means are over these jobs\n", s.Spec, number(s.Metrics[i].Mean), c.Jobs)
		for k, r := range s.Refused {
			if k == refusalsShown {
				fmt.Fprintf(w, "%d more kinds of refusal: see --json\n", len(s.Refused)-k)
				break
			}
			fmt.Fprintln(w, r)
		}
	}
}

func span(low, high float64, unit string, n int, show func(float64, string) string) string {
	if n < 2 {
		return ""
	}
	return show(low, unit) + " to " + show(high, unit)
}

// largestMean is the largest mean of a metric over the schedulers.
func largestMean(c *report.Comparison, name string) float64 {
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

// amountsLike prints amounts that stand beside one another: times all in the
// unit that suits the largest.
func amountsLike(largest float64) func(v float64, unit string) string {
	scale, name := text.TimeUnit(largest)
	return func(v float64, unit string) string {
		if unit != "s" {
			return amount(v, unit)
		}
		return number(v/scale) + name
	}
}

// known returns nil for a figure that does not exist, which JSON cannot name.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
