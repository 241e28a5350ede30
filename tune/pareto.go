package tune

import (
	"math"
	"sort"
)

// A front's generations are measured on the same instance for some time: parents have
// their runs on it, so that a generation costs its offspring only and the population is
// what is best there; with the next instance the parents are measured again, and what
// was good by luck falls back. Where workloads differ the time is short, since one would
// be all that the search sees.
const (
	frontEpoch  = 8 // generations on one instance, where there is one workload
	variedEpoch = 3 // where there are several
)

// beginFront has NSGA-II begin with the caller's candidates, in a population that leaves
// room for three generations.
func (d *driver) beginFront() error {
	if d.samplerName != "nsga2" {
		return nil
	}
	cfg := d.samplerConfig(nil)
	for _, t := range d.given[1:] {
		p, err := d.p.Space.Encode(t.settings)
		if err != nil {
			return err
		}
		cfg.First = append(cfg.First, p)
	}
	if cfg.Population == 0 && d.budget > 0 {
		cfg.Population = min(24, max(8, d.budget/4/2*2))
	}
	var err error
	d.sampler, err = NewSampler(d.samplerName, cfg)
	return err
}

// frontBlocks reports whether generations stay on an instance for some time.
func (d *driver) frontBlocks() bool {
	return len(d.p.Objectives) > 1 && d.o.Replicates == 1 && d.o.Off&PartCRN == 0
}

// frontBlock is the instance of this generation.
func (d *driver) frontBlock() []instance {
	if d.frontEpochOver(d.gen) {
		d.epochOn, d.since = d.instances(1, d.search), d.gen
	}
	return d.epochOn
}

func (d *driver) frontEpochOver(gen int) bool {
	epoch := frontEpoch
	if len(d.search) > 1 {
		epoch = variedEpoch
	}
	return d.epochOn == nil || gen >= d.since+epoch
}

// frontRuns is how many runs the next generation takes.
func (d *driver) frontRuns(points []Point) int {
	fresh := d.frontEpochOver(d.gen + 1)
	n := 0
	for _, p := range points {
		t := d.byKey[keyOf(d.p.Space.Decode(p))]
		if fresh || t == nil || !t.ranOn(d.epochOn[0]) {
			n++
		}
	}
	return n
}

// finishFront measures the non-dominated trials of the last generations again
// on common unused seeds, so that lucky ones fall back, and recommends the
// knee of what remains.
func (d *driver) finishFront() error {
	field := d.frontCandidates()
	room := d.beforeConfirm()
	field = field[:min(len(field), max(2, room/frontLeast))]
	d.frontOn = d.instances(max(1, min(24, room/len(field))), d.search)
	if err := d.measure("halving", field, d.frontOn); err != nil {
		return err
	}
	d.front = d.shownFront(d.nonDominated(field, d.frontOn))
	if len(d.front) == 0 {
		d.front = []*trial{d.present}
	}
	d.best = d.front[knee(d.frontValues())]
	d.full = d.best
	return d.confirmBest()
}

// maxFront bounds the trials measured again.
const (
	maxFront   = 80
	frontLeast = 2 // runs of each; fewer trials take part where there are not so many
)

// frontCandidates are the present configuration and what no other dominates of the
// generations on the same instance, the last instance first and of each the least
// crowded first.
func (d *driver) frontCandidates() []*trial {
	out := []*trial{d.present}
	seen := map[int]bool{d.present.id: true}
	add := func(t *trial) {
		if t != nil && !seen[t.id] && !t.failed && len(out) < maxFront {
			seen[t.id] = true
			out = append(out, t)
		}
	}
	for end := len(d.history); end > 0 && len(out) < maxFront; {
		first := end - 1
		for first > 0 && d.history[first-1].epoch == d.history[first].epoch {
			first--
		}
		var points []Point
		var scores []Score
		for _, g := range d.history[first:end] {
			points, scores = append(points, g.points...), append(scores, g.scores...)
		}
		place := crowdedOrder(scores)
		for _, i := range placeOrder(place) {
			if place[i].front == 0 {
				add(d.byKey[keyOf(d.p.Space.Decode(points[i]))])
			}
		}
		end = first
	}
	if d.samplerName != "nsga2" { // which has measured them
		for _, t := range d.given {
			add(t)
		}
	}
	return out
}

