package diagnose

import (
	"cmp"
	"fmt"
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

// idleSum sums up containers of a kind.
type idleSum struct {
	count int
	mib   int64
	until simcore.Time // of the last
}

// holders lists what applications hold without working.
func (t *idleTez) holders(dags []simcore.DAGResult) (list []TezHolding) {
	sums := make([][2]idleSum, len(t.work.Jobs)) // containers, masters
	for key, x := range t.held {
		j := simcore.JobID(key[0])
		sum, until := &sums[j][0], x.until
		if wakes, asleep := t.asleep(j, dags); x.master && asleep {
			sum, until = &sums[j][1], min(until, wakes)
		} else if !x.idle {
			continue
		}
		sum.count, sum.mib, sum.until = sum.count+1, sum.mib+x.mib, max(sum.until, until)
	}
	for j := range sums {
		var parts []string
		h := TezHolding{Queue: t.work.Queues[t.work.Jobs[j].Queue], App: t.work.Jobs[j].ID}
		for i, what := range []string{"idle container", "AM without a DAG"} {
			if s := &sums[j][i]; s.count > 0 {
				h.MiB += s.mib
				parts = append(parts, fmt.Sprintf("%d MiB in %s %s", s.mib, text.Count(s.count, what), t.yet(s.until)))
			}
		}
		if h.How = strings.Join(parts, " and "); h.MiB > 0 {
			list = append(list, h)
		}
	}
	return list
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
