package accuracy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"schedtune/internal/rng"
	"schedtune/internal/stats"
	"schedtune/internal/text"
)

// metric is an objective that a history tells.
type metric struct {
	base  string
	of    func(value) float64 // nil: makespan
	rank  float64             // of a percentile, 0 = mean
	queue string              // of one queue's jobs, empty = of all
}

func completion(v value) float64 { return v.completion }

func wait(v value) float64 { return v.wait }

func metrics() []metric {
	return []metric{
		{base: "mean-completion", of: completion}, {base: "p50-completion", of: completion, rank: 0.5},
		{base: "p95-completion", of: completion, rank: 0.95},
		{base: "mean-wait", of: wait}, {base: "p95-wait", of: wait, rank: 0.95},
		{base: "mean-response-ratio", of: value.ratio}, {base: "makespan"},
	}
}

// parseMetric reads one of metrics, each also as queue.PATH.METRIC.
func parseMetric(name string) (metric, error) {
	base, queue := name, ""
	if rest, ok := strings.CutPrefix(name, "queue."); ok {
		if dot := strings.LastIndexByte(rest, '.'); dot > 0 {
			queue, base = rest[:dot], rest[dot+1:]
		}
	}
	var known []string
	for _, m := range metrics() {
		if m.base == base {
			m.queue = queue
			return m, nil
		}
		known = append(known, m.base)
	}
	return metric{}, fmt.Errorf("objective %q cannot be measured from two histories: must be one of %s, and these of "+
		"queue.PATH", name, strings.Join(known, ", "))
}

// keep tells whether a job counts.
func (m metric) keep(p *pair) bool {
	return m.queue == "" || p.queue == m.queue || strings.HasSuffix(p.queue, "."+m.queue)
}

// values returns the metric as recorded and as simulated, the mean over
// replications; 0 without jobs.
func (s *sample) values(m metric) (recorded, simulated float64) {
	if len(s.jobs) == 0 {
		return 0, 0
	}
	if m.of == nil {
		spans := s.spans()
		return s.span(func(p *pair) value { return p.rec }), stat.Mean(spans, nil)
	}
	t := m.table(s)
	once := make([]int, len(s.jobs))
	for i := range once {
		once[i] = 1
	}
	return t.recorded.value(once, m.rank), t.simulated.value(once, m.rank)
}

// span is the time from the first submission to the last end.
func (s *sample) span(of func(*pair) value) float64 {
	first, last := math.Inf(1), math.Inf(-1)
	for i := range s.jobs {
		v := of(&s.jobs[i])
		first, last = min(first, v.submit), max(last, v.finish)
	}
	return last - first
}

// spans are the makespans of the replications.
func (s *sample) spans() []float64 {
	var out []float64
	for r := range s.jobs[0].sim {
		out = append(out, s.span(func(p *pair) value { return p.sim[r] }))
	}
	return out
}

// table holds a metric's values for resampling.
type table struct{ recorded, simulated column }

// column is values with their jobs, ascending.
type column []jobValue

type jobValue struct {
	x   float64
	job int
}

func (m metric) table(s *sample) (t table) {
	for i := range s.jobs {
		t.recorded = append(t.recorded, jobValue{m.of(s.jobs[i].rec), i})
		for _, v := range s.jobs[i].sim {
			t.simulated = append(t.simulated, jobValue{m.of(v), i})
		}
	}
	for _, c := range []column{t.recorded, t.simulated} {
		slices.SortStableFunc(c, func(a, b jobValue) int { return cmp.Compare(a.x, b.x) })
	}
	return t
}

// value is the metric of the jobs taken so many times each: the mean, or the
// percentile by nearest rank.
func (c column) value(times []int, rank float64) float64 {
	n, sum := 0, 0.0
	for _, v := range c {
		n += times[v.job]
		sum += float64(times[v.job]) * v.x
	}
	if rank == 0 {
		return sum / float64(n)
	}
	left := int(math.Ceil(rank * float64(n)))
	for _, v := range c {
		if left -= times[v.job]; left <= 0 {
			return v.x
		}
	}
	return math.NaN()
}

// Least data for an interval, by period.
const (
	leastJobs   = 20
	leastBatch  = 3 // for makespans, which are one figure of any number of jobs
	leastBlocks = 4
)

// least is the least number of jobs in each period.
func (m metric) least() int {
	if m.of == nil {
		return leastBatch
	}
	return leastJobs
}

// draws of the bootstrap.
const draws = 800

