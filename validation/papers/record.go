package papers

import (
	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// recording is what a run's events tell beyond its result.
type recording struct {
	reduceStarts [][]simcore.Time // by job, launch times of its reduces
	mapEnds      [][]simcore.Time // by job
	mapTook      simcore.Time     // of all maps, launch to report
	maps         int64
	steps        [2][]step // running tasks of each kind over time
	running      [2]int
	series       bool      // keep steps
	tasks        []taskRun // every attempt
	open         map[taskOn]int
	lastCopy     simcore.Time // end of the last reduce's copy
}

// taskOn is an attempt by its task and node.
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

func newRecording(jobs int, series bool) *recording {
	return &recording{reduceStarts: make([][]simcore.Time, jobs), mapEnds: make([][]simcore.Time, jobs), series: series, open: map[taskOn]int{}}
}

// event is an mr1.Config.Trace.
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
	if !r.series {
		return
	}
	s := r.steps[k]
	if n := len(s); n > 0 && s[n-1].at == at {
		s[n-1].n = r.running[k]
		return
	}
	r.steps[k] = append(s, step{at, r.running[k]})
}

// starvation is the mean time from a job's last map to the launch of each
// reduce launched after it, in minutes; 0 without such reduces (Coupling,
// section III.C).
func (r *recording) starvation(j *simcore.JobResult) float64 {
	var sum float64
	n := 0
	for _, at := range r.reduceStarts[j.Job] {
		if at > j.MapsDone {
			sum += (at - j.MapsDone).Seconds() / 60
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// lastBatch is the number of a job's maps that ended within ten seconds of its
// last one (OMO, figure 8).
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

// reduceStart is when the n-th reduce of a job was launched; Never without it.
func (r *recording) reduceStart(j simcore.JobID, n int) simcore.Time {
	if n >= len(r.reduceStarts[j]) {
		return simcore.Never
	}
	return r.reduceStarts[j][n]
}

// reached is when more than n tasks of a kind ran for the first time, the end of
// the series if they never did. It needs the series.
func (r *recording) reached(k simcore.Kind, n int) simcore.Time {
	var last simcore.Time
	for _, s := range r.steps[k] {
		if last = s.at; s.n > n {
			return s.at
		}
	}
	return last
}

// firstReduce is when the first reduce of any job was launched.
func (r *recording) firstReduce() simcore.Time {
	first := simcore.Never
	for _, starts := range r.reduceStarts {
		if len(starts) > 0 {
			first = min(first, starts[0])
		}
	}
	return first
}

// releaseWindow is OMO's T_w and releaseWeight the weight of the newest window.
const (
	releaseWindow = 10 * simcore.Second
	releaseWeight = 30 // percent
)

// releaseErrors returns the mean absolute errors, in containers per second, with
// which equation 1 of OMO and the mean of all windows so far foretell the release
// rate of the next window; NaN for a run of less than two windows.
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
		return nan(), nan()
	}
	return fit.Errors[releaseWeight-1], fit.Mean
}
