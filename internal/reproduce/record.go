package reproduce

import (
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
	series       bool // keep steps
	reduces      []reduceRun
	lastCopy     simcore.Time // end of the last reduce's copy
}

// step is a change of the number of running tasks.
type step struct {
	at simcore.Time
	n  int
}

func newRecording(jobs int, series bool) *recording {
	return &recording{reduceStarts: make([][]simcore.Time, jobs), mapEnds: make([][]simcore.Time, jobs), series: series}
}

// event is an mr1.Config.Trace.
func (r *recording) event(at simcore.Time, e mr1.Event) {
	k := e.Task.Kind
	switch e.Kind {
	case mr1.TaskStarted:
		r.change(at, k, 1)
		if k == simcore.Reduce {
			r.reduceStarts[e.Task.Job] = append(r.reduceStarts[e.Task.Job], at)
			r.reduces = append(r.reduces, reduceRun{e.Task.Job, e.Node, at, simcore.Never})
		}
	case mr1.TaskFinished:
		r.change(at, k, -1)
		if k == simcore.Map {
			r.mapEnds[e.Task.Job] = append(r.mapEnds[e.Task.Job], at)
			r.mapTook += e.Took
			r.maps++
		} else {
			r.endReduce(at, e)
		}
	case mr1.TaskFailed, mr1.TaskKilled:
		r.change(at, k, -1)
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

// endReduce closes the youngest open attempt of the job on the node.
func (r *recording) endReduce(at simcore.Time, e mr1.Event) {
	for i := len(r.reduces) - 1; i >= 0; i-- {
		if x := &r.reduces[i]; x.job == e.Task.Job && x.node == e.Node && x.end == simcore.Never {
			x.end = at
			return
		}
	}
}
