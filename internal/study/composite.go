package study

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// What the search receives besides the objective (tune.Composite): of settings what they
// come to along the tree of queues, since a share of a share, or a user's factor of it,
// is what binds; and of a run figures of every leaf's jobs, of which the objective is
// made.

// Bounds of what it receives: the queues whose settings move, and the leaves with jobs.
const (
	maxFeatureQueues = 64
	maxPartLeaves    = 32
)

// setting is one of a queue's: its place among the settings, -1 if it does not move, and
// its present number.
type setting struct {
	at  int
	now float64
}

func (s setting) of(set tune.Settings) float64 {
	if s.at < 0 {
		return s.now
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(set[s.at].Value, "w"), 64)
	if err != nil {
		return s.now
	}
	return v
}

// featureQueue is a queue with what its settings come to.
type featureQueue struct {
	parent                          int // place in the list, before its children; -1 for the root
	share, ceiling, least, most, am setting
	leaf, moves                     bool
}

// treeFeatures derives features of settings.
type treeFeatures struct {
	queues []featureQueue
	names  []string
}

// newTreeFeatures lists the queues of a tree; nil if too many of them move.
func newTreeFeatures(doc *yarnconf.Document, space *Space) *treeFeatures {
	infos, err := doc.Queues()
	if err != nil {
		return nil
	}
	f, at := &treeFeatures{}, map[string]int{}
	present := space.PresentSettings()
	for i, s := range present {
		at[s.Name] = i
	}
	place, moving := map[string]int{}, 0
	for _, q := range infos {
		e := featureQueue{parent: -1, leaf: q.Leaf}
		if p, ok := place[q.Parent]; ok && q.Parent != "" {
			e.parent = p
		}
		of := func(kind string, now float64) setting {
			i, ok := at[q.Path+"."+kind]
			if !ok {
				return setting{-1, now}
			}
			e.moves = true
			return setting{i, now}
		}
		e.share, e.ceiling = of(yarnconf.Capacity, q.Capacity), of(yarnconf.MaximumCapacity, q.MaxCapacity)
		e.least, e.most, e.am = of(yarnconf.MinimumUser, q.UserLimit), of(yarnconf.UserFactor, q.UserFactor),
			of(yarnconf.AMShare, q.AMShare)
		place[q.Path] = len(f.queues)
		f.queues = append(f.queues, e)
		if !e.moves {
			continue
		}
		moving++
		kinds := []string{"share", "ceiling", "absolute-share", "absolute-ceiling"}
		if e.leaf {
			kinds = append(kinds, "user", "masters-of-share", "masters-of-ceiling", "masters-of-user", "least-user",
				"least-of-share")
		}
		for _, k := range kinds {
			f.names = append(f.names, q.Path+"."+k)
		}
	}
	if moving > maxFeatureQueues {
		return nil
	}
	return f
}

// of are the features of settings, in the order of the names.
func (f *treeFeatures) of(set tune.Settings) []float64 {
	n := len(f.queues)
	share, sum := make([]float64, n), make([]float64, n)
	for i, q := range f.queues {
		share[i] = q.share.of(set)
		if q.parent >= 0 {
			sum[q.parent] += share[i]
		}
	}
	out := make([]float64, 0, len(f.names))
	all, most := make([]float64, n), make([]float64, n) // parts of the cluster
	for i, q := range f.queues {
		ceiling := q.ceiling.of(set) / 100
		if ceiling <= 0 {
			ceiling = 1
		}
		all[i], most[i] = 1, 1
		if q.parent >= 0 {
			all[i], most[i] = all[q.parent]*share[i]/math.Max(sum[q.parent], 1e-9), most[q.parent]*ceiling
		}
		if !q.moves {
			continue
		}
		out = append(out, share[i], ceiling, all[i], most[i])
		if !q.leaf {
			continue
		}
		factor, least, am := q.most.of(set), q.least.of(set)/100, q.am.of(set)
		user := most[i]
		if factor >= 0 {
			user = math.Min(most[i], factor*all[i])
		}
		out = append(out, user, am*all[i], am*most[i], am*user, math.Min(most[i], least*user), least*all[i])
	}
	return out
}

