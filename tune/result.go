package tune

import (
	"fmt"
	"math"
	"sort"
)

// Status is why a study ended.
type Status uint8

// Reasons to end.
const (
	Running     Status = iota // it has not
	BudgetSpent               // the runs are spent
	TimeUp                    // the time is
	NoProgress                // no new incumbent for Options.Patience runs
	Cancelled                 // the context was cancelled; nothing is confirmed
)

// String names the status.
func (s Status) String() string {
	names := [...]string{"running", "budget-spent", "time-up", "no-progress", "cancelled"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("Status(%d)", s)
}

// MarshalText writes the name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Result is what a study found.
type Result struct {
	Status  Status `json:"status"`  // how the study ended
	Sampler string `json:"sampler"` // its name
	Seed    uint64 `json:"seed"`    // of the study

	// Proven says that the confirmation's interval of the gain excludes zero
	// (or that Best keeps constraints which the present configuration
	// violates) and that Best violates no constraint more than the present.
	Proven bool `json:"proven"`
	// Best is the recommendation: the present configuration unless an
	// improvement is proven, or, if the study was cancelled or not confirmed,
	// the best so far.
	Best Summary `json:"best"`
	// Present is the present configuration.
	Present Summary `json:"present"`
	// ChosenLate says, in a study of few runs or after a search of a front, that what had been chosen broke
	// a limit or lost work in the confirmation, and another contender or point of the front
	// took its place that keeps them there: its figures are those it was chosen by, and prove
	// nothing.
	ChosenLate bool `json:"chosen_late,omitempty"`
	// Unproven is the best configuration found if it is not recommended.
	Unproven *Summary `json:"unproven,omitempty"`

	// Gain is, per objective, the relative improvement of Best, or else of
	// Unproven, over Present, from paired runs; positive is better.
	Gain []Gain `json:"gain"`
	// Constraints are judged on Best, UnprovenConstraints on Unproven.
	Constraints         []ConstraintResult `json:"constraints,omitempty"`
	UnprovenConstraints []ConstraintResult `json:"unproven_constraints,omitempty"`
	// Lifted is the best that the search saw without keeping the constraints, nil
	// if none of what broke one was better than the present.
	Lifted *Lifted `json:"lifted,omitempty"`
	// Changes are the settings of Best (or Unproven) that differ from Present.
	Changes []Change `json:"changes,omitempty"`
	// Ablation is the path from all changes to none, least loss first.
	Ablation []AblationStep `json:"ablation,omitempty"`
	// AblationBudget is a budget with which the ablation's runs would probably reach for
	// the losses along its path; 0 where they have, or where more runs would not help.
	AblationBudget int `json:"ablation_budget,omitempty"`
	// Importance ranks parameters by the spread of scores they explain.
	Importance []Importance `json:"importance,omitempty"`
	// Front is the Pareto front of several objectives by the first objective, Knee the index
	// of the compromise that was confirmed: its knee point, or what took its place
	// (ChosenLate). FrontPresent is the present configuration on the front's runs.
	Front        []Summary `json:"front,omitempty"`
	Knee         int       `json:"knee,omitempty"`
	FrontPresent *Summary  `json:"front_present,omitempty"`
	// Hypervolume is the part of the box between the front's ideal point and
	// the present configuration that the front dominates (two objectives).
	Hypervolume float64 `json:"hypervolume,omitempty"`
	// Bounds tells how far from a lower bound Best is at most.
	Bounds []BoundGap `json:"bounds,omitempty"`

	// VarianceRatio is (var A + var B) / var(A - B) of present and best: how
	// many times the runs a comparison without common seeds would have needed.
	VarianceRatio float64 `json:"variance_ratio,omitempty"`
	// Confirmed is the number of unused instances behind the result.
	Confirmed int `json:"confirmed"`
	// Runs, Trials and Generations count the study.
	Runs        int `json:"runs"`                  // done
	Trials      int `json:"trials"`                // configurations
	Generations int `json:"generations"`           // of the sampler
	FailedRuns  int `json:"failed_runs,omitempty"` // without a result
	// FailedPresent and FailedBest are those of the present configuration and of
	// Best, or else of Unproven.
	FailedPresent int `json:"failed_present,omitempty"`
	FailedBest    int `json:"failed_best,omitempty"`
	// FirstFailure is the error of the first run without a result.
	FirstFailure string `json:"first_failure,omitempty"`
}

// Summary is one configuration and what it measured.
type Summary struct {
	Trial    int      `json:"trial"`    // number of the configuration; 0 is the present one
	Origin   string   `json:"origin"`   // sampler, "mean", "present", "model", "ablation" or a candidate's name
	Settings Settings `json:"settings"` // of every parameter
	Metrics  []Metric `json:"metrics"`  // by name
	// Drawn are the metrics on the fresh workloads of the confirmation, where
	// Metrics are those of the history again (Problem.Again).
	Drawn    []Metric `json:"drawn,omitempty"`
	Feasible bool     `json:"feasible"` // it has results, keeps every constraint and loses no work
	// Lost is the work that a run did not do, and NewlyLost the part of it that
	// the present configuration does on the same seeds: means per run.
	Lost      float64 `json:"lost,omitempty"`
	NewlyLost float64 `json:"newly_lost,omitempty"`
}

// Metric is the mean of a metric with its interval.
type Metric struct {
	Name string `json:"name"`
	Interval
}

// Gain is the relative improvement of one objective; positive is better. The
// interval is a prediction of what one further workload will show where the
// problem asks for predictions, and else that of the mean (paired t).
type Gain struct {
	Metric string `json:"metric"`
	Interval
	Bootstrap Interval `json:"bootstrap"` // of the mean gain (bootstrap-t)
	// Again is the gain on the history as it was recorded: that of the means over
	// runs of it, with an interval for what one further run of it before and one after
	// will show; without one (Level 0, both ends the mean) where each of its AgainWindows
	// windows ran once only.
	Again        *Interval `json:"again,omitempty"`
	AgainWindows int       `json:"again_windows,omitempty"`
	// Optimism is by how much the gain was larger on the workloads of the search
	// than on fresh ones; the gain above is that of the fresh ones.
	Optimism *float64 `json:"optimism,omitempty"`
	// Workloads and Model are the parts of a prediction's spread: standard
	// deviations of the logarithm of the ratio after to before, between workloads
	// and of the simulator's error.
	Workloads float64 `json:"workloads,omitempty"`
	Model     float64 `json:"model,omitempty"`
	// Unknown says that the simulator's error is not known: the interval is all that
	// can be, and nothing is proven.
	Unknown bool `json:"unknown,omitempty"`
	// Ratios are the logarithms of the ratio on the fresh workloads, ascending.
	Ratios []float64 `json:"ratios,omitempty"`
}

// ConstraintResult is a constraint and the mean that is to keep it.
type ConstraintResult struct {
	Constraint
	Value Interval `json:"value"` // of the metric, in its unit
	// Beyond is by how much the mean is beyond the limit, as a part of it; negative
	// is within. For a relative limit it is the paired difference from the present.
	Beyond Interval `json:"beyond"`
	Kept   bool     `json:"kept"` // in the mean
	Sure   bool     `json:"sure"` // with the whole interval
	// Expected is the change of the metric, as a part of the present configuration's value, that one
	// further workload will show, with the interval of a gain's prediction (Gain); nil for
	// the present configuration, where the problem predicts nothing for other workloads, where
	// fewer than leastExpected of the confirmation's have the metric, and where it is 0 now.
	Expected *Interval `json:"expected,omitempty"`
	// ExpectedUnknown says that the simulator's error about it is not known.
	ExpectedUnknown bool `json:"expected_unknown,omitempty"`
}

// leastExpected is the least number of workloads that a change of a limited metric is predicted
// from: half of the smallest confirmation, as a queue has no jobs in some of them.
const leastExpected = minConfirm / 2

// Change is one setting that differs.
type Change struct {
	Name string `json:"name"` // of the parameter
	From string `json:"from"` // present value
	To   string `json:"to"`   // recommended value
}

// BoundGap compares an objective with a bound no configuration can pass.
type BoundGap struct {
	Metric string  `json:"metric"`
	Bound  float64 `json:"bound"` // in the unit of the metric
	Gap    float64 `json:"gap"`   // distance of Best's mean from the bound, as a part of that mean
}

// result computes the result from what has been measured so far.
func (d *driver) result(runs int) *Result {
	r := &Result{Status: d.status, Sampler: d.samplerName, Seed: d.o.Seed, Runs: runs, Trials: d.count, Generations: d.gen, Confirmed: len(d.confirm)}
	if d.present == nil {
		r.Present = Summary{Origin: "present", Settings: d.p.Space.PresentSettings()}
		r.Best = r.Present
		return r
	}
	ins := d.confirm
	if ins == nil {
		ins = d.shared(d.best, d.present)
	}
	r.Present, r.Best = d.describe(d.present, ins), d.describe(d.best, ins)
	d.fillComparison(r, ins)
	d.fillFront(r)
	d.fillConstraints(r, ins)
	r.Lifted = d.lifted
	d.fillBounds(r)
	r.FailedRuns, r.FirstFailure = d.failed, d.failure
	r.FailedPresent = d.present.failures()
	if d.best != d.present {
		r.FailedBest = d.best.failures()
	}
	r.Importance = d.importance()
	return r
}

// failures counts a trial's runs without a result.
func (t *trial) failures() int {
	n := 0
	for _, o := range t.runs {
		if o.Err != "" {
			n++
		}
	}
	return n
}

// shared lists the instances both trials have results on, in race order first.
func (d *driver) shared(a, b *trial) []instance {
	var out []instance
	for in := range a.runs {
		if o, ok := b.runs[in]; ok && o.Err == "" && a.runs[in].Err == "" {
			out = append(out, in)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].seed < out[j].seed })
	return out
}

