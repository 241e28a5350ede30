package timeofday

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/tune"
)

// The judgement: every file is simulated on the whole trace, refreshes included, and
// its figures are those of the days held out. Two files are recommended if they beat
// every single file that is known: the current one, the one found, and either of the
// two all day. Each of these intervals is at the full level: a claim that all of them
// must support needs no correction (R. Berger, "Multiparameter hypothesis testing and
// acceptance sampling", 1982: intersection-union tests).

// confidence is the level of the intervals.
const confidence = 0.95

// defaultReplications of the whole trace judge a file.
const defaultReplications = 4

// purposeJudge is the draw of the seeds of the judgement.
const purposeJudge = 0x6a75646765

// purposeLimits is the draw of the seeds by which limits are converted.
const purposeLimits = 0x6c696d697473

// contestant is a file, or two with their times, under judgement.
type contestant struct {
	name   string
	single bool
	runner *simulate.Runner
	item   simulate.Item

	days [][]float64 // by metric and held-out day
	lost float64     // jobs per run
}

// judge measures all on the days held out and decides.
func (f *finder) judge(ctx context.Context, single *oneFile, two *twoFiles) (*Report, *Files, error) {
	if f.req.Progress != nil {
		f.req.Progress("held-out days", tune.Progress{Phase: "confirm"})
	}
	all, err := f.contestants(single, two)
	if err != nil {
		return nil, nil, err
	}
	if err := f.measure(ctx, all); err != nil {
		return nil, nil, err
	}
	f.decide(all, single, two)
	return f.report, f.files(single, two), nil
}

// contestants lists the current file first, then the single one, then either of the two
// all day, then both.
func (f *finder) contestants(single *oneFile, two *twoFiles) ([]*contestant, error) {
	prepared := func(c *scenario.Case) (*simulate.Runner, error) {
		return runnerOf(c, []span{wholeSpan(f.c.Work, f.held)}, f.metrics)
	}
	r, err := prepared(f.c)
	if err != nil {
		return nil, err
	}
	alone := simulate.Item{Slowstart: single.space.SlowstartOf(single.settings),
		Defaults: single.space.DefaultsOf(single.settings)}
	all := []*contestant{{name: Present, single: true, runner: r, item: simulate.Item{Slowstart: -1}}}
	if single.moved {
		it := alone
		it.Changes = single.changes
		all = append(all, &contestant{name: Single, single: true, runner: r, item: it})
	}
	if two == nil || !two.moved {
		return all, nil
	}
	if r, err = prepared(two.c); err != nil {
		return nil, err
	}
	for i, changes := range two.changes {
		if len(changes) == 0 {
			continue // the single file
		}
		it := alone
		it.Changes = changes
		all = append(all, &contestant{name: "configuration of " + f.label(i) + " all day", single: true, runner: r, item: it})
	}
	both := alone
	both.Changes, both.Refresh = two.schedule.Refresh(f.clock.Begin, two.changes)
	return append(all, &contestant{name: Two, runner: r, item: both}), nil
}

