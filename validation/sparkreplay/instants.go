package sparkreplay

import (
	"slices"

	"schedtune/simcore"
)

// When what is recorded was handled: the records of different processes are in
// milliseconds and are written before or after the fact.

// round gives the preemption policy's rounds that killed containers, and with the
// first the phase of all.
func (b *builder) round() {
	for _, a := range b.r.Apps {
		for _, c := range a.Containers {
			if (a.tez() || a.Kind == "spark") && c.Exit == preempted && c.Released != simcore.Never {
				b.rec.Kills = append(b.rec.Kills, c.Released)
			}
		}
	}
	if len(b.rec.Kills) > 0 {
		slices.Sort(b.rec.Kills)
		b.rec.Round = b.rec.Kills[0]
	}
}

// turns are those of the allocation manager's loop that changed the target or
// gave up idle executors.
func (a *App) turns() []simcore.Time {
	var all, out []simcore.Time
	for _, t := range a.Targets {
		if t.Source == "allocator" {
			all = append(all, t.At-noted)
		}
	}
	for i := range a.Executors {
		if at := a.Executors[i].KillAsked; at != simcore.Never {
			all = append(all, at-noted)
		}
	}
	slices.Sort(all)
	for _, at := range all {
		if len(out) == 0 || at-out[len(out)-1] > loopPeriod/2 { // one turn is noted several times
			out = append(out, at)
		}
	}
	return out
}

// noted is how long after its turn a change of the target or the end of an executor is noted, at
// least.
const noted = simcore.Millisecond

// loopPeriod is that of the loop (ExecutorAllocationManager.intervalMillis).
const loopPeriod = 100 * simcore.Millisecond

// handled is when the scheduler came to the calls of the application's master. The
// record is written before; a call that was granted containers is dated by the
// ResourceManager's note that they were picked up, which is made under the same
// lock as the asks are taken in.
func (a *App) handled() []simcore.Time {
	var granted []simcore.Time
	for _, c := range a.Containers {
		if c.Acquired != simcore.Never && c.Kind != "AM" {
			granted = append(granted, c.Acquired)
		}
	}
	slices.Sort(granted)
	out := make([]simcore.Time, len(a.Calls))
	for i, c := range a.Calls {
		out[i] = c.At
		if c.Granted > 0 {
			k, _ := slices.BinarySearch(granted, c.At)
			if k < len(granted) && granted[k]-c.At < callHandling && (i+1 == len(a.Calls) || granted[k] < a.Calls[i+1].At) {
				out[i] = granted[k]
			}
		}
	}
	return out
}

// callHandling bounds how long after its record a call is handled.
const callHandling = 350 * simcore.Millisecond
