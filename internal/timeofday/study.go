package timeofday

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
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Request is what to find.
type Request struct {
	Inputs      scenario.Files
	Zone        *time.Location
	Begins      string   // date of the start of a trace without dates
	Switches    []Switch // of two files; nil: found from the rhythm of the demand
	Objective   string   // a metric of jobs
	Constraints []string // limits, as of a study
	Params      []string // what may move; empty = all
	Risk        tune.Risk
	Budget      int // runs of the simulator on one day each, for both searches
	// Replications of the whole trace judge each file; 0 means 4.
	Replications int
	Seed         uint64
	Workers      int
	Progress     func(what string, p tune.Progress)
}

// leastHeldOut is the least number of days that a gain is stated on.
const leastHeldOut = 4

// singleShare is the part of the budget that searches for the single file.
const singleShare = 0.4

// shown are the metrics that every report has.
var shown = []string{"mean-completion", "p95-completion", "mean-wait"}

// finder is one search for settings by time of day.
type finder struct {
	req       Request
	c         *scenario.Case
	clock     Clock
	training  []Day
	held      []Day
	objective tune.Objective
	limits    []tune.Constraint
	metrics   []string // the objective first
	model     tune.ModelError
	spans     []span // of the training days
	room      *study.Room
	report    *Report
}

// Find loads the inputs and looks for settings by time of day. A cancelled context is
// its error.
func Find(ctx context.Context, req Request) (*Report, *Files, error) {
	c, err := req.Inputs.Load()
	if err != nil {
		return nil, nil, err
	}
	known := calibrate.Fit(c, &req.Inputs)
	return findCase(ctx, c, req, accuracy.Compare(ctx, c, known, req.Seed).Error(req.Objective))
}

// findCase is Find with the inputs already loaded and the simulator's error about a change.
func findCase(ctx context.Context, c *scenario.Case, req Request, model tune.ModelError) (*Report, *Files, error) {
	f := &finder{req: req, c: c, model: model, report: &Report{Schema: text.SchemaTimetable,
		Objective: req.Objective, Notes: append([]string{}, c.Warnings...),
		Limits: []Limit{}, Against: []Gain{}}}
	if err := f.prepare(); err != nil {
		return nil, nil, err
	}
	single, err := f.single(ctx)
	if err != nil {
		return nil, nil, err
	}
	two, err := f.pair(ctx, single)
	if err != nil {
		return nil, nil, err
	}
	return f.judge(ctx, single, two)
}

// prepare reads what is asked, cuts the trace into days and tests for a rhythm.
func (f *finder) prepare() (err error) {
	if err := ofJobs(f.req.Objective); err != nil {
		return &scenario.FlagError{Flag: "--objective", Err: err}
	}
	objectives, _, err := study.Goals(study.Request{Objectives: []string{f.req.Objective}})
	if err != nil {
		return err
	}
	f.objective = objectives[0]
	if f.limits, err = study.Limits(f.req.Constraints, f.c.Work); err != nil {
		return err
	}
	f.metrics = []string{f.objective.Metric}
	for _, l := range f.limits {
		if err := ofJobs(l.Metric); err != nil {
			return &scenario.FlagError{Flag: "--constraint", Err: err}
		}
		f.metrics = append(f.metrics, l.Metric)
	}
	f.metrics = append(f.metrics, shown...)
	slices.Sort(f.metrics[1:])
	f.metrics = append(f.metrics[:1], slices.DeleteFunc(slices.Compact(f.metrics[1:]), func(m string) bool {
		return m == f.metrics[0]
	})...)
	if f.clock, err = NewClock(f.c, f.req.Zone, f.req.Begins); err != nil {
		return err
	}
	if err := f.cut(); err != nil {
		return err
	}
	f.report.Rhythm = f.clock.findRhythm(f.c.Work, f.training, f.req.Seed)
	f.report.Zone = f.req.Zone.String()
	if f.req.Switches == nil {
		f.req.Switches = f.report.Rhythm.propose()
	}
	return nil
}

// cut cuts the trace into days.
func (f *finder) cut() error {
	for _, d := range f.clock.days(f.c.Work) {
		if d.HeldOut {
			f.held = append(f.held, d)
		} else {
			f.training = append(f.training, d)
			f.spans = append(f.spans, daySpan(f.c.Work, &d))
		}
	}
	f.report.Days, f.report.HeldOut = len(f.training)+len(f.held), len(f.held)
	if len(f.held) < leastHeldOut {
		return fmt.Errorf("%s: %d whole days with jobs from midnight to midnight in %s: must be %d or more, for every "+
			"other one is held out, better several weeks", f.c.Work.Name, f.report.Days, f.req.Zone, 2*leastHeldOut)
	}
	return nil
}

// searched is a search's outcome.
type searched struct {
	settings tune.Settings
	moved    bool // it differs from where the search began
}

// best is what a search leads to: its recommendation; else, if asked for, the best
// that it could not prove on the few days of its own confirmation, for the days held
// out judge it anyway.
func best(r *tune.Result, withheld bool) searched {
	s := searched{settings: r.Best.Settings}
	if withheld {
		s.settings = r.Shown().Settings
	}
	s.moved = !s.settings.Equal(r.Present.Settings)
	return s
}

