package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"schedtune/internal/version"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Request is what a person asks of a study.
type Request struct {
	Inputs      Inputs
	Objectives  []string // metric names; several give a Pareto front
	Constraints []string // such as "queue.prod.p95-wait <= 60s"
	Params      []string // what may move; empty = all
	Windows     int      // time windows of the trace; 0 chooses
	Options     tune.Options
	Workers     int
	// Evaluate, if set, stands in for the pool of workers in this process.
	Evaluate func(run tune.Run) tune.Evaluator
}

// Study is a prepared search.
type Study struct {
	Case    *Case
	Space   *Space
	Runner  *Runner
	Problem tune.Problem
	Request Request
	// Notes says what the space leaves out and why.
	Notes []string
}

// Prepare loads the inputs, builds the space and tries the present
// configuration once, so that a mistake shows before the search begins.
func Prepare(req Request) (*Study, error) {
	c, err := req.Inputs.Load()
	if err != nil {
		return nil, err
	}
	return PrepareCase(c, req)
}

// PrepareCase is Prepare with the inputs already loaded.
func PrepareCase(c *Case, req Request) (*Study, error) {
	space, notes, err := NewSpace(c, req.Params)
	if err != nil {
		return nil, err
	}
	objectives, err := readObjectives(req.Objectives)
	if err != nil {
		return nil, err
	}
	limits, err := readLimits(req.Constraints, c.Work)
	if err != nil {
		return nil, err
	}
	windows := Windows(c.Work, chooseWindows(req.Windows, c.Work))
	r := NewRunner(c, space, windows, metricsOf(objectives, constraintsOf(limits)))
	s := &Study{Case: c, Space: space, Runner: r, Request: req, Notes: notes}
	if err := s.try(objectives); err != nil {
		return nil, err
	}
	constraints, err := s.measureLimits(limits)
	if err != nil {
		return nil, err
	}
	s.Problem = tune.Problem{
		Name: s.fingerprint(), Space: space.Space, Objectives: objectives, Constraints: constraints,
		Windows: len(windows), Candidates: Candidates(c, space), Shortfall: r.shortfall,
	}
	if len(windows) == 1 {
		s.Problem.Bounds = Bounds(c, objectives, arrivalSpread(c))
	}
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

// try runs the present configuration once on each window. An objective must
// have a value in all of them, any other metric in one at least.
func (s *Study) try(objectives []tune.Objective) error {
	defined := map[string]int{}
	var results []*simcore.Result
	for w := range s.Runner.windows {
		res, err := s.Runner.Simulate(s.Space.PresentSettings(), s.Request.Options.Seed, w, nil)
		if err != nil {
			return s.stuck(err)
		}
		results = append(results, res)
		for _, name := range s.Runner.metrics {
			v, err := res.Value(name)
			if err != nil { // a group that the run does not have
				flag := "--constraint"
				if slices.ContainsFunc(objectives, func(o tune.Objective) bool { return o.Metric == name }) {
					flag = "--objective"
				}
				return &FlagError{flag, err}
			}
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				defined[name]++
			}
		}
	}
	for _, name := range s.Runner.metrics {
		if defined[name] == 0 {
			return fmt.Errorf("metric %q has no value on this workload; allowed: a metric of something that occurs in it", name)
		}
	}
	for _, o := range objectives {
		if n := len(s.Runner.windows); defined[o.Metric] < n {
			return fmt.Errorf("objective %q has a value in %d of %d time windows of the trace only; allowed with --windows 1", o.Metric, defined[o.Metric], n)
		}
	}
	s.compareRecorded(results)
	s.setRoom(results)
	return nil
}

// stuck explains why the present settings give no run.
func (s *Study) stuck(err error) error {
	hint := "a cluster too small for the trace, or --site and --queue-map that do not belong to it, do this; tune explain gives each queue's limits"
	return &hintError{fmt.Errorf("%s with the present settings: %w", s.Case.Work.Name, err), hint}
}

// FlagError is a mistake in a flag's value that only the inputs show.
type FlagError struct {
	Flag string
	Err  error
}

func (e *FlagError) Error() string {
	return e.Flag + ": " + strings.TrimPrefix(e.Err.Error(), "tune: ") // the library's name is the program's too
}
func (e *FlagError) Unwrap() error { return e.Err }

// Goals parses objectives and constraints with limits in numbers.
func Goals(req Request) ([]tune.Objective, []tune.Constraint, error) {
	os, err := readObjectives(req.Objectives)
	if err != nil {
		return nil, nil, err
	}
	var cs []tune.Constraint
	for _, text := range req.Constraints {
		c, err := tune.ParseConstraint(text)
		if err != nil {
			return nil, nil, &FlagError{"--constraint", err}
		}
		if _, err := simcore.Direction(c.Metric); err != nil {
			return nil, nil, &FlagError{"--constraint", err}
		}
		cs = append(cs, c)
	}
	return os, cs, nil
}

func readObjectives(names []string) ([]tune.Objective, error) {
	var os []tune.Objective
	for _, name := range names {
		dir, err := simcore.Direction(name)
		if err != nil {
			return nil, &FlagError{"--objective", err}
		}
		os = append(os, tune.Objective{Metric: name, Maximize: dir == simcore.Higher})
	}
	return os, nil
}

// metricsOf lists what an outcome must hold: objectives, constraints and the
// figures every summary shows, each once.
func metricsOf(os []tune.Objective, cs []tune.Constraint) []string {
	seen := map[string]bool{}
	var names []string
	add := func(n string) {
		if !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	for _, o := range os {
		add(o.Metric)
	}
	for _, c := range cs {
		add(c.Metric)
	}
	for _, n := range []string{"makespan", "mean-completion", "p95-completion", "mean-wait", "mean-response-ratio", "utilisation"} {
		add(n)
	}
	return names
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

// Spread is how replications differ: in arrivals, launch delays and heartbeat
// phases, within what was measured on real clusters.
func Spread(*Case) yarn.Jitter { return yarn.Jitter{Arrivals: true, Launch: true, Phases: true} }

// fingerprint identifies what a run depends on besides settings, seed and
// window: code version, queue file, cluster, workload, calibration.
func (s *Study) fingerprint() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", version.Number)
	h.Write(s.Case.Doc.Bytes())
	for _, key := range s.Case.Doc.Keys() { // what stands in other files counts too
		v, _ := s.Case.Doc.Get(key)
		fmt.Fprintf(h, "%q=%q\n", key, v)
	}
	fmt.Fprintf(h, "%+v\n%+v\n", *s.Case.Cluster, s.Case.Calibration)
	hashWorkload(h, s.Case.Work)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Property returns the property behind a parameter and the file it belongs to.
func (s *Space) Property(name string) (key, file string) {
	key = s.keys[name]
	if strings.HasPrefix(key, "mapreduce.") {
		return key, "mapred-site.xml"
	}
	return key, "capacity-scheduler.xml"
}

// Tuned returns the queue file with settings applied.
func (s *Study) Tuned(set tune.Settings) (*yarnconf.Document, string, error) {
	changes, slowstart := s.Space.Changes(set)
	doc, err := s.Case.Doc.EditValid(changes)
	return doc, slowstart, err
}
