package tune

import (
	"cmp"
	"math"
	"slices"

	"schedtune/internal/stats"
)

// risks compares trials by what a confirmation will find of them, and decides by what it has found.
type risks struct {
	p     Problem
	o     Options
	led   *ledger
	judge *judge
	found *findings
}

// decided decides on a trial by instances of the confirmation.
func (c *risks) decided(t *trial, ins []instance) Decision {
	e := Evidence{Predict: c.p.Predict, Risk: c.o.Risk}
	why := c.against(t, ins)
	if len(ins) > 0 && c.found.confirm != nil && why != ReasonFails && !c.judge.score(c.led.present, ins).Failed {
		e = c.evidence(t, ins)
		e.Mends = c.mends(t, ins)
	}
	e.Against = why
	return Decide(e)
}

// evidence are a trial's paired values on instances.
func (c *risks) evidence(t *trial, ins []instance) Evidence {
	e := Evidence{Predict: c.p.Predict, Risk: c.o.Risk}
	for _, ob := range c.p.Objectives {
		e.Objectives = append(e.Objectives, Paired{ob, c.judge.raw(c.led.present, ob, ins), c.judge.raw(t, ob, ins)})
	}
	for _, l := range c.p.Constraints {
		if l.Factor != 0 {
			p := Paired{Objective: Objective{l.Metric, l.Op == ">="}}
			p.Before, p.After = c.judge.pairs(c.led.present, t, l.Metric, ins)
			e.Protected = append(e.Protected, p)
		}
	}
	return e
}

