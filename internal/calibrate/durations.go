package calibrate

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"schedtune/internal/stats"
	"schedtune/internal/text"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"schedtune/trace/sparklog"
)

// durationsSchema names the document.
const durationsSchema = text.SchemaFitDurations

// ClassDuration is the time of tasks of a class, in seconds: a map from its
// process being up (or its launch) to its end, a reduce from the end of its
// shuffle.
type ClassDuration struct {
	Class  string  `json:"class"`
	Kind   string  `json:"kind"`
	N      int     `json:"n"`
	Median float64 `json:"median_s"`
	P90    float64 `json:"p90_s"`
	Dist   DistFit `json:"dist"`
}

// Penalty is how much longer maps take away from their input: the median over
// jobs of the ratio of the medians within the job.
type Penalty struct {
	Locality string   `json:"locality"`
	Factor   text.Num `json:"factor"` // null where nothing was recorded
	Maps     int      `json:"maps"`
	Jobs     int      `json:"jobs"` // with both kinds of map
}

// Stragglers counts tasks that took longer than 1.5 times the median of their
// job's tasks of the same kind (the yardstick of the studies of speculation).
type Stragglers struct {
	Tasks  int      `json:"tasks"` // in jobs of at least five of the kind
	Slow   int      `json:"slow"`
	Share  text.Num `json:"share"`
	Factor text.Num `json:"median_factor"` // of the slow ones over their job's median
}

const stragglerFactor = 1.5

// DurationsResult is what a fit of durations found.
type DurationsResult struct {
	Schema      string            `json:"schema"`
	Source      string            `json:"source"`
	Histories   int               `json:"histories"`
	Jobs        int               `json:"jobs"`
	Attempts    int               `json:"attempts"`
	FailedShare text.Num          `json:"failed_attempts"` // share of attempts that failed
	Latencies   []LatencyRow      `json:"latencies"`
	Durations   []ClassDuration   `json:"durations"`
	Penalties   []Penalty         `json:"locality"`
	Stragglers  Stragglers        `json:"stragglers"`
	Fitted      []string          `json:"fitted"`  // figures of the calibration that come from the histories
	Assumed     []string          `json:"assumed"` // figures that stand at their defaults, with the reason
	Calibration *yarn.Calibration `json:"calibration"`
}

// FitDurations learns from histories. by says what makes a class of tasks:
// class, name, queue, user or all.
func FitDurations(source string, hs []*trace.Trace, by string) (*DurationsResult, error) {
	key, err := ClassKey(by)
	if err != nil {
		return nil, err
	}
	r, err := FitLatencies(source, hs, yarn.Default())
	r.count(hs)
	r.durations(hs, key)
	r.stragglers(hs)
	return r, err
}

// FitLatencies is FitDurations for latencies and locality alone: base holds the figures
// that the histories do not tell.
func FitLatencies(source string, hs []*trace.Trace, base *yarn.Calibration) (*DurationsResult, error) {
	// Lists that stay empty are [] in JSON, not null.
	r := &DurationsResult{Schema: durationsSchema, Source: source, Histories: len(hs), Durations: []ClassDuration{},
		Fitted: []string{}, Assumed: []string{}}
	lat := newLatencySet()
	for _, t := range hs {
		lat.addTrace(t)
		r.Jobs += len(t.Jobs)
	}
	r.Latencies = lat.rows()
	r.penalties(hs)
	r.calibrate(lat, base)
	r.calibrateSpark(lat)
	return r, r.Calibration.Validate()
}

// groupings are what jobs are put into classes by.
var groupings = []struct {
	by  string
	key func(*trace.Job) string
}{
	{"class", func(j *trace.Job) string { return j.Class }},
	{"name", func(j *trace.Job) string { return j.Name }},
	{"queue", func(j *trace.Job) string { return j.Queue }},
	{"user", func(j *trace.Job) string { return j.User }},
	{"all", func(*trace.Job) string { return "" }},
}

// ClassKey returns what jobs are put into classes by, one of Groupings; empty: the first.
func ClassKey(by string) (func(*trace.Job) string, error) {
	for _, g := range groupings {
		if by == "" || by == g.by {
			return g.key, nil
		}
	}
	return nil, fmt.Errorf("--by %q: must be one of %s", by, strings.Join(Groupings(), ", "))
}

// Groupings returns what FitDurations can make classes of tasks by.
func Groupings() (names []string) {
	for _, g := range groupings {
		names = append(names, g.by)
	}
	return names
}

// eachTask calls f for every map and reduce with the attempt it took its
// result from and its time in seconds.
func eachTask(hs []*trace.Trace, f func(j *trace.Job, t *trace.Task, a *trace.Attempt, seconds float64)) {
	for j := range allJobs(hs) {
		for k := range j.Tasks {
			t := &j.Tasks[k]
			if t.Kind != trace.Map && t.Kind != trace.Reduce {
				continue
			}
			a := t.Winner()
			if a == nil || a.Result != trace.Succeeded {
				continue
			}
			if s := ownSeconds(t.Kind, a); s > 0 {
				f(j, t, a, s)
			}
		}
	}
}