// fillComparison judges the recommended trial against the present one.
func (d *driver) fillComparison(r *Result, ins []instance) {
	if d.best == d.present {
		return
	}
	sb, sp := d.score(d.best, ins), d.score(d.present, ins)
	r.ChosenLate = d.late
	proven := !r.ChosenLate && !sb.Failed && sb.Lost == 0 && sb.Violation <= sp.Violation
	better := sb.Violation < sp.Violation || sp.Failed
	if !sb.Failed && !sp.Failed && len(ins) > 0 {
		for k, ob := range d.p.Objectives {
			r.Gain = append(r.Gain, d.gain(d.best, k, ob, ins))
		}
		better = better || anyPositive(r.Gain, d.front != nil)
		ob := d.p.Objectives[0]
		r.VarianceRatio = VarianceRatio(d.raw(d.present, ob, ins), d.raw(d.best, ob, ins))
	}
	r.Ablation, r.AblationBudget = d.steps, d.reaching
	r.Changes = differing(d.present.settings, d.best.settings)
	r.Proven = proven && better && d.confirm != nil && d.namedBetter(ins)
	if d.confirm != nil && !r.Proven {
		found := r.Best
		r.Unproven, r.Best = &found, r.Present
	}
}

// namedBetter reports whether what the ablation left has a proven gain too, where the figures of
// the confirmation made the other of the two the recommendation. A claim about a mean, for the
// better of two on the runs that chose it, would be false more often than its interval says. An
// interval for one further workload is as wide as workloads differ, which the choice hardly moves.
func (d *driver) namedBetter(ins []instance) bool {
	return d.named == nil || d.p.Predict != nil || anyPositive([]Gain{d.gain(d.named, 0, d.p.Objectives[0], ins)}, false)
}

