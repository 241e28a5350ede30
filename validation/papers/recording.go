package papers

import (
	"maps"
	"math"
	"slices"

	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// recording collects from a run's events what its result does not hold.
type recording struct {
	tasks    []taskRun // every attempt, by launch
	open     map[taskOn]int
	lastCopy simcore.Time // end of the last reduce's copy
}

// taskOn identifies an attempt by its task and node.
type taskOn struct {
	task simcore.Task
	node simcore.NodeID
}

// taskRun is one attempt on a node.
type taskRun struct {
	job        simcore.JobID
	kind       simcore.Kind
	node       simcore.NodeID
	start, end simcore.Time // launch and report
	done       bool         // neither failed nor killed
}

func newRecording() *recording { return &recording{open: map[taskOn]int{}} }

// event records one event; it is an mr1.Config.Trace.
func (r *recording) event(at simcore.Time, e mr1.Event) {
	key := taskOn{e.Task, e.Node}
	switch e.Kind {
	case mr1.TaskStarted:
		r.open[key] = len(r.tasks)
		r.tasks = append(r.tasks, taskRun{e.Task.Job, e.Task.Kind, e.Node, at, simcore.Never, false})
	case mr1.TaskFinished, mr1.TaskFailed, mr1.TaskKilled:
		if i, ok := r.open[key]; ok {
			r.tasks[i].end, r.tasks[i].done = at, e.Kind == mr1.TaskFinished
			delete(r.open, key)
		}
	case mr1.TaskCopied:
		r.lastCopy = at
	}
}

// mapTime returns the mean time of a map, launch to report, in seconds.
func (r *recording) mapTime() float64 {
	var sum simcore.Time
	n := 0
	for _, t := range r.tasks {
		if t.kind == simcore.Map && t.done {
			sum, n = sum+t.end-t.start, n+1
		}
	}
	return sum.Seconds() / float64(max(n, 1))
}

// lastBatch returns the number of a job's maps that ended within ten seconds of its last
// one (OMO, figure 8).
func (r *recording) lastBatch(j simcore.JobID) (n int) {
	var ends []simcore.Time
	for _, t := range r.tasks {
		if t.job == j && t.kind == simcore.Map && t.done {
			ends = append(ends, t.end)
		}
	}
	for _, at := range ends {
		if slices.Max(ends)-at <= 10*simcore.Second {
			n++
		}
	}
	return n
}

// reduceStart returns when the n-th reduce of a job, or of any for a negative one, was
// launched; Never without it.
func (r *recording) reduceStart(j simcore.JobID, n int) simcore.Time {
	for _, t := range r.tasks {
		if t.kind == simcore.Reduce && (t.job == j || j < 0) {
			if n == 0 {
				return t.start
			}
			n--
		}
	}
	return simcore.Never
}

// reached returns when more than n tasks of a kind ran for the first time, the last change
// if they never did.
func (r *recording) reached(k simcore.Kind, n int) (at simcore.Time) {
	change := map[simcore.Time]int{}
	for _, t := range r.tasks {
		if t.kind == k {
			change[t.start]++
			change[t.end]--
		}
	}
	delete(change, simcore.Never)
	running := 0
	for _, at = range slices.Sorted(maps.Keys(change)) {
		if running += change[at]; running > n {
			break
		}
	}
	return at
}

// releaseWindow is OMO's T_w and releaseWeight the weight of the newest window.
const (
	releaseWindow = 10 * simcore.Second
	releaseWeight = 30 // percent
)

// releaseErrors returns the mean absolute errors, in containers per second, with
// which equation 1 of OMO and the mean of all windows so far predict the release rate of
// the next window; NaN for a run of less than two windows.
func (r *recording) releaseErrors(res *simcore.Result) (equation, mean float64) {
	mapsDone := make([]simcore.Time, len(res.Jobs))
	for i := range res.Jobs {
		mapsDone[res.Jobs[i].Job] = res.Jobs[i].MapsDone
	}
	n := int(res.End / releaseWindow)
	released, available := make([]float64, n), make([]float64, n)
	for _, t := range r.tasks {
		for w := range n {
			begin, end := simcore.Time(w)*releaseWindow, simcore.Time(w+1)*releaseWindow
			if t.end > begin && t.end <= end {
				released[w]++
			}
			if t.start <= begin && t.end > begin && (t.kind == simcore.Map || mapsDone[t.job] <= begin) {
				available[w]++
			}
		}
	}
	fit, err := predict.FitRelease(released, available, releaseWindow.Seconds())
	if err != nil {
		return math.NaN(), math.NaN()
	}
	return fit.Errors[releaseWeight-1], fit.Mean
}

// isolated returns, by job, 1 if no reduce of it shared its node with a reduce of another
// job, 0 otherwise.
func (r *recording) isolated(jobs int) []float64 {
	out := slices.Repeat([]float64{1}, jobs)
	for i := range r.tasks {
		for k := range r.tasks[:i] {
			a, b := &r.tasks[i], &r.tasks[k]
			reduces := a.kind == simcore.Reduce && b.kind == simcore.Reduce
			if reduces && a.node == b.node && a.job != b.job && a.start < b.end && b.start < a.end {
				out[a.job], out[b.job] = 0, 0
			}
		}
	}
	return out
}
