package study

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"schedtune/internal/diagnose"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// A gate compares a changed configuration with the current one on similar workloads, paired by
// workload and seed, and says of each metric how probable it is that a further period gets
// worse by more than is allowed.

// GateRequest is what to compare.
type GateRequest struct {
	Study     Request            // inputs with the current configuration, seed, workers
	Changed   *yarnconf.Document // the configuration to compare with it
	MaxWorse  []string           // "METRIC PERCENT %"
	Workloads int                // similar workloads
	Risk      float64            // probability of getting worse by more than allowed, at most
	Progress  func(done int)     // may be nil; calls do not overlap
}

// GateVerdict is what became of one limit, or of all.
type GateVerdict string

// Verdicts.
const (
	GateKept     GateVerdict = "kept"      // the probability of getting worse by more than allowed is at most the risk
	GateWorse    GateVerdict = "worse"     // it is above the risk
	GateNotKnown GateVerdict = "not-known" // the simulator's error is not known, or too few workloads have the metric
	GateFails    GateVerdict = "fails"     // a run with the changed configuration has no result, or loses work
)

// GateLimit is one metric that may not get worse by more than a part of its value.
type GateLimit struct {
	Metric  string      `json:"metric"`
	Unit    string      `json:"unit"`
	Allowed float64     `json:"allowed"` // change for the worse, as a part of the value before
	Before  *float64    `json:"before"`  // mean over the workloads with the current configuration; null: none has it
	After   *float64    `json:"after"`   // mean with the changed one
	Verdict GateVerdict `json:"verdict"`
	// Gain is the confidence interval of the mean relative improvement, negative if it gets worse,
	// the simulator's error included; null if it is not known.
	Gain   *tune.Interval `json:"gain"`
	Better *float64       `json:"probability_better"` // that a similar period gets better
	Worse  *float64       `json:"probability_worse"`  // that it gets worse by more than allowed
}

// GateReport is the outcome.
type GateReport struct {
	Passed    bool        `json:"passed"`
	Reason    *string     `json:"reason"` // why runs of the changed configuration have no result or lose work
	Risk      float64     `json:"risk"`   // that was allowed
	Workloads int         `json:"workloads"`
	Seed      uint64      `json:"seed"`
	Limits    []GateLimit `json:"limits"`
	// Terms are what both configurations grant each queue whose limits differ.
	Terms    []diagnose.TermsChange `json:"terms"`
	Notes    []string               `json:"notes"`
	Warnings []string               `json:"warnings"`
}

// maxWorseForm is METRIC PERCENT %.
var maxWorseForm = regexp.MustCompile(`^(\S+)\s+([0-9]+(?:\.[0-9]+)?)\s*%$`)

// goals sets what the runs have to measure. Errors: *scenario.FlagError.
func (r *GateRequest) goals() error {
	r.Study.Constraints, r.Study.Objectives = nil, []string{"mean-completion"}
	for _, text := range r.MaxWorse {
		wrong := func(err error) error { return &scenario.FlagError{Flag: "--max-worse", Err: err} }
		m := maxWorseForm.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil {
			return wrong(fmt.Errorf("%q: must be 'METRIC PERCENT %%', such as 'queue.*.mean-completion 5 %%'", text))
		}
		metric, _, _, err := simcore.ParseMetric(m[1])
		if err != nil {
			return wrong(err)
		}
		form := "%s <= present + %s %%"
		if metric.Better == simcore.Higher {
			form = "%s >= present - %s %%"
		}
		r.Study.Constraints = append(r.Study.Constraints, fmt.Sprintf(form, m[1], m[2]))
	}
	return nil
}