// anyPositive reports a proven gain: in the first objective, or for a front in
// one objective without a proven loss in another.
func anyPositive(gains []Gain, front bool) bool {
	if !front {
		return gains[0].Low > 0
	}
	won := false
	for _, g := range gains {
		if g.High < 0 {
			return false
		}
		won = won || g.Low > 0
	}
	return won
}

// raw lists a trial's objective on instances, in the metric's own unit.
func (d *driver) raw(t *trial, ob Objective, ins []instance) []float64 {
	out := make([]float64, len(ins))
	for i, in := range ins {
		out[i] = t.runs[in].Metrics[ob.Metric]
	}
	return out
}

func differing(from, to Settings) []Change {
	var out []Change
	for i := range from {
		if from[i].Value != to[i].Value {
			out = append(out, Change{from[i].Name, from[i].Value, to[i].Value})
		}
	}
	return out
}

// summary describes a trial on instances.
func (d *driver) summary(t *trial, ins []instance) Summary {
	s := Summary{Trial: t.id, Origin: t.origin, Settings: t.settings}
	values := map[string][]float64{}
	for _, in := range ins {
		s.Lost += float64(len(t.runs[in].Lost)) / float64(len(ins))
		s.NewlyLost += float64(d.newlyLost(t, in)) / float64(len(ins))
		for name, v := range t.runs[in].Metrics {
			values[name] = append(values[name], v)
		}
	}
	for name, x := range values {
		s.Metrics = append(s.Metrics, Metric{name, sizeInterval(x, d.o.Level)})
	}
	sort.Slice(s.Metrics, func(a, b int) bool { return s.Metrics[a].Name < s.Metrics[b].Name })
	sc := d.score(t, ins)
	s.Feasible = !sc.Failed && sc.Lost == 0 && sc.Violation == 0
	return s
}

