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
// Probabilities are nil where nothing tells of them.
type Decision struct {
	Recommended bool     `json:"recommended"`
	Reason      Reason   `json:"reason"`             // "" where it is recommended
	Better      *float64 `json:"probability_better"` // that a similar period is better in the first objective
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
		better, _ := v.chances(at, 0)
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
	n := float64(len(at))
	return better / n, worse / n
}

func variance(v []float64) float64 {
	_, sd := stats.Moments(v)
	return sd * sd
}

// decided decides on a trial by instances of the confirmation.
func (c *course) decided(t *trial, ins []instance) Decision {
	e := Evidence{Predict: c.p.Predict, Risk: c.o.Risk}
	why := c.against(t, ins)
	if len(ins) > 0 && c.confirm != nil && why != ReasonFails && !c.score(c.present, ins).Failed {
		e = c.evidence(t, ins)
		e.Mends = c.mends(t, ins)
	}
	e.Against = why
	return Decide(e)
}

// evidence are a trial's paired values on instances.
func (c *course) evidence(t *trial, ins []instance) Evidence {
	e := Evidence{Predict: c.p.Predict, Risk: c.o.Risk}
	for _, ob := range c.p.Objectives {
		e.Objectives = append(e.Objectives, Paired{ob, c.raw(c.present, ob, ins), c.raw(t, ob, ins)})
	}
	for _, l := range c.p.Constraints {
		if l.Factor != 0 {
			p := Paired{Objective: Objective{l.Metric, l.Op == ">="}}
			p.Before, p.After = c.pairs(c.present, t, l.Metric, ins)
			e.Protected = append(e.Protected, p)
		}
	}
	return e
}

// against returns what speaks against a trial whatever it gains.
func (c *course) against(t *trial, ins []instance) Reason {
	s := c.score(t, ins)
	switch {
	case t == c.present:
		return ReasonNothingFound
	case c.confirm == nil:
		return ReasonUnconfirmed
	case s.Failed:
		return ReasonFails
	case s.Lost > 0:
		return ReasonLosesWork
	case s.Violation > 0 && !c.leastBroken(t, ins):
		return ReasonBreaksLimit
	}
	return ""
}

// pairs are a metric's values with two trials on the instances on which both have it.
func (c *course) pairs(a, b *trial, metric string, ins []instance) (x, y []float64) {
	for _, in := range c.usable(ins) {
		v, had := a.runs[in].Metrics[metric]
		w, has := b.runs[in].Metrics[metric]
		if had && has {
			x, y = append(x, v), append(y, w)
		}
	}
	return x, y
}

// eased reports whether a trial is beyond doubt less far beyond a limit than the current
// configuration.
func (c *course) eased(t *trial, limit int, ins []instance) bool {
	a, b := c.excesses(c.present, limit, ins), c.excesses(t, limit, ins)
	if len(a) != len(b) || len(a) < 2 {
		return false
	}
	for i := range b {
		b[i] -= a[i]
	}
	return MeanInterval(b, confidence).High < 0
}

// mends reports whether a trial keeps limits that the current configuration breaks, and that beyond
// doubt.
func (c *course) mends(t *trial, ins []instance) bool {
	if t == c.present || !c.score(t, ins).feasible() {
		return false
	}
	broken := c.brokenNow()
	for k := range broken {
		if broken[k] && !c.eased(t, k, ins) {
			return false
		}
	}
	return slices.Contains(broken, true)
}

// leastBroken reports whether a trial breaks only limits that the current configuration breaks too and
// that nothing found keeps, and is less far beyond each of them, beyond doubt.
func (c *course) leastBroken(t *trial, ins []instance) bool {
	broken := c.brokenNow()
	for k, e := range c.excess(t, ins, 0) {
		if e > 0 && (broken == nil || !broken[k] || !c.unreached(k) || !c.eased(t, k, ins)) {
			return false
		}
	}
	return true
}

// leastReach is the number of runs from which on a configuration shows that a limit can be kept.
const leastReach = 4

// unreached reports whether nothing that has been measured leastReach times keeps a limit which the
// current configuration breaks.
func (c *course) unreached(limit int) bool {
	if broken := c.brokenNow(); broken == nil || !broken[limit] {
		return false
	}
	for _, t := range c.byKey {
		ins := shared(t, c.present)
		x := c.excesses(t, limit, ins)
		if mean, _ := stats.Moments(x); !t.failed && len(x) >= leastReach && mean <= 0 && !c.stalled(t, ins) {
			return false
		}
	}
	return true
}
