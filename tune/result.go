package tune

// Status is why a study ended.
type Status string

// Reasons to end.
const (
	Running     Status = "running"      // it has not
	BudgetSpent Status = "budget-spent" // the runs are spent
	TimeUp      Status = "time-up"      // the time is
	NoProgress  Status = "no-progress"  // nothing better for Options.Patience runs
	AnswerKnown Status = "answer-known" // more runs would bring next to nothing
	Cancelled   Status = "cancelled"    // the context was cancelled; nothing is confirmed
)

// Result is what a study found.
type Result struct {
	Status  Status `json:"status"`  // how the study ended
	Sampler string `json:"sampler"` // its name
	Seed    uint64 `json:"seed"`    // of the study

	// Decision says whether Found is recommended.
	Decision Decision `json:"decision"`
	// Found is the best configuration found, recommended or not; nil if none differs from the
	// current one.
	Found *Summary `json:"found"`
	// Best is the recommendation: Found, or the current configuration where it is not recommended.
	Best Summary `json:"best"`
	// Present is the current configuration.
	Present Summary `json:"present"`

	// Gain is, per objective, the relative improvement of Found over Present, from paired runs;
	// positive is better.
	Gain []Gain `json:"gain"`
	// Constraints are judged on Found, or else on Present, which PresentConstraints are judged on.
	Constraints        []ConstraintResult `json:"constraints"`
	PresentConstraints []ConstraintResult `json:"present_constraints"`
	// Lifted is the best that the search saw without keeping the constraints, nil
	// if none of what broke one was better than the current configuration.
	Lifted *Lifted `json:"lifted"`
	// Changes are the settings of Found that differ from Present.
	Changes []Change `json:"changes"`
	// Ablation is the path from all changes to none, least loss first.
	Ablation []AblationStep `json:"ablation"`
	// Importance ranks parameters by the spread of scores they explain.
	Importance []Importance `json:"importance"`
	// Front is the Pareto front of several objectives by the first objective, Knee the index
	// of the compromise that was confirmed: its knee point, or what took its place. FrontPresent is the current configuration on the front's runs.
	Front        []Summary `json:"front"`
	Knee         int       `json:"knee,omitempty"`
	FrontPresent *Summary  `json:"front_present"`
	// Hypervolume is the part of the box between the front's ideal point and
	// the current configuration that the front dominates (two objectives).
	Hypervolume float64 `json:"hypervolume,omitempty"`
	// Bounds tells how far from a lower bound Best is at most.
	Bounds []BoundGap `json:"bounds"`

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
	// FailedPresent and FailedBest are those of the current configuration and of Found.
	FailedPresent int `json:"failed_present,omitempty"`
	FailedBest    int `json:"failed_best,omitempty"`
	// FirstFailure is the error of the first run without a result.
	FirstFailure string `json:"first_failure,omitempty"`
}

// Shown returns the configuration that figures beside the current one's are of: the best found,
// or the current one itself where nothing was.
func (r *Result) Shown() Summary {
	if r.Found != nil {
		return *r.Found
	}
	return r.Present
}

// Withheld returns the best configuration found where it is not recommended, else nil.
func (r *Result) Withheld() *Summary {
	if r.Decision.Recommended {
		return nil
	}
	return r.Found
}

// Summary is one configuration and what it measured.
type Summary struct {
	Trial    int      `json:"trial"`    // number of the configuration; 0 is the current one
	Origin   string   `json:"origin"`   // sampler, "mean", "present", "model", "ablation" or a candidate's name
	Settings Settings `json:"settings"` // of every parameter
	Metrics  []Metric `json:"metrics"`  // by name
	// Drawn are the metrics on the fresh workloads of the confirmation, where
	// Metrics are those of the recorded history (Problem.Again).
	Drawn    []Metric `json:"drawn"`
	Feasible bool     `json:"feasible"` // it has results, keeps every constraint and loses no work
	// Lost is the work that a run did not do, and NewlyLost the part of it that
	// the current configuration does on the same seeds: means per run.
	Lost      float64 `json:"lost,omitempty"`
	NewlyLost float64 `json:"newly_lost,omitempty"`
}

// Metric is the mean of a metric with its interval.
type Metric struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"` // of the values, where it is known
	Interval
}

// Gain is the relative improvement of one objective; positive is better. The
// interval is a prediction of what one further workload will show where the
// problem asks for predictions, and else that of the mean (paired t).
type Gain struct {
	Metric string `json:"metric"`
	Interval
	Bootstrap Interval `json:"bootstrap"` // of the mean gain (bootstrap-t)
	// Again is the gain on the recorded history: that of the means over
	// runs of it, with an interval for what one further run of it before and one after
	// will show; without one (Level 0, both ends the mean) where each of its AgainWindows
	// windows ran once only.
	Again        *Interval `json:"again"`
	AgainWindows int       `json:"again_windows,omitempty"`
	// Optimism is by how much the gain was larger on the workloads of the search
	// than on fresh ones; the gain above is that of the fresh ones.
	Optimism *float64 `json:"optimism"`
	// Workloads and Model are the parts of a prediction's spread: standard
	// deviations of the logarithm of the ratio after to before, between workloads
	// and of the simulator's error.
	Workloads float64 `json:"workloads,omitempty"`
	Model     float64 `json:"model,omitempty"`
	// Unknown says that the simulator's error is not known: the interval is all that
	// can be, and nothing is proven.
	Unknown bool `json:"unknown"`
	// Ratios are the logarithms of the ratio on the fresh workloads, ascending.
	Ratios []float64 `json:"ratios"`
}

// ConstraintResult is a constraint and what is to keep it.
type ConstraintResult struct {
	Constraint
	// Value is that of the metric, in its unit; for a relative limit the current mean times the median of the
	// ratios to the current configuration on the same workloads.
	Value Interval `json:"value"`
	// Beyond is by how much Value is beyond the limit, as a part of it; negative is within.
	Beyond Interval `json:"beyond"`
	Kept   bool     `json:"kept"` // by Value
	Sure   bool     `json:"sure"` // with the whole interval
	// Unreached says that the current configuration breaks it and nothing found keeps it.
	Unreached bool `json:"unreached"`
	// Expected is the change of the metric, as a part of the current configuration's value, that one
	// further workload will show, with the interval of a gain's prediction (Gain); nil for
	// the current configuration, where the problem predicts nothing for other workloads, where
	// fewer than leastExpected of the confirmation's have the metric, and where it is 0 now.
	Expected *Interval `json:"expected"`
	// ExpectedUnknown says that the simulator's error about it is not known.
	ExpectedUnknown bool `json:"expected_unknown"`
}

// leastExpected is the least number of workloads that a change of a limited metric is predicted
// from: half of the smallest confirmation, as a queue has no jobs in some of them.
const leastExpected = minConfirm / 2

// Change is one setting that differs.
type Change struct {
	Name string `json:"name"` // of the parameter
	From string `json:"from"` // current value
	To   string `json:"to"`   // recommended value
}

// BoundGap compares an objective with a bound no configuration can pass.
type BoundGap struct {
	Metric string  `json:"metric"`
	Bound  float64 `json:"bound"` // in the unit of the metric
	Gap    float64 `json:"gap"`   // distance of Best's mean from the bound, as a part of that mean
}
