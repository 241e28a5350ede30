package simcore

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Better is the direction in which a metric improves.
type Better string

// Directions.
const (
	Lower  Better = "lower"
	Higher Better = "higher"
)

// Metric describes one figure of a Result. metrics.csv is the only place where metrics are
// defined.
type Metric struct {
	Name   string // as in objectives and tables
	Unit   string // "s", "h", "ratio", "share", "jobs", "jobs/h", "slots", "executors", "price"
	Better Better
	Doc    string // one line
	Source string // paper or Hadoop, where it is defined
	// Blind names how the metric can improve although no job is served better, or what it
	// ignores; empty where nothing of the kind is known.
	Blind string
	// PerGroup reports whether the metric also exists per queue, user and class
	// ("queue.prod.p95-wait").
	PerGroup bool
}

// SlowdownFloor is the least time alone that counts for a slowdown: below it the wait for the
// first heartbeat would dominate.
const SlowdownFloor = 10 * Second

//go:embed metrics.csv
var metricsCSV string

var metrics = sync.OnceValue(func() []Metric {
	rows, err := csv.NewReader(strings.NewReader(metricsCSV)).ReadAll()
	if err != nil {
		panic(err) // embedded
	}
	var out []Metric
	for _, r := range rows[1:] {
		out = append(out, Metric{Name: r[0], Unit: r[1], Better: Better(r[2]), PerGroup: r[3] == "yes", Source: r[4],
			Blind: r[5], Doc: r[6]})
	}
	return out
})

// Metrics returns the table of metrics, in a fixed order.
func Metrics() []Metric { return slices.Clone(metrics()) }

// MetricOf returns the metric of a name, with or without a group prefix; the zero Metric if
// there is none.
func MetricOf(name string) Metric {
	m, _, _, _ := ParseMetric(name)
	return m
}

// Value returns a metric by name: one of Metrics(), or, for those defined per group,
// "queue.NAME.metric", "user.NAME.metric" or "class.NAME.metric". A queue is named by its full
// path or its last part. A metric over no jobs is NaN.
func (r *Result) Value(name string) (float64, error) {
	m, dim, group, err := ParseMetric(name)
	if err != nil {
		return 0, err
	}
	if dim == "" {
		return r.value(m.Name, r.Jobs, &r.Total), nil
	}
	names, of := r.groups(dim)
	i := FindGroup(names, group)
	if i < 0 {
		return 0, fmt.Errorf("metric %q: %s %q: must be one of %s", name, dim, group, strings.Join(names, ", "))
	}
	var jobs []JobResult
	var tally Tally
	for _, j := range r.Jobs {
		if of(&r.work.Jobs[j.Job]) == int32(i) {
			jobs = append(jobs, j)
			tally.add(&j.Tally)
		}
	}
	return r.value(m.Name, jobs, &tally), nil
}

// ParseMetric splits a metric's name as Value takes it: the metric, and for a group metric
// "queue", "user" or "class" with the group's name, else "" and "". It returns an error for an
// unknown metric and for one that is not defined per group.
func ParseMetric(name string) (m Metric, dim, group string, err error) {
	base := name
	for _, d := range []string{"queue", "user", "class"} {
		if rest, ok := strings.CutPrefix(name, d+"."); ok {
			dot := strings.LastIndexByte(rest, '.')
			if dot <= 0 {
				return m, "", "", fmt.Errorf("metric %q: must have the form %s.NAME.METRIC", name, d)
			}
			dim, group, base = d, rest[:dot], rest[dot+1:]
		}
	}
	var names []string
	for _, m := range metrics() {
		if dim == "" || m.PerGroup {
			if m.Name == base {
				return m, dim, group, nil
			}
			names = append(names, m.Name)
		}
	}
	return m, "", "", fmt.Errorf("metric %q: must be one of %s", name, strings.Join(names, ", "))
}

// groups returns the names of a dimension's groups and the group of a job.
func (r *Result) groups(dim string) ([]string, func(*Job) int32) {
	switch dim {
	case "queue":
		return r.work.Queues, func(j *Job) int32 { return j.Queue }
	case "user":
		return r.work.Users, func(j *Job) int32 { return j.User }
	}
	return r.work.Classes, func(j *Job) int32 { return j.Class }
}

// FindGroup returns the index of a group among names: that of the full name, or of the only
// name whose last part it is; else -1.
func FindGroup(names []string, want string) int {
	if i := slices.Index(names, want); i >= 0 {
		return i
	}
	short := func(n string) bool { return strings.HasSuffix(n, "."+want) }
	i := slices.IndexFunc(names, short)
	if i >= 0 && slices.ContainsFunc(names[i+1:], short) {
		return -1
	}
	return i
}

