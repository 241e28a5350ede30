package tune

import (
	"fmt"
	"runtime"
	"time"
)

// Problem is what is to be tuned.
type Problem struct {
	// Name identifies what a run depends on besides settings, seed and window,
	// such as code version and trace hash. A log of another name is refused.
	Name string
	// Code identifies the code that runs: a log begun by another is gone on with,
	// and Log.OtherCode tells.
	Code string
	// Space holds the parameters and the present configuration.
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
	// Shortfall, if set, says by how much settings fall short of what they must
	// offer whatever is measured; 0 = they do not, as the present ones do not by
	// definition. What falls short is never recommended.
	Shortfall func(Settings) float64
	// Again lists windows of the history as it was recorded, where the others are
	// workloads like it: the confirmation measures them besides, for the gain on
	// this history again.
	Again []int
	// Predict, if set, makes the gains predictions for one further workload, with
	// an interval for what will come, instead of estimates of their mean.
	Predict *Prediction
	// Candidates are configurations worth trying first.
	Candidates []Candidate
	// Bounds gives, per objective metric, a value no configuration can pass.
	Bounds map[string]float64
	// Composite, if set, says of what the metrics of the objectives are made.
	Composite *Composite
	// Work, if set, is how much work the windows hold that are not held out, by window: in
	// studies of fewer than 300 runs configurations meet on heavy ones too.
	Work []float64
}

// Prediction says what an interval for a further workload contains besides the
// spread between workloads.
type Prediction struct {
	Level float64 // coverage; 0 means 0.90
	// Periods is the length of the history in periods as long as the workloads;
	// 0 means 1.
	Periods float64
	// Same says that it is the history itself that comes again: no other workloads are
	// drawn, and the interval is that of one further run of it before and one after.
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
	Spread float64 `json:"spread"` // its standard deviation
	// Unknown says that neither is known: no interval holds what will come.
	Unknown bool `json:"unknown,omitempty"`
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

// Candidate is a configuration somebody proposes; missing names keep the
// present value.
type Candidate struct {
	Name     string   `json:"name"`     // origin of its trial in results
	Settings Settings `json:"settings"` // those that are proposed
}

// Part is a set of parts of the search, for switching off in comparisons.
type Part uint

// Parts of the search.
const (
	PartCRN        Part = 1 << iota // common seeds within a generation
	PartRace                        // races against the incumbent
	PartHalving                     // sequential halving at the end
	PartMargin                      // margin of discrete parameters in cmaes
	PartRestarts                    // restarts of cmaes
	PartNoise                       // population growth under noise in cmaes
	PartAblation                    // taking back changes without gain
	PartConfirm                     // confirmation on unused seeds
	PartCategories                  // distributions of unordered parameters in cmaes
	PartMirror                      // mirrored orthogonal samples in cmaes
	PartYoung                       // small first generations in cmaes
	PartStages                      // costly parameters only in the second half
	PartModel                       // points chosen by a model in cmaes
)

// Options say how to search. The zero value is usable.
type Options struct {
	// Method names a sampler of Samplers; "" chooses by the number of objectives.
	Method string
	// Sampler, if set, is used in its place, for this one study; Method is then the
	// name by which log and result know it. It begins where it was made to begin:
	// the search does not start it anew.
	Sampler Sampler
	// Seed determines the study.
	Seed uint64
	// Budget is the number of runs of the whole study, confirmation included;
	// 0 means 1000 unless TimeBudget is set. A study of fewer than 100 runs may take
	// the few dozen more that a verdict needs (MostRuns).
	Budget int
	// TimeBudget, if set, ends the search after three quarters of it and gives
	// the rest of the study as many runs as fit the remaining quarter. It
	// needs Clock.
	TimeBudget time.Duration
	// Clock returns the time since the study began.
	Clock func() time.Duration
	// Population is the number of points per generation; 0 lets the sampler
	// choose. Choose it independently of the number of workers if studies are
	// to be equal on different machines.
	Population int
	// Replicates is the number of seeds per point and generation; 0 means 1.
	Replicates int
	// Patience ends the search after that many runs without a new incumbent, and
	// after a race between the incumbent, the sampler's belief and the best of
	// recent generations that brought none; 0 means never. One objective only.
	Patience int
	// Level is the confidence level of intervals; 0 means 0.95.
	Level float64
	// Log, if set, receives every trial and run, and replays those it holds.
	Log *Log
	// Progress, if set, is called after every finished run.
	Progress func(Progress)
	// Threads is how many threads the search's own models are computed on; 0 means one for
	// each processor. Results don't depend on it.
	Threads int
	// Off leaves parts out.
	Off Part
}

// Progress is how far a study is.
type Progress struct {
	Phase       string        // present, design, search, race, halving, finals, ablation, check, confirm, lifted
	Runs        int           // finished runs
	Budget      int           // runs in all; 0 while only time bounds the study
	Trials      int           // distinct configurations
	Generation  int           // of the sampler
	Best        float64       // mean objective of the incumbent so far
	Present     float64       // mean objective of the present configuration so far
	Gain        float64       // relative improvement of Best over Present
	Elapsed     time.Duration // 0 without a clock
	Remaining   time.Duration // estimate; 0 without a clock
	Improvement bool          // the incumbent is not the present configuration
	Incumbent   Settings      // nil before there is one; not to be changed
	Tried       Settings      // of the run that ended last; likewise
}

// withDefaults fills what the zero value stands for.
func (o Options) withDefaults() Options {
	if o.Budget == 0 && o.TimeBudget == 0 {
		o.Budget = 1000
	}
	if o.Replicates == 0 {
		o.Replicates = 1
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
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

// check reports the first thing wrong with a problem and its options.
func check(p Problem, o Options) error {
	switch {
	case p.Space == nil:
		return fmt.Errorf("tune: the problem has no space")
	case len(p.Objectives) == 0:
		return fmt.Errorf("tune: the problem has no objective")
	case p.Windows < 0:
		return fmt.Errorf("tune: %d windows; allowed: 0 or more", p.Windows)
	case o.Budget < 0 || (o.Budget > 0 && o.Budget < 20):
		return fmt.Errorf("tune: budget of %d runs; allowed: 20 or more", o.Budget)
	case o.TimeBudget < 0 || (o.TimeBudget > 0 && o.Clock == nil):
		return fmt.Errorf("tune: time budget %v; allowed: positive, and with a clock", o.TimeBudget)
	case !(o.Level > 0 && o.Level < 1):
		return fmt.Errorf("tune: confidence level %v; allowed: inside (0, 1)", o.Level)
	case o.Replicates < 0 || o.Population < 0 || o.Threads < 0:
		return fmt.Errorf("tune: replicates %d, population %d, threads %d; allowed: 0 or more", o.Replicates, o.Population, o.Threads)
	}
	for _, w := range p.Again {
		if w < 0 || w >= p.Windows {
			return fmt.Errorf("tune: window %d of the history; allowed: 0 to %d", w, p.Windows-1)
		}
	}
	held := map[int]bool{}
	for _, w := range p.HoldOut {
		if w < 0 || w >= p.Windows {
			return fmt.Errorf("tune: held-out window %d; allowed: 0 to %d", w, p.Windows-1)
		}
		held[w] = true
	}
	if len(held) == p.Windows {
		return fmt.Errorf("tune: all %d windows are held out; the search needs one", len(held))
	}
	return nil
}
