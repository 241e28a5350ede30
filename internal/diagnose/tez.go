package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"schedtune/internal/simulate"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// idleTez follows the containers of Tez applications through a simulated run and keeps what of them
// does no work at an instant: idle containers, and the AMs of sessions without a DAG.
type idleTez struct {
	work *simcore.Workload
	at   simcore.Time
	held map[[2]int32]*tezHeld // by job and number of the container
}

// tezHeld is a container that is held at the instant.
type tezHeld struct {
	mib    int64
	master bool
	idle   bool         // it has run a task and runs none
	until  simcore.Time // its next task, or its end
}

func (t *idleTez) tez(j simcore.JobID) *simcore.TezApp { return t.work.Jobs[j].Tez }

// watch handles the allocation or the end of a container.
func (t *idleTez) watch(c *simulate.Change) {
	key := [2]int32{int32(c.Job), c.Unit}
	switch x := t.held[key]; {
	case t.tez(c.Job) == nil || c.Delta > 0 && c.At > t.at:
	case c.Delta > 0:
		t.held[key] = &tezHeld{mib: c.Memory, master: c.Master, until: simcore.Never}
	case x != nil && c.Delta < 0 && c.At <= t.at:
		delete(t.held, key)
	case x != nil && c.Delta < 0:
		x.until = min(x.until, c.At)
	}
}

// event handles the start or the end of a task.
func (t *idleTez) event(at simcore.Time, e yarn.SparkEvent) {
	x := t.held[[2]int32{int32(e.Job), e.Executor}]
	switch {
	case x == nil || e.Kind != yarn.SparkTaskStart && e.Kind != yarn.SparkTaskEnd:
	case at <= t.at:
		x.idle = e.Kind == yarn.SparkTaskEnd
	case e.Kind == yarn.SparkTaskStart:
		x.until = min(x.until, at)
	}
}

// asleep reports whether a job is a session without a DAG at the instant, and when the next one
// comes; Never = none does.
func (t *idleTez) asleep(j simcore.JobID, dags []simcore.DAGResult) (until simcore.Time, ok bool) {
	until, ok = simcore.Never, t.tez(j).Session
	for _, d := range dags {
		switch {
		case d.Job != j || d.Finish <= t.at:
		case d.Submit <= t.at:
			return 0, false
		default:
			until = min(until, d.Submit)
		}
	}
	return until, ok
}

// tezHolder is what a Tez application holds without working.
type tezHolder struct {
	job    simcore.JobID
	idle   int          // containers
	mib    int64        // in them
	until  simcore.Time // the last of them is taken or ends
	master int64        // MiB of its AM, where that is a session's without a DAG
	wakes  simcore.Time // its next DAG comes or it ends
}

// holders lists the applications that hold something without working.
func (t *idleTez) holders(dags []simcore.DAGResult) []tezHolder {
	of := map[simcore.JobID]tezHolder{}
	for key, x := range t.held {
		j := simcore.JobID(key[0])
		h := of[j]
		h.job = j
		if wakes, asleep := t.asleep(j, dags); x.master && asleep {
			h.master, h.wakes = x.mib, min(x.until, wakes)
		} else if x.idle {
			h.idle, h.mib, h.until = h.idle+1, h.mib+x.mib, max(h.until, x.until)
		}
		if h.mib+h.master > 0 {
			of[j] = h
		}
	}
	return slices.SortedFunc(maps.Values(of), func(a, b tezHolder) int { return cmp.Compare(a.job, b.job) })
}

// notes says what Tez holds without working, in a queue and in others.
func (t *idleTez) notes(queue int32, dags []simcore.DAGResult) []string {
	var list []TezHolding
	for _, h := range t.holders(dags) {
		var parts []string
		if h.idle > 0 {
			parts = append(parts, fmt.Sprintf("%d MiB in %s %s", h.mib, text.Count(h.idle, "idle container"), t.yet(h.until)))
		}
		if h.master > 0 {
			parts = append(parts, fmt.Sprintf("%d MiB in its AM without a DAG %s", h.master, t.yet(h.wakes)))
		}
		job := &t.work.Jobs[h.job]
		list = append(list, TezHolding{t.work.Queues[job.Queue], job.ID, h.mib + h.master, strings.Join(parts, " and ")})
	}
	return TezHoldings(list, t.work.Queues[queue], " without work")
}

// yet says how long something lasts from the instant on.
func (t *idleTez) yet(until simcore.Time) string {
	if until == simcore.Never {
		return "to the end of the run"
	}
	return "for up to " + (until - t.at).Std().Round(100*time.Millisecond).String() + " yet"
}

// TezHolding is what a Tez application holds of a queue.
type TezHolding struct {
	Queue, App string
	MiB        int64
	How        string // in which containers, and how long yet
}

// TezHoldings says by queue what Tez holds, with the applications that hold most of it; first that of
// one queue.
func TezHoldings(list []TezHolding, first, how string) (out []string) {
	queue := func(h TezHolding) string {
		if h.Queue == first {
			return ""
		}
		return h.Queue
	}
	slices.SortStableFunc(list, func(a, b TezHolding) int {
		return cmp.Or(strings.Compare(queue(a), queue(b)), cmp.Compare(b.MiB, a.MiB))
	})
	for len(list) > 0 {
		end := slices.IndexFunc(list, func(h TezHolding) bool { return h.Queue != list[0].Queue })
		if end < 0 {
			end = len(list)
		}
		sum, parts := int64(0), []string{}
		for _, h := range list[:end] {
			sum += h.MiB
			parts = append(parts, h.App+" "+h.How)
		}
		out = append(out, fmt.Sprintf("Tez holds %d MiB in %s%s: %s", sum, list[0].Queue, how, leading(parts)))
		list = list[end:]
	}
	return out
}

// leading joins the first three parts and counts the others.
func leading(parts []string) string {
	if n := len(parts) - 3; n > 0 {
		parts = append(parts[:3:3], text.Count(n, "further application"))
	}
	return strings.Join(parts, "; ")
}
