package simcore

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Better is the direction in which a metric improves.
type Better string

// Directions.
const (
	Lower  Better = "lower"
	Higher Better = "higher"
)

// Metric describes one figure of a Result. This table is the only place where
// metrics are defined.
type Metric struct {
	Name   string // as in objectives and tables
	Unit   string // "s", "h", "ratio", "share", "jobs", "jobs/h", "slots", "executors", "price"
	Better Better
	Doc    string // one line
	Source string // paper or Hadoop, where it is defined
	// Blind is what the metric does not see: how it can improve without
	// anybody being served better. Empty where no such way is known.
	Blind string
	// PerGroup tells whether the metric also exists per queue, user and class
	// ("queue.prod.p95-wait").
	PerGroup bool
}

const (
	thesis     = "capacity scheduler thesis 4.2.3"
	coshh      = "COSHH 5.1"
	feitelson  = "Feitelson et al., Theory and Practice in Parallel Job Scheduling, 1997"
	longJobs   = "long jobs decide it: short ones may become many times slower"
	lastJob    = "sees the last job only: everybody else may wait longer"
	oneEach    = "is won by starting one task of every job early and running the rest slowly"
	fewJobs    = "sees the worst few jobs only: the others may become slower"
	sitting    = "counts containers that are held, working or not, such as reduces that wait for maps"
	equalWaits = "is won by making everybody wait alike"
)

// SlowdownFloor is the least time alone that a slowdown is taken against: below
// it the waiting for a first heartbeat would decide.
const SlowdownFloor = 10 * Second

// Metrics returns the table of metrics, in a fixed order.
func Metrics() []Metric {
	m := []Metric{
		{"makespan", "s", Lower, "first submission to last completion", thesis, lastJob, true},
		{"mean-completion", "s", Lower, "mean time from submission to completion of a job", coshh, longJobs, true},
		{"p50-completion", "s", Lower, "median completion time", thesis, "does not see the slower half of the jobs", true},
		{"p95-completion", "s", Lower, "95th percentile of completion time (nearest rank)", thesis, fewJobs, true},
		{"p99-completion", "s", Lower, "99th percentile of completion time (nearest rank)", thesis, fewJobs, true},
		{"max-completion", "s", Lower, "longest completion time", thesis, fewJobs, true},
		{"mean-wait", "s", Lower, "mean time from submission to a job's first task", thesis, oneEach, true},
		{"p50-wait", "s", Lower, "median waiting time", thesis, oneEach, true},
		{"p95-wait", "s", Lower, "95th percentile of waiting time (nearest rank)", thesis, oneEach, true},
		{"p99-wait", "s", Lower, "99th percentile of waiting time (nearest rank)", thesis, oneEach, true},
		{"mean-execution", "s", Lower, "mean time from a job's first task to its completion", thesis, "does not see how long a job waits for its first task", true},
		{"mean-response-ratio", "ratio", Lower, "mean of completion time / execution time", thesis, oneEach, true},
		{"p95-response-ratio", "ratio", Lower, "95th percentile of the response ratio", thesis, oneEach, true},
		{"max-response-ratio", "ratio", Lower, "largest response ratio", thesis, oneEach, true},
		{"mean-bounded-slowdown", "ratio", Lower, "mean of completion time / time alone on the idle cluster, at least 1, times alone below 10 s as 10 s", feitelson, "", true},
		{"p95-bounded-slowdown", "ratio", Lower, "95th percentile of the bounded slowdown", feitelson, fewJobs, true},
		{"max-bounded-slowdown", "ratio", Lower, "largest bounded slowdown", feitelson, fewJobs, true},
		{"fairness", "slots", Lower, "sum over weight levels of users' distances from the level's mean extra share, mean over job completions", coshh, equalWaits, false},
		{"dissatisfaction", "ratio", Lower, "sum over users with demand of weight x missing part of the minimum share, mean over job completions", coshh, "sees minimum shares only, not how fast anybody is served", false},
		{"locality", "share", Higher, "maps that ran where their input lies", coshh, "is won by waiting for a node", true},
		{"rack-locality", "share", Higher, "maps that ran in a rack that holds their input", thesis, "is won by waiting for a rack", true},
		{"utilisation", "share", Higher, "capacity-seconds in use over capacity x makespan", "Little's law", sitting, false},
		{"map-utilisation", "share", Higher, "map slot-seconds in use over slots x makespan", "Little's law", sitting, false},
		{"reduce-utilisation", "share", Higher, "reduce slot-seconds in use over slots x makespan", "Little's law", sitting, false},
		{"throughput", "jobs/h", Higher, "completed jobs per hour of makespan", thesis, lastJob, true},
		{"jobs", "jobs", Higher, "jobs completed", "count", "", true},
		{"failed-jobs", "jobs", Lower, "jobs that failed", "count", "does not see how fast jobs are", true},
		{"executors", "executors", Lower, "Spark executors launched", "count", "does not see how long they stay, nor how fast jobs are", true},
		{"executor-seconds", "s", Lower, "sum over Spark executors of the time in their containers", "count", "is won by few executors on which jobs take long", true},
		{"node-hours", "h", Lower, "time that nodes are there, or paid for, from the first submission to the end of the run", "count", "does not see how long jobs take while nodes are few", false},
		{"cost", "price", Lower, "price of that time, by the nodes' prices per hour", "count", "does not see how long jobs take while nodes are cheap", false},
	}
	return m
}