// describe is summary with the metrics of the history as it was recorded, where
// there are any: what an interval of fresh workloads means stands beside it.
func (d *driver) describe(t *trial, ins []instance) Summary {
	s := d.summary(t, ins)
	if len(d.again) > 0 {
		s.Drawn, s.Metrics = s.Metrics, d.summary(t, d.again).Metrics
	}
	return s
}

// metric finds a metric's interval.
func (s Summary) metric(name string) (Interval, bool) {
	for _, m := range s.Metrics {
		if m.Name == name {
			return m.Interval, true
		}
	}
	return Interval{}, false
}

func (d *driver) fillConstraints(r *Result, ins []instance) {
	found := d.constraintResults(d.best, ins)
	if r.Unproven == nil {
		r.Constraints = found
		return
	}
	r.Constraints, r.UnprovenConstraints = d.constraintResults(d.present, ins), found
}

// constraintResults judges a trial's means on instances.
func (d *driver) constraintResults(t *trial, ins []instance) []ConstraintResult {
	var out []ConstraintResult
	values, present := d.summary(t, ins), d.summary(d.present, ins)
	for k, c := range d.p.Constraints {
		iv, ok := values.metric(c.Metric)
		if now, has := present.metric(c.Metric); has && c.Factor != 0 {
			c.Limit = c.Factor * now.Mean
		}
		beyond := c.possible(MeanInterval(d.excesses(t, k, ins), d.o.Level), iv)
		ok = ok && beyond.N > 0
		r := ConstraintResult{Constraint: c, Value: iv, Beyond: beyond, Kept: ok && beyond.Mean <= 0, Sure: ok && (beyond.High <= 0 || t == d.present && beyond.Mean <= 0)}
		r.Expected, r.ExpectedUnknown = d.expectedChange(t, c.Metric, ins)
		out = append(out, r)
	}
	return out
}

// expectedChange is the predicted change of a metric; nil where there is none, see ConstraintResult.
func (d *driver) expectedChange(t *trial, metric string, ins []instance) (iv *Interval, unknown bool) {
	if p := d.p.Predict; p == nil || p.Same || d.confirm == nil || t == d.present {
		return nil, false
	}
	var a, b []float64
	for _, in := range d.usable(ins) {
		x, had := d.present.runs[in].Metrics[metric]
		y, has := t.runs[in].Metrics[metric]
		if had && has {
			a, b = append(a, x), append(b, y)
		}
	}
	if mean, _ := moments(a); len(a) < leastExpected || mean == 0 {
		return nil, false
	}
	var g Gain
	d.predicted(&g, Objective{Metric: metric}, a, b)
	return &Interval{Mean: -g.Mean, Low: -g.High, High: -g.Low, N: g.N, Level: g.Level}, g.Unknown
}

// possible keeps the ends of a distance from the limit within what can be: a mean
// that is not negative is at most the whole limit below it.
func (c Constraint) possible(beyond, mean Interval) Interval {
	if mean.Low >= 0 && c.Limit > 0 {
		if c.Op == ">=" {
			beyond.High = math.Min(beyond.High, 1)
		} else {
			beyond.Low = math.Max(beyond.Low, -1)
		}
	}
	return beyond
}

func (d *driver) fillBounds(r *Result) {
	for _, ob := range d.p.Objectives {
		bound, ok := d.p.Bounds[ob.Metric]
		iv, have := r.Best.metric(ob.Metric)
		if ok && have {
			gap := math.Abs(iv.Mean-bound) / math.Max(math.Abs(iv.Mean), 1e-300)
			r.Bounds = append(r.Bounds, BoundGap{ob.Metric, bound, gap})
		}
	}
}