// search runs a search on the training days.
func (f *finder) search(ctx context.Context, what string, p tune.Problem, budget int, off tune.Part, run tune.Run) (*tune.Result,
	error) {
	p.Name = f.c.Fingerprint() + " " + what
	p.Objectives, p.Windows = []tune.Objective{f.objective}, len(f.spans)
	p.Evaluator = tune.Pool(f.req.Workers, run)
	// A search in rounds finds more where it finds something, but of ten planted rhythms
	// nine (TestPlantedRhythmIsFound with SCHEDTUNE_LONG), CMA-ES all ten.
	// A file that is switched to is one change: its settings are not measured one by one.
	o := tune.Options{Seed: f.req.Seed, Budget: max(budget, 20), Method: "cmaes", Threads: max(1, f.req.Workers),
		Off: off}
	if f.req.Progress != nil {
		o.Progress = func(p tune.Progress) { f.req.Progress(what, p) }
	}
	r, err := tune.Search(ctx, p, o)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	f.report.Runs += r.Runs
	return r, nil
}

// outcome turns a run of a training day into what the search hears.
func (f *finder) outcome(ctx context.Context, r *simulate.Runner, it simulate.Item) tune.Outcome {
	res, err := r.Run(ctx, it)
	if err != nil {
		return tune.Outcome{Err: err.Error()}
	}
	values, err := f.spans[it.Window].values(res, 0, f.metrics)
	if err != nil {
		return tune.Outcome{Err: err.Error()}
	}
	o := tune.Outcome{Metrics: map[string]float64{}, Lost: res.Lost()}
	for i, v := range values {
		if !math.IsNaN(v) {
			o.Metrics[f.metrics[i]] = v
		}
	}
	return o
}

// oneFile is a single file: changes of the queue file in force, and a slowstart.
type oneFile struct {
	searched
	space   *study.Space
	changes []yarnconf.Change
	doc     *yarnconf.Document
}

// single searches for the best single file.
func (f *finder) single(ctx context.Context) (*oneFile, error) {
	space, notes, err := study.NewSpace(f.c, f.req.Params)
	if err != nil {
		return nil, err
	}
	f.report.Notes = append(f.report.Notes, notes...)
	r, err := f.runner(f.c)
	if err != nil {
		return nil, err
	}
	if err := f.tryPresent(ctx, r); err != nil {
		return nil, err
	}
	p := tune.Problem{Space: space.Space, Constraints: f.limits, Candidates: study.Candidates(f.c, space),
		Shortfall: func(set tune.Settings) float64 {
			changes, _ := space.Changes(set)
			return f.shortfall(r, changes)
		}}
	share := f.req.Budget
	if f.req.Switches != nil {
		share = int(singleShare * float64(share))
	}
	found, err := f.search(ctx, "single file", p, share, 0, func(ctx context.Context, it tune.Item) tune.Outcome {
		changes, _ := space.Changes(it.Settings)
		return f.outcome(ctx, r, simulate.Item{Changes: changes, Slowstart: space.SlowstartOf(it.Settings),
			Defaults: space.DefaultsOf(it.Settings), Seed: it.Seed, Window: it.Window})
	})
	if err != nil {
		return nil, err
	}
	one := &oneFile{searched: best(found, false), space: space}
	one.changes, _ = space.Changes(one.settings)
	one.doc, err = f.c.Doc.EditValid(one.changes)
	return one, err
}

// runner prepares runs of the training days.
func (f *finder) runner(c *scenario.Case) (*simulate.Runner, error) {
	return runnerOf(c, f.spans, f.metrics)
}

// tryPresent runs the current file on every training day, so that a mistake shows
// before the search, and leaves out days on which the objective has no value.
func (f *finder) tryPresent(ctx context.Context, r *simulate.Runner) error {
	var results []*simcore.Result
	var works []*simcore.Workload
	for i := range f.spans {
		res, err := r.Run(ctx, simulate.Item{Slowstart: -1, Seed: f.req.Seed, Window: i})
		if err != nil {
			return fmt.Errorf("%s on %s with the current settings: %w", f.c.Work.Name, f.training[i].Date.Format(time.DateOnly),
				err)
		}
		v, err := f.spans[i].values(res, 0, f.metrics[:1])
		if err != nil {
			return &scenario.FlagError{Flag: "--objective", Err: err}
		}
		if math.IsNaN(v[0]) {
			return fmt.Errorf("objective %q has no value on %s; use one that every day has", f.objective.Metric,
				f.training[i].Date.Format(time.DateOnly))
		}
		results, works = append(results, res), append(works, f.spans[i].work)
	}
	f.room = study.NewRoom(f.c, works, results)
	return nil
}

// shortfall is by how much files leave less room than they must.
func (f *finder) shortfall(r *simulate.Runner, changes []yarnconf.Change) float64 {
	conf, err := r.Config(changes)
	if err != nil {
		return 0 // the run says so
	}
	return f.room.Shortfall(conf)
}

// label names a part by the switch that begins it.
func (f *finder) label(file int) string {
	for _, s := range f.req.Switches {
		if s.File == file {
			return s.String()
		}
	}
	return fmt.Sprint("file ", file+1)
}

// stays are settings that one refresh can't exchange for another: each job reads
// them when it is submitted.
func stays(space *study.Space, name string) bool {
	key, _ := space.Property(name)
	if !strings.HasPrefix(key, yarnconf.Prefix) {
		return true
	}
	kind, _ := yarnconf.RefreshKindOf(key)
	return kind != yarnconf.AtRefresh
}
