package explain

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/yarnconf"
)

// Advice is one change and what it brings, as evaluated with the change made.
type Advice struct {
	For     string // "grow" or "start"
	Change  yarnconf.Change
	Present string // value in force
	Before  Limit  // the limit that bound
	After   Limit  // the limit that binds with the change
	Restart string // what it takes beyond a refresh, empty if nothing
}

// advise tries changes of the limits that bind first. Changes that bring
// nothing, or that the file does not allow, are not shown.
func (w *world) advise(a *Answer) []Advice {
	var out []Advice
	out = append(out, w.try("grow", a.Growth[0], w.growthChange(a.Growth[0]), func(n *world) Limit { return n.growth(1)[0] })...)
	out = append(out, w.try("start", a.Running[0], w.runningChange(a), func(n *world) Limit { return n.running()[0] })...)
	return out
}

func (w *world) try(what string, before Limit, changes []yarnconf.Change, measure func(*world) Limit) []Advice {
	var out []Advice
	for _, ch := range changes {
		doc, err := w.doc.EditValid([]yarnconf.Change{ch})
		if err != nil {
			continue
		}
		next, err := newWorld(doc, w.q)
		if err != nil {
			continue
		}
		after := measure(next)
		if after.Count <= before.Count {
			continue
		}
		ad := Advice{For: what, Change: ch, Present: w.doc.Value(ch.Key), Before: before, After: after}
		if ad.Present == "" {
			ad.Present = before.Value
		}
		if kind, why := yarnconf.RefreshKindOf(ch.Key); kind != yarnconf.AtRefresh {
			ad.Restart = kind.String() + ": " + why
		}
		out = append(out, ad)
	}
	return out
}

// growthChange: what lifts the limit on a user's growth.
func (w *world) growthChange(l Limit) []yarnconf.Change {
	switch {
	case l.What == "user limit":
		e := w.eff[w.at]
		key := yarnconf.Key(w.leaf().Path, yarnconf.UserFactor)
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
func (w *world) runningChange(a *Answer) []yarnconf.Change {
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
	share := float64(w.leaf().AMPercent) * float64(want) / float64(max(l.Count, 1))
	share = min(math.Ceil(share*100-1e-4)/100, 1) // the share is a float32
	q := w.leaf().Path
	changes := []yarnconf.Change{{Key: yarnconf.Key(q, yarnconf.AMShare), Value: strconv.FormatFloat(share, 'f', -1, 64)}}
	if l.What == "application masters of the user" && w.leaf().UserLimitFactor > 0 {
		f := 2 * float64(w.leaf().UserLimitFactor)
		changes = append(changes, yarnconf.Change{Key: yarnconf.Key(q, yarnconf.UserFactor), Value: strconv.FormatFloat(f, 'f', -1, 64)})
	}
	return changes
}

// Sentence says what the change brings.
func (ad Advice) Sentence() string {
	unit := "containers"
	if ad.For == "start" {
		unit = "applications at a time"
	}
	s := fmt.Sprintf("%s from %s to %s: %s instead of %s %s", short(ad.Change.Key), ad.Present, ad.Change.Value, count(ad.After.Count), count(ad.Before.Count), unit)
	if ad.For == "grow" {
		s += fmt.Sprintf(" (%s instead of %s of the cluster)", percent(ad.After.Share), percent(ad.Before.Share))
	}
	s += "; then " + ad.After.What + " binds"
	if ad.Restart != "" {
		s += " [" + ad.Restart + "]"
	}
	return s
}
