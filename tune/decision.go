package tune

import (
	"math"
	"slices"

	"schedtune/internal/stats"
)

// The decision whether a configuration is recommended: by its expected gain and by the risk that
// one period gets worse, as a decision under a loss that is larger for harm than for a gain
// forgone. It is the only one: studies, sizes, files by time of day and parameters of schedulers
// all bring their paired values here.

// Risk is how probable harm may be, at most, for a configuration to be recommended. The zero
// value of a field stands for its default.
type Risk struct {
	Worse float64 `json:"worse"` // that a similar period gets worse by more than WorseBy
	Queue float64 `json:"queue"` // that a protected metric gets worse by more than QueueBy
}

// DefaultRisk is what the development half of validation forecast chose.
func DefaultRisk() Risk { return Risk{Worse: 0.20, Queue: 0.20} }

func (r Risk) withDefaults() Risk {
	d := DefaultRisk()
	if r.Worse == 0 {
		r.Worse = d.Worse
	}
	if r.Queue == 0 {
		r.Queue = d.Queue
	}
	return r
}

// WorseBy and QueueBy are the changes for the worse, as parts of the current value, that a Risk
// is about: of the objective, and of the metric of a protected queue.
const (
	WorseBy = 0.02
	QueueBy = 0.10
)

// sureLevel is the level of the interval of the mean gain that excludes zero where a gain is
// beyond doubt.
const sureLevel = 0.90

// Reason is why a configuration is not recommended.
type Reason string

// Reasons, the first that holds. The empty reason is that of what is recommended.
const (
	ReasonNothingFound Reason = "nothing-found"  // nothing tried was better than the current configuration
	ReasonUnconfirmed  Reason = "not-confirmed"  // the study was interrupted, or its budget pays for no confirmation
	ReasonFails        Reason = "fails"          // a run of it has no result
	ReasonLosesWork    Reason = "loses-work"     // it loses work that the current configuration does
	ReasonBreaksLimit  Reason = "breaks-limit"   // it breaks a limit
	ReasonUnknownError Reason = "unknown-error"  // the simulator's error about the change is not known
	ReasonGainUnsure   Reason = "gain-not-sure"  // the confidence interval of the mean gain holds zero
	ReasonWorseRisk    Reason = "risk-of-worse"  // a similar period may get worse (Risk.Worse)
	ReasonQueueRisk    Reason = "risk-for-queue" // a protected queue may get worse (Risk.Queue)
)

// Decision says whether the best configuration found is recommended, and what that rests on.
// Probabilities are nil where they are not known.
type Decision struct {
	Recommended bool     `json:"recommended"`
	Reason      Reason   `json:"reason"`             // "" where it is recommended
	Better      *float64 `json:"probability_better"` // that a similar period is better, not the same, in the first objective
	Worse       *float64 `json:"probability_worse"`  // that it is worse by more than WorseBy
	// Mean is the confidence interval of the mean gain, the simulator's error included.
	Mean *Interval `json:"mean_gain"`
	// Protected are the metrics of relative limits, such as those of protected queues.
	Protected []Protected `json:"protected"`
	Workloads int         `json:"workloads"` // similar workloads behind the probabilities
	Periods   float64     `json:"periods"`   // recorded periods that these were drawn from
	Risk      Risk        `json:"risk"`      // that was allowed
}

// Protected is what a metric that a limit protects is to expect.
type Protected struct {
	Metric string   `json:"metric"`
	Worse  *float64 `json:"probability_worse"` // that it gets worse by more than QueueBy
}

// Paired are the values of a metric before and after a change, on the same workloads or seeds.
type Paired struct {
	Objective
	Before, After []float64
}

// Pair returns the values on the workloads that have both; others are NaN.
func (o Objective) Pair(before, after []float64) Paired {
	p := Paired{Objective: o}
	for i, x := range before {
		if y := after[i]; !math.IsNaN(x) && !math.IsNaN(y) {
			p.Before, p.After = append(p.Before, x), append(p.After, y)
		}
	}
	return p
}

// Evidence is what a decision is made from.
type Evidence struct {
	Objectives []Paired // the first is decided by; with several, see Decide
	Protected  []Paired // metrics that are not to get worse by more than QueueBy
	// Against is what speaks against the change before any gain is looked at: the reasons up to
	// ReasonBreaksLimit, or none.
	Against Reason
	// Mends says that the change keeps limits, beyond doubt, which are broken without it: it
	// needs no gain then.
	Mends   bool
	Predict *Prediction // nil: the values are all that may come, and there are no probabilities
	Risk    Risk
}

