package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"schedtune/internal/accuracy"
	"schedtune/internal/calibrate"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Request is what a person asks of a study.
type Request struct {
	Inputs      scenario.Files
	Objectives  []string // metric names; several give a Pareto front
	Constraints []string // such as "queue.prod.p95-wait <= 60s"
	Params      []string // what may move; empty = all
	Windows     int      // time windows of the trace; 0 chooses
	// Workloads is how many workloads like the recorded one the search sees; 0
	// means DefaultWorkloads, negative the recorded one alone.
	Workloads int
	// TimeLimit is the processor time that a study may take, by the number of tasks: a budget
	// of more runs is cut, to LeastBudget at least; 0 means no limit.
	TimeLimit time.Duration
	// Present is how well the simulator reproduces the recorded period; Prepare sets
	// it. nil: nothing is recorded.
	Present *accuracy.Report
	Options tune.Options
	Workers int
	// Evaluate, if set, replaces the pool of workers in this process.
	Evaluate func(run tune.Run) tune.Evaluator
}

// Study is a prepared search.
type Study struct {
	Case    *scenario.Case
	Space   *Space
	Runner  *Runner
	Problem tune.Problem
	Request Request
	// Notes says what the space leaves out and why.
	Notes []string
}

// Prepare loads the inputs, fits what the histories tell of latencies, compares
// the recorded period with its simulation, builds the space and tries the present
// configuration once, so that a mistake shows before the search begins.
func Prepare(ctx context.Context, req Request) (*Study, error) {
	c, err := req.Inputs.Load()
	if err != nil {
		return nil, err
	}
	if req.Present, err = baseline(ctx, c, &req.Inputs, req.Options.Seed); err != nil {
		return nil, err
	}
	return PrepareCase(ctx, c, req)
}

// baseline fits latencies and compares the recorded period with its simulation. A what-if study, of a trace
// that was transformed, is held against the record before that: what the simulator gets wrong is known there.
func baseline(ctx context.Context, c *scenario.Case, in *scenario.Files, seed uint64) (*accuracy.Report, error) {
	var said []string
	if c.Recorded != nil {
		_, said = c.Recorded.Untransformed()
	}
	if len(said) == 0 {
		return accuracy.Compare(ctx, c, calibrate.Fit(c, in), seed), nil
	}
	of := *in
	of.Before = true
	before, err := of.Load()
	if err != nil {
		return nil, fmt.Errorf("the trace before it was transformed (%s): %w", strings.Join(said, ", "), err)
	}
	r := accuracy.Compare(ctx, before, calibrate.Fit(before, &of), seed)
	r.Before = said
	c.Calibration = before.Calibration
	c.Notes = append(c.Notes, "what-if study: "+strings.Join(said, ", ")+"; the baseline check is of the trace before that")
	return r, nil
}

// PrepareCase is Prepare with the inputs already loaded.
func PrepareCase(ctx context.Context, c *scenario.Case, req Request) (*Study, error) {
	space, notes, err := NewSpace(c, req.Params)
	if err != nil {
		return nil, err
	}
	objectives, err := readObjectives(req.Objectives)
	if err != nil {
		return nil, err
	}
	limits, err := Limits(req.Constraints, c.Work)
	if err != nil {
		return nil, err
	}
	windows := scenario.Windows(c.Work, chooseWindows(req.Windows, c.Work))
	drawn := workloadsOf(&req, c, windows)
	if note := req.limitBudget(c, &drawn); note != "" {
		notes = append(notes, note)
	}
	opt := drawn.options(c, windows)
	if !slowdowns(goals(objectives, limits)) {
		opt.SlowdownsOn = drawn.judged(req.dear(tasksOfRun(c, &drawn)))
	}
	metrics := metricsOf(objectives, limits)
	r, err := newRunner(c, space, opt, metrics)
	if err != nil {
		return nil, err
	}
	req.Options.Threads = max(1, req.Workers)
	s := &Study{Case: c, Space: space, Runner: r, Request: req, Notes: append(notes, blindNotes(req.Objectives)...)}
	if err := s.try(ctx, objectives); err != nil {
		return nil, err
	}
	s.Problem = tune.Problem{
		Name: s.Case.Fingerprint(), Space: space.Space, Objectives: objectives, Constraints: limits,
		Candidates: Candidates(c, space), Shortfall: r.shortfall,
	}
	s.Problem.Composite = s.composite(objectives)
	drawn.set(&s.Problem, req.modelErrors(metrics))
	if drawn.search > 0 {
		for i := range drawn.recorded + drawn.search {
			s.Problem.Work = append(s.Problem.Work, workOf(r.Workload(i)))
		}
	}
	if len(windows) == 1 {
		s.Problem.Bounds = bounds(c, objectives, arrivalSpread(c))
	}
	s.Notes = append(s.Notes, BudgetNotes(s.Problem, req.Options)...)
	evaluate := req.Evaluate
	if evaluate == nil {
		evaluate = func(run tune.Run) tune.Evaluator { return tune.Pool(req.Workers, run) }
	}
	s.Problem.Evaluator = evaluate(r.Outcome)
	return s, nil
}

