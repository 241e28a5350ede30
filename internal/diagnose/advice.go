package diagnose

import (
	"math"
	"strconv"
	"strings"

	"schedtune/yarnconf"
)

// Advice is one change, or several that only help together, with the limit that was reached
// first before it and the one that is reached first with it.
type Advice struct {
	For     string // "grow" or "start"
	Changes []Step
	Before  Limit
	After   Limit
	Room    int64 // containers that fit beside the application masters then
}

// goal is what advice is for: to raise the first limit on containers, or on applications.
type goal struct {
	name   string
	before Limit
	first  func(*world) Limit
}

// advise tries changes of the limits that are reached first. Changes that bring nothing, or
// that make the file invalid, are left out.
func (w *world) advise(a *LimitsAnswer) (out []Advice) {
	grow := goal{"grow", a.Growth[0], func(n *world) Limit { return n.growth()[0] }}
	for _, k := range w.raising(grow.before) {
		if ad, _, ok := w.try(grow, k.stepsAt(1)); ok {
			out = append(out, ad)
		}
	}
	if len(out) == 0 {
		out = w.chain(grow)
	}
	if a.TooLarge { // no limit on masters is what it waits for
		return out
	}
	start := goal{"start", a.Running[0], func(n *world) Limit {
		first := n.running()[0]
		first.Count = min(first.Count, n.beside(first.Count)) // more would hang
		return first
	}}
	want := start.before.Count + 1
	for _, k := range w.admitting(start.before) {
		most := want
		if a.Load != nil {
			most = max(most, int64(a.Load.UserPeak))
		}
		ad, ok := w.least(start, k, most)
		if !ok {
			ad, ok = w.least(start, k, want)
		}
		if ok {
			out = append(out, ad)
		}
	}
	return out
}

// maxChain bounds how many settings are changed together.
const maxChain = 4

// chain raises one limit after another where several are reached at once.
func (w *world) chain(g goal) []Advice {
	var steps []Step
	for at := w; at != nil && len(steps) < maxChain; {
		next := at.raising(g.first(at))
		if len(next) == 0 {
			break
		}
		steps = append(steps, next[0].stepsAt(1)...)
		var ad Advice
		var ok bool
		if ad, at, ok = w.try(g, steps); ok {
			return []Advice{ad}
		}
	}
	return nil
}

// least finds the smallest change of a setting with which so many applications run at a time.
func (w *world) least(g goal, k setting, want int64) (Advice, bool) {
	i := 0
	if k.steps > 0 {
		i = firstStep(1, k.steps, func(i int) bool {
			ad, _, ok := w.try(g, k.stepsAt(i))
			return ok && ad.After.Count >= want
		})
	}
	if i == 0 {
		return Advice{}, false
	}
	ad, _, ok := w.try(g, k.stepsAt(i))
	return ad, ok
}

// try evaluates changes and reports whether they raise the limit. next is nil if they make
// the file invalid.
func (w *world) try(g goal, steps []Step) (ad Advice, next *world, ok bool) {
	doc, err := w.doc.EditValid(changesOf(steps))
	if err == nil {
		next, err = newWorld(doc, w.q)
	}
	if err != nil {
		return ad, nil, false
	}
	ad = Advice{For: g.name, Changes: steps, Before: g.before, After: g.first(next)}
	ad.Room = next.room(ad.After.Count)
	// One container more because another limit lets one cross is no help.
	return ad, next, ad.After.Count > g.before.Count && (g.name == "start" || w.fit(ad.After.Resource, w.container) >
		w.fit(g.before.Resource, w.container))
}

// raising lists the settings that lift a limit on a user's containers, each with one step.
func (w *world) raising(l Limit) []setting {
	if l.Key == "nodes" {
		return nil
	}
	if l.What != "user limit" {
		return []setting{toggle(l.Key, l.Value, "100")}
	}
	f, key := w.figures(w.at), w.key(w.leaf(), yarnconf.UserFactor)
	unlimited := toggle(key, l.Value, "-1")
	if f.Min.Memory <= 0 {
		return []setting{unlimited}
	}
	return []setting{toggle(key, l.Value, whyShort(fills(f.Max, f.Min))), unlimited}
}

// fills is the user-limit-factor with which one user reaches a queue's maximum from its guarantee.
func fills(most, guarantee yarnconf.Resource) float64 {
	return math.Ceil(float64(most.Memory)/float64(guarantee.Memory)*100) / 100
}

// admitting lists the settings with which more applications may run at a time.
func (w *world) admitting(l Limit) (out []setting) {
	add := func(key, present string, from, by, most float64) {
		k := numbers(key, from, by, most)
		k.present = present
		out = append(out, k)
	}
	switch {
	case l.Count == Unlimited || l.Key == "nodes":
	case l.Resource.IsNone() && strings.HasPrefix(l.What, "parallel"):
		add(l.Key, l.Value, float64(l.Count), 1, float64(l.Count)*2+1024)
	case strings.HasPrefix(l.What, capacityLimit):
		add(l.Key, l.Value, 0, 100, 100)
	case strings.HasPrefix(l.What, "maximum of"):
		if v, err := strconv.ParseFloat(l.Value, 64); err == nil {
			add(l.Key, l.Value, v, 1, 100)
		}
	default:
		key := w.key(w.leaf(), yarnconf.AMShare)
		if w.amLabel != "" {
			key = yarnconf.LabelKey(w.leaf().Path, w.amLabel, yarnconf.AMShare)
		}
		add(key, l.Value, downTo(float64(w.masterFigures(w.at).AMPercent), 100), fractionStep, 1)
		if f := downTo(float64(w.leaf().UserLimitFactor), 100); l.What == "AMs of the user" && f > 0 {
			add(w.key(w.leaf(), yarnconf.UserFactor), whyShort(f), f, factorStep, 100*max(f, 1))
		}
	}
	return out
}
