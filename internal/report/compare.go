package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"schedtune/internal/accuracy"
	"schedtune/internal/calibrate"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/sched"
	"schedtune/tune"
)

// Request is what to compare.
type Request struct {
	Inputs     scenario.Files
	Dataset    string           // embedded set in place of Inputs; empty = Inputs
	Options    simulate.Options // Scheduler is ignored
	Slowstart  float64          // of every job; negative: each job's own
	Seed       uint64           // of the first replication
	Runs       int              // replications with the seeds that follow
	Schedulers []string         // specs; the first is the baseline
	Workers    int              // runs at a time; the result does not depend on it
	// Progress, if set, hears how many runs are done, from one goroutine at a
	// time.
	Progress func(done int)
}

// Comparison is the outcome, and the document of tune compare.
type Comparison struct {
	Schema       string              `json:"schema"`
	Workload     string              `json:"workload"`
	Nodes        int                 `json:"nodes"`
	Jobs         int                 `json:"jobs"`
	Seed         uint64              `json:"seed"` // of the first replication
	Replications int                 `json:"replications"`
	Baseline     string              `json:"baseline"`
	Schedulers   []comparedScheduler `json:"schedulers"`
	// Latencies are those of YARN's schedulers; null without a history.
	Latencies *calibrate.Latencies `json:"latencies"`
	Notes     []string             `json:"notes"`
	Warnings  []string             `json:"warnings"`
}

// comparedScheduler is one column of the comparison.
type comparedScheduler struct {
	Scheduler string            `json:"scheduler"` // spec
	Metrics   []comparedMetric  `json:"metrics"`   // in the order of simcore.Metrics(); without those that have no value
	Refused   []simcore.Refusal `json:"refused"`   // jobs that the scheduler did not take, per run
}

// comparedMetric is a metric of one scheduler with 95 % intervals.
type comparedMetric struct {
	MeanMetric
	Values []float64 `json:"values"` // of the replications, by seed
	// Difference is ours minus the baseline's, paired by seed; null for the baseline and
	// where it has no value. One pair has no interval.
	Difference *float64 `json:"difference"`
	DiffLow    *float64 `json:"difference_low"`
	DiffHigh   *float64 `json:"difference_high"`
	Verdict    string   `json:"verdict,omitempty"` // better, worse, no difference shown
}

// notShown is the verdict on a difference whose interval contains 0.
const notShown = "no difference shown"

// judge sets the difference to the baseline and the verdict; d has a difference for each seed.
func (m *comparedMetric) judge(d []float64, better simcore.Better) {
	mean, low, high := interval(d)
	m.Difference, m.Verdict = &mean, notShown
	if len(d) == 1 { // one pair proves nothing
		return
	}
	m.DiffLow, m.DiffHigh = &low, &high
	if low > 0 || high < 0 {
		m.Verdict = map[bool]string{true: "better", false: "worse"}[(low > 0) == (better == simcore.Higher)]
	}
}

// Run compares the schedulers. Errors name the scheduler.
func Run(ctx context.Context, r Request) (*Comparison, error) {
	if len(r.Schedulers) == 0 {
		return nil, fmt.Errorf("no schedulers to compare")
	}
	sims, known, err := prepare(r)
	if err != nil {
		return nil, err
	}
	results, err := runAll(ctx, r, sims)
	if err != nil {
		return nil, err
	}
	s := sims[0]
	c := &Comparison{Schema: text.SchemaCompare, Workload: s.Work.Name, Nodes: len(s.Cluster.Nodes),
		Jobs: len(s.Work.Jobs), Seed: r.Seed, Replications: r.Runs, Baseline: r.Schedulers[0]}
	if known.Source != "" {
		c.Latencies = &known
	}
	once := func(to *[]string, from []string) {
		for _, line := range from {
			if !slices.Contains(*to, line) {
				*to = append(*to, line)
			}
		}
	}
	for _, s := range sims {
		once(&c.Notes, s.Notes)
		once(&c.Warnings, s.Warnings)
	}
	for i := range sims {
		if refused := guardRefusals(r.Schedulers[i], results[i]); refused != "" {
			c.Notes = append(c.Notes, refused)
		}
		c.Schedulers = append(c.Schedulers, comparedScheduler{r.Schedulers[i], metricsOf(results[i], results[0], i == 0),
			simcore.Refusals(results[i]...)})
	}
	return c, nil
}

