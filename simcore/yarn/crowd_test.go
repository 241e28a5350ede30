package yarn

import (
	"testing"

	"schedtune/simcore"
)

// crowdRun runs the maps of a job at the same time on a node, or one after the other, and returns
// the time from the first start to each end, in seconds.
func crowdRun(t *testing.T, mib int64, slope, neighbours float64, times ...float64) float64 {
	t.Helper()
	w := oneJob(int32(len(times)), 0, 0, 0)
	w.Jobs[0].FirstTask, w.Jobs[0].MapDist = 0, -1
	for _, s := range times {
		w.Tasks.Duration = append(w.Tasks.Duration, simcore.Seconds(s))
	}
	cal := plain()
	cal.TaskSlowdown, cal.TaskNeighbours = slope, neighbours
	sim, _ := mustRun(t, testCluster(1, mib), w, Options{}, RunConfig{Calibration: cal}, newFIFO(1024))
	return (sim.JobTimes()[0].LastMap - sim.JobTimes()[0].FirstMap).Seconds()
}

// Beside n others a task takes 1 + slope n times as long, for as long as they are there.
func TestCrowdedTasks(t *testing.T) {
	for _, c := range []struct {
		name              string
		room              int64 // tasks at once
		slope, neighbours float64
		times             []float64
		want              float64
	}{
		{"alone", 1, 0.5, 0, []float64{10}, 10},
		{"no slowdown", 4, 0, 3, []float64{10, 10, 10, 10}, 10},
		{"two equal", 2, 0.5, 0, []float64{10, 10}, 15},
		{"four equal", 4, 0.25, 0, []float64{10, 10, 10, 10}, 17.5},
		{"the longer one goes on alone", 2, 0.5, 0, []float64{10, 20}, 25},
		{"recorded beside one other", 2, 0.5, 1, []float64{15, 15}, 15},
		{"recorded beside one other, alone now", 1, 0.5, 1, []float64{15}, 10},
		{"three, one after the other ends", 3, 1, 0, []float64{10, 20, 30}, 10*3 + 10*2 + 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := crowdRun(t, 1024*(c.room+1), c.slope, c.neighbours, c.times...)
			if got < c.want-1e-4 || got > c.want+1e-4 {
				t.Errorf("got %v s, want %v s", got, c.want)
			}
		})
	}
}