// Run searches. log may be nil.
func (s *Study) Run(ctx context.Context, log *tune.Log, progress func(tune.Progress)) (*tune.Result, error) {
	o := s.Request.Options
	o.Log, o.Progress = log, progress
	return tune.Search(ctx, s.Problem, o)
}

// try runs the current configuration once on each window. An objective must
// have a value in all of them, any other metric in one at least.
func (s *Study) try(ctx context.Context, objectives []tune.Objective) error {
	defined := map[string]int{}
	results := make([]*simcore.Result, len(s.Runner.Windows()))
	err := simulate.Each(ctx, len(results), s.Request.Workers, func(w int) (err error) {
		results[w], err = s.Runner.Simulate(ctx, s.Space.PresentSettings(), s.Request.Options.Seed, w, nil)
		return err
	})
	if err != nil {
		return s.stuck(err)
	}
	for _, res := range results {
		for _, name := range s.Runner.metrics {
			v, err := res.Value(name)
			if err != nil { // a group that the run does not have
				flag := "--constraint"
				if slices.ContainsFunc(objectives, func(o tune.Objective) bool { return o.Metric == name }) {
					flag = "--objective"
				}
				return &scenario.FlagError{Flag: flag, Err: err}
			}
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				defined[name]++
			}
		}
	}
	finished := slices.ContainsFunc(results, func(r *simcore.Result) bool {
		n, err := r.Value("jobs")
		return err == nil && n > 0
	})
	for _, name := range s.Runner.metrics {
		if s.asked(name) && (defined[name] == 0 || !finished) {
			return s.noValue(name, results)
		}
	}
	for _, o := range objectives {
		if n := len(s.Runner.Windows()); defined[o.Metric] < n {
			return fmt.Errorf("objective %q has a value in %d of %d time windows of the trace only; allowed with --windows 1",
				o.Metric, defined[o.Metric], n)
		}
	}
	s.Runner.room = NewRoom(s.Case, s.Runner.Windows(), results)
	return nil
}

// noValue explains why a metric has no value in runs of the current settings.
func (s *Study) noValue(name string, results []*simcore.Result) error {
	refused := simcore.Refusals(results...)
	if group, ok := strings.CutPrefix(name, "queue."); ok {
		refused = slices.DeleteFunc(refused, func(r simcore.Refusal) bool { return !strings.HasPrefix(group, r.Queue+".") })
	}
	if len(refused) == 0 {
		return fmt.Errorf("metric %q has no value on this workload; use a metric of something that occurs in it", name)
	}
	lines := []string{}
	for _, r := range refused[:min(3, len(refused))] {
		lines = append(lines, r.String())
	}
	if more := len(refused) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more such lines from tune simulate", more))
	}
	return &scenario.HintError{Err: fmt.Errorf("%s with the current settings: no job that counts for %s finishes; %s",
		s.Case.Work.Name, name, strings.Join(lines, "; ")),
		Advice: "a --config, --site or --queue-map that does not belong to the trace does this; tune simulate shows who " +
			"is refused"}
}

// asked tells metrics of objectives and constraints from those that every summary
// shows where they have a value.
func (s *Study) asked(name string) bool {
	return !slices.Contains(shownMetrics, name) || slices.Contains(s.Request.Objectives, name) ||
		slices.ContainsFunc(s.Request.Constraints, func(c string) bool {
			return strings.HasPrefix(strings.TrimSpace(c), name)
		})
}