// partLevels are the parts of a leaf's jobs at which quantiles are given.
var partLevels = []float64{0, 0.2, 0.4, 0.6, 0.75, 0.88, 0.96, 1}

// parts say how an objective is made of the figures of leaves.
type parts struct {
	figure string // of a job
	stat   string // "mean", "max" or a percentile
	turn   bool   // the objective falls as the largest grows: work by the time it takes
	leaves []int32
	jobs   []float64 // per leaf, in the recorded workload
	all    float64
	floor  float64 // added before logarithms: figures may be 0
	want   float64 // the percentile, as a part
}

// newParts is nil for objectives that are not made of jobs' figures. An objective of one
// leaf is made of this one.
func newParts(metric string, w *simcore.Workload) *parts {
	p := &parts{}
	metric, leaf, ok := leafMetric(metric, w.Queues)
	if !ok {
		return nil
	}
	switch metric {
	case "makespan":
		p.stat, p.figure = "max", simcore.FinishFigure
	case "throughput", "utilisation":
		p.stat, p.figure, p.turn = "max", simcore.FinishFigure, true
	default:
		p.stat, p.figure, _ = strings.Cut(metric, "-")
		if !slices.Contains([]string{"completion", "wait", "execution", "response-ratio", "bounded-slowdown"}, p.figure) {
			return nil
		}
	}
	if p.stat != "mean" && p.stat != "max" {
		n, err := strconv.Atoi(strings.TrimPrefix(p.stat, "p"))
		if err != nil {
			return nil // of one queue or user
		}
		p.want = float64(n) / 100
	}
	if !strings.Contains(p.figure, "ratio") && !strings.Contains(p.figure, "slowdown") {
		p.floor = 1
	}
	jobs := make([]float64, len(w.Queues))
	for i := range w.Jobs {
		jobs[w.Jobs[i].Queue]++
	}
	for q, n := range jobs {
		if n > 0 && (leaf < 0 || leaf == q) {
			p.leaves, p.jobs, p.all = append(p.leaves, int32(q)), append(p.jobs, n), p.all+n
		}
	}
	if len(p.leaves) > maxPartLeaves {
		return nil
	}
	return p
}

// leafMetric splits a metric of one leaf into what is measured and the leaf's number; -1
// for metrics of all jobs. False for other groups and for what is not a figure of single
// jobs.
func leafMetric(name string, queues []string) (of string, leaf int, ok bool) {
	m, dim, group, err := simcore.ParseMetric(name)
	switch {
	case err != nil:
		return "", -1, false
	case dim == "":
		return m.Name, -1, true
	case dim != "queue":
		return "", -1, false
	}
	leaf = simcore.FindGroup(queues, group)
	return m.Name, leaf, leaf >= 0 && strings.Contains(m.Name, "-")
}

// values is how many numbers a leaf has.
func (p *parts) values() int {
	if p.want > 0 {
		return len(partLevels)
	}
	return 1
}

// of are the numbers of a run, logarithms to four decimals: leaf by leaf the mean, the
// largest or quantiles of its jobs' figures; 0 for a leaf that had none.
func (p *parts) of(res *simcore.Result) []float64 {
	byQueue := res.QueueFigures(p.figure)
	var out []float64
	for _, q := range p.leaves {
		var xs []float64
		if int(q) < len(byQueue) {
			xs = byQueue[q]
		}
		if len(xs) == 0 {
			out = append(out, make([]float64, p.values())...)
			continue
		}
		switch {
		case p.want > 0:
			slices.Sort(xs)
			for _, level := range partLevels {
				out = append(out, p.told(stats.Quantile(xs, level)))
			}
		case p.stat == "max":
			out = append(out, p.told(slices.Max(xs)))
		default:
			sum := 0.0
			for _, x := range xs {
				sum += x
			}
			out = append(out, p.told(sum/float64(len(xs))))
		}
	}
	return out
}

func (p *parts) told(x float64) float64 { return math.Round(1e4*math.Log(x+p.floor)) / 1e4 }

