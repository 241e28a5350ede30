package accuracy

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

// Advice is what to do with a change.
type Advice string

// What may be advised.
const (
	Keep     Advice = "keep"      // the interval of the gain lies above zero
	RollBack Advice = "roll back" // it lies below zero, or jobs are lost
	Wait     Advice = "wait"      // nothing is shown, as yet
)

// Thresholds of the rule; docs/verify.md states it.
const (
	// smallest is the smallest gain, as a part, that waiting is for.
	smallest = 0.02
	// lostLevel is how improbable it must be that more jobs are lost by chance.
	lostLevel = 0.01
	// longest is the longest wait, in multiples of the period after, that is named.
	longest = 100
)

// decide applies the rule: jobs lost beyond chance, or an interval wholly below
// zero, ask for a roll back; an interval wholly above zero lets the change stay;
// else more data is needed.
func (r *ChangeReport) decide(before, after *Period, least int) {
	if p := moreLost(before.lost(), len(before.Seen), after.lost(), len(after.Seen)); p < lostLevel {
		r.Advice = RollBack
		r.Reason = fmt.Sprintf("%d of %d jobs failed, were killed or refused after the change, %d of %d before it (chance "+
			"of that without an effect: %.2g)",
			r.After.Lost, r.After.Jobs, r.Before.Lost, r.Before.Jobs, p)
		return
	}
	if r.Gain == nil {
		r.Advice = Wait
		r.Reason = fmt.Sprintf("too little data: %d jobs before and %d after can be compared; needed: %d each",
			r.Before.Compared, r.After.Compared, least)
		if n := r.After.Compared; r.Before.Compared >= least && n > 0 && n < least {
			r.wait(r.After.Hours * float64(least-n) / float64(n))
		}
		return
	}
	r.Held = r.Promised.heldBy(r.Gain)
	switch {
	case r.Gain.Low > 0:
		r.Advice, r.Reason = Keep, "the interval of the gain lies above zero"
	case r.Gain.High < 0:
		r.Advice, r.Reason = RollBack, "the interval of the gain lies below zero"
	default:
		r.Advice = Wait
		r.horizon()
	}
}

// heldBy reports whether the intervals of promise and gain overlap; nil without one of them.
func (p *Promise) heldBy(g *Gain) *bool {
	if p == nil || g == nil {
		return nil
	}
	held := g.High >= p.Low && g.Low <= p.High
	return &held
}

// horizon says how many more hours after the change would tell: until half the
// interval is as small as the gain seen, or as half the promised one, whichever
// is more. The part of the variance that comes from the period after shrinks with
// its length, that from the period before stays.
func (r *ChangeReport) horizon() {
	g := r.Gain
	effect := math.Abs(g.log)
	if r.Promised != nil && r.Promised.Gain < 1 {
		effect = max(effect, math.Abs(math.Log1p(-r.Promised.Gain))/2)
	}
	effect = max(effect, -math.Log1p(-smallest))
	room := effect*effect/(g.quantile*g.quantile) - g.before
	switch {
	case room >= g.after:
		r.Reason = "no difference, and the interval is narrow enough to have shown the expected gain"
	case room <= 0 || g.after/room > longest:
		r.Reason = "the interval of the gain contains zero, and a longer period after the change would not narrow it " +
			"enough: a longer period before it is needed"
	default:
		r.Reason = "the interval of the gain contains zero"
		r.wait(r.After.Hours * (g.after/room - 1))
	}
}

// wait names the hours, rounded up.
func (r *ChangeReport) wait(hours float64) {
	if hours > 0 && !math.IsInf(hours, 0) {
		hours = math.Ceil(hours*10) / 10
		if hours > 10 {
			hours = math.Ceil(hours)
		}
		r.WaitHours = &hours
	}
}

// moreLost is the probability of at least as many lost jobs after the change if
// it has no effect: Fisher's exact test, one-sided.
func moreLost(lostBefore, before, lostAfter, after int) float64 {
	lost, p := lostBefore+lostAfter, 0.0
	choose := func(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }
	for k := lostAfter; k <= min(lost, after); k++ {
		if lost-k <= before {
			p += math.Exp(choose(after, k) + choose(before, lost-k) - choose(before+after, lost))
		}
	}
	return min(p, 1)
}
