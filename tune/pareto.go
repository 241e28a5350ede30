package tune

import (
	"math"
	"sort"
)

// finishFront measures the non-dominated trials of the last generations again
// on common unused seeds, so that lucky ones fall back, and recommends the
// knee of what remains.
func (d *driver) finishFront() error {
	field := d.frontCandidates()
	if room := d.beforeConfirm(); d.budget > 0 {
		field = field[:min(len(field), max(2, room/frontLeast))]
	}
	n := max(1, min(24, d.beforeConfirm()/len(field)))
	d.frontOn = d.instances(n, d.search)
	if err := d.measure("halving", field, d.frontOn); err != nil {
		return err
	}
	d.front = d.nonDominated(field, d.frontOn)
	if len(d.front) == 0 {
		d.front = []*trial{d.present}
	}
	d.best = d.front[knee(d.frontValues())]
	d.full = d.best
	return d.confirmBest()
}

// maxFront bounds the trials measured again, which come from the last few
// generations.
const (
	maxFront         = 24
	frontLeast       = 4 // runs of each; fewer trials take part where there are not so many
	frontGenerations = 4
)

// frontCandidates are the present configuration, the caller's candidates and
// the non-dominated trials by generation, newest first.
func (d *driver) frontCandidates() []*trial {
	out := []*trial{d.present}
	seen := map[int]bool{d.present.id: true}
	add := func(t *trial) {
		if t != nil && !seen[t.id] && !t.failed && len(out) < maxFront {
			seen[t.id] = true
			out = append(out, t)
		}
	}
	for _, t := range d.given {
		add(t)
	}
	for k := len(d.history) - 1; k >= 0 && k >= len(d.history)-frontGenerations; k-- {
		g := d.history[k]
		for i, s := range g.scores {
			if !dominated(s, g.scores) {
				add(d.byKey[keyOf(d.p.Space.Decode(g.points[i]))])
			}
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