// Gate compares the configurations. Errors: inputs that cannot be read, or a changed
// configuration that does not load.
func Gate(ctx context.Context, r GateRequest) (*GateReport, error) {
	if err := r.goals(); err != nil {
		return nil, err
	}
	s, err := Prepare(ctx, r.Study)
	if err != nil {
		return nil, err
	}
	if problems := r.Changed.Validate(); len(problems) > 0 {
		return nil, problems[0]
	}
	changes := yarnconf.SchedulerChanges(s.Case.Doc, r.Changed)
	outcomes, err := s.both(ctx, changes, &r)
	if err != nil {
		return nil, err
	}
	out := &GateReport{Passed: true, Risk: r.Risk, Workloads: r.Workloads, Seed: r.Study.Options.Seed,
		Notes: s.Case.Notes, Warnings: s.Case.Warnings}
	for i := range outcomes[0] {
		before, after := outcomes[0][i], outcomes[1][i]
		switch {
		case before.Err != "":
			return nil, fmt.Errorf("the current configuration has no result: %s", before.Err)
		case after.Err != "":
			out.Reason = &after.Err
		case loses(after.Lost, before.Lost):
			why := "jobs fail or are rejected that finish with the current configuration"
			out.Reason = &why
		}
	}
	for i := range s.Problem.Constraints {
		l := s.gateLimit(&s.Problem.Constraints[i], outcomes, r.Risk, out.Reason != nil)
		if len(changes) == 0 && l.Gain != nil { // the simulator's error is one about a change
			l.Gain, l.Better, l.Worse, l.Verdict = &tune.Interval{Level: l.Gain.Level, N: l.Gain.N}, new(float64), new(float64),
				GateKept
		}
		out.Passed = out.Passed && l.Verdict == GateKept
		out.Limits = append(out.Limits, l)
	}
	terms, err := diagnose.CompareTerms(s.Case.Doc, r.Changed, s.Case.Cluster, yarnconf.Resource{})
	out.Terms = slices.DeleteFunc(terms, func(t diagnose.TermsChange) bool { return t.Same() })
	return out, err
}

// both runs the current configuration and the changed one on the same workloads and seeds.
func (s *Study) both(ctx context.Context, changes []yarnconf.Change, r *GateRequest) (out [2][]tune.Outcome, err error) {
	checks := s.checks(r.Workloads)
	present := s.Space.PresentSettings()
	for k := range out {
		out[k] = make([]tune.Outcome, r.Workloads)
	}
	var mu sync.Mutex
	done := 0
	err = simulate.Each(ctx, 2*r.Workloads, r.Study.Workers, func(i int) error {
		k, n := i%2, i/2
		item := simulate.Item{Slowstart: s.Space.SlowstartOf(present), Defaults: s.Space.DefaultsOf(present),
			Seed: checks[n].Seed, Window: checks[n].Window}
		if k == 1 {
			item.Changes = changes
		}
		out[k][n] = s.Runner.outcome(s.Runner.Run(ctx, item))
		mu.Lock()
		defer mu.Unlock()
		if done++; r.Progress != nil {
			r.Progress(done)
		}
		return ctx.Err()
	})
	return out, err
}

// gateLimit judges one limit by both outcomes on each workload that has the metric.
func (s *Study) gateLimit(c *tune.Constraint, outcomes [2][]tune.Outcome, risk float64, failed bool) GateLimit {
	v := tune.Objective{Metric: c.Metric, Maximize: c.Op == ">="}.Pair(metricOf(outcomes[0], c.Metric),
		metricOf(outcomes[1], c.Metric))
	l := GateLimit{Metric: c.Metric, Unit: simcore.MetricOf(c.Metric).Unit, Allowed: c.Factor - 1, Verdict: GateNotKnown}
	if len(v.Before) > 0 {
		before, after := stats.Mean(v.Before), stats.Mean(v.After)
		l.Before, l.After = &before, &after
	}
	if v.Maximize {
		l.Allowed = 1 - c.Factor
	}
	l.Allowed, _ = strconv.ParseFloat(strconv.FormatFloat(l.Allowed, 'g', 12, 64), 64) // 1.05 - 1 is 0.05
	if failed {
		l.Verdict = GateFails
		return l
	}
	p, ok := s.Problem.Predict.Prospect(v, l.Allowed)
	if !ok {
		return l
	}
	l.Gain, l.Better, l.Worse = &p.Gain, p.Better, p.Worse
	switch {
	case p.Worse == nil:
	case *p.Worse > risk:
		l.Verdict = GateWorse
	default:
		l.Verdict = GateKept
	}
	return l
}