// guardRefusals says how often nodes with a guard refused containers; "" without a guard.
func guardRefusals(spec string, results []*simcore.Result) string {
	s, err := sched.Parse(spec)
	if err != nil || s.Values["guard"] == "" || s.Values["guard"] == "none" {
		return ""
	}
	n := int64(0)
	for _, r := range results {
		n += r.GuardRefusals
	}
	if n == 0 {
		return spec + ": the overload guard refused nothing; the result is the same without it"
	}
	return fmt.Sprintf("%s: the overload guard refused containers on %.4g heartbeats per run on average", spec,
		float64(n)/float64(len(results)))
}

// prepare also says where the latencies of YARN's schedulers come from.
func prepare(r Request) (sims []*simulate.Runner, known calibrate.Latencies, err error) {
	for _, spec := range r.Schedulers {
		r.Options.Scheduler = spec
		s, l, err := accuracy.Load(r.Inputs, r.Dataset, r.Options)
		if err != nil {
			return nil, known, err
		}
		if known.Source == "" {
			known = l
		}
		sims = append(sims, s)
	}
	return sims, known, nil
}

// runAll gives every scheduler to one worker at a time, which runs its
// replications in the order of seeds.
func runAll(ctx context.Context, r Request, sims []*simulate.Runner) ([][]*simcore.Result, error) {
	results := make([][]*simcore.Result, len(sims))
	var mu sync.Mutex
	done := 0
	err := simulate.Each(ctx, len(sims), r.Workers, func(i int) error {
		for k := range r.Runs {
			if err := ctx.Err(); err != nil {
				return err
			}
			it := simulate.Item{Slowstart: r.Slowstart, Seed: r.Seed + uint64(k)}
			res, err := sims[i].RunNamed(ctx, it)
			if err != nil {
				return err
			}
			results[i] = append(results[i], res)
			mu.Lock()
			done++
			if r.Progress != nil {
				r.Progress(done)
			}
			mu.Unlock()
		}
		return nil
	})
	return results, err
}

// metricsOf summarises one scheduler's replications.
func metricsOf(own, base []*simcore.Result, isBase bool) []comparedMetric {
	var out []comparedMetric
	for _, def := range simcore.Metrics() {
		mean, v, ok := meanOf(own, def.Name, def)
		if !ok {
			continue
		}
		m := comparedMetric{MeanMetric: mean, Values: v}
		if b, ok := values(base, def.Name); ok && !isBase {
			d := slices.Clone(v)
			floats.Sub(d, b)
			m.judge(d, def.Better)
		}
		out = append(out, m)
	}
	return out
}

func values(results []*simcore.Result, name string) ([]float64, bool) {
	var out []float64
	for _, r := range results {
		v, err := r.Value(name)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

func interval(v []float64) (mean, low, high float64) {
	iv := tune.MeanInterval(v, 0.95)
	if len(v) == 1 || math.IsNaN(iv.Low) || math.IsInf(iv.Low, 0) {
		return iv.Mean, iv.Mean, iv.Mean
	}
	return iv.Mean, iv.Low, iv.High
}

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
			for k, r := range s.Refused {
				if k == refusalsShown {
					fmt.Fprintf(w, "%d more kinds of refusal: see --json\n", len(s.Refused)-k)
					break
				}
				fmt.Fprintln(w, r)
			}
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
			span(m.DiffLow, m.DiffHigh), m.Verdict)
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