// against returns what speaks against a trial whatever it gains.
func (c *risks) against(t *trial, ins []instance) Reason {
	s := c.judge.score(t, ins)
	switch {
	case t == c.led.present:
		return ReasonNothingFound
	case c.found.confirm == nil:
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

// eased reports whether a trial is beyond doubt less far beyond a limit than the current
// configuration.
func (c *risks) eased(t *trial, limit int, ins []instance) bool {
	a, _ := c.judge.excesses(c.led.present, limit, ins)
	b, _ := c.judge.excesses(t, limit, ins)
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
func (c *risks) mends(t *trial, ins []instance) bool {
	if t == c.led.present || !c.judge.score(t, ins).feasible() {
		return false
	}
	broken := c.judge.brokenNow()
	for k := range broken {
		if broken[k] && !c.eased(t, k, ins) {
			return false
		}
	}
	return slices.Contains(broken, true)
}

// leastBroken reports whether a trial breaks only limits that the current configuration breaks too and
// that nothing found keeps, and is less far beyond each of them, beyond doubt.
func (c *risks) leastBroken(t *trial, ins []instance) bool {
	broken := c.judge.brokenNow()
	for k, e := range c.judge.excess(t, ins, 0) {
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
func (c *risks) unreached(limit int) bool {
	if broken := c.judge.brokenNow(); broken == nil || !broken[limit] {
		return false
	}
	for _, t := range c.led.byKey {
		ins := shared(t, c.led.present)
		x, _ := c.judge.excesses(t, limit, ins)
		if l := &c.p.Constraints[limit]; !t.failed && len(x) >= leastReach && l.Middle(x) <= 0 && !c.judge.stalled(t, ins) {
			return false
		}
	}
	return true
}

// ranked returns trials in the order of what is hoped of them on instances, and of their scores
// where too few tell of limits and risks, or where the current configuration breaks a limit.
func (c *risks) ranked(ts []*trial, ins []instance) []*trial {
	if len(c.led.usable(ins)) < leastRisk || slices.Contains(c.judge.brokenNow(), true) {
		return c.judge.sorted(ts, ins)
	}
	hope := map[*trial]float64{}
	for _, t := range ts {
		hope[t] = c.hope(t, ins)
	}
	out := c.judge.sorted(ts, ins)
	slices.SortStableFunc(out, func(a, b *trial) int { return cmp.Compare(hope[b], hope[a]) })
	return out
}

// leastRisk is on how many instances limits and risks show at least.
const leastRisk = 6

// hope is a trial's gain times the chance that a confirmation on minConfirm instances finds neither a limit
// broken nor a risk above those allowed; 0 if it fails, loses work or gains nothing.
func (c *risks) hope(t *trial, ins []instance) float64 {
	ins = c.led.usable(ins)
	if s := c.judge.score(t, ins); s.Failed || s.Lost > 0 {
		return 0
	}
	return max(0, stats.Mean(c.judge.differences(c.led.present, t, ins))) * c.chance(t, ins)
}

// chance is that of a trial to break no limit and to have no risk above those allowed on minConfirm further instances.
func (c *risks) chance(t *trial, ins []instance) float64 {
	n := float64(len(ins))
	spread := 1/n + 1.0/minConfirm // of the difference of two means, in variances of one instance
	out := 1.0
	for k := range c.p.Constraints {
		if x, _ := c.judge.excesses(t, k, ins); len(x) > 1 {
			_, sd := stats.Moments(x)
			out *= keepChance(c.p.Constraints[k].Middle(x), sd*math.Sqrt(spread))
		}
	}
	d := Decide(c.evidence(t, ins))
	allowed := func(p *float64, most float64) {
		if p != nil {
			q := min(max(*p, 1/(2*n)), 1-1/(2*n))
			out *= keepChance(*p-most, math.Sqrt(q*(1-q)*spread))
		}
	}
	allowed(d.Worse, d.Risk.Worse)
	for _, q := range d.Protected {
		allowed(q.Worse, d.Risk.Queue)
	}
	return out
}

// nearest returns, of trials in their order, the nearest to the current configuration of those
// within one standard error of the first (L. Breiman, J. Friedman, R. Olshen and C. Stone,
// "Classification and Regression Trees", 1984, section 3.4.3): what goes less far is less
// likely to break on what few runs do not show.
func (c *risks) nearest(ts []*trial, ins []instance) *trial {
	out, best := ts[0], c.judge.score(ts[0], ins)
	for _, t := range ts[1:] {
		s := c.judge.score(t, ins)
		if s.Failed || best.Failed || s.Lost != best.Lost || s.Violation > best.Violation ||
			c.hope(t, ins) < (1-reductionSlack)*c.hope(ts[0], ins) {
			continue
		}
		mean, sd := stats.Moments(c.judge.differences(t, ts[0], ins))
		if mean <= sd/math.Sqrt(float64(len(ins))) && c.distance(t) < c.distance(out) {
			out = t
		}
	}
	return out
}

// distance is a trial's from the current configuration, in the unit cube.
func (c *risks) distance(t *trial) float64 {
	sum := 0.0
	at := c.led.pointOf(t)
	for k, from := range c.p.Space.Present() {
		sum += (at[k] - from) * (at[k] - from)
	}
	return math.Sqrt(sum)
}

// close reports whether more instances could change a decision.
func (c *risks) close(d Decision) bool {
	near := func(p *float64, most float64) bool {
		if p == nil {
			return false
		}
		return math.Abs(*p-most) <= 1.5*math.Sqrt(*p*(1-*p)/float64(d.Workloads))
	}
	switch d.Reason {
	case ReasonNothingFound, ReasonUnconfirmed, ReasonFails, ReasonLosesWork, ReasonUnknownError:
		return false
	case ReasonBreaksLimit:
		return !c.surelyBroken(c.found.confirm)
	case ReasonGainUnsure:
		return d.Mean.Mean > 0
	}
	return near(d.Worse, d.Risk.Worse) ||
		slices.ContainsFunc(d.Protected, func(p Protected) bool { return near(p.Worse, d.Risk.Queue) })
}

// surelyBroken reports whether the best breaks a limit on instances beyond doubt, which the current
// configuration keeps.
func (c *risks) surelyBroken(ins []instance) bool {
	broken := c.judge.brokenNow()
	for k := range c.p.Constraints {
		x, _ := c.judge.excesses(c.found.best, k, ins)
		if iv := MeanInterval(x, confidence); !broken[k] && iv.N > 1 && iv.Low > 0 {
			return true
		}
	}
	return false
}
