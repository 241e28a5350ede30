package simcore_test

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/schedtest"
)

// Jittered workloads keep their jobs, stay in order, and move each submission
// by at most the spread.
func TestJittered(t *testing.T) {
	w := schedtest.Mixed(1, 50)
	before := map[string]simcore.Time{}
	for _, j := range w.Jobs {
		before[j.ID] = j.Submit
	}
	out := w.Jittered(7, simcore.Minute)
	moved := 0
	for i, j := range out.Jobs {
		d := j.Submit - before[j.ID]
		if d < 0 || d > simcore.Minute || i > 0 && j.Submit < out.Jobs[i-1].Submit {
			t.Errorf("%s moved by %v s to place %d", j.ID, d.Seconds(), i)
		}
		if d > 0 {
			moved++
		}
		delete(before, j.ID)
	}
	if len(before) > 0 || moved < 45 || out.Jobs[0].ID == "" {
		t.Errorf("%d jobs lost, %d moved", len(before), moved)
	}
	if err := simcore.Validate(schedtest.Uniform(1, 1, simcore.Vec{1, 1}), out); err != nil {
		t.Error(err)
	}
}

// Cores are shared: on one core two maps of 10 s of computing take 20 s, on
// two cores 10 s; without a number of cores they do not disturb each other.
func TestCoresAreShared(t *testing.T) {
	for cores, want := range []float64{10, 20, 10} {
		c := oneNode(2)
		c.Nodes[0].Cores = int32(cores)
		near(t, "computing", value(t, run(t, ideal(simcore.Resources, 1), c, schedtest.Stage(2, simcore.Dist{A: 10})), "makespan"), want, 1e-4)
	}
}

// COSHH's definitions by hand: users 0 and 1 of weight 1 hold 3 and 1 slots
// with minimum shares 1 and 2, user 2 of weight 2 holds 0 with minimum 4.
// Extra shares are 2, -1 and -4; level 1 has mean 0.5 and distances 1.5 + 1.5,
// level 2 distance 0: fairness 3. With demand of users 1 and 2 dissatisfaction
// is 1·(2-1)/2 + 2·(4-0)/4 = 2.5.
func TestFairnessAndDissatisfaction(t *testing.T) {
	w := &simcore.Workload{Users: []string{"a", "b", "c"}, Jobs: []simcore.Job{{User: 0}, {User: 1}, {User: 2}}}
	var r simcore.Recorder
	r.Reset(w, []simcore.UserShare{{MinShare: 1}, {MinShare: 2, Weight: 1}, {MinShare: 4, Weight: 2}})
	for range 3 {
		r.Launched(0, 0)
	}
	r.Launched(1, 0)
	r.Pending(1, 5)
	r.Pending(2, 1)
	if f := r.Fairness(); f != 3 {
		t.Errorf("fairness %v, want 3", f)
	}
	if d := r.Dissatisfaction(); d != 2.5 {
		t.Errorf("dissatisfaction %v, want 2.5", d)
	}
	r.Pending(2, -1)
	if d := r.Dissatisfaction(); d != 0.5 {
		t.Errorf("without demand of user 2: dissatisfaction %v, want 0.5", d)
	}
}

// A distribution without mean, and absurd recorded times, do not break time.
func TestAbsurdTimes(t *testing.T) {
	d := simcore.Dist{Kind: simcore.Pareto, A: 1, B: 0.05}
	if r := run(t, ideal(simcore.Sampled, 1), oneNode(4), schedtest.Stage(200, d)); value(t, r, "makespan") <= 0 {
		t.Error("no time passed")
	}
	w := schedtest.Stage(3, simcore.Dist{})
	w.Jobs[0].FirstTask, w.Jobs[0].MapDist, w.Tasks.Duration = 0, -1, []simcore.Time{-5, 0, -simcore.Hour}
	if r := run(t, ideal(simcore.Replay, 1), oneNode(1), w); value(t, r, "makespan") < 0 {
		t.Error("time ran backwards")
	}
}