// MetricOf is the metric of a name, group prefixes understood; the zero Metric for one
// that does not exist.
func MetricOf(name string) Metric {
	m, _, _, err := ParseMetric(name)
	if err != nil {
		return Metric{}
	}
	return m
}

// Direction returns how the metric improves. Group prefixes are understood.
func Direction(name string) (Better, error) {
	m, _, _, err := ParseMetric(name)
	return m.Better, err
}

// Value returns the metric by name: one of Metrics(), or for those defined per
// group "queue.NAME.metric", "user.NAME.metric", "class.NAME.metric". A queue
// may be named by its full path or by its last part. A figure over no jobs is
// NaN.
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
		has := "none is named"
		if len(names) > 0 {
			has = "allowed: " + strings.Join(names, ", ")
		}
		return 0, fmt.Errorf("metric %q: no jobs of %s %q in the run; %s", name, dim, group, has)
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

// ParseMetric splits a metric's name as Value takes it: what is measured, and for one of
// a group "queue", "user" or "class" and the group's name; "" and "" for one of all jobs.
// Errors: an unknown metric, or one that is not defined per group.
func ParseMetric(name string) (m Metric, dim, group string, err error) {
	base := name
	for _, d := range []string{"queue", "user", "class"} {
		if rest, ok := strings.CutPrefix(name, d+"."); ok {
			dot := strings.LastIndexByte(rest, '.')
			if dot <= 0 {
				return m, "", "", fmt.Errorf("metric %q: no metric named; allowed: %s.NAME.METRIC", name, d)
			}
			dim, group, base = d, rest[:dot], rest[dot+1:]
		}
	}
	table := Metrics()
	i := slices.IndexFunc(table, func(m Metric) bool { return m.Name == base })
	if i < 0 || (dim != "" && !table[i].PerGroup) {
		return m, "", "", fmt.Errorf("metric %q: unknown; allowed: %s", name, metricNames(table, dim != ""))
	}
	return table[i], dim, group, nil
}

