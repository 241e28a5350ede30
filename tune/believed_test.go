package tune

import (
	"math"
	"testing"

	"schedtune/internal/rng"
)

// Of points with equal runs of common seeds those come first that are cheap by their own
// runs and their neighbours': with block effects a hundred times the noise, the mean true
// cost of the first eight of 120 is below that of the eight with the least raw cost.
func TestBelievedAreGood(t *testing.T) {
	d, _, _ := byHand(t, Problem{Space: cube(t, 4)}, []float64{1})
	truth := func(p Point) float64 { return square(p[0]-0.3) + 0.5*square(p[1]-0.6) }
	cost := map[*trial]float64{}
	raw := map[*trial]float64{}
	for b := range 2 {
		var points []Point
		var scores []Score
		for i := range 60 {
			k := rng.NewKey(5, uint64(60*b+i))
			p := uniformPoint(k, 4)
			tr, err := d.pointTrial(p, "draw")
			if err != nil {
				t.Fatal(err)
			}
			cost[tr] = truth(p)
			raw[tr] = truth(p) + 5*float64(b) + 0.02*k.Norm(9)
			points, scores = append(points, p), append(scores, Score{Values: []float64{raw[tr]}})
		}
		d.learn(points, scores, b)
	}
	got := d.believed()
	if len(got) != 120 {
		t.Fatalf("%d trials, want 120", len(got))
	}
	mean := 0.0
	blocks := map[bool]int{}
	for _, tr := range got[:8] {
		mean += cost[tr] / 8
		blocks[raw[tr] > 4]++
	}
	all := 0.0
	for _, v := range cost {
		all += v / 120
	}
	if mean > all/5 || blocks[true] == 0 || blocks[false] == 0 {
		t.Errorf("the first eight cost %.4f in the mean, all %.4f; by blocks %v", mean, all, blocks)
	}
}

// An estimate lies between the model's and the point's own cost, relative to the mean
// residual of its block.
func TestEstimates(t *testing.T) {
	a := archive{points: []Point{{0}, {0}, {0}}, block: []int{0, 0, 1}, blocks: 2, y: []float64{1, 3, 10}}
	for part, want := range map[float64][]float64{0: {0, 0, 0}, 1: {-1, 1, 0}, 0.7: {-0.7, 0.7, 0}} {
		for i, v := range a.estimates(nil, part) {
			if math.Abs(v-want[i]) > 1e-12 {
				t.Errorf("part %v: point %d has %v, want %v", part, i, v, want[i])
			}
		}
	}
}

// Generations of a short study on one workload are measured on one instance per 50 runs
// in turn, the present configuration's among them; longer ones, those on several
// workloads and those with several runs a point on fresh instances.
func TestShortStudiesShareInstances(t *testing.T) {
	for _, c := range []struct {
		budget, windows, replicates, objectives int
		off                                     Part
		want                                    int // instances of the generations; 0 if fresh
	}{
		{50, 1, 1, 1, 0, 1}, {99, 1, 1, 1, 0, 1}, {100, 1, 1, 1, 0, 2}, {299, 1, 1, 1, 0, 5},
		{300, 1, 1, 1, 0, 0}, {100, 3, 1, 1, 0, 0}, {100, 1, 2, 1, 0, 0}, {100, 1, 1, 2, 0, 0}, {100, 1, 1, 1, PartCRN, 0},
	} {
		p := hill(t, 5)
		p.Windows = c.windows
		for len(p.Objectives) < c.objectives {
			p.Objectives = append(p.Objectives, Objective{Metric: "other"})
		}
		st, err := NewStudy(p, Options{Seed: 1, Budget: c.budget, Replicates: c.replicates, Off: c.off})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		seeds := map[uint64]bool{}
		generations := 0
		for {
			items, err := st.Ask()
			if err != nil {
				t.Fatal(err)
			}
			if items == nil || st.d.gen > 12 {
				break
			}
			if st.d.phase == "search" {
				generations++
				for _, it := range items {
					seeds[it.Seed] = true
				}
			}
			for _, it := range items {
				if err := st.Tell(Outcome{Metrics: map[string]float64{"cost": 1 + value(it, "x0"), "other": 1}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c.want > 0 && (len(seeds) != min(c.want, generations) || !seeds[st.d.races[0].seed]) || c.want == 0 && len(seeds) < generations {
			t.Errorf("%+v: %d seeds in %d generations", c, len(seeds), generations)
		}
	}
}