// stuck explains why the current settings give no run.
func (s *Study) stuck(err error) error {
	hint := "a cluster too small for the trace, or --site and --queue-map that do not belong to it, do this; tune " +
		"explain gives each queue's limits"
	return &scenario.HintError{Err: fmt.Errorf("%s with the current settings: %w", s.Case.Work.Name, err), Advice: hint}
}

// Goals parses objectives and constraints.
func Goals(req Request) ([]tune.Objective, []tune.Constraint, error) {
	os, err := readObjectives(req.Objectives)
	if err != nil {
		return nil, nil, err
	}
	var cs []tune.Constraint
	for _, text := range req.Constraints {
		c, err := readLimit(text)
		if err != nil {
			return nil, nil, &scenario.FlagError{Flag: "--constraint", Err: err}
		}
		cs = append(cs, c)
	}
	return os, cs, nil
}

func readObjectives(names []string) ([]tune.Objective, error) {
	var os []tune.Objective
	for _, name := range names {
		m, _, _, err := simcore.ParseMetric(name)
		if err != nil {
			return nil, &scenario.FlagError{Flag: "--objective", Err: err}
		}
		if slices.ContainsFunc(os, func(o tune.Objective) bool { return o.Metric == name }) {
			return nil, &scenario.FlagError{Flag: "--objective", Err: fmt.Errorf("%s is given twice: must be each metric once",
				name)}
		}
		os = append(os, tune.Objective{Metric: name, Maximize: m.Better == simcore.Higher})
	}
	return os, nil
}

// shownMetrics are measured in every study.
var shownMetrics = []string{"makespan", "mean-completion", "p95-completion", "mean-bounded-slowdown", "mean-wait",
	"mean-response-ratio", "utilisation"}

// BudgetNotes say that the budget pays for no confirmation.
func BudgetNotes(p tune.Problem, o tune.Options) []string {
	if o.Budget == 0 || tune.Confirms(p, o) {
		return nil
	}
	return []string{fmt.Sprintf("--budget %d: pays for a search only; a recommendation takes %d runs more to confirm it",
		o.Budget, tune.VerdictRuns(p))}
}

// blindNotes say what the objectives do not see.
func blindNotes(objectives []string) []string {
	var out []string
	for _, m := range simcore.Metrics() {
		if m.Blind == "" {
			continue
		}
		for _, o := range objectives {
			if o == m.Name || strings.HasSuffix(o, "."+m.Name) {
				out = append(out, "objective "+o+": "+m.Blind)
			}
		}
	}
	return out
}

// metricsOf lists what an outcome must hold: objectives, constraints and the
// figures every summary shows, each once.
func metricsOf(os []tune.Objective, cs []tune.Constraint) []string {
	return distinct(append(goals(os, cs), shownMetrics...))
}

// distinct drops names that a list has already.
func distinct(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n string) bool {
		had := seen[n]
		seen[n] = true
		return had
	})
}

// chooseWindows splits traces of four hours and more, where windows left out
// of the search can judge the outcome.
func chooseWindows(asked int, w *simcore.Workload) int {
	if asked > 0 {
		return asked
	}
	span := w.Jobs[len(w.Jobs)-1].Submit - w.Jobs[0].Submit
	if span >= 4*simcore.Hour && len(w.Jobs) >= 200 {
		return 4
	}
	return 1
}

// Property returns the property behind a parameter and the file it belongs to.
func (s *Space) Property(name string) (key, file string) {
	key = s.keys[name]
	for i := range engineSettings {
		if engineSettings[i].name == key {
			return key, engineSettings[i].file
		}
	}
	if strings.HasPrefix(key, "mapreduce.") {
		return key, FileMapred
	}
	return key, FileConfig
}

// Tuned returns the queue file with settings applied.
func (s *Study) Tuned(set tune.Settings) (*yarnconf.Document, string, error) {
	changes, slowstart := s.Space.Changes(set)
	doc, err := s.Case.Doc.EditValid(changes)
	return doc, slowstart, err
}
