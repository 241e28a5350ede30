package replay

import (
	"fmt"
	"reflect"
	"slices"
)

// diffOut compares what came of a step with the record.
func diffOut(want, got *Out) string {
	slices.SortFunc(want.Moved, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	if d := diffCommon(&want.Common, &got.Common); d != "" {
		return d
	}
	if d := diffEvents(want.Made, got.Made); d != "" {
		return "waiting " + d
	}
	if d := diffMaps("figures of queue", want.Queues, got.Queues); d != "" {
		return d
	}
	if d := diffFields([]field{
		{"killable", nonNil(want.Killable), nonNil(got.Killable)}, {"moved", want.Moved, got.Moved},
		{"created", want.Created, got.Created}, {"removed", want.Removed, got.Removed},
		{"backlog", want.Backlog, got.Backlog}, {"held", want.Held, got.Held}, {"order", want.Order, got.Order},
		{"partitions", want.Partitions, got.Partitions}, {"orders", want.Orders, got.Orders},
	}); d != "" {
		return d
	}
	return diffMaps("queue", want.Shape, got.Shape)
}

// diffCommon compares what came of a step of either scheduler. Of a rejection only that it
// happened has to agree.
func diffCommon(want, got *Common) string {
	if (want.Rejected != nil) != (got.Rejected != nil) {
		return fmt.Sprintf("rejected: recorded %s, ours %s", text(want.Rejected), text(got.Rejected))
	}
	if d := diffEvents(want.Events, got.Events); d != "" {
		return d
	}
	return diffFields([]field{
		{"state", want.State, got.State}, {"queue", want.Queue, got.Queue}, {"ignored", want.Ignored, got.Ignored},
		{"error", want.Error != "", got.Error != ""},
		{"headroom", want.Headroom, got.Headroom}, {"granted", want.Granted, got.Granted},
		{"completed", want.Completed, got.Completed},
		{"loaded", want.Loaded, got.Loaded}, {"selected", nonNil(want.Selected), nonNil(got.Selected)},
		{"ended", want.Ended, got.Ended}, {"gone", want.Gone, got.Gone},
	})
}

// field is a figure by its name.
type field struct {
	name      string
	want, got any
}

// diffFields returns the first difference.
func diffFields(list []field) string {
	for _, d := range list {
		if !alike(d.want, d.got) {
			return fmt.Sprintf("%s: recorded %s, ours %s", d.name, text(d.want), text(d.got))
		}
	}
	return ""
}

// diffEvents compares what a step gave out, in order.
func diffEvents(want, got []Event) string {
	for i := range max(len(want), len(got)) {
		if i < len(want) && i < len(got) && reflect.DeepEqual(want[i], got[i]) {
			continue
		}
		w, g := "none", "none"
		if i < len(want) {
			w = text(want[i])
		}
		if i < len(got) {
			g = text(got[i])
		}
		if w != g && i < len(want) && i < len(got) && want[i].Refused && len(want[i].Kill) > 0 {
			// A reservation to give back that has been filled since is recorded as
			// the container it has become.
			w, g = text(want[i].withoutReleases()), text(got[i].withoutReleases())
		}
		if w != g {
			return fmt.Sprintf("event %d:\n  recorded %s\n  ours     %s", i+1, w, g)
		}
	}
	return ""
}

// withoutReleases is an event without what is to go for it.
func (e Event) withoutReleases() Event {
	e.Kill, e.Unreserve = nil, nil
	return e
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
