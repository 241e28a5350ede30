package tune

import (
	"math"
	"slices"
	"testing"

	"schedtune/internal/rng"
)

// The local search of a model ends where no coordinate's step that it tries is better,
// and returns nothing worse than where it began; what does not matter stays.
func TestDescendImproves(t *testing.T) {
	var points []Point
	var y []float64
	k := rng.NewKey(6, 6)
	for i := range 80 {
		p := uniformPoint(k.At(uint64(i)), 4)
		p[3] = 0.5
		points, y = append(points, p), append(y, 4*math.Abs(p[0]-0.8)+math.Abs(p[1]-0.2))
	}
	known := &surrogate{model: &costModel{whole: fitBoost(points, make([]int, 80), y, k)}}
	better := 0
	for i := range uint64(30) {
		from := uniformPoint(k.At(500+i), 4)
		to := descend(known.model.at, slices.Clone(from), Point{0.5, 0.5, 0.5, 0.5}, k.At(i))
		before, after := known.model.at(from), known.model.at(to)
		if after > before {
			t.Errorf("from %v to %v", before, after)
		}
		if after < before-0.3 {
			better++
		}
		if to[3] != from[3] {
			t.Errorf("coordinate 3 does not matter and moved from %v to %v", from[3], to[3])
		}
		for _, u := range to {
			if u < 0 || u > 1 {
				t.Errorf("coordinate %v", u)
			}
		}
	}
	if better < 20 {
		t.Errorf("%d of 30 searches from random points get better by 0.3, want most", better)
	}
	// The current configuration value is tried: the model's best place is there alone.
	tree := boostTree{leaf: make([]nodeSums, 1)}
	for i := range tree.coord {
		tree.coord[i] = -1
	}
	tree.coord[0], tree.cut[0] = 0, 0.999999 // right of it 1 less
	for i := range tree.leaf[0] {
		if i >= len(tree.leaf[0])/2 {
			tree.leaf[0][i] = -1
		}
	}
	steep := &surrogate{model: &costModel{whole: &boost{trees: []boostTree{tree}}}}
	if to := descend(steep.model.at, Point{0.1}, Point{1}, k); to[0] != 1 {
		t.Errorf("ends at %v, want the present value 1", to)
	}
}

// The trust in the model is the mean of rank correlations with weights that fall by
// 0.7: a half at first, and with a perfect order of four generations
// 1 - 0.5*0.7^4; the part of a generation that is chosen follows it.
func TestTrustFollowsTheModel(t *testing.T) {
	k := surrogate{trust: preTrust}
	scores := []Score{{Values: []float64{1}}, {Values: []float64{2}}, {Values: []float64{3}}}
	k.test(scores)
	if k.trust != preTrust {
		t.Error("trust moved without a prediction")
	}
	for range 4 {
		k.predicted = []float64{10, 20, 30}
		k.test(scores)
	}
	if want := 1 - 0.5*math.Pow(0.7, 4); math.Abs(k.trust-want) > 1e-12 {
		t.Errorf("trust %v, want %v", k.trust, want)
	}
	k.predicted = []float64{3, 2, 1}
	if k.test(scores); math.Abs(k.trust-(0.7*(1-0.5*math.Pow(0.7, 4))-0.3)) > 1e-12 {
		t.Errorf("trust %v after a reversed order", k.trust)
	}
	k.predicted = []float64{1, 2}
	before := k.trust
	if k.test(scores); k.trust != before {
		t.Error("predictions of another generation were taken")
	}
}

// Points of a generation are chosen by the model as far as it is trusted: none at a
// trust of 0, three quarters at 1; a model is fitted from ten points on, and again once
// a sixth of them are new.
func TestPreselection(t *testing.T) {
	sampler := func(trust float64, known int) (*cmaes, []Point, []Point) {
		var drawn [2][]Point
		var last *cmaes
		for i := range drawn {
			s := withoutModel(t, SamplerConfig{Space: cube(t, 6), Seed: 8, Population: 16})
			last = s.cmaes
			var points []Point
			var scores []Score
			for j := range known {
				p := uniformPoint(rng.NewKey(8, uint64(j)), 6)
				points, scores = append(points, p), append(scores, Score{Values: []float64{sum2(p)}})
			}
			last.learn(points, scores, ownBlock)
			last.costs.trust = trust
			if i == 0 {
				drawn[i] = s.Ask()
			} else {
				drawn[i] = last.Ask()
			}
		}
		return last, drawn[0], drawn[1]
	}
	for _, c := range []struct {
		trust   float64
		known   int
		chosen  int
		predict bool
	}{{1, 9, 0, false}, {1, 10, 12, true}, {0.5, 40, 6, true}, {0, 40, 0, true}, {-0.5, 40, 0, true}, {1, 40, 12, true}} {
		s, plain, got := sampler(c.trust, c.known)
		other := 0
		for i := range got {
			if !slices.Equal(got[i], plain[i]) {
				other++
				if i < len(got)-c.chosen {
					t.Errorf("%+v: point %d of %d was replaced", c, i, len(got))
				}
			}
		}
		if other != c.chosen || (s.costs.predicted != nil) != c.predict {
			t.Errorf("%+v: %d points replaced, predicted %v", c, other, s.costs.predicted != nil)
		}
		if !c.predict {
			continue
		}
		for i, p := range got {
			if s.costs.predicted[i] != s.costs.model.at(p) {
				t.Errorf("%+v: predicted %v for point %d, the model says %v", c, s.costs.predicted[i], i, s.costs.model.at(p))
			}
		}
		mean := func(ps []Point) (sum float64) {
			for _, p := range ps {
				sum += s.costs.model.at(p) / float64(len(ps))
			}
			return sum
		}
		if c.chosen > 0 && mean(got[16-c.chosen:]) > mean(plain) {
			t.Errorf("%+v: the chosen cost %v by the model, the drawn %v", c, mean(got[16-c.chosen:]), mean(plain))
		}
	}
	s, _, _ := sampler(1, 40)
	k := &s.costs
	for _, c := range []struct {
		fresh int
		again bool
	}{{6, false}, {7, true}} { // of 40
		m := k.model
		k.fresh = c.fresh
		if k.fit(1); (k.model != m) != c.again {
			t.Errorf("%d new points of 40: fitted again %v", c.fresh, k.model != m)
		}
	}
	if k.fresh != 0 {
		t.Errorf("%d new points after a fit", k.fresh)
	}
}
