package forecast

import (
	"cmp"
	"context"
	"math"
	"slices"

	"schedtune/internal/rng"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Problems with nothing to gain, by construction and not by the word of a study. Half of them are
// clusters on which no container ever waits, with every limit open; in the others two settings
// may move, and the current values are the best of a grid over both the recorded and the next
// period. Either is taken only if no setting that is tried there is better by more than
// nothingBy in any of the two.

// nothingBy is the gain, as a part, that counts as none.
const nothingBy = 0.01

// gridSide is how many values each of two settings has, sweeps how many points drawn at random
// stand beside those that move one setting to an end or the middle. Each has a run in either period.
const (
	gridSide = 5
	sweeps   = 24
)

// leaveNothing makes a drawn case one with nothing to gain and returns what may move, nil for
// all; ok is false where neither construction succeeds.
func (c *Case) leaveNothing(ctx context.Context) (params []string, ok bool) {
	k := c.key.At(purposeNothing)
	if k.Float64(0) < 0.5 {
		if params, ok = c.bestOfGrid(ctx, k); ok {
			return params, ok
		}
	}
	return nil, c.openAll(ctx, k)
}

// bestOfGrid has two settings that may move stand at the best values of a grid.
func (c *Case) bestOfGrid(ctx context.Context, k rng.Key) ([]string, bool) {
	all, _, err := study.NewSpace(c.Now, nil)
	if err != nil {
		return nil, false
	}
	var names []string
	for _, p := range all.Params() {
		if p.Kind != tune.Share && p.Kind != tune.Ceiling && !p.Fixed && p.Tied == "" && p.When == nil {
			names = append(names, p.Name)
		}
	}
	if len(names) < 2 {
		return nil, false
	}
	i := k.IntN(1, len(names))
	j := (i + 1 + k.IntN(2, len(names)-1)) % len(names)
	params := []string{names[i], names[j]}
	space, _, err := study.NewSpace(c.Now, params)
	if err != nil || space.Dim() != 2 {
		return nil, false
	}
	sets := []tune.Settings{space.PresentSettings()}
	for n := range gridSide * gridSide {
		sets = append(sets, space.Decode(tune.Point{float64(n%gridSide) / (gridSide - 1),
			float64(n/gridSide) / (gridSide - 1)}))
	}
	values := c.values(ctx, space, sets)
	best := 0
	for n := range values {
		if values[n][0]*values[n][1] < values[best][0]*values[best][1] {
			best = n
		}
	}
	return params, isBest(values, best) && c.adopt(space, sets[best]) == nil
}

// openAll opens every limit on a cluster that holds all containers at once.
func (c *Case) openAll(ctx context.Context, k rng.Key) bool {
	queues, err := c.Now.Doc.Queues()
	if err != nil {
		return false
	}
	changes := []yarnconf.Change{{Key: yarnconf.Prefix + yarnconf.AMShare, Value: "1"},
		{Key: yarnconf.OffSwitchLimit, Value: "32"}}
	for _, q := range queues {
		if q.Parent == "" {
			continue
		}
		changes = append(changes, yarnconf.Change{Key: yarnconf.Key(q.Path, yarnconf.MaximumCapacity), Value: "100"})
		if q.Leaf {
			changes = append(changes, yarnconf.Change{Key: yarnconf.Key(q.Path, yarnconf.MinimumUser), Value: "100"},
				yarnconf.Change{Key: yarnconf.Key(q.Path, yarnconf.UserFactor), Value: "100"})
		}
	}
	doc, err := c.Now.Doc.EditValid(changes)
	if err != nil {
		return false
	}
	nodes := int(1.2*max(peak(c.Now.Work), peak(c.Next.Work))) + 2
	if nodes > mostNodes {
		return false
	}
	cluster := equalNodes(nodes)
	c.Now.Doc, c.Next.Doc, c.Now.Cluster, c.Next.Cluster = doc, doc, cluster, cluster
	space, _, err := study.NewSpace(c.Now, nil)
	if err != nil {
		return false
	}
	sets := []tune.Settings{space.PresentSettings()}
	for d := range space.Dim() {
		for _, v := range []float64{0, 0.5, 1} {
			p := space.Present()
			p[d] = v
			sets = append(sets, space.Decode(p))
		}
	}
	for n := range uint64(sweeps) {
		p := space.Present()
		for d := range p {
			p[d] = k.At(n).Float64(uint64(d))
		}
		sets = append(sets, space.Decode(p))
	}
	return isBest(c.values(ctx, space, sets), 0)
}

// peak is how many nodes the containers of a workload fill at most, if every job gets all of its
// containers at once and keeps them to its end.
func peak(w *simcore.Workload) float64 {
	type step struct{ at, nodes float64 }
	var steps []step
	for i := range w.Jobs {
		j := &w.Jobs[i]
		longest := [2]float64{}
		for t := range j.Maps + j.Reduces {
			kind, dist := 0, j.MapDist
			if t >= j.Maps {
				kind, dist = 1, j.ReduceDist
			}
			s := 0.0
			if j.FirstTask >= 0 {
				s = w.Tasks.Duration[j.FirstTask+t].Seconds()
			} else {
				s = 3 * w.Dists[dist].Mean()
			}
			longest[kind] = max(longest[kind], s)
		}
		filled := 0.0
		for ask, n := range map[simcore.Vec]int32{j.AMAsk: 1, j.MapAsk: j.Maps, j.ReduceAsk: j.Reduces} {
			filled += float64(n) / math.Floor(8192/float64(max(ask[simcore.Memory], 1024)))
		}
		at := j.Submit.Seconds()
		steps = append(steps, step{at, filled}, step{at + 1.3*(longest[0]+longest[1]+120), -filled})
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	now, most := 0.0, 0.0
	for _, s := range steps {
		now += s.nodes
		most = max(most, now)
	}
	return most
}

// values are the objective by settings, in the recorded and in the next period, and
// infinite where a run has none.
func (c *Case) values(ctx context.Context, space *study.Space, sets []tune.Settings) [][2]float64 {
	out := make([][2]float64, len(sets))
	for p, of := range []*simcore.Workload{c.Now.Work, c.Next.Work} {
		run, err := study.NewRunner(c.Now, space, []*simcore.Workload{of}, nil)
		for n, set := range sets {
			out[n][p] = math.Inf(1)
			if err == nil {
				if res, failed := run.Simulate(ctx, set, 1<<51, 0, nil); failed == nil && len(res.Lost()) == 0 {
					out[n][p], _ = res.Value(c.Objective)
				}
			}
		}
	}
	return out
}

// isBest reports whether no value is better than the one at a place by more than nothingBy.
func isBest(values [][2]float64, at int) bool {
	now := values[at]
	return !math.IsInf(now[0]+now[1], 0) && now[0] > 0 && now[1] > 0 &&
		!slices.ContainsFunc(values, func(v [2]float64) bool {
			return v[0] < (1-nothingBy)*now[0] || v[1] < (1-nothingBy)*now[1]
		})
}

// adopt makes settings the current configuration of the recorded and of the next period.
func (c *Case) adopt(space *study.Space, set tune.Settings) error {
	changes, slowstart := space.Changes(set)
	doc, err := c.Now.Doc.EditValid(changes)
	if err != nil {
		return err
	}
	c.Now.Doc, c.Next.Doc = doc, doc
	if slowstart == "" {
		return nil
	}
	for _, w := range []*simcore.Workload{c.Now.Work, c.Next.Work} {
		for i := range w.Jobs {
			w.Jobs[i].Slowstart = space.SlowstartOf(set)
		}
	}
	return nil
}