// measure runs the contestants. Equal seeds are shared: differences between files are
// paired.
func (f *finder) measure(ctx context.Context, all []*contestant) error {
	n := f.req.Replications
	if n == 0 {
		n = defaultReplications
	}
	whole := wholeSpan(f.c.Work, f.held)
	key := rng.NewKey(f.req.Seed, purposeJudge)
	cells := make([]replication, len(all)*n)
	err := simulate.Each(ctx, len(cells), f.req.Workers, func(i int) error {
		c := all[i/n]
		it := c.item
		it.Seed = key.Uint64(uint64(i%n)) >> 11
		res, err := c.runner.Run(ctx, it)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		cells[i].lost = float64(len(res.Lost()))
		for d := range f.held {
			v, err := whole.values(res, d, f.metrics)
			if err != nil {
				return err
			}
			cells[i].values = append(cells[i].values, v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		for range f.metrics {
			c.days = append(c.days, make([]float64, len(f.held)))
		}
	}
	for i, x := range cells { // means over the runs
		c := all[i/n]
		c.lost += x.lost / float64(n)
		for d := range x.values {
			for m, v := range x.values[d] {
				c.days[m][d] += v / float64(n)
			}
		}
	}
	return nil
}

// replication is what one run of a contestant gave.
type replication struct {
	values [][]float64 // by day, then metric
	lost   float64     // jobs
}

// gain is what b brings over a: of the logarithms of the ratio b/a on each day the
// mean, with Student's interval over days and the simulator's error about a change
// beside it:
//
//	mean + bias ± sqrt(t² s²/n + (z e)²)
//
// Days on which either has no positive value do not count.
func (f *finder) gain(a, b *contestant) Gain {
	var r []float64
	pairs := f.pairs(0, a, b)
	for d, x := range pairs.Before {
		if y := pairs.After[d]; x > 0 && y > 0 {
			r = append(r, math.Log(y/x))
		}
	}
	g := Gain{Over: a.name, Level: confidence, Days: len(r), Model: f.model.Spread, Unknown: f.model.Unknown ||
		len(r) < leastHeldOut}
	if len(r) < 2 {
		g.Low, g.High = -1, 1
		g.DaysLow, g.DaysHigh = -1, 1
		return g
	}
	e := tune.Evidence{Objectives: []tune.Paired{pairs}, Risk: f.req.Risk, Predict: &tune.Prediction{
		Periods: float64(len(r)), Errors: map[string]tune.ModelError{"": f.model}}}
	for m, name := range f.metrics {
		for i := range f.limits {
			if l := &f.limits[i]; l.Metric == name && l.Factor != 0 {
				e.Protected = append(e.Protected, f.pairs(m, a, b))
			}
		}
	}
	g.Decision = tune.Decide(e)
	mean, sd := stat.MeanStdDev(r, nil)
	half := stats.StudentQuantile(confidence, float64(len(r)-1)) * sd / math.Sqrt(float64(len(r)))
	wide := math.Hypot(half, stats.NormalQuantile(confidence)*f.model.Spread)
	better := func(x float64) float64 { return -math.Expm1(x) }
	g.Mean, g.Spread = better(mean+f.model.Bias), sd
	g.Low, g.High = better(mean+f.model.Bias+wide), better(mean+f.model.Bias-wide)
	g.DaysLow, g.DaysHigh = better(mean+half), better(mean-half)
	return g
}

// pairs are a metric's values with two contestants on the days that have it with both.
func (f *finder) pairs(m int, a, b *contestant) tune.Paired {
	return tune.Objective{Metric: f.metrics[m]}.Pair(a.days[m], b.days[m])
}

// excess is by how much a contestant is beyond a limit over the days (tune.Constraint.Excess), as a
// part of the limit; ok is false where no day has the metric.
func (f *finder) excess(l *tune.Constraint, c, present *contestant) (beyond, value, limit float64, ok bool) {
	m := slices.Index(f.metrics, l.Metric)
	x, limit, part := l.Excess(c.days[m], present.days[m])
	if len(x) == 0 {
		return 0, 0, 0, false
	}
	beyond = part(l.Middle(x))
	return beyond, l.At(limit, beyond), limit, true
}

// keeps reports whether a contestant keeps the limits, or breaks none more
// than the current file, and loses no more jobs.
func (f *finder) keeps(c, present *contestant) bool {
	for i := range f.limits {
		beyond, _, _, ok := f.excess(&f.limits[i], c, present)
		now, _, _, _ := f.excess(&f.limits[i], present, present)
		if ok && beyond > math.Max(0, now)+1e-12 {
			return false
		}
	}
	return c.lost <= present.lost
}

// mean is a contestant's objective, the geometric mean over days.
func (c *contestant) mean() float64 {
	values := slices.DeleteFunc(slices.Clone(c.days[0]), func(v float64) bool { return !(v > 0) })
	if len(values) == 0 {
		return 1
	}
	return stat.GeometricMean(values, nil)
}

// meanOf is the arithmetic mean of a metric over the days that have it.
func meanOf(days []float64) float64 {
	return stats.Mean(slices.DeleteFunc(slices.Clone(days), math.IsNaN))
}
