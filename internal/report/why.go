package report

import (
	"context"
	"fmt"
	"slices"
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
	change *Change
	queue  int32
	limit  int64
	kind   string // "maximum", "user" or "masters"

	total simcore.Time // at the limit while there was room
	users map[int32]int64
	used  int64
	apps  int64 // running masters
	on    bool
}

// reasons says of each changed setting of a queue why it changes; of those whose limit
// never bound, or does not become larger, nothing.
func reasons(s *study.Study, present tune.Settings, changes []Change, terms []diagnose.TermsChange) error {
	w := s.Runner.Windows()[0]
	f := follower{w: w, room: int64(float64(s.Case.Total().Memory) * (1 - freePart)), submitted: make([]int64,
		len(w.Queues))}
	for i := range changes {
		if h := follow(w, changes[i].Setting, terms); h != nil {
			h.change = &changes[i]
			f.hs = append(f.hs, h)
		}
	}
	if len(f.hs) == 0 {
		return nil
	}
	if _, err := s.Runner.Simulate(context.Background(), present, groupSeedBase, 0, f.watch); err != nil {
		return err
	}
	for _, h := range f.hs {
		h.change.Why = h.text(w)
	}
	return nil
}

// follow prepares the limit behind a setting, nil if it has none or if the limit does not
// become larger.
func follow(w *simcore.Workload, setting string, terms []diagnose.TermsChange) *held {
	at := max(strings.LastIndexByte(setting, '.'), 0)
	i := slices.IndexFunc(terms, func(t diagnose.TermsChange) bool { return t.Queue == setting[:at] && t.Leaf })
	q := slices.Index(w.Queues, setting[:at])
	if i < 0 || q < 0 {
		return nil
	}
	before, after := terms[i].Before, terms[i].After
	h := &held{queue: int32(q), users: map[int32]int64{}}
	larger := int64(0)
	switch setting[at+1:] {
	case "maximum-capacity":
		h.kind, h.limit, larger = "maximum", before.Maximum, after.Maximum
	case "user-limit-factor", "minimum-user-limit-percent":
		h.kind, h.limit, larger = "user", before.LoneUser, after.LoneUser
	case "maximum-am-resource-percent":
		h.kind, h.limit, larger = "masters", before.Running, after.Running
	}
	if larger <= h.limit { // that it bound is no reason to lower it
		return nil
	}
	return h
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
