package diagnose

import (
	"cmp"
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
func (w *world) advise(a *LimitsAnswer) []Advice {
	grow := goal{"grow", a.Growth[0], func(n *world) Limit { return n.growth()[0] }}
	var out []Advice
	for _, ch := range w.growthChange(grow.before) {
		if ad, _, ok := w.try(grow, []yarnconf.Change{ch}); ok {
			out = append(out, ad)
		}
	}
	if len(out) == 0 {
		out = w.chain(grow)
	}
	if a.TooLarge { // no limit on masters is what it waits for
		return out
	}
	return append(out, w.startAdvice(a)...)
}

// maxChain bounds how many settings are changed together.
const maxChain = 4

// chain raises one limit after another where several are reached at once.
func (w *world) chain(g goal) []Advice {
	var changes []yarnconf.Change
	for at := w; at != nil && len(changes) < maxChain; {
		next := at.growthChange(g.first(at))
		if len(next) == 0 {
			break
		}
		changes = append(changes, next[0])
		var ad Advice
		var ok bool
		if ad, at, ok = w.try(g, changes); ok {
			return []Advice{ad}
		}
	}
	return nil
}

// try evaluates changes and reports whether they raise the limit. next is nil if they make
// the file invalid.
func (w *world) try(g goal, changes []yarnconf.Change) (ad Advice, next *world, ok bool) {
	doc, err := w.doc.EditValid(changes)
	if err == nil {
		next, err = newWorld(doc, w.q)
	}
	if err != nil {
		return ad, nil, false
	}
	ad = Advice{For: g.name, Before: g.before, After: g.first(next)}
	ad.Room = next.room(ad.After.Count)
	for _, ch := range changes {
		ad.Changes = append(ad.Changes, w.advised(ch, g.before))
	}
	// One container more because another limit lets one cross is no help.
	return ad, next, ad.After.Count > g.before.Count && (g.name == "start" || w.fit(ad.After.Resource, w.container) >
		w.fit(g.before.Resource, w.container))
}

// advised is a change with the value in force, which the limit tells where it is of that setting.
func (w *world) advised(ch yarnconf.Change, before Limit) Step {
	name := ch.Key[strings.LastIndexByte(ch.Key, '.')+1:]
	present := w.doc.Value(ch.Key)
	if present == "" && strings.HasSuffix(before.Key, "."+name) {
		present = before.Value
	}
	for _, global := range w.global(name) { // a queue without a value of its own takes the global one
		present = cmp.Or(present, w.doc.Value(global))
	}
	if name == yarnconf.UserFactor {
		present = cmp.Or(present, w.otherwise("1", "-1"))
	}
	return step(ch.Key, cmp.Or(present, "the default"), ch.Value)
}

// growthChange returns changes that raise a limit on a user's containers.
func (w *world) growthChange(l Limit) []yarnconf.Change {
	switch {
	case l.What == "user limit":
		e := w.figures(w.at)
		key := w.key(w.leaf(), yarnconf.UserFactor)
		changes := []yarnconf.Change{{Key: key, Value: "-1"}}
		if e.Min.Memory > 0 {
			changes = append([]yarnconf.Change{{Key: key, Value: whyShort(fills(e.Max, e.Min))}}, changes...)
		}
		return changes
	case l.Key != "nodes":
		return []yarnconf.Change{{Key: l.Key, Value: "100"}}
	}
	return nil
}

// fills is the user-limit-factor with which one user reaches a queue's maximum from its guarantee.
func fills(most, guarantee yarnconf.Resource) float64 {
	return math.Ceil(float64(most.Memory)/float64(guarantee.Memory)*100) / 100
}

// startAdvice returns the smallest changes that let one more application run, or as many as
// the trace has at a time.
func (w *world) startAdvice(a *LimitsAnswer) (out []Advice) {
	l := a.Running[0]
	goal := goal{"start", l, func(n *world) Limit {
		first := n.running()[0]
		first.Count = min(first.Count, n.beside(first.Count)) // more would hang
		return first
	}}
	least := func(key string, from, by, most float64) bool {
		k := numbers(key, from, by, most)
		if k.steps < 1 {
			return false
		}
		value := func(i int) []yarnconf.Change { return []yarnconf.Change{{Key: key, Value: k.at(i)}} }
		wants := l.Count + 1
		if a.Load != nil && int64(a.Load.UserPeak) > wants {
			wants = int64(a.Load.UserPeak)
		}
		for _, want := range []int64{wants, l.Count + 1} {
			i := firstStep(1, k.steps, func(i int) bool {
				ad, _, ok := w.try(goal, value(i))
				return ok && ad.After.Count >= want
			})
			if i > 0 {
				ad, _, _ := w.try(goal, value(i))
				out = append(out, ad)
				return true
			}
		}
		return false
	}
	switch {
	case l.Count == Unlimited || l.Key == "nodes":
	case l.Resource.IsNone() && strings.HasPrefix(l.What, "parallel"):
		least(l.Key, float64(l.Count), 1, float64(l.Count)*2+1024)
	case strings.HasPrefix(l.What, capacityLimit):
		least(l.Key, 0, 100, 100)
	case strings.HasPrefix(l.What, "maximum of"):
		if v, err := strconv.ParseFloat(l.Value, 64); err == nil {
			least(l.Key, v, 1, 100)
		}
	default:
		key := w.key(w.leaf(), yarnconf.AMShare)
		if w.amLabel != "" {
			key = yarnconf.LabelKey(w.leaf().Path, w.amLabel, yarnconf.AMShare)
		}
		least(key, math.Floor(float64(w.masterFigures(w.at).AMPercent)*100+1e-4)/100, 0.01, 1)
		if f := float64(w.leaf().UserLimitFactor); l.What == "AMs of the user" && f > 0 {
			least(w.key(w.leaf(), yarnconf.UserFactor), math.Floor(f*100+1e-4)/100, 0.01, 100*max(f, 1))
		}
	}
	return out
}
