package study

import (
	"context"
	"fmt"
	"slices"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/text"
	"schedtune/tune"
)

// Find returns how few nodes a cluster needs: with the queue file in force,
// and with one tuned for each size, so that limits are kept.
//
// Whether limits are kept is judged on similar workloads that no
// search saw. Limits relative to the present compare with the current file on the
// cluster as it is, on the same workloads and seeds. Sizes are bisected: what a
// size keeps, larger ones are taken to keep; the size found and the one below it
// are both judged.

// Request is what to find.
type SizeRequest struct {
	Study Request // its Objectives are what each size is tuned for; its budget is for each size
	Least int     // nodes; 0 = 1
	Most  int     // nodes; 0 = as many as there are
	Check int     // workloads that a size is judged on; 0 = DefaultCheck
	Cost  bool    // the cost is asked for: nodes without prices are an error
}

// DefaultCheck is how many workloads judge a size.
const DefaultCheck = 32

// level is that of the intervals.
const level = 0.90

// Limit is what became of one limit at a size.
type Limit struct {
	Text string `json:"text"`
	// Beyond is by how much the metric is beyond the limit (tune.Constraint.Excess), as a part of the
	// limit, with its 90 % interval; negative is within.
	Beyond float64 `json:"beyond"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Kept   bool    `json:"kept"` // by Beyond
	Sure   bool    `json:"sure"` // with the whole interval
}

// Step is one size with one file.
type Step struct {
	Nodes  int     `json:"nodes"`
	Cost   float64 `json:"cost_per_hour,omitempty"` // of all nodes; 0 = no prices
	Tuned  bool    `json:"tuned"`                   // with a file tuned for the size, else the current one
	Kept   bool    `json:"kept"`                    // all limits, and no work lost that the present does
	Failed string  `json:"failed,omitempty"`        // why runs had no result, or lost work
	Limits []Limit `json:"limits"`
	Runs   int     `json:"runs"` // of the simulator

	settings tune.Settings
}

// Report is the outcome.
type Report struct {
	Schema      string  `json:"schema"`
	Present     int     `json:"present_nodes"`
	PresentCost float64 `json:"present_cost_per_hour,omitempty"`
	// Untuned and Tuned are the smallest sizes that keep the limits, with the
	// current file and with a tuned one; nil where none up to the most does. Tuned
	// is never larger than Untuned.
	Untuned *Step  `json:"untuned"`
	Tuned   *Step  `json:"tuned"`
	Steps   []Step `json:"steps"` // in the order in which they were judged
	Checked int    `json:"workloads"`
	// Interrupted says that not all sizes were evaluated.
	Interrupted bool `json:"interrupted"`
	// Notes are what was assumed, Warnings oddities of the files.
	Notes    []string `json:"notes"`
	Warnings []string `json:"warnings"`
}

// finder is one search for a size.
type finder struct {
	req      SizeRequest
	full     *Study
	limits   []tune.Constraint
	instance []tune.Item // without settings
	present  []tune.Outcome
	report   *Report
	progress func(nodes int, tuned bool)
	hint     tune.Settings // recommended on the cluster as it is, then what kept the limits last
	studies  map[int]*Study
}

// Find bisects the number of nodes. progress, which may be nil, receives each
// size before it is tried. It returns the study of the size found, nil where
// none was, and the settings to take there; after an error or an interruption the report has
// the sizes evaluated so far.
func Find(ctx context.Context, req SizeRequest, progress func(nodes int, tuned bool)) (*Report, *Study, tune.Settings,
	error) {
	full, err := Prepare(ctx, req.Study)
	if err != nil {
		return nil, nil, nil, err
	}
	f := &finder{req: req, full: full, limits: full.Problem.Constraints, progress: progress, studies: map[int]*Study{}}
	if err := f.prepare(ctx); err != nil {
		return nil, nil, nil, err
	}
	r := f.report
	if r.Untuned, err = f.bisect(ctx, f.req.Most, f.untuned); err != nil {
		return r, nil, nil, err
	}
	most := f.req.Most
	if r.Untuned != nil {
		most = r.Untuned.Nodes
	}
	if err := f.tuneFull(ctx); err != nil {
		return r, nil, nil, err
	}
	if r.Tuned, err = f.bisect(ctx, most, f.tuned); err != nil {
		return r, nil, nil, err
	}
	if r.Tuned == nil {
		return r, nil, nil, nil
	}
	return r, f.studies[r.Tuned.Nodes], r.Tuned.settings, nil
}

// prepare measures the current file on the cluster as it is.
func (f *finder) prepare(ctx context.Context) error {
	if len(f.limits) == 0 {
		return &scenario.FlagError{Flag: "--constraint",
			Err: fmt.Errorf("none: must be one at least, such as 'queue.*.p95-completion <= present + 5 %%'")}
	}
	if f.req.Cost && !f.full.Case.Priced() {
		return &scenario.FlagError{Flag: "--objective", Err: fmt.Errorf("cost: the nodes have no prices; use price: in " +
			"the YAML of --cluster, or nodes")}
	}
	had := len(f.full.Case.Cluster.Nodes)
	if f.req.Least == 0 {
		f.req.Least = 1
	}
	if f.req.Most == 0 {
		f.req.Most = had
	}
	if f.req.Least < 1 || f.req.Most < f.req.Least {
		return &scenario.FlagError{Flag: "--nodes", Err: fmt.Errorf("%d to %d: must be 1 or more, ascending", f.req.Least,
			f.req.Most)}
	}
	if f.req.Check == 0 {
		f.req.Check = DefaultCheck
	}
	f.instance = f.full.checks(f.req.Check)
	var err error
	if f.present, err = f.outcomes(ctx, f.full, f.full.Space.PresentSettings()); err != nil {
		return err
	}
	for i := range f.present {
		if f.present[i].Err != "" {
			return fmt.Errorf("the current configuration on the current cluster has no result: %s", f.present[i].Err)
		}
	}
	f.report = &Report{Schema: text.SchemaSize, Present: had, PresentCost: f.full.Case.PricePerHour(), Checked: f.req.Check,
		Steps: []Step{}, Notes: append(append([]string{}, f.full.Case.Notes...), f.full.Notes...), Warnings: f.full.Case.Warnings}
	f.studies[had] = f.full
	return nil
}

// purposeCheck keys the seeds of the workloads that judge.
const purposeCheck = 0x737a

// checks are n seeds and workloads that no search sees, without settings.
func (s *Study) checks(n int) (out []tune.Item) {
	key := rng.NewKey(s.Request.Options.Seed, purposeCheck)
	for i := range n {
		it := tune.Item{Seed: key.Uint64(uint64(i)) >> 11}
		if w := s.Problem.HoldOut; len(w) > 0 {
			it.Window = w[i%len(w)]
		}
		out = append(out, it)
	}
	return out
}

// outcomes runs settings on the instances that judge.
func (f *finder) outcomes(ctx context.Context, s *Study, set tune.Settings) ([]tune.Outcome, error) {
	items := slices.Clone(f.instance)
	for i := range items {
		items[i].Settings = set
	}
	out := make([]tune.Outcome, len(items))
	err := s.Problem.Evaluator.Evaluate(ctx, items, func(i int, o tune.Outcome) { out[i] = o })
	return out, err
}

// bisect finds the smallest size from Least to most at which try keeps the
// limits, nil if most does not.
func (f *finder) bisect(ctx context.Context, most int, try func(context.Context, int) (*Step, error)) (*Step, error) {
	best, err := try(ctx, most)
	if err != nil || !best.Kept {
		return nil, err
	}
	for lo, hi := f.req.Least, most; lo < hi; {
		mid := lo + (hi-lo)/2
		step, err := try(ctx, mid)
		if err != nil {
			return nil, err
		}
		if step.Kept {
			best, hi = step, mid
		} else {
			lo = mid + 1
		}
	}
	return best, nil
}

// untuned judges the current file at a size.
func (f *finder) untuned(ctx context.Context, nodes int) (*Step, error) {
	s, err := f.study(ctx, nodes)
	if s == nil || err != nil {
		return f.impossible(nodes, false, err)
	}
	if f.progress != nil {
		f.progress(nodes, false)
	}
	return f.book(f.judge(ctx, s, s.Space.PresentSettings()))
}

// book adds a step to the report.
func (f *finder) book(step *Step, err error) (*Step, error) {
	if err == nil {
		f.report.Steps = append(f.report.Steps, *step)
	}
	return step, err
}

// tuneFull tunes the file for the cluster as it is: what serves there is a candidate for every size.
func (f *finder) tuneFull(ctx context.Context) error {
	res, err := f.full.Run(ctx, nil, nil)
	if err == nil {
		f.hint, err = res.Shown().Settings, ctx.Err()
	}
	return err
}

// tuned tunes the file for a size and judges it, beside the current one and what has served at larger
// sizes: the best of them is taken. Where one of these keeps the limits there is no search.
func (f *finder) tuned(ctx context.Context, nodes int) (*Step, error) {
	s, err := f.study(ctx, nodes)
	if s == nil || err != nil {
		return f.impossible(nodes, true, err)
	}
	if f.progress != nil {
		f.progress(nodes, true)
	}
	var best *Step
	for i := range f.report.Steps { // the current file may have been judged
		if p := &f.report.Steps[i]; p.Nodes == nodes && !p.Tuned && p.settings != nil {
			if p.Kept {
				return p, nil
			}
			copied := *p
			copied.Runs, best = 0, &copied
		}
	}
	if best == nil {
		if best, err = f.judge(ctx, s, s.Space.PresentSettings()); err != nil {
			return nil, err
		}
	}
	try := func(set tune.Settings) {
		if err != nil || best.Kept || set.Equal(best.settings) {
			return
		}
		var step *Step
		if step, err = f.judge(ctx, s, set); err == nil {
			step.Runs += best.Runs
			if step.better(best) {
				best = step
			} else {
				best.Runs = step.Runs
			}
		}
	}
	try(f.hint)
	if err == nil && !best.Kept {
		s.Problem.Candidates = append(s.Problem.Candidates, tune.Candidate{Name: "of the size above", Settings: f.hint})
		var res *tune.Result
		if res, err = s.Run(ctx, nil, nil); err == nil {
			best.Runs, err = best.Runs+res.Runs, ctx.Err()
			try(res.Shown().Settings)
		}
	}
	if err == nil && best.Kept {
		f.hint = best.settings
	}
	best.Tuned = true
	return f.book(best, err)
}

// study prepares a size; nil where the workload cannot run on it.
func (f *finder) study(ctx context.Context, nodes int) (*Study, error) {
	if s, ok := f.studies[nodes]; ok {
		return s, nil
	}
	req := f.req.Study
	req.Present = f.full.Request.Present
	req.Constraints = f.absolute()
	s, err := PrepareCase(ctx, f.full.Case.Resize(nodes), req)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil { // too small for the workload's containers, or stuck
		f.studies[nodes] = nil
		return nil, nil //nolint:nilerr // a size on which nothing runs is an answer, not a failure
	}
	f.studies[nodes] = s
	return s, nil
}

// absolute writes relative limits out, by what the present came to on the mean of
// the workloads: a search at another size knows its own present only.
func (f *finder) absolute() []string {
	var out []string
	for i := range f.limits {
		l := &f.limits[i]
		now := metricOf(f.present, l.Metric)
		_, limit, _ := l.Excess(now, now)
		out = append(out, fmt.Sprintf("%s %s %.6f", l.Metric, l.Op, limit))
	}
	return out
}

// impossible books a size on which the current file has no result.
func (f *finder) impossible(nodes int, tuned bool, err error) (*Step, error) {
	if err != nil {
		return nil, err
	}
	step := Step{Nodes: nodes, Tuned: tuned, Cost: f.full.Case.Resize(nodes).PricePerHour(),
		Failed: "the workload does not run on it", Limits: []Limit{}}
	f.report.Steps = append(f.report.Steps, step)
	return &step, nil
}
