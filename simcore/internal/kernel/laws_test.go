package kernel

import (
	"math"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Draws follow their law: a part p of them lies at most at its quantile of p,
// within five standard deviations of a binomial share.
func TestDrawsFollowTheirLaw(t *testing.T) {
	const n = 40_000
	z := map[float64]float64{0.1: -1.2815515655, 0.5: 0, 0.9: 1.2815515655}
	for name, c := range map[string]struct {
		d        simcore.Dist
		quantile func(p float64) float64
	}{
		"exponential": {simcore.Dist{Kind: simcore.Exponential, A: 2}, func(p float64) float64 { return -2 * math.Log(1-p) }},
		"uniform":     {simcore.Dist{Kind: simcore.Uniform, A: 2, B: 6}, func(p float64) float64 { return 2 + 4*p }},
		"normal":      {simcore.Dist{Kind: simcore.Normal, A: 10, B: 2}, func(p float64) float64 { return 10 + 2*z[p] }},
		"log-normal": {simcore.Dist{Kind: simcore.LogNormal, A: 1, B: 0.5}, func(p float64) float64 {
			return math.Exp(1 + 0.5*z[p])
		}},
		"Pareto": {simcore.Dist{Kind: simcore.Pareto, A: 2, B: 3}, func(p float64) float64 {
			return 2 * math.Pow(1-p, -1.0/3)
		}},
		"empirical": {simcore.Dist{Kind: simcore.Empirical, Points: []float64{1, 2, 10}}, func(p float64) float64 {
			return max(1+2*p, 2+16*(p-0.5))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			k := rng.NewKey(1, 32)
			at := map[float64]int{}
			for i := range uint64(n) {
				x := draw(&c.d, k.At(i)).Seconds()
				for p := range z {
					if x <= c.quantile(p) {
						at[p]++
					}
				}
			}
			for p := range z {
				if got, off := float64(at[p])/n, 5*math.Sqrt(p*(1-p)/n); math.Abs(got-p) > off {
					t.Errorf("%s, seed 1: %.4f of the draws are at most %.4f, want %.1f", name, got, c.quantile(p), p)
				}
			}
		})
	}
}

// No draw is negative or beyond 1e9 s; what has no spread is its value.
func TestEndsOfLaws(t *testing.T) {
	for _, c := range []struct {
		d    simcore.Dist
		want float64
	}{
		{simcore.Dist{Kind: simcore.Constant, A: 3}, 3},
		{simcore.Dist{Kind: simcore.Constant, A: -3}, 0},
		{simcore.Dist{Kind: simcore.Constant, A: 1e12}, 1e9},
		{simcore.Dist{Kind: simcore.Exponential}, 0},
		{simcore.Dist{Kind: simcore.Normal, A: -5, B: 1}, 0},
		{simcore.Dist{Kind: simcore.Pareto, A: 1e10, B: 1}, 1e9},
		{simcore.Dist{Kind: simcore.Empirical}, 0},
		{simcore.Dist{Kind: simcore.Empirical, Points: []float64{7}}, 7},
	} {
		for i := range uint64(20) {
			if got := draw(&c.d, rng.NewKey(2, 32).At(i)).Seconds(); got != c.want {
				t.Errorf("%+v: %v, want %v", c.d, got, c.want)
			}
		}
	}
	points := []float64{1, 2, 10}
	for u, want := range map[float64]float64{0: 1, 0.25: 1.5, 0.5: 2, 0.75: 6, 1: 10} {
		if got := quantile(points, u); got != want {
			t.Errorf("quantile %v: %v, want %v", u, got, want)
		}
	}
}

// Each task has a stream of its own, and of it each attempt.
func TestStreamsOfTasks(t *testing.T) {
	keys := map[rng.Key]simcore.Task{}
	for j := range simcore.JobID(40) {
		for _, kind := range []simcore.Kind{simcore.Map, simcore.Reduce} {
			for i := range int32(40) {
				task := simcore.Task{Job: j, Kind: kind, Index: i}
				k := TaskKey(rng.NewKey(1, 1), task)
				if other, ok := keys[k]; ok {
					t.Fatalf("%+v and %+v have one stream", task, other)
				}
				keys[k] = task
			}
		}
	}
	c := &simcore.Cluster{Nodes: []simcore.Node{{}}}
	w := &simcore.Workload{Jobs: []simcore.Job{{Maps: 3, FirstTask: -1, MapDist: 0, ReduceDist: 0}},
		Dists: []simcore.Dist{{Kind: simcore.Uniform, A: 1, B: 9}}}
	d := newDurations(simcore.DurationConfig{Model: simcore.Sampled, Seed: 5}, c, w)
	task := simcore.Task{Index: 2}
	took := map[simcore.Time]int32{}
	for attempt := range int32(5) {
		at := d.Map(task, attempt, 0, simcore.NodeLocal)
		if other, ok := took[at]; ok {
			t.Errorf("attempts %d and %d take the same %v s", other, attempt, at.Seconds())
		}
		took[at] = attempt
		st := &simcore.SparkStage{FirstTask: -1}
		if got := d.Stage(0, st.FirstTask, st.Dist, 2, 1, attempt, 0, simcore.NodeLocal); got != at {
			t.Errorf("attempt %d: task 2 of a Spark application takes %v, a map 2 of the law %v", attempt, got, at)
		}
	}
	w.Dists = append(w.Dists, simcore.Dist{Kind: simcore.Constant, A: 77})
	if got := d.First(task, 1, 0).Seconds(); got != 77 {
		t.Errorf("of another law: %v s, want 77", got)
	}
	if first := d.First(task, 0, 0); took[first] != 0 || first != d.Map(task, 0, 0, simcore.NodeLocal) {
		t.Errorf("the first attempt takes %v by one way and %v by the other", first, d.Map(task, 0, 0, simcore.NodeLocal))
	}
}

// A quarter of attempts are stragglers and take three times as long; a task's
// attempts straggle independently, so that both of two do with 1/16.
func TestStragglers(t *testing.T) {
	const n = 4000
	c := &simcore.Cluster{Nodes: []simcore.Node{{Speed: 1}}}
	w := &simcore.Workload{Jobs: []simcore.Job{{Maps: n, FirstTask: -1, MapDist: 0}},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}}}
	d := newDurations(simcore.DurationConfig{Model: simcore.Sampled, Seed: 6, StragglerShare: 0.25, StragglerFactor: 3},
		c, w)
	slow, both := 0, 0
	for i := range int32(n) {
		task := simcore.Task{Index: i}
		first, second := d.First(task, 0, 0).Seconds(), d.Map(task, 1, 0, simcore.NodeLocal).Seconds()
		if first != 10 && first != 30 || second != 10 && second != 30 {
			t.Fatalf("map %d takes %v and %v s, want 10 or 30", i, first, second)
		}
		if first == 30 {
			slow++
			if second == 30 {
				both++
			}
		}
	}
	for what, x := range map[string]struct {
		got int
		p   float64
	}{"stragglers": {slow, 0.25}, "both attempts": {both, 1.0 / 16}} {
		t.Run(what, func(t *testing.T) {
			if off := 5 * math.Sqrt(n*x.p*(1-x.p)); math.Abs(float64(x.got)-n*x.p) > off {
				t.Errorf("%s: %d of %d, want %v", what, x.got, n, n*x.p)
			}
		})
	}
}

