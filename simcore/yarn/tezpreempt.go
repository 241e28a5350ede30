package yarn

import "schedtune/simcore"

// The own preemption of a Tez application.

// mayPreempt reports whether own preemption may come without a further event: a task waits, and
// others that depend on its vertex hold containers.
func (k *tezMaster) mayPreempt(a *tezApp) bool {
	v, t := a.first()
	if t < 0 || a.set.PreemptPercent == 0 {
		return false
	}
	for _, w := range a.inOrder() {
		if a.vertices[w].running > 0 && a.below(w, v) {
			return true
		}
	}
	return false
}

// preempt makes the AM's own preemption (maybePreempt): if the first request does not fit into the
// headroom, or has waited too long, the last started tasks of vertices below it lose their
// containers.
func (k *tezMaster) preempt(j int32, a *tezApp) {
	s := k.s
	if a.closed || s.now-a.preempted < simcore.Time(a.set.PreemptBeats)*a.set.Heartbeat || !k.mayPreempt(a) {
		return
	}
	v, t := a.first()
	size, room := a.plan.sizes[v], s.resp.Headroom
	if size.Memory <= room.Memory && (!s.opt.ScheduleCPU || size.VCores <= room.VCores) &&
		s.now-a.tasks[t].since < a.set.PreemptWait {
		return
	}
	a.preempted = s.now
	for n := (a.requests*a.set.PreemptPercent + 99) / 100; n > 0; n-- {
		last := int32(-1)
		for ord := range a.held {
			x := &a.held[ord]
			if x.slot >= 0 && !x.gone && x.task >= 0 && a.below(x.vertex, v) &&
				(last < 0 || x.from >= a.held[last].from) {
				last = int32(ord)
			}
		}
		if last < 0 {
			return
		}
		k.stopTask(j, a, last)
	}
}
