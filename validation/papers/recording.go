package papers

import (
	"math"
	"slices"

	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// recording collects from a run's events what its result does not hold.
type recording struct {
	reduceStarts [][]simcore.Time // by job, launch times of its reduces
	mapEnds      [][]simcore.Time // by job
	mapTook      simcore.Time     // of all maps, launch to report
	maps         int64
	steps        [2][]step // running tasks of each kind over time
	running      [2]int
	tasks        []taskRun // every attempt
	open         map[taskOn]int
	lastCopy     simcore.Time // end of the last reduce's copy
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
	start, end simcore.Time
}

// step is a change of the number of running tasks.
type step struct {
	at simcore.Time
	n  int
}

func newRecording(jobs int) *recording {
	return &recording{
		reduceStarts: make([][]simcore.Time, jobs), mapEnds: make([][]simcore.Time, jobs),
		open: map[taskOn]int{},
	}
}

// event records one event; it is an mr1.Config.Trace.
func (r *recording) event(at simcore.Time, e mr1.Event) {
	k := e.Task.Kind
	switch e.Kind {
	case mr1.TaskStarted:
		r.change(at, k, 1)
		if k == simcore.Reduce {
			r.reduceStarts[e.Task.Job] = append(r.reduceStarts[e.Task.Job], at)
		}
		r.open[taskOn{e.Task, e.Node}] = len(r.tasks)
		r.tasks = append(r.tasks, taskRun{e.Task.Job, e.Task.Kind, e.Node, at, simcore.Never})
	case mr1.TaskFinished:
		r.change(at, k, -1)
		r.end(at, e)
		if k == simcore.Map {
			r.mapEnds[e.Task.Job] = append(r.mapEnds[e.Task.Job], at)
			r.mapTook += e.Took
			r.maps++
		}
	case mr1.TaskFailed, mr1.TaskKilled:
		r.change(at, k, -1)
		r.end(at, e)
	case mr1.TaskCopied:
		r.lastCopy = at
	}
}

func (r *recording) change(at simcore.Time, k simcore.Kind, d int) {
	r.running[k] += d
	s := r.steps[k]
	if n := len(s); n > 0 && s[n-1].at == at {
		s[n-1].n = r.running[k]
		return
	}
	r.steps[k] = append(s, step{at, r.running[k]})
}

// lastBatch returns the number of a job's maps that ended within ten seconds of its last
// one (OMO, figure 8).
func (r *recording) lastBatch(j simcore.JobID) int {
	ends, n := r.mapEnds[j], 0
	for _, at := range ends {
		if ends[len(ends)-1]-at <= 10*simcore.Second {
			n++
		}
	}
	return n
}

// end closes the attempt of the task on the node.
func (r *recording) end(at simcore.Time, e mr1.Event) {
	key := taskOn{e.Task, e.Node}
	if i, ok := r.open[key]; ok {
		r.tasks[i].end = at
		delete(r.open, key)
	}
}

// reduceStart returns when the n-th reduce of a job was launched; Never without it.
func (r *recording) reduceStart(j simcore.JobID, n int) simcore.Time {
	if n >= len(r.reduceStarts[j]) {
		return simcore.Never
	}
	return r.reduceStarts[j][n]
}

// reached returns when more than n tasks of a kind ran for the first time, the last change
// if they never did.
func (r *recording) reached(k simcore.Kind, n int) simcore.Time {
	var last simcore.Time
	for _, s := range r.steps[k] {
		if last = s.at; s.n > n {
			return s.at
		}
	}
	return last
}

// firstReduce returns when the first reduce of any job was launched.
func (r *recording) firstReduce() simcore.Time {
	first := simcore.Never
	for j := range r.reduceStarts {
		first = min(first, r.reduceStart(simcore.JobID(j), 0))
	}
	return first
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
	mapsDone := make([]simcore.Time, len(r.reduceStarts))
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