func dominated(s Score, all []Score) bool {
	for _, o := range all {
		if o.Dominates(s) {
			return true
		}
	}
	return false
}

// nonDominated keeps the trials no other dominates, by the first objective.
func (d *driver) nonDominated(ts []*trial, ins []instance) []*trial {
	scores := make([]Score, len(ts))
	for i, t := range ts {
		scores[i] = d.score(t, ins)
	}
	var out []*trial
	for i, t := range ts {
		if !scores[i].Failed && !dominated(scores[i], scores) {
			out = append(out, t)
		}
	}
	sort.SliceStable(out, func(a, b int) bool {
		return d.score(out[a], ins).Values[0] < d.score(out[b], ins).Values[0]
	})
	return out
}

// shownFront leaves out what is dominated by its plain means, which are what is shown: those
// of positive objectives are compared on a log scale, and may disagree. By the first objective.
func (d *driver) shownFront(front []*trial) []*trial {
	scores := make([]Score, len(front))
	for i, t := range front {
		for _, ob := range d.p.Objectives {
			mean := MeanInterval(d.raw(t, ob, d.frontOn), d.o.Level).Mean
			if ob.Maximize {
				mean = -mean
			}
			scores[i].Values = append(scores[i].Values, mean)
		}
	}
	var out []*trial
	for _, i := range order(scores) {
		if !dominated(scores[i], scores) {
			out = append(out, front[i])
		}
	}
	return out
}

func (d *driver) frontValues() [][]float64 {
	out := make([][]float64, len(d.front))
	for i, t := range d.front {
		out[i] = d.score(t, d.frontOn).Values
	}
	return out
}

// knee returns the point nearest to the ideal point after every objective is
// scaled to [0, 1] over the front (the point of diminishing returns for a
// convex front; Branke and others, PPSN 2004, discuss the alternatives).
func knee(front [][]float64) int {
	best, at := math.Inf(1), 0
	lo, hi := extent(front)
	for i, v := range front {
		dist := 0.0
		for k := range v {
			if hi[k] > lo[k] {
				s := (v[k] - lo[k]) / (hi[k] - lo[k])
				dist += s * s
			}
		}
		if dist < best {
			best, at = dist, i
		}
	}
	return at
}

func extent(front [][]float64) (lo, hi []float64) {
	lo = append(lo, front[0]...)
	hi = append(hi, front[0]...)
	for _, v := range front {
		for k := range v {
			lo[k], hi[k] = math.Min(lo[k], v[k]), math.Max(hi[k], v[k])
		}
	}
	return lo, hi
}

// hypervolume is the area between a two-objective front and a reference point,
// as a part of the box from the ideal point to the reference.
func hypervolume(front [][]float64, ref []float64) float64 {
	pts := append([][]float64(nil), front...)
	sort.SliceStable(pts, func(a, b int) bool { return pts[a][0] < pts[b][0] })
	lo, _ := extent(pts)
	box := (ref[0] - lo[0]) * (ref[1] - lo[1])
	if box <= 0 || ref[0] < lo[0] {
		return 0
	}
	area, top := 0.0, ref[1]
	for _, p := range pts {
		if p[0] < ref[0] && p[1] < top {
			area += (ref[0] - p[0]) * (top - p[1])
			top = p[1]
		}
	}
	return area / box
}

// fillFront adds the front to the result.
func (d *driver) fillFront(r *Result) {
	if d.front == nil {
		return
	}
	for _, t := range d.front {
		r.Front = append(r.Front, d.summary(t, d.frontOn))
	}
	values := d.frontValues()
	r.Knee = knee(values)
	if len(d.p.Objectives) == 2 {
		r.Hypervolume = hypervolume(values, d.score(d.present, d.frontOn).Values)
	}
}
