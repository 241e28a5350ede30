package study

import (
	"context"
	"math"
	"slices"

	"schedtune/internal/stats"
	"schedtune/tune"
)

// Whether settings keep the limits at a size, on workloads that no search saw.

// judge measures settings at a size on workloads that no search saw.
func (f *finder) judge(ctx context.Context, s *Study, set tune.Settings) (*Step, error) {
	got, err := f.outcomes(ctx, s, set)
	if err != nil {
		return nil, err
	}
	step := Step{Nodes: len(s.Case.Cluster.Nodes), Cost: s.Case.PricePerHour(), Kept: true, Limits: []Limit{},
		Runs: len(got), settings: set}
	for i := range got {
		switch {
		case got[i].Err != "":
			step.Kept, step.Failed = false, got[i].Err
		case loses(got[i].Lost, f.present[i].Lost):
			step.Kept, step.Failed = false, "jobs fail or are rejected that finish with the current configuration"
		}
	}
	if step.Failed == "" {
		for i := range f.limits {
			l := f.limit(&f.limits[i], got)
			step.Kept = step.Kept && l.Kept
			step.Limits = append(step.Limits, l)
		}
	}
	return &step, nil
}

// loses reports whether work is lost that was not before; both ascend.
func loses(now, before []int32) bool {
	return slices.ContainsFunc(now, func(j int32) bool {
		_, was := slices.BinarySearch(before, j)
		return !was
	})
}

// metricOf lists a metric's value in each outcome, NaN where it has none.
func metricOf(list []tune.Outcome, metric string) []float64 {
	values := make([]float64, len(list))
	for i := range list {
		values[i] = list[i].Metric(metric)
	}
	return values
}

// limit compares a metric with its limit, workload by workload where the limit is
// relative.
func (f *finder) limit(c *tune.Constraint, got []tune.Outcome) Limit {
	out := Limit{Text: c.Text}
	beyond, _, part := c.Excess(metricOf(got, c.Metric), metricOf(f.present, c.Metric))
	_, low, high := stats.MeanInterval(beyond, level)
	middle := c.Middle(beyond)
	out.Beyond, out.Low, out.High = part(middle), part(min(low, middle)), part(max(high, middle))
	out.Kept, out.Sure = out.Beyond <= 0, out.High <= 0
	return out
}

// better reports whether a step keeps the limits where another does not, or is less far beyond the one that
// it is farthest beyond.
func (s *Step) better(o *Step) bool {
	worst := func(s *Step) float64 {
		if s.Failed != "" {
			return math.Inf(1)
		}
		out := 0.0
		for i := range s.Limits {
			out = max(out, s.Limits[i].Beyond)
		}
		return out
	}
	return s.Kept && !o.Kept || s.Kept == o.Kept && worst(s) < worst(o)
}
