package report

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"schedtune/internal/accuracy"
	"schedtune/internal/calibrate"
	"schedtune/internal/report/html"
	"schedtune/internal/report/timeline"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
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
	// Progress, if set, is told how many runs are done, from one goroutine at a
	// time.
	Progress func(done int)
}

// Comparison is the outcome.
type Comparison struct {
	Workload     string
	Nodes, Jobs  int
	Seed         uint64 // of the first replication
	Replications int
	Notes        []string
	Warnings     []string
	Latencies    calibrate.Latencies // of YARN's schedulers; no source without a history
	Schedulers   []Scheduler
}

// Scheduler is one column of the comparison.
type Scheduler struct {
	Spec    string
	Metrics []Metric // in the order of simcore.Metrics(); without those that have no value
	Refused []simcore.Refusal
	Plot    []byte // SVG: running maps and reduces over time, first replication
}

// Metric is a metric of one scheduler with 95 % intervals.
type Metric struct {
	simcore.Metric
	Mean, Low, High float64
	// Difference is ours minus the baseline's, paired by seed; NaN for the
	// baseline and where it has no value.
	Difference, DiffLow, DiffHigh float64
	// Values are the replications, by seed.
	Values []float64
}

// Better reports whether the scheduler is better than the baseline (+1), worse
// (-1), or not proven different (0).
func (m *Metric) Better() int {
	sign := 1
	if m.Metric.Better == simcore.Lower {
		sign = -1
	}
	switch {
	case m.DiffLow > 0:
		return sign
	case m.DiffHigh < 0:
		return -sign
	}
	return 0
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
	results, plots, err := runAll(ctx, r, sims)
	if err != nil {
		return nil, err
	}
	s := sims[0]
	c := &Comparison{Workload: s.Work.Name, Nodes: len(s.Cluster.Nodes), Jobs: len(s.Work.Jobs), Seed: r.Seed,
		Replications: r.Runs, Latencies: known}
	seen := map[string]bool{}
	for _, s := range sims {
		for _, n := range s.Notes {
			if !seen[n] {
				seen[n] = true
				c.Notes = append(c.Notes, n)
			}
		}
		for _, w := range s.Warnings {
			if !seen[w] {
				seen[w] = true
				c.Warnings = append(c.Warnings, w)
			}
		}
	}
	for i := range sims {
		if refused := guardRefusals(r.Schedulers[i], results[i]); refused != "" {
			c.Notes = append(c.Notes, refused)
		}
		c.Schedulers = append(c.Schedulers, Scheduler{Spec: r.Schedulers[i], Metrics: metricsOf(results[i], results[0],
			i == 0), Refused: simcore.Refusals(results[i]...), Plot: plots[i]})
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
		return spec + ": the guard refused nothing, so that the scheduler is as without it"
	}
	return fmt.Sprintf("%s: the guard refused containers at %.4g heartbeats per run", spec,
		float64(n)/float64(len(results)))
}

// prepare also says where the latencies of YARN's schedulers come from.
func prepare(r Request) (sims []*simulate.Runner, known calibrate.Latencies, err error) {
	for _, spec := range r.Schedulers {
		o := r.Options
		o.Scheduler = spec
		s, l, err := accuracy.Load(r.Inputs, r.Dataset, o)
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
func runAll(ctx context.Context, r Request, sims []*simulate.Runner) ([][]*simcore.Result, [][]byte, error) {
	results, plots := make([][]*simcore.Result, len(sims)), make([][]byte, len(sims))
	var mu sync.Mutex
	done := 0
	err := simulate.Each(ctx, len(sims), r.Workers, func(i int) error {
		for k := range r.Runs {
			if err := ctx.Err(); err != nil {
				return err
			}
			it := simulate.Item{Slowstart: r.Slowstart, Seed: r.Seed + uint64(k)}
			var rec *timeline.Recorder
			if k == 0 {
				rec = timeline.New(sims[i].Work)
				it.Watch = rec.Watch
			}
			res, err := sims[i].RunNamed(ctx, it)
			if err != nil {
				return err
			}
			results[i] = append(results[i], res)
			if rec != nil {
				plots[i] = html.RunningTasks(rec, "Running tasks under "+r.Schedulers[i]).File()
			}
			mu.Lock()
			done++
			if r.Progress != nil {
				r.Progress(done)
			}
			mu.Unlock()
		}
		return nil
	})
	return results, plots, err
}

// metricsOf summarises one scheduler's replications.
func metricsOf(own, base []*simcore.Result, isBase bool) []Metric {
	var out []Metric
	for _, def := range simcore.Metrics() {
		v, ok := values(own, def.Name)
		if !ok {
			continue
		}
		m := Metric{Metric: def, Values: v, Difference: math.NaN(), DiffLow: math.NaN(), DiffHigh: math.NaN()}
		m.Mean, m.Low, m.High = interval(v)
		if b, ok := values(base, def.Name); ok && !isBase {
			d := make([]float64, len(v))
			for i := range d {
				d[i] = v[i] - b[i]
			}
			m.Difference, m.DiffLow, m.DiffHigh = interval(d)
			if len(v) == 1 {
				m.DiffLow, m.DiffHigh = math.Inf(-1), math.Inf(1) // one pair proves nothing
			}
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

// PlotName is the file name of a scheduler's plot.
func PlotName(spec string) string {
	clean := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}
	return strings.Map(clean, spec) + ".svg"
}
