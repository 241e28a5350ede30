package timeofday

import (
	"context"
	"math"
	"slices"
	"strings"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// twoFiles are two files with their switches, as changes of the best single file.
type twoFiles struct {
	searched
	c        *scenario.Case // with the single file in force
	schedule *Schedule
	space    *study.Space // of each part
	names    []string     // of the parts
	changes  [][]yarnconf.Change
	docs     []*yarnconf.Document
}

// pair searches for files by time of day; nil without switch times or anything that
// could differ between them. The search begins at the single file in every part, so
// that what the files do not gain by differing they have in common.
func (f *finder) pair(ctx context.Context, single *oneFile) (*twoFiles, error) {
	if f.req.Switches == nil {
		return nil, nil
	}
	schedule, err := NewSchedule(f.req.Zone, f.req.Switches)
	if err != nil {
		return nil, &scenario.FlagError{Flag: "--switch", Err: err}
	}
	f.report.Switches = switchesOut(schedule)
	with := *f.c
	with.Doc, with.Props = single.doc, single.doc
	t := &twoFiles{c: &with, schedule: schedule}
	p, err := f.pairProblem(t)
	if err != nil || p == nil {
		return nil, err
	}
	r, err := f.runner(t.c)
	if err != nil {
		return nil, err
	}
	if p.Constraints, err = f.limitsBeside(ctx, r, single); err != nil {
		return nil, err
	}
	p.Shortfall = func(set tune.Settings) (sum float64) {
		for _, changes := range t.split(set) {
			sum += f.shortfall(r, changes)
		}
		return sum
	}
	slowstart, defaults := single.space.SlowstartOf(single.settings), single.space.DefaultsOf(single.settings)
	found, err := f.search(ctx, Two, *p, f.req.Budget-int(singleShare*float64(f.req.Budget)), tune.PartAblation,
		func(ctx context.Context, it tune.Item) tune.Outcome {
			item := simulate.Item{Slowstart: slowstart, Defaults: defaults, Seed: it.Seed, Window: it.Window}
			item.Changes, item.Refresh = schedule.Refresh(f.clock.At(f.spans[it.Window].begin), t.split(it.Settings))
			return f.outcome(ctx, r, item)
		})
	if err != nil {
		return nil, err
	}
	t.searched = best(found, true)
	return t, t.edit()
}

// edit makes the files of what was found.
func (t *twoFiles) edit() error {
	t.changes = t.split(t.settings)
	for _, changes := range t.changes {
		doc, err := t.c.Doc.EditValid(changes)
		if err != nil {
			return err
		}
		t.docs = append(t.docs, doc)
	}
	return nil
}

// pairProblem is the space of all parts together: each with the parameters of a single
// file that a refresh can change.
func (f *finder) pairProblem(t *twoFiles) (*tune.Problem, error) {
	var params []tune.Param
	p := &tune.Problem{}
	var err error
	if t.space, _, err = study.NewSpace(t.c, f.req.Params); err != nil {
		return nil, err
	}
	for file := range t.schedule.files() {
		name := f.label(file) + " "
		t.names = append(t.names, name)
		for _, x := range t.space.Params() {
			if !stays(t.space, x.Name) {
				params = append(params, renamed(x, name))
			}
		}
	}
	if !slices.ContainsFunc(params, func(p tune.Param) bool { return !p.Fixed }) {
		f.report.Notes = append(f.report.Notes, "no setting in --params can differ by time of day: a refresh "+
			"does not change them")
		return nil, nil
	}
	if p.Space, err = tune.NewSpace(params...); err != nil {
		return nil, err
	}
	p.Candidates = f.pairCandidates(t)
	return p, nil
}

// renamed is a parameter of one part.
func renamed(p tune.Param, name string) tune.Param {
	p.Name = name + p.Name
	for _, ref := range []*string{&p.Of, &p.Tied} {
		if *ref != "" {
			*ref = name + *ref
		}
	}
	if p.Kind == tune.Share {
		p.Group = name + p.Group
	}
	if p.When != nil {
		w := *p.When
		w.Param = name + w.Param
		p.When = &w
	}
	return p
}

// split are the changes of each part, from settings of all.
func (t *twoFiles) split(set tune.Settings) [][]yarnconf.Change {
	out := make([][]yarnconf.Change, len(t.names))
	for i := range t.names {
		var part tune.Settings
		for _, s := range set {
			if name, ok := strings.CutPrefix(s.Name, t.names[i]); ok {
				part = append(part, tune.Setting{Name: name, Value: s.Value})
			}
		}
		out[i], _ = t.space.Changes(part)
	}
	return out
}

// pairCandidates are the edits that a study of a single file tries first, in one part
// each, with shares by the demand of that part.
func (f *finder) pairCandidates(t *twoFiles) []tune.Candidate {
	var out []tune.Candidate
	for i, name := range t.names {
		part := *t.c
		work := *f.c.Work
		work.Jobs = slices.DeleteFunc(slices.Clone(work.Jobs), func(j simcore.Job) bool {
			return t.schedule.InForce(f.clock.At(j.Submit)) != i
		})
		part.Work = &work
		for _, c := range study.Candidates(&part, t.space) {
			var set tune.Settings
			for _, s := range c.Settings {
				if !stays(t.space, s.Name) {
					set = append(set, tune.Setting{Name: name + s.Name, Value: s.Value})
				}
			}
			out = append(out, tune.Candidate{Name: name + c.Name, Settings: set})
		}
	}
	return out
}

// limitSeeds are the runs of each training day that convert limits.
const limitSeeds = 2

// limitsBeside are the limits for a search that begins at the single file: those
// relative to the current file, which that search does not run, become relative to the
// single one by the ratio of both on the training days.
func (f *finder) limitsBeside(ctx context.Context, pair *simulate.Runner, single *oneFile) ([]tune.Constraint, error) {
	if !single.moved || !slices.ContainsFunc(f.limits, func(l tune.Constraint) bool { return l.Factor != 0 }) {
		return f.limits, nil
	}
	present, err := f.runner(f.c)
	if err != nil {
		return nil, err
	}
	of := func(r *simulate.Runner, it simulate.Item) ([][]float64, error) { return f.onTraining(ctx, r, it) }
	was, err := of(present, simulate.Item{Slowstart: -1})
	if err != nil {
		return nil, err
	}
	now, err := of(pair, simulate.Item{Slowstart: single.space.SlowstartOf(single.settings),
		Defaults: single.space.DefaultsOf(single.settings)})
	if err != nil {
		return nil, err
	}
	out := slices.Clone(f.limits)
	for i := range out {
		if out[i].Factor == 0 {
			continue
		}
		m := slices.Index(f.metrics, out[i].Metric)
		a, b := 0.0, 0.0
		for k := range was {
			if x, y := was[k][m], now[k][m]; !math.IsNaN(x) && !math.IsNaN(y) {
				a, b = a+x, b+y
			}
		}
		if b > 0 {
			out[i].Factor *= a / b
		}
	}
	return out, nil
}

// onTraining are the metrics of a file on every training day and seed.
func (f *finder) onTraining(ctx context.Context, r *simulate.Runner, it simulate.Item) ([][]float64, error) {
	key := rng.NewKey(f.req.Seed, purposeLimits)
	var out [][]float64
	for d := range f.spans {
		for s := range uint64(limitSeeds) {
			it.Window, it.Seed = d, key.Uint64(s)>>11
			res, err := r.Run(ctx, it)
			if err != nil {
				return nil, err
			}
			v, err := f.spans[d].values(res, 0, f.metrics)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
	}
	return out, nil
}
