package tune

import "testing"

// A limit that is kept in the mean is broken if more than one in ten of further workloads
// would exceed it by more than a twentieth; one of 9 to 18 workloads may, two of 19 to 28.
func TestStrays(t *testing.T) {
	for _, c := range []struct {
		name           string
		workloads      int
		beyond         float64 // on the first of them, in parts of the limit
		times          int
		predict        *Prediction
		strays, breaks bool
	}{
		{"one of 16", 16, 0.5, 1, &Prediction{}, false, false},
		{"two of 16", 16, 0.5, 2, &Prediction{}, true, true},
		{"two of 16 a little", 16, 0.04, 2, &Prediction{}, false, false},
		{"two of 19", 19, 0.5, 2, &Prediction{}, false, false},
		{"one of 8", 8, 0.5, 1, &Prediction{}, true, true},
		{"six of 16 break it in the mean", 16, 4, 6, nil, false, true},
		{"means alone count", 16, 0.5, 2, nil, false, false},
		{"the same trace again", 16, 0.5, 2, &Prediction{Same: true}, false, false},
	} {
		present, other := make([]float64, c.workloads), make([]float64, c.workloads)
		for i := range present {
			present[i], other[i] = 10, 9
			if i < c.times {
				other[i] = 10 * (1 + c.beyond)
			}
		}
		d, ts, ins := byHand(t, Problem{Constraints: []Constraint{{Metric: "cost", Op: "<=", Factor: 1}}, Predict: c.predict}, present, other)
		if got := d.strays(ts[1], ins); got != c.strays {
			t.Errorf("%s: strays %v", c.name, got)
		}
		if got := d.breaks(ts[1], ins); got != c.breaks {
			t.Errorf("%s: breaks %v", c.name, got)
		}
		if d.strays(ts[0], ins) {
			t.Errorf("%s: the present configuration strays", c.name)
		}
		r := d.constraintResults(ts[1], ins)[0]
		if r.Often != c.strays {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	// Where the present configuration is beyond an absolute limit, too, that is no change.
	d, ts, ins := byHand(t, Problem{Constraints: []Constraint{{Metric: "cost", Op: "<=", Limit: 10}}, Predict: &Prediction{}}, []float64{12, 12, 9, 5, 5}, []float64{11, 11, 9, 5, 5})
	if d.strays(ts[1], ins) {
		t.Error("what the present configuration exceeds counts")
	}
}