// 600 bytes for two reduces at 100 bytes/s are 3 s each; what was copied while
// maps still ran is saved but for the last of six maps' share, 0.5 s.
func TestCopyTime(t *testing.T) {
	w := &simcore.Workload{Jobs: []simcore.Job{{Maps: 6, Reduces: 2, FirstTask: -1, ShuffleBytes: 600},
		{Maps: 6, FirstTask: -1, ShuffleBytes: 600}}}
	d := newDurations(simcore.DurationConfig{CopyRate: 100}, &simcore.Cluster{}, w)
	for started, want := range map[float64]float64{20: 3, 21: 3, 19: 2, 18: 1, 17.5: 0.5, 17: 0.5, 0: 0.5} {
		if got := d.Shuffle(simcore.Task{Kind: simcore.Reduce}, simcore.Seconds(started),
			20*simcore.Second).Seconds(); got != want {
			t.Errorf("from %v s: %v s, want %v", started, got, want)
		}
	}
	if got := d.Shuffle(simcore.Task{Job: 1, Kind: simcore.Reduce}, 0, 0); got != 0 {
		t.Errorf("without reduces: %v", got)
	}
	w.Jobs[0].FirstTask, w.Tasks.Shuffle = 1, []simcore.Time{0, 0, 0, 0, 0, 0, 0, 7 * simcore.Second, -1}
	for i, want := range []float64{7, 0} {
		if got := d.Shuffle(simcore.Task{Kind: simcore.Reduce, Index: int32(i)}, 0, 0).Seconds(); got != want {
			t.Errorf("recorded, reduce %d: %v s, want %v", i, got, want)
		}
	}
	if got := newDurations(simcore.DurationConfig{}, &simcore.Cluster{},
		&simcore.Workload{Jobs: []simcore.Job{{Maps: 1, Reduces: 1, FirstTask: -1, ShuffleBytes: 9}}}).Shuffle(
		simcore.Task{}, 0, 0); got != 0 {
		t.Errorf("without a rate: %v", got)
	}
}

