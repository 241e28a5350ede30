package mr1_test

import (
	"testing"

	"schedtune/simcore"
)

// Cores are shared: on one core two maps of 10 s of computing take 20 s, on
// two cores 10 s; without a number of cores they do not disturb each other.
func TestCoresAreShared(t *testing.T) {
	for cores, want := range []float64{10, 20, 10} {
		c := oneNode(2)
		c.Nodes[0].Cores = int32(cores)
		near(t, "computing", value(t, run(t, ideal(simcore.Resources, 1), c, stageOf(2, simcore.Dist{A: 10})), "makespan"),
			want, 1e-4)
	}
}

// A distribution without mean, and absurd recorded times, do not break time.
func TestAbsurdTimes(t *testing.T) {
	d := simcore.Dist{Kind: simcore.Pareto, A: 1, B: 0.05}
	if r := run(t, ideal(simcore.Sampled, 1), oneNode(4), stageOf(200, d)); value(t, r, "makespan") <= 0 {
		t.Error("no time passed")
	}
	w := stageOf(3, simcore.Dist{})
	w.Jobs[0].FirstTask, w.Jobs[0].MapDist, w.Tasks.Duration = 0, -1, []simcore.Time{-5, 0, -simcore.Hour}
	if r := run(t, ideal(simcore.Replay, 1), oneNode(1), w); value(t, r, "makespan") < 0 {
		t.Error("time ran backwards")
	}
}
