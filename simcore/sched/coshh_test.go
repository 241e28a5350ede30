package sched

import (
	"math"
	"slices"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// A cluster of map-only and reduce-only nodes: no resource can run a job alone,
// and everything finishes nevertheless.
func TestCOSHHOnNodesOfOneKind(t *testing.T) {
	c := schedtest.Uniform(6, 6, simcore.Vec{2, 0})
	for n := range 3 {
		c.Nodes[n].Slots = simcore.Vec{0, 2}
	}
	s, err := New("coshh", Options{Seed: 1, Grants: []simcore.UserShare{{MinShare: 2, Weight: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}, c,
		schedtest.Mixed(3, 20), s)
	if err != nil {
		t.Fatal(err)
	}
	if jobs, _ := r.Value("jobs"); jobs != 20 {
		t.Errorf("%v jobs finished, want 20", jobs)
	}
}

// Every class of COSHH is suggested for some node, as the linear program asks
// for a share of its arrivals: a class without a node would starve.
func TestCOSHHSuggestsNodesForEveryClass(t *testing.T) {
	w := schedtest.Mixed(3, 20)
	c := schedtest.Uniform(6, 6, simcore.Vec{2, 1})
	for n := range c.Nodes {
		if n >= 3 {
			c.Nodes[n].Speed = 0.1
		}
	}
	s, err := New("coshh", Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}, c, w, s); err != nil {
		t.Fatal(err)
	}
	h := s.(*coshh)
	classes := h.queues.Secondary.List
	for i := range classes {
		found := false
		for n := range c.Nodes {
			found = found || h.sc[1][n][i]
		}
		if !found {
			t.Errorf("class %d of %d is suggested for no node", i, len(classes))
		}
	}
	all := 0
	for _, suggested := range h.sc[1] {
		for _, yes := range suggested {
			if yes {
				all++
			}
		}
	}
	if all == 0 || all == len(c.Nodes)*len(classes) {
		t.Errorf("%d of %d suggestions: the linear program has chosen nothing", all, len(c.Nodes)*len(classes))
	}
}

// Two users on one slot are equal whenever it comes free. Of 2n maps while both have
// some, each user gets n whatever the number of their jobs, with a standard deviation of
// sqrt(2n)/2, and no job of the first user starts before the one that came earlier has
// given out its maps (section 4: "we randomly choose between them").
func TestCOSHHDrawsBetweenUsers(t *testing.T) {
	const maps = 100
	jobs := []simcore.Job{job(0, 0, maps), job(0, 1, 2*maps), job(0, 0, maps), job(0, 0, maps), job(0, 0, maps)}
	c := slots(1)
	c.Nodes[0].Slots = simcore.Vec{1, 1}
	s, err := New("coshh", Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	started, byUser, seen := make([]int, len(jobs)), [2]int{}, 0
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}
	cfg.Trace = func(_ simcore.Time, e mr1.Event) {
		if e.Kind != mr1.TaskStarted {
			return
		}
		j := int(e.Task.Job)
		started[j]++
		if seen++; seen <= 3*maps {
			byUser[jobs[j].User]++
		}
		for i := range j {
			if jobs[i].User == jobs[j].User && started[i] < maps {
				t.Fatalf("job %d starts a map while job %d of its user has %d of %d left", j, i, maps-started[i], maps)
			}
		}
	}
	if _, err := mr1.Run(cfg, c, oneKind([]string{"a", "b"}, jobs), s); err != nil {
		t.Fatal(err)
	}
	if sd := math.Sqrt(3*maps) / 2; math.Abs(float64(byUser[0])-1.5*maps) > 3*sd {
		t.Errorf("of %d maps the user of four jobs got %d, want %d ± %.0f", 3*maps, byUser[0], 3*maps/2, 3*sd)
	}
}

// The weights 0.5 and 0.7 are two priorities of COSHH's classes, not both the whole number
// below them: jobs that are alike but for their users' weights fall into two classes.
// Whole weights stay as they are. A weight that is none counts as 1.
func TestCOSHHPriorities(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		want    []int
	}{{[]float64{0.5, 0.7}, []int{500, 700}}, {[]float64{1, 2}, []int{1, 2}}, {[]float64{math.NaN(), math.Inf(1)},
		[]int{1, 1}}} {
		o := Options{}
		for _, w := range c.weights {
			o.Grants = append(o.Grants, simcore.UserShare{Weight: w})
		}
		s, err := New("coshh", o)
		if err != nil {
			t.Fatal(err)
		}
		w := oneKind([]string{"a"}, []simcore.Job{job(0, 0, 8), job(0, 1, 8)})
		if _, err := mr1.Run(mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}, slots(2), w,
			s); err != nil {
			t.Fatal(err)
		}
		q := s.(*coshh)
		if !slices.Equal(q.priority, c.want) {
			t.Errorf("weights %v: priorities %v, want %v", c.weights, q.priority, c.want)
		}
		if n := len(q.queues.Secondary.List); (n == 2) != (c.want[0] != c.want[1]) {
			t.Errorf("weights %v: %d classes", c.weights, n)
		}
	}
}
