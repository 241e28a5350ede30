package diagnose

import (
	"fmt"
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

func (s *idleSum) add(mib int64, until simcore.Time) {
	s.count, s.mib, s.until = s.count+1, s.mib+mib, max(s.until, until)
}

// say returns what the containers hold, with the name of one and of several; "" for none.
func (s *idleSum) say(one, many string) string {
	if s.count == 0 {
		return ""
	}
	last := "to the end of the run"
	if s.until < simcore.Never {
		last = "until " + s.until.Std().Round(100*time.Millisecond).String()
	}
	if s.count > 1 {
		last = "the last " + last
	}
	return fmt.Sprintf("%d MiB in %s, %s", s.mib, text.CountAs(s.count, one, many), last)
}

// notes returns what Tez holds without working in a queue, and in the others.
func (t *idleTez) notes(queue int32, dags []simcore.DAGResult) (out []string) {
	var sums [2][2]idleSum // of the queue, of others: containers, masters
	for key, x := range t.held {
		j, other := simcore.JobID(key[0]), 0
		if t.work.Jobs[j].Queue != queue {
			other = 1
		}
		if wakes, asleep := t.asleep(j, dags); x.master && asleep {
			sums[other][1].add(x.mib, min(x.until, wakes))
		} else if x.idle {
			sums[other][0].add(x.mib, x.until)
		}
	}
	for i, where := range []string{t.work.Queues[queue], "other queues"} {
		for _, said := range []string{sums[i][0].say("idle container", "idle containers"),
			sums[i][1].say("AM of a session without a DAG", "AMs of sessions without a DAG")} {
			if said != "" {
				out = append(out, fmt.Sprintf("Tez holds in %s: %s", where, said))
			}
		}
	}
	return out
}
