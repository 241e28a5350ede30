// Package timeline keeps what a run (package run) tells while it goes on: how many
// tasks and containers run over time, every event, and heartbeat logs.
package timeline

import (
	"bufio"
	"io"
	"slices"
	"strconv"

	"schedtune/internal/simulate"
	"schedtune/simcore"
)

// Step is a change of a number over time: N holds from At to the next step.
type Step struct {
	At simcore.Time
	N  int
}

// Steps is a number over time, in order of time; 0 before the first step.
type Steps []Step

// Add changes the number at a time, which must not lie before the last step.
func (s *Steps) Add(at simcore.Time, delta int) {
	level := delta
	if n := len(*s); n > 0 {
		last := &(*s)[n-1]
		if last.At == at {
			last.N += delta
			return
		}
		level += last.N
	}
	*s = append(*s, Step{at, level})
}

// Recorder keeps the running tasks of each kind and the containers of each queue
// over time. It keeps one step per change, so memory grows with the number of
// attempts.
type Recorder struct {
	Work  *simcore.Workload
	Tasks [2]Steps // by kind
	// Executors are those of Spark applications.
	Executors Steps
	// Queues are the containers, or slots in use, by queue of the workload.
	// Application masters count.
	Queues []Steps
	// Memory is what the containers of each queue hold, Pending what all applications request
	// and do not have, both in MiB; 0 of slots.
	Memory  []Steps
	Pending Steps
	// Lost are containers that ended before their work did, preempted ones among them, each
	// with the memory in use after it, in MiB.
	Lost []Step
	used int // MiB
}

// New prepares for one run of a workload.
func New(w *simcore.Workload) *Recorder {
	return &Recorder{Work: w, Queues: make([]Steps, len(w.Queues)), Memory: make([]Steps, len(w.Queues))}
}

// Watch takes one change.
func (r *Recorder) Watch(c simulate.Change) {
	if c.Delta == 0 {
		return
	}
	q := r.Work.Jobs[c.Job].Queue
	r.Queues[q].Add(c.At, c.Delta)
	if c.Memory > 0 {
		held := c.Delta * int(c.Memory)
		r.used += held
		r.Memory[q].Add(c.At, held)
		r.Pending.Add(c.At, int(c.Pending)-r.pending())
		if c.Lost {
			r.Lost = append(r.Lost, Step{c.At, r.used})
		}
	}
	switch {
	case c.Master:
	case r.Work.Jobs[c.Job].Spark != nil:
		r.Executors.Add(c.At, c.Delta)
	default:
		r.Tasks[c.Kind].Add(c.At, c.Delta)
	}
}

// pending is the last known pending memory.
func (r *Recorder) pending() int {
	if n := len(r.Pending); n > 0 {
		return r.Pending[n-1].N
	}
	return 0
}

// spark reports whether the workload has Spark applications.
func (r *Recorder) spark() bool {
	return slices.ContainsFunc(r.Work.Jobs, func(j simcore.Job) bool { return j.Spark != nil })
}

// WriteCSV writes the running tasks over time: maps, reduces, with Spark
// applications their executors, and one column per queue, a row per time at which
// something changed.
func (r *Recorder) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	head := "time,maps,reduces"
	columns := []Steps{r.Tasks[simcore.Map], r.Tasks[simcore.Reduce]}
	if r.spark() {
		head += ",executors"
		columns = append(columns, r.Executors)
	}
	for i, q := range r.Work.Queues {
		head += "," + plain(q)
		columns = append(columns, r.Queues[i])
	}
	if _, err := out.WriteString(head + "\n"); err != nil {
		return err
	}
	level, next := make([]int, len(columns)), make([]int, len(columns))
	for {
		at := simcore.Never
		for i, c := range columns {
			if next[i] < len(c) {
				at = min(at, c[next[i]].At)
			}
		}
		if at == simcore.Never {
			return out.Flush()
		}
		b := strconv.AppendFloat(nil, at.Seconds(), 'f', -1, 64)
		for i, c := range columns {
			if next[i] < len(c) && c[next[i]].At == at {
				level[i] = c[next[i]].N
				next[i]++
			}
			b = strconv.AppendInt(append(b, ','), int64(level[i]), 10)
		}
		if _, err := out.Write(append(b, '\n')); err != nil {
			return err
		}
	}
}