// value computes a metric over some jobs and the sum of their tallies.
func (r *Result) value(metric string, jobs []JobResult, t *Tally) float64 {
	s, all := r.sum(jobs), r.sum(r.Jobs)
	took := s.span().Seconds()
	executors, executorSeconds := float64(s.executors), s.executorTime.Seconds()
	if !s.spark {
		executors, executorSeconds = math.NaN(), math.NaN()
	}
	whole := map[string]float64{
		"makespan":             took,
		"throughput":           float64(s.done) / took * 3600,
		"jobs":                 float64(s.done),
		"failed-jobs":          float64(len(jobs) - s.done),
		"preempted-containers": known(float64(r.Preempted)),
		"executors":            executors,
		"executor-seconds":     executorSeconds,
		"locality":             t.locality(NodeLocal),
		"rack-locality":        t.locality(RackLocal),
		"fairness":             r.Fairness,
		"dissatisfaction":      r.Dissatisfaction,
		"utilisation":          r.Utilisation,
		"node-hours":           known(r.NodeHours),
		"cost":                 known(r.Cost),
		"map-utilisation":      share(t.Busy[Map], r.Slots[MapSlots], all.span()),
		"reduce-utilisation":   share(t.Busy[Reduce], r.Slots[ReduceSlots], all.span()),
	}
	if x, ok := whole[metric]; ok {
		return x
	}
	stat, figure, _ := strings.Cut(metric, "-")
	if figure == "dag-completion" {
		return statistic(stat, r.dagCompletions(jobs))
	}
	return statistic(stat, r.figures(figure, jobs))
}

// known returns a figure for which 0 stands for unknown; NaN if it is.
func known(x float64) float64 {
	if x == 0 {
		return math.NaN()
	}
	return x
}

// sums holds what metrics need of several jobs.
type sums struct {
	first, last  Time // submission, completion
	done         int  // jobs that did not fail
	spark        bool // one is a Spark application
	executors    int64
	executorTime Time
}

// sum adds up jobs.
func (r *Result) sum(jobs []JobResult) sums {
	s := sums{first: Never}
	for i := range jobs {
		j := &jobs[i]
		s.first, s.last = min(s.first, j.Submit), max(s.last, j.Finish)
		if !j.Failed {
			s.done++
		}
		s.spark = s.spark || r.work.Jobs[j.Job].Spark != nil
		s.executors += int64(j.Executors)
		s.executorTime += j.ExecutorTime
	}
	return s
}

// span returns the time from the first submission to the last completion.
func (s *sums) span() Time { return max(s.last-s.first, 0) }

// FinishFigure names a job's end since the first submission, in seconds, for QueueFigures.
const FinishFigure = "finish"

// QueueFigures returns, for each queue of the workload, a figure of its jobs that did not
// fail: FinishFigure, "completion", "wait", "execution", "response-ratio" or
// "bounded-slowdown". The metrics are statistics of these.
func (r *Result) QueueFigures(figure string) [][]float64 {
	out := make([][]float64, len(r.work.Queues))
	first := r.sum(r.Jobs).first
	for i := range r.Jobs {
		j := &r.Jobs[i]
		q := r.work.Jobs[j.Job].Queue
		x, ok := (j.Finish - first).Seconds(), !j.Failed
		if figure != FinishFigure {
			x, ok = r.figure(figure, j)
		}
		if ok {
			out[q] = append(out[q], x)
		}
	}
	return out
}

// dagCompletions lists the completion times of the DAGs of jobs that did not fail, in seconds.
func (r *Result) dagCompletions(jobs []JobResult) (xs []float64) {
	of := map[JobID]bool{}
	for i := range jobs {
		of[jobs[i].Job] = true
	}
	for i := range r.DAGs {
		if d := &r.DAGs[i]; of[d.Job] && !d.Failed {
			xs = append(xs, d.Completion().Seconds())
		}
	}
	return xs
}

// figures lists a figure of the jobs that have it.
func (r *Result) figures(figure string, jobs []JobResult) []float64 {
	var xs []float64
	for i := range jobs {
		if x, ok := r.figure(figure, &jobs[i]); ok {
			xs = append(xs, x)
		}
	}
	return xs
}

// figure returns a figure of a job, in seconds or as a ratio; false for a job that failed or
// has none.
func (r *Result) figure(figure string, j *JobResult) (float64, bool) {
	if j.Failed {
		return 0, false
	}
	switch figure {
	case "completion":
		return j.Completion().Seconds(), true
	case "wait":
		return j.Wait().Seconds(), true
	case "execution":
		return j.Execution().Seconds(), true
	case "starvation":
		job := &r.work.Jobs[j.Job]
		return j.Starvation().Seconds(), job.Maps > 0 && job.Reduces > 0
	case "response-ratio":
		return j.ResponseRatio(), true
	case "bounded-slowdown":
		if alone := r.work.Alone; alone != nil && alone[j.Job] > 0 {
			return j.BoundedSlowdown(alone[j.Job]), true
		}
	}
	return 0, false
}

// statistic computes mean, max or pNN of figures, NaN without any; it may reorder them.
func statistic(stat string, xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	switch stat {
	case "mean":
		sum := 0.0
		for _, x := range xs {
			sum += x
		}
		return sum / float64(len(xs))
	case "max":
		return slices.Max(xs)
	}
	slices.Sort(xs)
	p, _ := strconv.Atoi(stat[1:])
	// The nearest rank: the smallest value with at least p % of the values at or below it.
	return xs[max((len(xs)*p+99)/100, 1)-1]
}

// share returns the busy part of slots over a time.
func share(busy Time, slots int64, over Time) float64 {
	return float64(busy) / (float64(slots) * float64(over))
}
