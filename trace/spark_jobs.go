package trace

import (
	"cmp"
	"math"
	"slices"

	"schedtune/trace/sparklog"
)

// order says which jobs of a recorded application a job waits for, and how
// long after the last of their ends the driver submitted it. An event log has
// times only, so the rule is: a job that finds no other running waits for all
// that have ended (one thread of the driver, or threads that were joined). One
// submitted beside others either follows a job that ended while these ran, in
// the same SQL execution or job group if there is such a one, else the last to
// end; or, where none did, it began with them and waits for what they wait for.
type order struct {
	after [][]int32
	gap   []Millis
}

// jobOrder orders jobs, which are sorted by submission. start is when the
// user's code began.
func jobOrder(jobs []sparklog.Job, start Millis) order {
	o := order{after: make([][]int32, len(jobs)), gap: make([]Millis, len(jobs))}
	endless := int32(-1)         // the first whose end is not known: it runs on
	var active, frontier []int32 // running; ended and not yet followed by one that has ended
	for i := range jobs {
		at := jobs[i].Submit
		active, frontier = o.close(jobs, active, frontier, at)
		running := active
		if endless >= 0 {
			running = append(slices.Clip(active), endless)
		}
		o.after[i] = o.waits(jobs, &jobs[i], running, frontier)
		from := start
		for _, k := range o.after[i] {
			from = max(from, jobs[k].End)
		}
		if at.Known() && from.Known() {
			o.gap[i] = max(0, at-from)
		}
		if jobs[i].End.Known() {
			active = append(active, int32(i))
		} else if endless < 0 {
			endless = int32(i)
		}
	}
	return o
}

// close moves the jobs that ended by a time to the frontier, in order of
// their ends.
func (o *order) close(jobs []sparklog.Job, active, frontier []int32, at Millis) (still, ended []int32) {
	var done []int32
	still = active[:0]
	for _, k := range active {
		if end := jobs[k].End; end.Known() && end <= at {
			done = append(done, k)
		} else {
			still = append(still, k)
		}
	}
	slices.SortStableFunc(done, func(a, b int32) int { return cmp.Compare(jobs[a].End, jobs[b].End) })
	for _, k := range done {
		frontier = slices.DeleteFunc(frontier, func(f int32) bool { return slices.Contains(o.after[k], f) })
		frontier = append(frontier, k)
	}
	return still, frontier
}

func (o *order) waits(jobs []sparklog.Job, j *sparklog.Job, active, frontier []int32) []int32 {
	if len(active) == 0 {
		return slices.Clone(frontier)
	}
	first := active[0]
	for _, k := range active {
		if jobs[k].Submit < jobs[first].Submit {
			first = k
		}
	}
	var since, same []int32 // ended while the others ran
	for _, k := range frontier {
		if jobs[k].End <= jobs[first].Submit {
			continue
		}
		since = append(since, k)
		if j.Execution >= 0 && jobs[k].Execution == j.Execution || j.Execution < 0 && j.Group != "" &&
			jobs[k].Group == j.Group {
			same = append(same, k)
		}
	}
	switch {
	case len(since) == 0:
		return o.after[first]
	case len(same) > 0:
		return same
	}
	return since[len(since)-1:]
}

// Spans of a driver that an event log does not tell, medians of the recorded
// runs of Spark 3.5.5 on YARN.
const (
	contextUp     = 300 // ms from the driver's block manager to the user's code: the registration with the ResourceManager
	executorsSeen = 100 // ms between two looks at the registered executors
)

// codeStart estimates when the user's code went on with its SparkContext: a
// while after the block manager, and not before enough of the executors asked
// for at first have registered, or the driver has waited for them long enough
// (YarnClusterScheduler, CoarseGrainedSchedulerBackend.isReady).
func codeStart(app *sparklog.App, atFirst int32, ratio float64, longest Millis) Millis {
	ready := app.Ready.Or(app.From())
	need := int(math.Ceil(float64(atFirst)*ratio - 1e-9))
	if need < 1 || !ready.Known() {
		if ready.Known() && inCluster(app) {
			return ready + contextUp
		}
		return ready
	}
	var added []Millis
	for i := range app.Executors {
		if t := app.Executors[i].Added; t.Known() && app.Executors[i].ID != "driver" {
			added = append(added, t)
		}
	}
	slices.Sort(added)
	latest := app.Start.Or(ready) + longest
	if len(added) >= need {
		latest = min(latest, added[need-1])
	}
	return max(ready, latest) + executorsSeen
}
