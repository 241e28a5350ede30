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
	Changes []AdvisedChange
	Before  Limit
	After   Limit
}

// AdvisedChange is one setting of an Advice.
type AdvisedChange struct {
	yarnconf.Change
	Present string // value in force
	Restart string // what it takes beyond a refresh; "" for nothing
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
	out := w.singles(grow, w.growthChange(grow.before))
	if len(out) == 0 {
		out = w.chain(grow)
	}
	if a.TooLarge { // no limit on masters is what it waits for
		return out
	}
	start := goal{"start", a.Running[0], func(n *world) Limit { return n.running()[0] }}
	return append(out, w.singles(start, w.runningChange(a))...)
}

// singles tries changes one by one.
func (w *world) singles(g goal, changes []yarnconf.Change) (out []Advice) {
	for _, ch := range changes {
		if ad, _, ok := w.try(g, []yarnconf.Change{ch}); ok {
			out = append(out, ad)
		}
	}
	return out
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
	for _, ch := range changes {
		ad.Changes = append(ad.Changes, w.advised(ch))
	}
	// One container more because another limit lets one cross is no help.
	return ad, next, ad.After.Count > g.before.Count && (g.name == "start" || ad.After.Share > g.before.Share)
}

func (w *world) advised(ch yarnconf.Change) AdvisedChange {
	// A queue without a value of its own takes the global one.
	global := yarnconf.Prefix + ch.Key[strings.LastIndexByte(ch.Key, '.')+1:]
	c := AdvisedChange{Change: ch, Present: cmp.Or(w.doc.Value(ch.Key), w.doc.Value(global), "the default")}
	if kind, why := yarnconf.RefreshKindOf(ch.Key); kind != yarnconf.AtRefresh {
		c.Restart = kind.String() + ": " + why
	}
	return c
}

// growthChange returns changes that raise a limit on a user's containers.
func (w *world) growthChange(l Limit) []yarnconf.Change {
	switch {
	case l.What == "user limit":
		e := w.figures(w.at)
		key := w.key(w.leaf(), yarnconf.UserFactor)
		changes := []yarnconf.Change{{Key: key, Value: "-1"}}
		if e.Min.Memory > 0 {
			f := math.Ceil(float64(e.Max.Memory)/float64(e.Min.Memory)*100) / 100
			changes = append([]yarnconf.Change{{Key: key, Value: strconv.FormatFloat(f, 'f', -1, 64)}}, changes...)
		}
		return changes
	case l.Key != "nodes":
		return []yarnconf.Change{{Key: l.Key, Value: "100"}}
	}
	return nil
}

// runningChange returns changes that let more applications run.
func (w *world) runningChange(a *LimitsAnswer) []yarnconf.Change {
	l := a.Running[0]
	switch {
	case l.Count == Unlimited:
		return nil
	case l.Resource == (yarnconf.Resource{}): // a count of parallel applications
		return []yarnconf.Change{{Key: l.Key, Value: strconv.FormatInt(2*max(l.Count, 1), 10)}}
	}
	want := 2 * l.Count
	if a.Load != nil {
		want = max(want, int64(a.Load.UserPeak))
	}
	share := float64(w.figures(w.at).AMPercent) * float64(want) / float64(max(l.Count, 1))
	share = min(math.Ceil(share*100-1e-4)/100, 1) // the share is a float32
	key := w.key(w.leaf(), yarnconf.AMShare)
	if w.label != "" {
		key = yarnconf.LabelKey(w.leaf().Path, w.label, yarnconf.AMShare)
	}
	changes := []yarnconf.Change{{Key: key, Value: strconv.FormatFloat(share, 'f', -1, 64)}}
	if l.What == "application masters of the user" && w.leaf().UserLimitFactor > 0 {
		f := 2 * float64(w.leaf().UserLimitFactor)
		changes = append(changes, yarnconf.Change{Key: w.key(w.leaf(), yarnconf.UserFactor),
			Value: strconv.FormatFloat(f, 'f', -1, 64)})
	}
	return changes
}
