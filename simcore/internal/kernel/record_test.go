package kernel_test

import (
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// COSHH's definitions by hand: users 0 and 1 of weight 1 hold 3 and 1 slots
// with minimum shares 1 and 2, user 2 of weight 2 holds 0 with minimum 4.
// Extra shares are 2, -1 and -4; level 1 has mean 0.5 and distances 1.5 + 1.5,
// level 2 distance 0: fairness 3. With demand of users 1 and 2 dissatisfaction
// is 1·(2-1)/2 + 2·(4-0)/4 = 2.5.
func TestFairnessAndDissatisfaction(t *testing.T) {
	w := &simcore.Workload{Users: []string{"a", "b", "c"}, Jobs: []simcore.Job{{User: 0}, {User: 1}, {User: 2}}}
	var r kernel.Recorder
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