func metricNames(table []Metric, perGroup bool) string {
	var names []string
	for _, m := range table {
		if m.PerGroup || !perGroup {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}

func (r *Result) groups(dim string) ([]string, func(*Job) int32) {
	switch dim {
	case "queue":
		return r.work.Queues, func(j *Job) int32 { return j.Queue }
	case "user":
		return r.work.Users, func(j *Job) int32 { return j.User }
	}
	return r.work.Classes, func(j *Job) int32 { return j.Class }
}

// FindGroup is the place of a group among names. It prefers the full name; a short name
// must be the last part of exactly one, else it is -1.
func FindGroup(names []string, want string) int {
	if i := slices.Index(names, want); i >= 0 {
		return i
	}
	found := -1
	for i, n := range names {
		if strings.HasSuffix(n, "."+want) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

func (r *Result) value(metric string, jobs []JobResult, t *Tally) float64 {
	switch metric {
	case "makespan":
		return span(jobs).Seconds()
	case "throughput":
		return float64(countDone(jobs)) / span(jobs).Seconds() * 3600
	case "jobs":
		return float64(countDone(jobs))
	case "failed-jobs":
		return float64(len(jobs) - countDone(jobs))
	case "executors", "executor-seconds":
		return r.executors(metric, jobs)
	case "locality":
		return t.locality(NodeLocal)
	case "rack-locality":
		return t.locality(RackLocal)
	case "fairness":
		return r.Fairness
	case "dissatisfaction":
		return r.Dissatisfaction
	case "utilisation":
		return r.Utilisation
	case "node-hours":
		return valueOf(r.NodeHours)
	case "cost":
		return valueOf(r.Cost)
	case "map-utilisation":
		return share(t.Busy[Map], r.Slots[MapSlots], span(r.Jobs))
	case "reduce-utilisation":
		return share(t.Busy[Reduce], r.Slots[ReduceSlots], span(r.Jobs))
	}
	stat, figure, _ := strings.Cut(metric, "-")
	return statistic(stat, r.figures(figure, jobs))
}

// valueOf is a figure that is not known where it is 0.
func valueOf(x float64) float64 {
	if x == 0 {
		return math.NaN()
	}
	return x
}

// executors counts the Spark executors of jobs, or sums their times; NaN without
// a Spark application.
func (r *Result) executors(metric string, jobs []JobResult) float64 {
	n, sum, spark := int64(0), Time(0), false
	for i := range jobs {
		spark = spark || r.work.Jobs[jobs[i].Job].Spark != nil
		n += int64(jobs[i].Executors)
		sum += jobs[i].ExecutorTime
	}
	switch {
	case !spark:
		return math.NaN()
	case metric == "executors":
		return float64(n)
	}
	return sum.Seconds()
}

// FinishFigure is the name of a job's end since the first submission, in seconds, for
// QueueFigures.
const FinishFigure = "finish"

// QueueFigures lists a figure of the jobs that did not fail by queue, in the order of the
// workload's queues: FinishFigure, or "completion", "wait", "execution", "response-ratio"
// or "bounded-slowdown", those that metrics are statistics of.
func (r *Result) QueueFigures(figure string) [][]float64 {
	out := make([][]float64, len(r.work.Queues))
	first := Never
	for i := range r.Jobs {
		first = min(first, r.Jobs[i].Submit)
	}
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

func (r *Result) figures(figure string, jobs []JobResult) []float64 {
	var xs []float64
	for i := range jobs {
		if x, ok := r.figure(figure, &jobs[i]); ok {
			xs = append(xs, x)
		}
	}
	return xs
}

// figure is one of a job; false for a job that failed or has none.
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
	case "response-ratio":
		return j.ResponseRatio(), true
	case "bounded-slowdown":
		if alone := r.work.Alone; alone != nil && alone[j.Job] > 0 {
			return j.BoundedSlowdown(alone[j.Job]), true
		}
	}
	return 0, false
}

// statistic computes mean, max or pNN of the figures; it may reorder them.
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
	return xs[nearestRank(len(xs), percentile(stat))]
}

func percentile(stat string) int {
	p := 0
	for _, c := range stat[1:] {
		p = p*10 + int(c-'0')
	}
	return p
}

// nearestRank is the index of the p-th percentile of n sorted values: the
// smallest with at least p % of the values at or below it.
func nearestRank(n, p int) int { return max((n*p+99)/100, 1) - 1 }

// span is first submission to last completion.
func span(jobs []JobResult) Time {
	first, last := Never, Time(0)
	for i := range jobs {
		first, last = min(first, jobs[i].Submit), max(last, jobs[i].Finish)
	}
	return max(last-first, 0)
}

func countDone(jobs []JobResult) int {
	n := 0
	for i := range jobs {
		if !jobs[i].Failed {
			n++
		}
	}
	return n
}

func share(busy Time, slots int64, over Time) float64 {
	return float64(busy) / (float64(slots) * float64(over))
}