// gain is what came, nil where there is too little data. Variances are those of
// the bootstrap and of what is unknown of each period. Where the factor of task
// times leaves an error in the period before, the period after may have the same
// ratio or the same difference.
func (m metric) gain(md *model, seed uint64, level float64) *Gain {
	before, after := md.before.only(m.keep), md.after.only(m.keep)
	if min(len(before.jobs), len(after.jobs)) < m.least() {
		return nil
	}
	part := m.difference
	if m.of == nil {
		part = spanDifference
	}
	lb, vb, kb := part(before, rng.NewKey(seed, drawBefore))
	la, va, ka := part(after, rng.NewKey(seed, drawAfter))
	vb += md.error(md.before, md.slowerBefore, m) + lb*lb
	va += md.error(md.after, md.slowerAfter, m)
	rec, sim := before.values(m)
	_, simAfter := after.values(m)
	va += (rec - sim) * (rec - sim) / (simAfter * simAfter)
	if v := la + lb + va + vb; math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return newGain(la-lb, vb, va, stats.StudentQuantile(level, float64(min(kb, ka)-1)), level)
}

// Purposes of the draws.
const (
	drawBefore = iota + 0x766679
	drawAfter
)

func newGain(log, before, after, quantile, level float64) *Gain {
	g := &Gain{Mean: gainOf(log), Level: level, log: log, before: before, after: after, quantile: quantile}
	half := quantile * math.Sqrt(before+after)
	g.Low, g.High = gainOf(log+half), gainOf(log-half)
	return g
}

// blocks is the number of blocks of n jobs: the root of their number, since a
// queue that is long now is long for many jobs to come.
func blocks(n int) int { return max(leastBlocks, int(math.Sqrt(float64(n)))) }

// difference is ln recorded - ln simulated with its variance, by a circular block
// bootstrap of so many blocks.
func (m metric) difference(s *sample, key rng.Key) (log, variance float64, k int) {
	n := len(s.jobs)
	k = blocks(n)
	size := (n + k - 1) / k
	t := m.table(s)
	times := make([]int, n)
	statistic := func() float64 {
		return math.Log(t.recorded.value(times, m.rank)) - math.Log(t.simulated.value(times, m.rank))
	}
	for i := range times {
		times[i] = 1
	}
	log = statistic()
	var all []float64
	for d := range draws {
		clear(times)
		at := key.At(uint64(d))
		for b, left := 0, n; left > 0; b++ {
			start := at.IntN(uint64(b), n)
			for i := range min(size, left) {
				times[(start+i)%n]++
			}
			left -= size
		}
		if v := statistic(); !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, v)
		}
	}
	if len(all) < draws/2 {
		return math.NaN(), math.NaN(), k
	}
	// A bootstrap of k blocks sees (k-1)/k of the variance.
	return log, stat.Variance(all, nil) * float64(k) / float64(k-1), k
}

// spanDifference is difference for makespans, of which a period has only one: how
// far runs of one period lie apart is that of the replications.
func spanDifference(s *sample, _ rng.Key) (log, variance float64, k int) {
	var logs []float64
	for _, x := range s.spans() {
		logs = append(logs, math.Log(x))
	}
	k = len(logs)
	if k > 1 {
		variance = stat.Variance(logs, nil) * (1 + 1/float64(k))
	}
	return math.Log(s.span(func(p *pair) value { return p.rec })) - stat.Mean(logs, nil), variance, max(k, 2)
}

// Difference is where the simulated period after, under the new file, differs
// from what was recorded.
type Difference struct {
	What      string  `json:"what"` // the objective, or a queue's mean completion
	Jobs      int     `json:"jobs"`
	Recorded  float64 `json:"recorded"`
	Simulated float64 `json:"simulated"`
	Error     float64 `json:"error"` // (simulated - recorded) / recorded
	// Before is the same error in the period before, under the old file: what is in
	// both is the simulator's picture of the cluster, what is in this one alone
	// its picture of the change. Null: no such jobs.
	Before *float64 `json:"error_before"`
}

// MarshalJSON writes null for the figures of no jobs.
func (d Difference) MarshalJSON() ([]byte, error) {
	type plain Difference
	return text.WithNulls(plain(d), d.Recorded == 0, "recorded", "simulated", "error")
}

// wrong compares the simulation under the new file with the record, the largest
// errors first behind the objective's.
func wrong(before, now *sample, m metric) []Difference {
	list := []Difference{difference(before, now, m)}
	for _, q := range now.queues() {
		list = append(list, difference(before, now, metric{base: "mean-completion", of: completion, queue: q}))
	}
	slices.SortStableFunc(list[1:], func(a, b Difference) int { return cmp.Compare(math.Abs(b.Error), math.Abs(a.Error)) })
	return list
}

func difference(before, now *sample, m metric) Difference {
	d := Difference{What: m.base}
	if m.queue != "" {
		d.What = "queue." + m.queue + "." + m.base
	}
	s := now.only(m.keep)
	d.Jobs = len(s.jobs)
	d.Recorded, d.Simulated = s.values(m)
	d.Error = Figure{d.Recorded, d.Simulated}.Error()
	if rec, sim := before.only(m.keep).values(m); rec > 0 {
		e := sim/rec - 1
		d.Before = &e
	}
	return d
}
