package tune

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// Problem describes what is to be tuned.
type Problem struct {
	// Name identifies what a run depends on besides settings, seed and window,
	// such as code version and trace hash. A log of another name is refused.
	Name string
	// Code identifies the code that runs: a log begun by another is continued,
	// and Log.OtherCode reports it.
	Code string
	// Space holds the parameters and the current configuration.
	Space *Space
	// Objectives are minimised (or maximised); at least one. Several make the
	// result a Pareto front.
	Objectives []Objective
	// Constraints must hold in the mean.
	Constraints []Constraint
	// Evaluator does the runs of Search; a Study does without.
	Evaluator Evaluator
	// Windows is the number of time windows a run can be on; 0 means 1.
	Windows int
	// HoldOut lists windows kept for the confirmation. nil holds out the last
	// quarter of four windows or more.
	HoldOut []int
	// Shortfall, if set, returns by how much settings fall short of what they must
	// offer whatever is measured; 0 = they do not, as the current ones do not by
	// definition. What falls short is never recommended.
	Shortfall func(Settings) float64
	// Again lists windows of the recorded history, where the others are
	// similar workloads: the confirmation measures them besides, for the gain on
	// the recorded history.
	Again []int
	// Predict, if set, makes the gains predictions for one further workload, with
	// an interval for what will come, instead of estimates of their mean.
	Predict *Prediction
	// Candidates are configurations worth trying first.
	Candidates []Candidate
	// Bounds gives, per objective metric, a value no configuration can pass.
	Bounds map[string]float64
	// Composite, if set, describes how the metrics of the objectives are computed.
	Composite *Composite
	// Work, if set, is how much work the windows hold that are not held out, by window: in
	// searches in rounds configurations are compared on heavy ones too.
	Work []float64
}

// Prediction describes what an interval for a further workload contains besides the
// spread between workloads.
type Prediction struct {
	Level float64 // coverage; 0 means 0.90
	// Periods is the length of the history in periods as long as the workloads;
	// 0 means 1.
	Periods float64
	// Same means that the recorded history itself comes again: no other workloads are
	// drawn, and the interval is that of one more run of each configuration on it.
	Same bool
	// Errors are what is known of the simulator's error, by metric; "" is for all
	// others.
	Errors map[string]ModelError
}

// ModelError is the error of a simulator about what a change of settings does: of
// the logarithm of the ratio of a metric after and before, as it comes less as
// it is simulated.
type ModelError struct {
	Bias   float64 `json:"bias"`   // its mean
	Spread float64 `json:"spread"` // its standard deviation in a prediction interval
	// Floor and Share say how the standard deviation depends on the size of the change, for
	// the decision: it is Floor where nothing changes, and Share of the size of a large change.
	// Both 0: it is Spread for any.
	Floor float64 `json:"floor,omitempty"`
	Share float64 `json:"share,omitempty"`
	// Unknown means that neither is known: no interval holds what will come.
	Unknown bool `json:"unknown,omitempty"`
}

// about is the standard deviation of the error about a change of a size.
func (e ModelError) about(size float64) float64 {
	if e.Floor == 0 && e.Share == 0 {
		return e.Spread
	}
	return math.Hypot(e.Floor, e.Share*size)
}

// level is the coverage asked for.
func (p *Prediction) level() float64 {
	if p.Level == 0 {
		return 0.90
	}
	return p.Level
}

// of is the error for a metric.
func (p *Prediction) of(metric string) ModelError {
	if e, ok := p.Errors[metric]; ok {
		return e
	}
	return p.Errors[""]
}

// Candidate is a configuration that the caller proposes; missing names keep the
// current value.
type Candidate struct {
	Name     string   `json:"name"`     // origin of its trial in results
	Settings Settings `json:"settings"` // those that are proposed
}

// Part is a set of parts of the search, for switching off in comparisons.
type Part uint