// metric is the objective that the numbers of leaves make, each leaf with as many jobs as
// in the recorded workload; up to a factor for throughput and utilisation.
func (p *parts) metric(v []float64) float64 {
	switch {
	case p.want > 0:
		return math.Exp(p.quantile(v)) - p.floor
	case p.stat == "max":
		x := math.Exp(slices.Max(v)) - p.floor
		if p.turn {
			return 1 / math.Max(x, 1e-9)
		}
		return x
	}
	sum := 0.0
	for k, x := range v {
		sum += p.jobs[k] / p.all * (math.Exp(x) - p.floor)
	}
	return sum
}

// quantile is where as many jobs of all leaves lie below as the percentile wants, each
// leaf's jobs being spread evenly between its quantiles.
func (p *parts) quantile(v []float64) float64 {
	n := len(partLevels)
	leaf := slices.Clone(v)
	lo, hi := math.Inf(1), math.Inf(-1)
	for k := 0; k < len(leaf); k += n {
		for i := k + 1; i < k+n; i++ { // estimates need not ascend
			leaf[i] = math.Max(leaf[i], leaf[i-1])
		}
		lo, hi = math.Min(lo, leaf[k]), math.Max(hi, leaf[k+n-1])
	}
	for range 40 {
		t, below := (lo+hi)/2, 0.0
		for k, jobs := range p.jobs {
			below += jobs / p.all * levelAt(leaf[k*n:(k+1)*n], t)
		}
		if below < p.want {
			lo = t
		} else {
			hi = t
		}
	}
	return hi
}

// levelAt is the part of a leaf's jobs below t.
func levelAt(quantiles []float64, t float64) float64 {
	last := len(quantiles) - 1
	if t >= quantiles[last] {
		return 1
	}
	for i := last - 1; i >= 0; i-- {
		if lo, hi := quantiles[i], quantiles[i+1]; t >= lo {
			return partLevels[i] + (partLevels[i+1]-partLevels[i])*(t-lo)/(hi-lo)
		}
	}
	return 0
}

// composite is what the search receives of the objectives; nil if nothing. Of those whose
// numbers find no room any more it receives nothing but the features.
func (s *Study) composite(objectives []tune.Objective) *tune.Composite {
	c := &tune.Composite{}
	if f := newTreeFeatures(s.Case.Doc, s.Space); f != nil {
		c.Features, c.FeatureNames = f.of, f.names
	}
	all := 0
	for _, o := range objectives {
		p, made := newParts(o.Metric, s.Case.Work), tune.Composition{}
		if p != nil && all+len(p.leaves)*p.values() <= tune.MaxParts {
			all += len(p.leaves) * p.values()
			s.Runner.parts = append(s.Runner.parts, p)
			made.Metric = p.metric
			for _, q := range p.leaves {
				made.Components = append(made.Components, tune.Component{Values: p.values(), Near: nearTo(s.Case.Work.Queues[q])})
			}
		}
		c.Objectives = append(c.Objectives, made)
	}
	if c.Features == nil && all == 0 {
		return nil
	}
	for _, l := range s.Problem.Constraints {
		c.Limits = append(c.Limits, s.nearLimit(l.Metric))
	}
	return c
}

// nearTo tells the settings of a queue and of those above it, and what belongs to no
// queue, from those of other queues.
func nearTo(queue string) func(name string) bool {
	return func(name string) bool {
		if !strings.HasPrefix(name, "root") {
			return true
		}
		owner := name[:max(0, strings.LastIndexByte(name, '.'))]
		return owner == queue || strings.HasPrefix(queue, owner+".")
	}
}

// nearLimit tells the settings near to the queue of a limited metric; nil for metrics of
// no single queue.
func (s *Study) nearLimit(metric string) func(name string) bool {
	_, dim, group, err := simcore.ParseMetric(metric)
	if err != nil || dim != "queue" {
		return nil
	}
	if k := simcore.FindGroup(s.Case.Work.Queues, group); k >= 0 {
		return nearTo(s.Case.Work.Queues[k])
	}
	return nil
}