// allJobs yields the jobs of histories, one history after the other.
func allJobs(hs []*trace.Trace) iter.Seq[*trace.Job] {
	return func(yield func(*trace.Job) bool) {
		for _, t := range hs {
			for i := range t.Jobs {
				if !yield(&t.Jobs[i]) {
					return
				}
			}
		}
	}
}

// ownSeconds is an attempt's own time, without launch and shuffle.
func ownSeconds(k trace.Kind, a *trace.Attempt) float64 {
	from := a.Start
	if a.Up.Known() {
		from = a.Up
	}
	if k == trace.Reduce && a.ShuffleEnd.Known() {
		from = a.ShuffleEnd
	}
	return float64(a.Finish-from) / 1000
}

// count counts attempts, and the share of them that failed.
func (r *DurationsResult) count(hs []*trace.Trace) {
	failed := 0
	add := func(fails bool) {
		r.Attempts++
		if fails {
			failed++
		}
	}
	for j := range allJobs(hs) {
		if j.Spark != nil {
			for _, t := range j.Spark.Tasks() {
				add(t.Reason != sparklog.Success)
			}
		}
		for _, a := range j.Containers() {
			add(a.Result == trace.Failed)
		}
	}
	r.FailedShare = text.Num(float64(failed) / float64(r.Attempts))
}

func (r *DurationsResult) durations(hs []*trace.Trace, key func(*trace.Job) string) {
	type id struct {
		class string
		order trace.Kind // stages of Spark come behind
		kind  string
	}
	var ids []id
	values := map[id][]float64{}
	add := func(k id, s float64) {
		if _, ok := values[k]; !ok {
			ids = append(ids, k)
		}
		values[k] = append(values[k], s)
	}
	eachTask(hs, func(j *trace.Job, t *trace.Task, _ *trace.Attempt, s float64) {
		add(id{key(j), t.Kind, t.Kind.String()}, s)
	})
	eachSparkTask(hs, func(j *trace.Job, st *sparklog.Stage, s float64) {
		add(id{key(j), math.MaxUint8, stageClass(st)}, s)
	})
	slices.SortFunc(ids, func(a, b id) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.order, b.order), cmp.Compare(a.kind, b.kind))
	})
	for _, k := range ids {
		v := values[k]
		d := fitDist(v)
		slices.Sort(v)
		r.Durations = append(r.Durations, ClassDuration{Class: k.class, Kind: k.kind, N: len(v),
			Median: stats.Quantile(v, 0.5), P90: stats.Quantile(v, 0.9), Dist: d})
	}
}

// penalties compares maps by where they ran.
func (r *DurationsResult) penalties(hs []*trace.Trace) {
	type jobTimes struct{ at [3][]float64 } // node-local, rack-local, off-switch
	var order []*trace.Job
	times := map[*trace.Job]*jobTimes{}
	eachTask(hs, func(j *trace.Job, t *trace.Task, a *trace.Attempt, s float64) {
		l := locality(t.Hosts, a.Host)
		if t.Kind != trace.Map || l < 0 {
			return
		}
		if times[j] == nil {
			times[j] = &jobTimes{}
			order = append(order, j)
		}
		times[j].at[l] = append(times[j].at[l], s)
	})
	for l, name := range []string{"node-local", "rack-local", "off-switch"} {
		p := Penalty{Locality: name, Factor: text.Num(math.NaN())}
		var ratios []float64
		for _, j := range order {
			t := times[j]
			p.Maps += len(t.at[l])
			if len(t.at[0]) > 0 && len(t.at[l]) > 0 {
				ratios = append(ratios, stats.Median(t.at[l])/stats.Median(t.at[0]))
			}
		}
		if p.Jobs = len(ratios); p.Jobs > 0 {
			p.Factor = text.Num(stats.Median(ratios))
		}
		r.Penalties = append(r.Penalties, p)
	}
}

// locality compares an attempt's host with those of its input: 0 node-local, 1
// rack-local, 2 off-switch, -1 unknown.
func locality(hosts []string, host string) int {
	if len(hosts) == 0 || host == "" {
		return -1
	}
	rack, name := trace.SplitHost(host)
	best := 2
	for _, h := range hosts {
		r, n := trace.SplitHost(h)
		switch {
		case n == name:
			return 0
		case r != "" && r == rack:
			best = 1
		}
	}
	return best
}

func (r *DurationsResult) stragglers(hs []*trace.Trace) {
	type id struct {
		job  *trace.Job
		kind trace.Kind
	}
	var order []id
	times := map[id][]float64{}
	eachTask(hs, func(j *trace.Job, t *trace.Task, _ *trace.Attempt, s float64) {
		k := id{j, t.Kind}
		if times[k] == nil {
			order = append(order, k)
		}
		times[k] = append(times[k], s)
	})
	var factors []float64
	for _, k := range order {
		v := times[k]
		if len(v) < 5 {
			continue
		}
		m := stats.Median(v)
		r.Stragglers.Tasks += len(v)
		for _, s := range v {
			if s > stragglerFactor*m {
				factors = append(factors, s/m)
			}
		}
	}
	r.Stragglers.Slow = len(factors)
	r.Stragglers.Share = text.Num(float64(len(factors)) / float64(r.Stragglers.Tasks))
	r.Stragglers.Factor = text.Num(stats.Median(factors))
}