// Parts of the search. Logs hold their numbers.
const (
	PartAblation Part = 1 << 6 // reverting changes without gain
	PartConfirm  Part = 1 << 7 // confirmation on unused seeds
)

// Options controls the search. The zero value is usable.
type Options struct {
	// Method names a sampler of Samplers; "" is the model, or nsga2 for several objectives.
	Method string
	// Seed determines the study.
	Seed uint64
	// Budget is the number of runs of the whole study, confirmation included;
	// 0 means 1000 unless TimeBudget is set. A study takes no more; one whose answer is known takes fewer. Where it
	// pays for no confirmation (Confirms) nothing is recommended.
	Budget int
	// TimeBudget, if set, ends the search after three fifths of it and gives
	// the rest of the study as many runs as fit what remains. It needs Clock.
	TimeBudget time.Duration
	// Clock returns the time since the study began.
	Clock func() time.Duration
	// Patience ends the search after that many runs without a better configuration, instead of when the answer is
	// known; 0 means the latter. One objective only.
	Patience int
	// Log, if set, receives every trial and run, and replays those it holds.
	Log *Log
	// Progress, if set, is called after every finished run.
	Progress func(Progress)
	// Threads is how many threads the search's own models are computed on; 0 means one for
	// each processor. Results don't depend on it.
	Threads int
	// Risk is how probable harm may be for a configuration to be recommended.
	Risk Risk
	// Off leaves parts out.
	Off Part
}

func (o Options) ablates() bool  { return o.Off&PartAblation == 0 }
func (o Options) confirms() bool { return o.Off&PartConfirm == 0 }

// withDefaults fills what the zero value stands for.
func (o Options) withDefaults() Options {
	if o.Budget == 0 && o.TimeBudget == 0 {
		o.Budget = 1000
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	o.Risk = o.Risk.withDefaults()
	return o
}

func (p Problem) withDefaults() Problem {
	if p.Windows == 0 {
		p.Windows = 1
	}
	if n := p.Windows; p.HoldOut == nil && n >= 4 {
		for w := n - n/4; w < n; w++ {
			p.HoldOut = append(p.HoldOut, w)
		}
	}
	return p
}

// multi reports whether there are several objectives.
func (p *Problem) multi() bool { return len(p.Objectives) > 1 }

// check reports the first thing wrong with a problem and its options.
func check(p Problem, o Options) error {
	outside := func(w int) bool { return w < 0 || w >= p.Windows }
	switch {
	case p.Space == nil:
		return fmt.Errorf("tune: the problem has no space")
	case len(p.Objectives) == 0:
		return fmt.Errorf("tune: the problem has no objective")
	case p.Windows < 0:
		return fmt.Errorf("tune: windows %d: must not be negative", p.Windows)
	case o.Budget < 0 || (o.Budget > 0 && o.Budget < 20):
		return fmt.Errorf("tune: budget %d: must be 20 runs or more", o.Budget)
	case o.TimeBudget < 0 || (o.TimeBudget > 0 && o.Clock == nil):
		return fmt.Errorf("tune: time budget %v: must be positive and needs a clock", o.TimeBudget)
	case !(o.Risk.Worse > 0 && o.Risk.Worse <= 1 && o.Risk.Queue > 0 && o.Risk.Queue <= 1):
		return fmt.Errorf("tune: risk %v: must be above 0 and at most 1", o.Risk)
	case o.Threads < 0:
		return fmt.Errorf("tune: threads %d: must not be negative", o.Threads)
	case slices.ContainsFunc(p.Again, outside):
		return fmt.Errorf("tune: windows %v of the recorded history: must be from 0 to %d", p.Again, p.Windows-1)
	case slices.ContainsFunc(p.HoldOut, outside):
		return fmt.Errorf("tune: held-out windows %v: must be from 0 to %d", p.HoldOut, p.Windows-1)
	}
	if l := newLedger(p, o); len(l.search) == 0 {
		return fmt.Errorf("tune: all %d windows are held out; the search needs one", p.Windows)
	}
	return nil
}
