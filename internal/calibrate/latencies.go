package calibrate

import (
	"math"
	"slices"

	"schedtune/internal/stats"
	"schedtune/internal/text"
	"schedtune/trace"
)

// LatencyRow is one latency over all histories, milliseconds.
type LatencyRow struct {
	Name   string  `json:"latency"`
	N      int     `json:"n"`
	P10    float64 `json:"p10_ms"`
	Median float64 `json:"median_ms"`
	P90    float64 `json:"p90_ms"`
	Max    float64 `json:"max_ms"`
	// HeldOut is the relative error of the median of every second history (or
	// of every second value, with one history) for the others; KS the
	// Kolmogorov-Smirnov distance of the two. Null for fewer than 8 values.
	HeldOut text.Num `json:"held_out_median_error"`
	KS      text.Num `json:"held_out_ks"`
}

// latencySet collects values by name, in order of first appearance, for each
// history.
type latencySet struct {
	names  []string
	values map[string][][]float64 // by name, history; read by key only
	runs   int
}

func newLatencySet() *latencySet { return &latencySet{values: map[string][][]float64{}} }

func (l *latencySet) add(name string, ms float64) {
	v, ok := l.values[name]
	if !ok {
		l.names = append(l.names, name)
	}
	for len(v) < l.runs {
		v = append(v, nil)
	}
	v[l.runs-1] = append(v[l.runs-1], ms)
	l.values[name] = v
}

// all returns the values of a latency over all histories.
func (l *latencySet) all(name string) []float64 {
	var out []float64
	for _, v := range l.values[name] {
		out = append(out, v...)
	}
	return out
}

// rows sums up.
func (l *latencySet) rows() []LatencyRow {
	out := []LatencyRow{} // [] in JSON, not null
	for _, n := range l.names {
		v := l.all(n)
		fit, rest := l.halves(n)
		r := LatencyRow{Name: n, N: len(v), HeldOut: text.Num(math.NaN()), KS: text.Num(math.NaN())}
		slices.Sort(v)
		r.P10, r.Median, r.P90, r.Max = stats.Quantile(v, 0.1), stats.Quantile(v, 0.5), stats.Quantile(v, 0.9), v[len(v)-1]
		if len(v) >= 8 && len(fit) > 0 && len(rest) > 0 {
			r.KS = text.Num(ks2(fit, rest))
			if m := stats.Median(rest); m > 0 {
				r.HeldOut = text.Num(math.Abs(stats.Median(fit)/m - 1))
			}
		}
		out = append(out, r)
	}
	return out
}

// halves parts the values of a latency by history, or one by one where there
// is one history only.
func (l *latencySet) halves(name string) (fit, rest []float64) {
	if l.runs == 1 {
		return alternate(l.values[name][0])
	}
	for i, v := range l.values[name] {
		if i%2 == 0 {
			fit = append(fit, v...)
		} else {
			rest = append(rest, v...)
		}
	}
	return fit, rest
}

// Latencies of MapReduce jobs, by name.
const (
	latCommit  = "last task finished -> job finished (history)"
	latMaster  = "AM launched (ResourceManager) -> job started (history)"
	latAttempt = "task container allocated -> attempt start (history)"
	latLaunch  = "attempt start (history) -> JVM up"
	latUp      = "task container allocated -> JVM up"
	latFree    = "task finished (history) -> RM released the container"
	latSort    = "shuffle end -> sort end"
)

// span takes the time between two recorded instants. Where the clocks of two processes have the second one
// earlier there was no wait: the simulator has none below zero.
func span[M interface {
	~int64
	Known() bool
}](l *latencySet, name string, from, to M) {
	if from.Known() && to.Known() {
		l.add(name, float64(max(to-from, 0)))
	}
}

// addTrace takes what a history says of MapReduce jobs.
func (l *latencySet) addTrace(t *trace.Trace) {
	l.runs++ // the next history
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if j.Spark != nil {
			l.addSpark(j.Spark, j.MasterLaunch)
		}
		span(l, "submit -> launch", j.Submit, j.Launch)
		if j.Type == "MAPREDUCE" && j.Spark == nil && len(j.Tasks) > 0 {
			span(l, latMaster, j.MasterLaunch, j.Launch)
		}
		last := trace.Millis(trace.Unknown)
		for k := range j.Tasks {
			if a := j.Tasks[k].Winner(); a != nil && (j.Tasks[k].Kind == trace.Map || j.Tasks[k].Kind == trace.Reduce) {
				last = max(last, a.Finish)
				span(l, latAttempt, a.Allocated, a.Start)
				span(l, latLaunch, a.Start, a.Up)
				span(l, latUp, a.Allocated, a.Up)
				span(l, latSort, a.ShuffleEnd, a.SortEnd)
				span(l, latFree, a.Finish, a.Released)
			}
		}
		if j.Result == trace.Succeeded {
			span(l, latCommit, last, j.Finish)
		}
	}
}
