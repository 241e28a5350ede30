package study

// The parameters of a Hadoop 1 scheduler, such as Coupling's β or OMO's weight of
// the release rate, are tuned by the same search as queue files; the space comes
// from the scheduler's row in the table of schedulers.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/simcore/sched"
	"schedtune/tune"
)

// SchedulerRequest is what to tune.
type SchedulerRequest struct {
	Inputs      scenario.Files
	Dataset     string // embedded set in place of Inputs; empty = Inputs
	Scheduler   string // its spec with the present parameters
	Objectives  []tune.Objective
	Constraints []tune.Constraint
	Params      []string // patterns of what may move; empty = all numbers
	Workers     int
	Options     tune.Options
	// Expect, if not nil, receives the time of one run by Options.Clock before the search begins.
	Expect func(run time.Duration)
}

// SchedulerSummary is the outcome as --json gives it.
type SchedulerSummary struct {
	Schema    string       `json:"schema"`
	Version   string       `json:"version"`
	Scheduler string       `json:"scheduler"` // the recommended spec
	Present   string       `json:"present"`   // the spec as given
	Workload  string       `json:"workload"`
	Jobs      int          `json:"jobs"`
	Nodes     int          `json:"nodes"`
	Result    *tune.Result `json:"result"`
	Notes     []string     `json:"notes"`
}

// TuneScheduler searches the scheduler's parameters. progress may be nil.
func TuneScheduler(ctx context.Context, r SchedulerRequest, progress func(tune.Progress)) (*SchedulerSummary, error) {
	spec, err := sched.Parse(r.Scheduler)
	if err != nil {
		return nil, err
	}
	first, err := simulate.Load(r.Inputs, r.Dataset, simulate.Options{Scheduler: r.Scheduler})
	if err != nil {
		return nil, err
	}
	params, err := schedulerParams(spec, r.Params, first.Ignored())
	if err != nil {
		return nil, err
	}
	space, err := tune.NewSpace(params...)
	if err != nil {
		return nil, err
	}
	shown := append(goals(r.Objectives, r.Constraints), "makespan", "mean-completion")
	run := &Runner{Runner: first, metrics: distinct(shown)}
	outcome := func(ctx context.Context, it tune.Item) tune.Outcome {
		return run.outcome(run.Run(ctx, simulate.Item{Values: schedulerValues(it.Settings), Slowstart: -1, Seed: it.Seed}))
	}
	p := tune.Problem{
		Name: text.Release + " " + first.Work.Name, Space: space, Objectives: r.Objectives, Constraints: r.Constraints,
		Evaluator: tune.Pool(r.Workers, outcome),
	}
	clock := r.Options.Clock
	if clock == nil {
		clock = func() time.Duration { return 0 }
	}
	begin := clock()
	if o := outcome(ctx, tune.Item{Settings: space.PresentSettings(), Seed: r.Options.Seed}); o.Err != "" {
		return nil, fmt.Errorf("%s with %s: %s", first.Work.Name, spec, o.Err)
	}
	if r.Expect != nil {
		r.Expect(clock() - begin)
	}
	o := r.Options
	o.Progress, o.Threads = progress, max(1, r.Workers)
	res, err := tune.Search(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return &SchedulerSummary{Schema: text.SchemaTuneScheduler, Version: text.Release,
		Scheduler: spec.With(schedulerValues(res.Best.Settings)).String(), Present: spec.String(),
		Workload: first.Work.Name, Jobs: len(first.Work.Jobs), Nodes: len(first.Cluster.Nodes), Result: res,
		Notes: first.Notes}, nil
}

// schedulerParams turns the scheduler's parameters into a space. Words (switches that
// turn parts of a paper off, kinds of classifier) move only when named, and so does
// what describes the cluster (sched.Param.Given).
func schedulerParams(spec *sched.Spec, only, ignored []string) ([]tune.Param, error) {
	var out []tune.Param
	var names []string
	for _, p := range spec.Entry.Params {
		q := tune.Param{Name: p.Name, Present: spec.Values[p.Name]}
		number := p.Min != 0 || p.Max != 0
		switch {
		case slices.Contains(ignored, p.Name) || p.Choices == nil && (!number || spec.File(p.Name)):
			continue
		case p.Choices != nil:
			q.Kind, q.Choices = tune.Category, p.Choices
		default:
			scaleParam(&q, p)
		}
		names = append(names, p.Name)
		named := slices.ContainsFunc(only, func(pattern string) bool {
			ok, err := path.Match(pattern, p.Name)
			return err == nil && ok
		})
		if named || len(only) == 0 && number && !p.Given {
			out = append(out, q)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("scheduler %s: no setting can be tuned; --params takes %s", spec.Entry.Name,
			cmp.Or(strings.Join(names, ", "), "none, it has no parameters"))
	}
	return out, nil
}

// scaleParam chooses how a number's range lies on the search's unit interval:
// weights and shares linearly, open or wide ranges on a logarithmic scale
// around the present value.
func scaleParam(q *tune.Param, p sched.Param) {
	q.Min, q.Max = p.Min, p.Max
	present, err := strconv.ParseFloat(q.Present, 64)
	if err != nil || present <= 0 {
		present = 1
	}
	wide := math.IsInf(p.Max, 1) || p.Min >= 0 && p.Max > 100*max(present, 1)
	switch {
	case wide && p.Integer:
		q.Kind, q.Min, q.Max = tune.LogInteger, max(p.Min, 1), min(p.Max, math.Ceil(present*20))
	case wide:
		q.Kind, q.Min, q.Max = tune.Logarithmic, max(p.Min, present/20), min(p.Max, present*20)
	case p.Integer:
		q.Kind = tune.Integer
	default:
		q.Kind, q.Step = tune.Linear, (p.Max-p.Min)/200
	}
}

// schedulerValues are settings as parameters of the scheduler.
func schedulerValues(set tune.Settings) sched.Values {
	out := sched.Values{}
	for _, v := range set {
		out[v.Name] = v.Value
	}
	return out
}