// Recorded times are those of replay, and of other models where there is no
// distribution; never negative.
func TestRecordedTimes(t *testing.T) {
	w := recorded()
	w.Tasks.Duration[1] = -5
	w.Dists = []simcore.Dist{{Kind: simcore.Constant, A: 3}}
	c := &simcore.Cluster{Nodes: []simcore.Node{{}}}
	for _, x := range []struct {
		model simcore.Model
		dist  int32
		want  [3]float64
	}{{simcore.Replay, 0, [3]float64{10, 0, 6}}, {simcore.Replay, -1, [3]float64{10, 0, 6}},
		{simcore.Sampled, 0, [3]float64{3, 3, 3}}, {simcore.Sampled, -1, [3]float64{10, 0, 6}}} {
		w.Jobs[0].MapDist, w.Jobs[0].ReduceDist = x.dist, x.dist
		d := newDurations(simcore.DurationConfig{Model: x.model}, c, w)
		st := &simcore.SparkStage{FirstTask: 0, Dist: x.dist}
		got := [3]float64{d.Map(simcore.Task{}, 0, 0, 0).Seconds(), d.Map(simcore.Task{Index: 1}, 0, 0, 0).Seconds(),
			d.Reduce(simcore.Task{Kind: simcore.Reduce}, 0, 0).Seconds()}
		spark := [3]float64{}
		for i := range spark {
			spark[i] = d.Stage(0, st.FirstTask, st.Dist, int32(i), int32(i), 0, 0, 0).Seconds()
		}
		if got != x.want || spark != x.want {
			t.Errorf("model %v, distribution %d: %v s, Spark %v s; want %v", x.model, x.dist, got, spark, x.want)
		}
	}
	w.Jobs[0].MapDist, w.Jobs[0].FirstTask = -1, -1
	if got := newDurations(simcore.DurationConfig{}, c, w).Map(simcore.Task{}, 0, 0, 0); got != 0 {
		t.Errorf("neither recorded nor a distribution: %v", got)
	}
}

// Marsaglia and Tsang's layers: 255 rectangles of one area between the density's
// values at their edges, and a base of that area with the tail beyond its edge.
func TestZigguratLayersHaveOneArea(t *testing.T) {
	for i := 1; i < zigguratLayers; i++ {
		if x, next := zigguratX[i], zigguratX[i+1]; math.Abs(x*(math.Exp(-next)-math.Exp(-x))-zigguratArea) > 1e-12 ||
			next >= x {
			t.Errorf("layer %d from %v to %v has another area", i, next, x)
		}
	}
	if base := zigguratX[1]*math.Exp(-zigguratX[1]) + math.Exp(-zigguratX[1]); math.Abs(base-zigguratArea) > 1e-12 ||
		zigguratX[1] != zigguratTail {
		t.Errorf("the base's area is %v, want %v", base, zigguratArea)
	}
	if math.Abs(zigguratX[0]*math.Exp(-zigguratTail)-zigguratArea) > 1e-15 || zigguratX[zigguratLayers] != 0 {
		t.Errorf("edges from %v to %v", zigguratX[0], zigguratX[zigguratLayers])
	}
}
