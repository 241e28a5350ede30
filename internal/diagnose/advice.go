package diagnose

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"schedtune/yarnconf"
)

// Advice is one change, or a few that only help together, and what it brings
// as evaluated with the change made.
type Advice struct {
	For     string // "grow" or "start"
	Changes []AdvisedChange
	Before  Limit // the limit that bound
	After   Limit // the limit that binds with the change
}

// AdvisedChange is one setting of an Advice.
type AdvisedChange struct {
	yarnconf.Change
	Present string // value in force
	Restart string // what it takes beyond a refresh, empty if nothing
}

// advise tries changes of the limits that bind first. Changes that bring
// nothing, or that the file does not allow, are not shown.
func (w *world) advise(a *LimitsAnswer) []Advice {
	grow := func(n *world) Limit { return n.growth(1)[0] }
	start := func(n *world) Limit { return n.running()[0] }
	out := w.singles("grow", a.Growth[0], w.growthChange(a.Growth[0]), grow)
	if len(out) == 0 {
		out = w.chain(a.Growth[0], grow)
	}
	if a.TooLarge { // no limit on masters is what it waits for
		return out
	}
	return append(out, w.singles("start", a.Running[0], w.runningChange(a), start)...)
}

func (w *world) singles(what string, before Limit, changes []yarnconf.Change, measure func(*world) Limit) []Advice {
	var out []Advice
	for _, ch := range changes {
		if ad, _, ok := w.try(what, before, []yarnconf.Change{ch}, measure); ok {
			out = append(out, ad)
		}
	}
	return out
}

// try evaluates changes; ok says that they lift the limit. The world they lead
// to is nil if the file does not allow them.
func (w *world) try(what string, before Limit, changes []yarnconf.Change, measure func(*world) Limit) (ad Advice, next *world, ok bool) {
	doc, err := w.doc.EditValid(changes)
	if err != nil {
		return ad, nil, false
	}
	if next, err = newWorld(doc, w.q); err != nil {
		return ad, nil, false
	}
	ad = Advice{For: what, Before: before, After: measure(next)}
	for _, ch := range changes {
		ad.Changes = append(ad.Changes, w.advised(ch))
	}
	// One container more because another limit lets one cross is no help.
	return ad, next, ad.After.Count > before.Count && (what == "start" || ad.After.Share > before.Share)
}

func (w *world) advised(ch yarnconf.Change) AdvisedChange {
	c := AdvisedChange{Change: ch, Present: w.doc.Value(ch.Key)}
	if c.Present == "" { // a queue without a value of its own takes the global one
		c.Present = w.doc.Value(yarnconf.Prefix + ch.Key[strings.LastIndexByte(ch.Key, '.')+1:])
	}
	if c.Present == "" {
		c.Present = "the default"
	}
	if kind, why := yarnconf.RefreshKindOf(ch.Key); kind != yarnconf.AtRefresh {
		c.Restart = kind.String() + ": " + why
	}
	return c
}

// maxChain bounds how many settings are changed together.
const maxChain = 4

// chain lifts one limit after another where several bind at the same height.
func (w *world) chain(before Limit, measure func(*world) Limit) []Advice {
	var changes []yarnconf.Change
	at := w
	for len(changes) < maxChain {
		next := at.growthChange(measure(at))
		if len(next) == 0 {
			return nil
		}
		changes = append(changes, next[0])
		ad, world, ok := w.try("grow", before, changes, measure)
		switch {
		case ok:
			return []Advice{ad}
		case world == nil:
			return nil
		}
		at = world
	}
	return nil
}

// growthChange: what lifts the limit on a user's growth.
func (w *world) growthChange(l Limit) []yarnconf.Change {
	switch {
	case l.What == "user limit":
		e := w.eff[w.at]
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

// runningChange: what lets more applications run.
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
	share := float64(w.amPercent()) * float64(want) / float64(max(l.Count, 1))
	share = min(math.Ceil(share*100-1e-4)/100, 1) // the share is a float32
	key := w.key(w.leaf(), yarnconf.AMShare)
	if w.label() != "" {
		key = yarnconf.LabelKey(w.leaf().Path, w.label(), yarnconf.AMShare)
	}
	changes := []yarnconf.Change{{Key: key, Value: strconv.FormatFloat(share, 'f', -1, 64)}}
	if l.What == "application masters of the user" && w.leaf().UserLimitFactor > 0 {
		f := 2 * float64(w.leaf().UserLimitFactor)
		changes = append(changes, yarnconf.Change{Key: w.key(w.leaf(), yarnconf.UserFactor), Value: strconv.FormatFloat(f, 'f', -1, 64)})
	}
	return changes
}

// sentence says what the change brings.
func (ad Advice) sentence() string {
	unit := "containers"
	if ad.For == "start" {
		unit = "applications at a time"
	}
	var parts []string
	for _, c := range ad.Changes {
		p := fmt.Sprintf("%s from %s to %s", explainShort(c.Key), c.Present, c.Value)
		if c.Restart != "" {
			p += " [" + c.Restart + "]"
		}
		parts = append(parts, p)
	}
	s := fmt.Sprintf("%s: %s instead of %s %s", strings.Join(parts, " and "), count(ad.After.Count), count(ad.Before.Count), unit)
	if ad.For == "grow" {
		s += fmt.Sprintf(" (%s instead of %s of the cluster)", percent(ad.After.Share), percent(ad.Before.Share))
	}
	return s + "; then " + ad.After.What + " binds"
}
