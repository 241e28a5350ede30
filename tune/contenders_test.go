package tune

import (
	"math"
	"slices"
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
			tr := d.pointTrial(p, "draw")
			cost[tr] = truth(p)
			raw[tr] = truth(p) + 5*float64(b) + 0.02*k.Norm(9)
			points, scores = append(points, p), append(scores, Score{Values: []float64{raw[tr]}})
		}
		d.generations.keep(generation{points: points, scores: scores, block: b})
	}
	got, _ := d.generations.modelRanking()
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

// In a short study without limits the field is what the model believes in: of 24 runs for
// three a place there are 8 contenders, the incumbent, in turn where two local searches of the model end, which
// are no worse to the model than where they began, and where they began, then the next of the believed. The
// current configuration, which is far behind, is not among them, as it is where there are limits.
func TestModelledField(t *testing.T) {
	d, ts, _ := byHand(t, Problem{Space: cube(t, 4)}, []float64{1}, []float64{1})
	d.o.Off, d.search, d.budget, d.spent = PartAblation|PartConfirm, []int{0}, 100, 76
	d.present, d.incumbent = ts[0], ts[1]
	var points []Point
	var scores []Score
	for i := range 60 {
		p := uniformPoint(rng.NewKey(8, uint64(i)), 4)
		tr := d.pointTrial(p, "draw")
		points = append(points, p)
		scores = append(scores, Score{Values: []float64{square(tr.point[0]-0.3) + square(tr.point[1]-0.6)}})
	}
	for _, tr := range ts[:2] {
		points, scores = append(points, tr.point), append(scores, Score{Values: []float64{2}})
	}
	d.generations.keep(generation{points: points, scores: scores})
	field := d.generations.contenders()
	believed, m := d.generations.modelRanking()
	if len(field) != 8 || field[0] != d.incumbent || slices.Contains(field, d.present) {
		t.Fatalf("%d contenders, the first %s, or the present configuration among them", len(field), field[0].origin)
	}
	for i, tr := range []*trial{field[1], field[3]} {
		if a, b := m.at(tr.point), m.at(believed[i].point); a > b {
			t.Errorf("local search %d ends at %.4f and began at %.4f", i, a, b)
		}
	}
	if field[2] != believed[0] || !slices.Equal(field[4:], believed[1:5]) {
		t.Error("the rest of the field is not the first of the believed")
	}
	d.lossy = true
	if field = d.generations.contenders(); field[0] != d.incumbent || field[1] != d.present {
		t.Errorf("where work is lost: contenders %v, want incumbent and current configuration first", names(field))
	}
}

// An estimate lies between the model's and the point's own cost, relative to the mean
// residual of its block. The model has one tree, which says 2 up to 0.5 and 6 beyond: the
// residuals of the first block are -1 and 3, their mean 1, and that of the second has no other.
func TestEstimates(t *testing.T) {
	tree := boostTree{coord: [7]int{0, -1, -1, -1, -1, -1, -1}, cut: [7]float64{0.5}, leaf: []nodeSums{{0: 2, 4: 6}}}
	m := &costModel{whole: &boost{trees: []boostTree{tree}}}
	a := archive{points: []Point{{0}, {1}, {0}}, block: []int{0, 0, 1}, blocks: 2, y: []float64{1, 9, 10}}
	for part, want := range map[float64][]float64{0: {2, 6, 2}, 0.5: {1, 7, 2}, 1: {0, 8, 2}} {
		for i, v := range a.estimates(m, part) {
			if math.Abs(v-want[i]) > 1e-12 {
				t.Errorf("part %v: point %d has %v, want %v", part, i, v, want[i])
			}
		}
	}
}

// A trial that was measured often counts by the mean of its estimates: one a little better than
// the middle, measured in six blocks, stands in the middle. What the study has
// forgotten is left out, and where nothing varies nothing is believed.
func TestBelievedByMeans(t *testing.T) {
	d, _, _ := byHand(t, Problem{Space: cube(t, 2)}, []float64{1})
	var often *trial
	var single []*trial
	for b := range 6 {
		var points []Point
		var scores []Score
		for i := range 8 {
			p := Point{0.45, 0.45}
			if i > 0 {
				p = Point{float64(8*b+i) / 60, 0.5}
			}
			tr := d.pointTrial(p, "draw")
			if i == 0 {
				often = tr
			} else {
				single = append(single, tr)
			}
			points, scores = append(points, p), append(scores, Score{Values: []float64{p[0]}})
		}
		d.generations.keep(generation{points: points, scores: scores})
	}
	got, _ := d.generations.modelRanking()
	if len(got) != 43 {
		t.Fatalf("%d trials, want 43, each once", len(got))
	}
	if at := slices.Index(got, often); at < 10 || at > 30 {
		t.Errorf("the trial measured six times is number %d of %d", at, len(got))
	}
	for key, tr := range d.byKey {
		if tr == single[0] {
			delete(d.byKey, key)
		}
	}
	if got, _ := d.generations.modelRanking(); len(got) != 42 || slices.Contains(got, single[0]) {
		t.Errorf("%d trials, want 42 without the forgotten one", len(got))
	}
	d.generations.learned = nil
	same, scores := make([]Point, 12), make([]Score, 12)
	for i := range same {
		same[i], scores[i] = Point{0.45, 0.45}, Score{Values: []float64{float64(i)}}
	}
	d.generations.keep(generation{points: same, scores: scores})
	if got, _ := d.generations.modelRanking(); got != nil {
		t.Error("points that are all the same are told apart")
	}
}

// Generations of a short study on one workload are measured on one instance per 50 runs
// in turn, the current configuration's among them; longer ones and those on several
// workloads on fresh instances.
func TestShortStudiesShareInstances(t *testing.T) {
	for _, c := range []struct {
		budget, windows int
		want            int // instances of the generations; 0 if fresh
	}{
		{50, 1, 1}, {99, 1, 1}, {100, 1, 2}, {299, 1, 5}, {300, 1, 0}, {100, 3, 0},
	} {
		p := hill(t, 5)
		p.Windows = c.windows
		st, err := NewStudy(p, Options{Seed: 1, Budget: c.budget, Method: "cmaes"})
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
				if err := st.Tell(Outcome{Metrics: map[string]float64{"cost": 1 + value(it, "x0")}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c.want > 0 && (len(seeds) != min(c.want, generations) || !seeds[st.d.generations.raced[0].seed]) || c.want == 0 &&
			len(seeds) < generations {
			t.Errorf("%+v: %d seeds in %d generations", c, len(seeds), generations)
		}
	}
}