// Decide decides whether a change is recommended. With several objectives one of them must gain
// beyond doubt without a risk of getting worse, and none may lose beyond doubt.
func Decide(e Evidence) Decision {
	risk := e.Risk.withDefaults()
	d := Decision{Protected: []Protected{}, Periods: 1, Risk: risk, Reason: e.Against}
	if e.Predict != nil {
		d.Periods = math.Max(1, e.Predict.Periods)
	}
	gains, risky, unsafe, unknown := false, false, false, false
	for k, ob := range e.Objectives {
		f, ok := e.Predict.outlook(ob, WorseBy)
		if !ok {
			continue
		}
		if k == 0 {
			d.Workloads, d.Better, d.Worse, d.Mean = len(ob.Before), f.better, f.worse, &f.mean
		}
		unknown = unknown || f.unknown
		sure := !f.unknown && f.mean.Low > 0
		high := f.worse != nil && *f.worse > risk.Worse
		gains, risky = gains || sure && !high, risky || sure && high
		unsafe = unsafe || f.mean.High < 0
	}
	for _, q := range e.Protected {
		p := Protected{Metric: q.Metric}
		if f, ok := e.Predict.outlook(q, QueueBy); ok && len(q.Before) >= leastExpected {
			p.Worse = f.worse
		}
		d.Protected = append(d.Protected, p)
	}
	danger := slices.ContainsFunc(d.Protected, func(p Protected) bool { return p.Worse != nil && *p.Worse > risk.Queue })
	switch {
	case d.Reason != "":
	case unknown:
		d.Reason = ReasonUnknownError
	case e.Mends:
	case d.Mean == nil:
		d.Reason = ReasonUnconfirmed
	case unsafe || !gains && !risky:
		d.Reason = ReasonGainUnsure
	case !gains:
		d.Reason = ReasonWorseRisk
	}
	if d.Reason == "" && danger {
		d.Reason = ReasonQueueRisk
	}
	d.Recommended = d.Reason == ""
	return d
}

// outlook is what a metric is to expect in one further period.
type outlook struct {
	better, worse *float64 // probabilities; nil without a prediction
	mean          Interval // of the mean gain
	unknown       bool     // the simulator's error is not known
}

// outlook predicts a metric from paired values; none from fewer than two. Of the r_i = log(b_i/a_i),
// in the direction in which more is worse, on n workloads, one further period shows
//
//	r_i + bias + e(r_i) Z,  i drawn from n,  Z ~ N(0, 1),
//
// where e is the simulator's error about a change of this size. The history itself, one draw whose own
// deviation all share, widens the interval of the mean gain alone: a wider spread of the r_i, of which
// many are 0 where workloads are light, would turn these into losses, and stated more harm than came on
// the development half of validation forecast. With their mean m it is
//
//	m + bias ± sqrt(t² (1 + historyShare/Periods) var(r)/n + (z e(m))²).
//
// Where the recorded history itself comes again, one more run of each configuration is
// predicted, which share no seed (see onceMore).
func (p *Prediction) outlook(v Paired, by float64) (f outlook, ok bool) {
	a, b := v.Before, v.After
	n := float64(len(a))
	if len(a) < 2 {
		return f, false
	}
	if p == nil {
		f.mean = ends(ratioInterval(a, b, v.Maximize, confidence), v.Objective, a, b, ModelError{})
		return f, true
	}
	r, back := logRatios(a, b)
	limit, logs := math.Log1p(v.minimised(by)), r != nil
	if !logs {
		r, back = differencesOf(a, b)
		limit = v.minimised(by)
	}
	e := p.of(v.Metric)
	m, sd := stats.Moments(r)
	wide := math.Sqrt(1 + historyShare/math.Max(1, p.Periods))
	at := mapped(r, func(x float64) normal { return normal{x + e.Bias, e.about(x)} })
	if p.Same {
		wide = 1
		once := sd
		if logs {
			once = math.Sqrt((1 + 1/n) * (variance(mapped(a, math.Log)) + variance(mapped(b, math.Log))))
		}
		at = []normal{{m + e.Bias, math.Hypot(once, e.about(m))}}
	}
	half := math.Hypot(stats.StudentQuantile(sureLevel, n-1)*wide*sd/math.Sqrt(n),
		stats.NormalQuantile(sureLevel)*e.about(m))
	iv := Interval{Mean: back(m + e.Bias), Low: back(m + e.Bias - half), High: back(m + e.Bias + half), N: len(a),
		Level: sureLevel}
	if !v.Maximize {
		iv = iv.negative()
	}
	f.mean, f.unknown = ends(iv, v.Objective, a, b, e), e.Unknown
	if !e.Unknown {
		changed := at
		if !p.Same { // periods that do not change are neither better nor worse
			changed = slices.DeleteFunc(slices.Clone(at), func(d normal) bool { return d.mean == e.Bias })
		}
		better, _ := v.chances(changed, 0)
		better *= float64(len(changed)) / float64(len(at))
		_, worse := v.chances(at, limit)
		f.better, f.worse = &better, &worse
	}
	return f, true
}

// normal is a normal distribution; without a spread it is a point.
type normal struct{ mean, sd float64 }

// chances are the probabilities that a draw from one of the distributions lies on the better and
// on the worse side of a limit.
func (o Objective) chances(at []normal, limit float64) (better, worse float64) {
	for _, d := range at {
		switch x := o.minimised(d.mean - limit); {
		case d.sd > 0:
			worse += upperTail(-x / d.sd)
			better += upperTail(x / d.sd)
		case x > 0:
			worse++
		case x < 0:
			better++
		}
	}
	n := float64(max(1, len(at)))
	return better / n, worse / n
}

func variance(v []float64) float64 {
	_, sd := stats.Moments(v)
	return sd * sd
}

// Prospect is what a change of settings does to a metric in one further period. Probabilities
// are nil where the simulator's error is not known.
type Prospect struct {
	Better *float64 // probability that the metric gets better
	Worse  *float64 // probability that it gets worse by more than was asked
	Gain   Interval // confidence interval of the mean gain, as a part of the value before
}

// Prospect predicts a metric from its values before and after a change on the same workloads.
// by is the change for the worse, as a part of the value before, that Worse is about. It
// returns false for fewer than two values.
func (p *Prediction) Prospect(v Paired, by float64) (Prospect, bool) {
	f, ok := p.outlook(v, by)
	return Prospect{f.better, f.worse, f.mean}, ok
}
