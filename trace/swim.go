package trace

import (
	"bytes"
	"math"
)

// This file reads the workloads of SWIM (Chen, Ganapathi, Griffith, Katz,
// MASCOTS 2011): tab-separated lines of job id, submission time in seconds,
// gap to the job before, bytes of map input, of shuffle and of output, and in
// some files the input path. They hold no tasks, durations, users or queues.
//
// Task counts and durations are derived from the tables of job classes that the
// MASCOTS'11 and VLDB'12 papers found by k-means (swim_classes.go):
//
//   - A job belongs to the most probable class: classes are taken as normal
//     distributions of the logarithms of (bytes + 1 MiB), a decade wide in each
//     of the three directions, as frequent as in the table. The nearest centre
//     alone would put a quarter of FB-2009 into a class of 0.2 % of the jobs.
//   - Its map and reduce task-seconds are the class's, times the ratio of its
//     bytes to the centre's to the power of 0.7. That is the slope of
//     log task-seconds over log bytes across the ten centres of FB-2009, where
//     bytes span seven decades and task-seconds five.
//   - It has one map per 128 MiB of input, and as many more as it takes for no
//     map to last longer than the class's job duration; likewise one reduce
//     per GiB of shuffle. Without shuffle it is map-only. A task lasts at least
//     a second.
//   - All maps of a job are equal, and so are its reduces.

const (
	swimBlock   = 128 << 20
	swimPerRed  = 1 << 30
	swimPower   = 0.7
	swimMinTask = 1.0 // seconds
)

func readSWIM(in *input, t *Trace, n *notes) error {
	table := swimTable(in.name)
	var first error
	good, bad := 0, 0
	err := in.eachLine(func(line []byte, at int64) error {
		line = bytes.TrimRight(line, "\r")
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		cols := bytes.SplitN(line, []byte("\t"), 8)
		if len(cols) < 6 {
			return jobErr(string(cols[0]), "%d columns: must be 6 to 9, separated by tabs", len(cols))
		}
		var v [5]float64
		for i := range v {
			if err := numbers(cols[i+1], v[i:i+1]); err != nil || v[i] < 0 {
				if bad++; first == nil {
					first = in.at(at, jobErr(clip(string(cols[0])), "column %d: %q: must be a number from 0 to %d", i+2,
						clip(string(cols[i+1])), int64(1)<<52))
				}
				return nil
			}
		}
		j := NewJob(string(cols[0]))
		j.Submit, j.Type, j.Result = seconds(v[0]), "MAPREDUCE", Succeeded
		j.InputBytes, j.ShuffleBytes, j.OutputBytes = int64(v[2]), int64(v[3]), int64(v[4])
		swimWork(&j, table)
		good++
		t.Jobs = append(t.Jobs, j)
		return in.pass(t, n)
	})
	if err == nil && first != nil {
		if 100*bad > good { // no slip of a few
			return first
		}
		n.addFirst(bad, Dropped, first.Error(), "jobs with a column that is no such number")
	}
	n.addCount(good, Assumed, "class, task counts and task times from the bytes of the job by the table of %s",
		table.name)
	return err
}

// likeliest returns the class with the largest posterior probability.
func (s *swimClasses) likeliest(j *Job) *swimClass {
	lg := func(b float64) float64 { return math.Log10(b/(1<<20) + 1) }
	best, score := 0, math.Inf(-1)
	for i := range s.classes {
		c := &s.classes[i]
		d := sq(lg(float64(j.InputBytes))-lg(c.input)) + sq(lg(float64(j.ShuffleBytes))-lg(c.shuffle)) +
			sq(lg(float64(j.OutputBytes))-lg(c.output))
		if v := math.Log(c.jobs) - d/2; v > score {
			best, score = i, v
		}
	}
	return &s.classes[best]
}

func sq(x float64) float64 { return x * x }

// swimWork derives counts and times of tasks.
func swimWork(j *Job, table *swimClasses) {
	c := table.likeliest(j)
	j.Class = c.label
	total := float64(j.InputBytes) + float64(j.ShuffleBytes) + float64(j.OutputBytes)
	scale := math.Pow(total/(c.input+c.shuffle+c.output), swimPower)
	j.Maps, j.MapTime = swimTasks(float64(j.InputBytes)/swimBlock, c.mapSeconds*scale, c.duration)
	j.Reduces, j.ReduceTime = 0, Unknown
	if j.ShuffleBytes > 0 {
		work := max(c.reduceSeconds, c.mapSeconds/10) * scale
		j.Reduces, j.ReduceTime = swimTasks(float64(j.ShuffleBytes)/swimPerRed, work, c.duration)
	}
	j.ShuffleTime = Unknown
}

// swimTasks parts work into tasks: one per unit of data, and no task longer
// than longest.
func swimTasks(units, work, longest float64) (int, Millis) {
	n := max(1, math.Ceil(units), math.Ceil(work/longest))
	return int(n), seconds(max(swimMinTask, work/n))
}
