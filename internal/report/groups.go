package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// GroupRow compares before and after for one queue or user.
type GroupRow struct {
	Dimension string      `json:"dimension"` // "queue" or "user"
	Name      string      `json:"name"`
	Jobs      int         `json:"jobs"`
	Before    GroupFigure `json:"before"`
	After     GroupFigure `json:"after"`
	// Drawn is the mean completion on the fresh workloads of the confirmation, which
	// is what limits are judged on; nil where it was not measured.
	Drawn *DrawnFigure `json:"drawn"`
}

// DrawnFigure is a mean before and after, in seconds.
type DrawnFigure struct {
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	// Low and High are the ends of the 90 % interval of the change that one such workload
	// will show, as a part of the figure before; nil where too few workloads have jobs of the group.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// GroupFigure holds means over replications, in seconds.
type GroupFigure struct {
	// Jobs is the number of jobs that finish in a run: the means are over these.
	// Without any the figures are 0, and null in JSON.
	Jobs           float64 `json:"jobs"`
	MeanCompletion float64 `json:"mean_completion"`
	P95Completion  float64 `json:"p95_completion"`
	MeanWait       float64 `json:"mean_wait"`
	P95Wait        float64 `json:"p95_wait"`
}

// MarshalJSON writes null for figures of no jobs.
func (g GroupFigure) MarshalJSON() ([]byte, error) {
	type plain GroupFigure
	return text.WithNulls(plain(g), g.Jobs == 0, "mean_completion", "p95_completion", "mean_wait", "p95_wait")
}

// groupSeeds is how many replications stand behind a group's figures, and
// groupSeedBase where their seeds begin: apart from the search's, which stay
// below 2^53 and are drawn from hashes.
const (
	groupSeeds    = 8
	groupSeedBase = 1 << 54
)

// groups breaks runs of before and after on the same seeds down.
// Runs go over the first window. Figures that the confirmation has measured,
// those of limits, are taken from there: a table and a limit speak of one thing.
func groups(s *study.Study, before, after *tune.Summary, b, a []*simcore.Result,
	limits []tune.ConstraintResult) []GroupRow {
	w := s.Runner.Windows()[0]
	var rows []GroupRow
	add := func(dim string, names []string, of func(*simcore.Job) int32) {
		count := make([]int, len(names))
		for i := range w.Jobs {
			count[of(&w.Jobs[i])]++
		}
		for i, n := range names {
			if count[i] > 0 {
				row := GroupRow{Dimension: dim, Name: n, Jobs: count[i], Before: groupFigure(b, dim, n), After: groupFigure(a, dim, n)}
				row.confirm(before.Metrics, after.Metrics)
				row.drawn(before.Drawn, after.Drawn, limits)
				rows = append(rows, row)
			}
		}
	}
	add("queue", w.Queues, func(j *simcore.Job) int32 { return j.Queue })
	add("user", w.Users, func(j *simcore.Job) int32 { return j.User })
	return rows
}

// replicate runs settings on the same seeds, each several times. tell, if there is one, is called
// after each run with how many of all are over; its calls never overlap.
func replicate(s *study.Study, tell func(done, total int), sets ...tune.Settings) ([][]*simcore.Result, error) {
	out := make([][]*simcore.Result, len(sets))
	for k := range out {
		out[k] = make([]*simcore.Result, groupSeeds)
	}
	var mu sync.Mutex
	done, total, ctx := 0, len(sets)*groupSeeds, context.Background()
	err := simulate.Each(ctx, total, s.Request.Workers, func(i int) (err error) {
		k, seed := i/groupSeeds, i%groupSeeds
		out[k][seed], err = s.Runner.Simulate(ctx, sets[k], groupSeedBase+uint64(seed), 0, nil)
		mu.Lock()
		defer mu.Unlock()
		if done++; tell != nil {
			tell(done, total)
		}
		return err
	})
	return out, err
}

// groupsOf are the queues or the users.
func (sum *Summary) groupsOf(dimension string) []GroupRow {
	return slices.DeleteFunc(slices.Clone(sum.Groups), func(g GroupRow) bool { return g.Dimension != dimension })
}

// anyDrawn reports whether some row has the mean completion on similar workloads.
func anyDrawn(rows []GroupRow) bool {
	return slices.ContainsFunc(rows, func(g GroupRow) bool { return g.Drawn != nil })
}

// confirm takes over what both configurations' metrics hold.
func (g *GroupRow) confirm(before, after []tune.Metric) {
	to := g.After.byMetric()
	for name, was := range g.Before.byMetric() {
		b, had := metric(before, g.Dimension+"."+g.Name+"."+name)
		a, has := metric(after, g.Dimension+"."+g.Name+"."+name)
		if name != "jobs" && had && has {
			*was, *to[name] = b, a
		}
	}
}

// byMetric are the figures by the names of their metrics.
func (g *GroupFigure) byMetric() map[string]*float64 {
	return map[string]*float64{"jobs": &g.Jobs, "mean-completion": &g.MeanCompletion, "p95-completion": &g.P95Completion,
		"mean-wait": &g.MeanWait, "p95-wait": &g.P95Wait}
}

// drawn takes over the mean completion on fresh workloads, where both have it.
func (g *GroupRow) drawn(before, after []tune.Metric, limits []tune.ConstraintResult) {
	name := g.Dimension + "." + g.Name + ".mean-completion"
	b, had := metric(before, name)
	a, has := metric(after, name)
	if !had || !has {
		return
	}
	g.Drawn = &DrawnFigure{Before: b, After: a}
	for i := range limits {
		if c := &limits[i]; c.Metric == name && c.Expected != nil && !c.ExpectedUnknown {
			g.Drawn.Low, g.Drawn.High = &c.Expected.Low, &c.Expected.High
			return
		}
	}
}

// interval is the interval as text, "" without one.
func (f *DrawnFigure) interval() string {
	if f == nil || f.Low == nil {
		return ""
	}
	return text.PercentSpan(100**f.Low, 100**f.High)
}

func groupFigure(rs []*simcore.Result, dim, name string) (g GroupFigure) {
	for metric, to := range g.byMetric() {
		n := 0.0
		for _, r := range rs {
			if v, err := r.Value(dim + "." + name + "." + metric); err == nil && !math.IsNaN(v) {
				*to, n = *to+v, n+1
			}
		}
		*to /= max(n, 1)
	}
	return g
}

// Cost is something that the recommendation makes worse.
type Cost struct {
	Kind string `json:"kind"` // "metric", "queue" or "user" (slower), "terms" (a queue is granted less)
	Name string `json:"name"` // of the metric, queue or user
	Text string `json:"text"`
	// Worse is by how much, as a part of the figure before; 0 for terms.
	Worse float64 `json:"worse,omitempty"`
}

// From costFrom a loss is listed, from much it is in the verdict.
const (
	costFrom = 0.02
	much     = 0.10
)

// costs lists what gets worse: other metrics of the whole but for the utilisation,
// which falls where less is held in vain, queues and users by
// their mean completion, what queues are granted.
func (sum *Summary) costs() []Cost {
	if sum.BestFound == nil {
		return nil
	}
	var out []Cost
	for _, m := range sum.Present.Metrics {
		after, ok := metric(sum.BestFound.Metrics, m.Name)
		if !ok || slices.Contains(sum.Objectives, m.Name) || sum.limitOnly(m.Name) || m.Mean == 0 || m.Name == "utilisation" {
			continue
		}
		if worse := -gainOf(m.Name, m.Mean, after); worse >= costFrom {
			out = append(out, Cost{"metric", m.Name, fmt.Sprintf("%s %s worse (%s)", m.Name, text.Excess(worse),
				text.Arrow(text.Pair(m.Mean, after, simcore.MetricOf(m.Name).Unit))), worse})
		}
	}
	for _, g := range sum.Groups {
		before, after := g.completions()
		if worse := after/before - 1; before > 0 && g.After.Jobs > 0 && worse >= costFrom {
			line := fmt.Sprintf("%s %s: mean completion %s longer (%s", g.Dimension, g.Name, text.Excess(worse),
				text.Arrow(text.Pair(before, after, "s")))
			if ends := g.Drawn.interval(); ends != "" {
				line += "; 90 % interval " + ends + " %"
			}
			out = append(out, Cost{g.Dimension, g.Name, line + ")", worse})
		}
	}
	for i := range sum.Terms {
		if text := falls(&sum.Terms[i]); text != "" {
			out = append(out, Cost{"terms", sum.Terms[i].Queue, sum.Terms[i].Queue + ": " + text, 0})
		}
	}
	return out
}

// harm is what the verdict says of metrics, queues and users that get much worse, "" if none do.
func (sum *Summary) harm() string {
	var parts []string
	for _, c := range sum.Costs {
		if c.Worse >= much {
			parts = append(parts, c.Text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if n := len(parts) - namedHarm; n > 0 {
		parts = append(parts[:namedHarm], fmt.Sprintf("%d more", n))
	}
	return "; but " + strings.Join(parts, ", ")
}

// namedHarm bounds what a verdict names.
const namedHarm = 3

// liftedText tells what the limits keep from being gained, "" where nothing was seen.
func (sum *Summary) liftedText() string {
	l := sum.Lifted
	if l == nil || len(sum.Objectives) == 0 || l.Gain.Mean < l.With.Mean+liftedFrom {
		return ""
	}
	gain := func(mean float64) string {
		sign, figures := improvement(tune.Interval{Mean: mean})
		return differenceText(sum.Objectives[0], sign, figures[0])
	}
	var who []string
	for _, c := range l.Broken {
		name := strings.TrimSuffix(strings.TrimPrefix(c.Metric, "queue."), ".mean-completion")
		if c.Factor != 0 && c.Limit != 0 {
			who = append(who, fmt.Sprintf("%s %s %%", name, text.Signed(100*(c.Factor*c.Value.Mean/c.Limit-1), 0)))
			continue
		}
		who = append(who, fmt.Sprintf("%s %s", name, text.Figure(c.Value.Mean)))
	}
	if n := len(who); n > namedHarm {
		who = append(who[:namedHarm], fmt.Sprintf("%d more", n-namedHarm))
	}
	text := fmt.Sprintf("without --protect and --constraint the search found %s, with them %s (%d workloads)",
		gain(l.Gain.Mean), gain(l.With.Mean), l.Gain.N)
	if len(who) == 0 {
		return text + "; none is broken over these"
	}
	return text + "; queues that get slower: " + strings.Join(who, ", ")
}

// liftedFrom is the least further gain that is reported.
const liftedFrom = 0.01

// completions are the mean completion times that are compared: those on fresh
// workloads where they were measured.
func (g *GroupRow) completions() (before, after float64) {
	if g.Drawn != nil {
		return g.Drawn.Before, g.Drawn.After
	}
	return g.Before.MeanCompletion, g.After.MeanCompletion
}
