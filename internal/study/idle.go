package study

import (
	"fmt"
	"strings"

	"schedtune/simcore"
	"schedtune/yarnconf"
)

// Queues without a job in the trace. A trace says nothing about what their
// guarantee is worth: every search would hand it to the others. Their settings
// stay unless --params names them by pattern, and so does what they are
// guaranteed in all: the shares of the queues above them stay, and the maxima
// above them only rise.

// idleQueues returns the queues that no job runs in or below.
func idleQueues(w *simcore.Workload, qs []yarnconf.QueueInfo) map[string]bool {
	busy := map[string]bool{}
	for i := range w.Jobs {
		for q := w.Queues[w.Jobs[i].Queue]; q != "" && !busy[q]; q = parentOf(q) {
			busy[q] = true
		}
	}
	idle := map[string]bool{}
	for _, q := range qs {
		if !busy[q.Path] {
			idle[q.Path] = true
		}
	}
	return idle
}

// holders returns the queues that have a leaf without jobs below them.
func holders(idle map[string]bool, qs []yarnconf.QueueInfo) map[string]bool {
	out := map[string]bool{}
	for _, q := range qs {
		if q.Leaf && idle[q.Path] {
			for p := parentOf(q.Path); p != ""; p = parentOf(p) {
				out[p] = true
			}
		}
	}
	return out
}

// parentOf cuts the last part off a queue path; "" for the root.
func parentOf(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// idleNote tells which queues stay as they are, "" if none.
func (b *spaceBuilder) idleNote(qs []yarnconf.QueueInfo) string {
	var names []string
	for _, q := range qs {
		if q.Leaf && b.kept[q.Path] {
			names = append(names, q.Path)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("no job of the trace runs in %s: its settings and its guarantee stay; --params '%s.*' would "+
			"move them", names[0], names[0])
	}
	const shown = 4
	list := strings.Join(names[:min(shown, len(names))], ", ")
	if more := len(names) - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("no job of the trace runs in %s: their settings and their guarantees stay; --params with "+
		"patterns such as '%s.*' would move them", list, names[0])
}
