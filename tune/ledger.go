package tune

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"schedtune/internal/rng"
)

// instance is what a run depends on besides its settings; comparisons are
// paired over instances.
type instance struct {
	seed   uint64
	window int
}

// trial is one configuration and all its runs.
type trial struct {
	id        int
	origin    string
	gen       int
	point     Point // nil for candidates of the caller
	settings  Settings
	runs      map[instance]Outcome
	failed    bool    // a run had no result
	shortfall float64 // Problem.Shortfall
}

// ranOn reports whether it has been measured on an instance.
func (t *trial) ranOn(in instance) bool {
	_, done := t.runs[in]
	return done
}

// misses reports the contrary.
func (t *trial) misses(in instance) bool { return !t.ranOn(in) }

// request is one run that the search wants.
type request struct {
	t  *trial
	in instance
}

// stopped ends a study from anywhere in its search, which is one long computation
// in the coroutine of a Study: NewStudy recovers it there. Without an error the
// study has been closed.
type stopped struct{ err error }

// must ends the study if there is an error.
func must(err error) {
	if err != nil {
		panic(stopped{err})
	}
}

// ledger records what a study has tried and measured, and asks for runs.
type ledger struct {
	p Problem
	o Options

	yield func([]request) bool // asks for runs
	outs  []Outcome            // of the runs asked last
	phase string
	gen   int // generation or round
	spent int // runs asked

	byKey   map[settingsKey]*trial
	count   int // trials so far
	present *trial
	failed  int    // runs without result
	failure string // error of the first of them

	base, counter uint64 // of the seeds; seeds handed out
	search, held  []int  // windows of the search and of the confirmation
}

// Purposes of random numbers.
const (
	purposeSeeds = iota
	purposeSampler
	purposeBootstrap
	purposeDesign
	purposeRounds
)

func newLedger(p Problem, o Options) *ledger {
	l := &ledger{p: p, o: o, byKey: map[settingsKey]*trial{}, phase: "present"}
	// 52 bits of base plus a counter: seeds differ by construction, and JSON
	// readers that know doubles only do not spoil them.
	l.base = rng.NewKey(o.Seed, purposeSeeds).Uint64(0) >> 12
	for w := range p.Windows {
		if slices.Contains(p.HoldOut, w) {
			l.held = append(l.held, w)
		} else {
			l.search = append(l.search, w)
		}
	}
	if l.held == nil {
		l.held = l.search
	}
	return l
}

// instances returns n instances nobody has used, cycling through windows.
func (l *ledger) instances(n int, windows []int) []instance {
	out := make([]instance, n)
	for i := range out {
		out[i] = instance{l.base + l.counter, windows[int(l.counter)%len(windows)]}
		l.counter++
	}
	return out
}

// trial returns the trial of settings, making it if they are new.
func (l *ledger) trial(set Settings, p Point, origin string) *trial {
	key := keyOf(set)
	if t := l.byKey[key]; t != nil {
		return t
	}
	t := &trial{id: l.count, origin: origin, gen: l.gen, point: p, settings: set, runs: map[instance]Outcome{}}
	if l.p.Shortfall != nil {
		t.shortfall = l.p.Shortfall(set)
	}
	l.count++
	l.byKey[key] = t
	must(l.o.Log.put(trialLine{t.id, origin, t.gen, set}))
	return t
}

// pointTrial returns the trial of a point.
func (l *ledger) pointTrial(p Point, origin string) *trial {
	return l.trial(l.p.Space.Decode(p), p, origin)
}

// trialAt returns the trial of a point if there is one.
func (l *ledger) trialAt(p Point) *trial { return l.byKey[keyOf(l.p.Space.Decode(p))] }

// candidate returns the trial of a configuration of the caller's.
func (l *ledger) candidate(c Candidate) *trial {
	set, err := l.p.Space.Complete(c.Settings)
	must(err)
	return l.trial(set, nil, c.Name)
}

// pointOf returns a point near a trial's settings.
func (l *ledger) pointOf(t *trial) Point {
	p, err := l.p.Space.Encode(t.settings)
	must(err)
	return p
}

