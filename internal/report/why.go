package report

import (
	"context"
	"fmt"
	"strings"

	"schedtune/internal/diagnose"
	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/tune"
)

// Why a setting changes: how long, in one run with the current settings, its limit
// kept a queue from more while the cluster had room.
const (
	atLimit   = 0.95            // of the limit is held by it
	freePart  = 0.20            // of the cluster's memory is room
	whyLeast  = simcore.Minute  // shorter times are not told
	whyFactor = 1.0 / (1 << 10) // MiB to GiB
)

// held follows one limit of one queue through a run.
type held struct {
	queue int32
	limit int64
	kind  string // "maximum", "user" or "masters"

	total simcore.Time // at the limit while there was room
	users map[int32]int64
	used  int64
	apps  int64 // running masters
	on    bool
}

// reasons says for each changed setting of a queue why it changes, by the
// setting's name; those whose limit never bound, or does not become larger, have none.
func reasons(s *study.Study, present tune.Settings, changes []Change, terms []diagnose.TermsChange) (map[string]string,
	error) {
	w := s.Runner.Windows()[0]
	following := map[string]*held{}
	for _, c := range changes {
		if h := follow(w, c.Setting, terms); h != nil {
			following[c.Setting] = h
		}
	}
	if len(following) == 0 {
		return nil, nil
	}
	var hs []*held
	for _, c := range changes { // in a fixed order
		if h := following[c.Setting]; h != nil {
			hs = append(hs, h)
		}
	}
	total := s.Case.Total().Memory
	f := follower{hs: hs, w: w, room: int64(float64(total) * (1 - freePart)), submitted: make([]int64, len(w.Queues))}
	if _, err := s.Runner.Simulate(context.Background(), present, groupSeedBase, 0, f.watch); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, h := range following {
		if text := h.text(w); text != "" {
			out[name] = text
		}
	}
	return out, nil
}

// follow prepares the limit behind a setting, nil if it has none or if the limit does not
// become larger.
func follow(w *simcore.Workload, setting string, terms []diagnose.TermsChange) *held {
	at := strings.LastIndexByte(setting, '.')
	if at < 0 {
		return nil
	}
	for i := range terms {
		t := &terms[i]
		if t.Queue != setting[:at] || !t.Leaf {
			continue
		}
		for q, name := range w.Queues {
			if name != t.Queue {
				continue
			}
			h := &held{queue: int32(q), users: map[int32]int64{}}
			after := int64(0)
			switch setting[at+1:] {
			case "maximum-capacity":
				h.kind, h.limit, after = "maximum", t.Before.Maximum, t.After.Maximum
			case "user-limit-factor", "minimum-user-limit-percent":
				h.kind, h.limit, after = "user", t.Before.LoneUser, t.After.LoneUser
			case "maximum-am-resource-percent":
				h.kind, h.limit, after = "masters", t.Before.Running, t.After.Running
			}
			if after <= h.limit { // that it bound is no reason to lower it
				return nil
			}
			return h
		}
	}
	return nil
}

// follower hears of a run's containers.
type follower struct {
	hs   []*held
	w    *simcore.Workload
	room int64 // memory in use below which the cluster has room

	last      simcore.Time
	used      int64
	next      int     // job not yet submitted
	submitted []int64 // by queue
}

func (f *follower) watch(c simulate.Change) {
	if c.Event != "allocated" && c.Event != "released" {
		return
	}
	f.until(c.At)
	j := &f.w.Jobs[c.Job]
	f.used += int64(c.Delta) * c.Memory
	for _, h := range f.hs {
		if h.queue != j.Queue {
			continue
		}
		h.used += int64(c.Delta) * c.Memory
		h.users[j.User] += int64(c.Delta) * c.Memory
		if c.Master {
			h.apps += int64(c.Delta)
			if c.Delta < 0 {
				f.submitted[h.queue]--
			}
		}
	}
	for _, h := range f.hs {
		h.on = f.used < f.room && h.at(f.submitted[h.queue])
	}
}

// until counts the time since the last change.
func (f *follower) until(now simcore.Time) {
	for _, h := range f.hs {
		if h.on {
			h.total += now - f.last
		}
	}
	f.last = now
	for f.next < len(f.w.Jobs) && f.w.Jobs[f.next].Submit <= now {
		f.submitted[f.w.Jobs[f.next].Queue]++
		f.next++
	}
}

// at reports whether the queue stands at its limit; submitted is the number of its
// applications.
func (h *held) at(submitted int64) bool {
	near := func(v int64) bool { return float64(v) >= atLimit*float64(h.limit) }
	switch h.kind {
	case "maximum":
		return near(h.used)
	case "masters":
		return h.apps >= h.limit && submitted > h.apps
	}
	for _, v := range h.users {
		if near(v) {
			return true
		}
	}
	return false
}

// text tells the time, "" if it was short.
func (h *held) text(w *simcore.Workload) string {
	if h.total < whyLeast {
		return ""
	}
	long := text.Minutes(h.total.Std())
	queue := w.Queues[h.queue]
	memory := fmt.Sprintf("%.4g GiB", float64(h.limit)*whyFactor)
	room := "while a fifth or more of the cluster was free"
	switch h.kind {
	case "maximum":
		return fmt.Sprintf("%s stood at its maximum of %s for %s %s", queue, memory, long, room)
	case "masters":
		return fmt.Sprintf("%s ran %s and others waited, for %s %s", queue, text.Count(int(h.limit), "application"), long,
			room)
	}
	return fmt.Sprintf("a user of %s stood at the limit of %s for %s %s", queue, memory, long, room)
}