// paired reports whether a limit is relative to the current configuration, which
// every instance measures then.
func (l *ledger) paired() bool {
	return slices.ContainsFunc(l.p.Constraints, func(c Constraint) bool { return c.Factor != 0 })
}

// measure has every trial run on every instance, once.
func (l *ledger) measure(phase string, ts []*trial, ins []instance) {
	if l.paired() {
		ts = append(slices.Clone(ts), l.present)
	}
	var fresh []request
	seen := map[request]bool{}
	for _, in := range ins {
		for _, t := range ts {
			if r := (request{t, in}); !t.ranOn(in) && !seen[r] {
				seen[r] = true
				fresh = append(fresh, r)
			}
		}
	}
	if len(fresh) == 0 {
		return
	}
	l.phase = phase
	l.spent += len(fresh)
	if !l.yield(fresh) {
		panic(stopped{})
	}
	var against []instance // what the current configuration loses or can't run there nobody has to
	for i, r := range fresh {
		o := l.outs[i]
		r.t.runs[r.in] = o
		if r.t != l.present && (len(o.Lost) > 0 || o.Err != "") {
			against = append(against, r.in)
		}
		if o.Err != "" {
			r.t.failed = true
			l.failed++
			l.failure = cmp.Or(l.failure, o.Err)
		}
	}
	l.measure(phase, []*trial{l.present}, against)
}

// PresentError reports that the current configuration has no result, with which run and why.
type PresentError struct {
	Seed   uint64 // of the run
	Reason string // the run's error
}

// Error names the seed and the reason.
func (e *PresentError) Error() string {
	return fmt.Sprintf("the current configuration has no result with seed %d, so that nothing can be compared "+
		"with it: %s", e.Seed, e.Reason)
}

// mustRun ends the study with a *PresentError if the current configuration has no
// result: there is nothing then that another could be better than. On workloads drawn
// like the recorded one it may fail now and then.
func (l *ledger) mustRun(ins []instance) {
	if l.p.Predict != nil && len(l.usable(ins)) > 0 {
		return
	}
	for _, in := range ins {
		if text := l.present.runs[in].Err; text != "" {
			must(&PresentError{in.seed, text})
		}
	}
}

// usable returns the instances on which the current configuration has a result, or
// has not been measured: what it can't run itself says nothing of the others.
func (l *ledger) usable(ins []instance) []instance {
	if l.failed == 0 {
		return ins
	}
	return slices.DeleteFunc(slices.Clone(ins), func(in instance) bool { return l.present.runs[in].Err != "" })
}

// shared lists the instances both trials have results on, in the order of their seeds.
func shared(a, b *trial) []instance {
	var out []instance
	for in := range a.runs {
		if o, ok := b.runs[in]; ok && o.Err == "" && a.runs[in].Err == "" {
			out = append(out, in)
		}
	}
	slices.SortFunc(out, func(x, y instance) int { return cmp.Compare(x.seed, y.seed) })
	return out
}

// settingsKey identifies settings.
type settingsKey [16]byte

func keyOf(s Settings) settingsKey {
	sum := sha256.Sum256([]byte(s.Key()))
	return settingsKey(sum[:16])
}

// Limits of what a study holds in memory: one of a million runs must not hold a million configurations.
const (
	maxTrials  = 1 << 15 // configurations, before old ones are dropped
	keptRounds = 100     // whose configurations are not
)

// forget drops old configurations where there are many, but for some; one that comes back is a new trial.
func (l *ledger) forget(but []*trial) {
	if len(l.byKey) <= maxTrials {
		return
	}
	maps.DeleteFunc(l.byKey, func(_ settingsKey, t *trial) bool {
		return t.gen < l.gen-keptRounds && !slices.Contains(but, t)
	})
}

// all lists the configurations in the order in which they were tried.
func (l *ledger) all() []*trial {
	return slices.SortedFunc(maps.Values(l.byKey), func(a, b *trial) int { return cmp.Compare(a.id, b.id) })
}

// missing counts the instances that a trial has not been measured on.
func missing(t *trial, ins []instance) int { return len(slices.DeleteFunc(slices.Clone(ins), t.ranOn)) }
