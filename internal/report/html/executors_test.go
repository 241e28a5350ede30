package html

import (
	"bytes"
	"testing"

	"schedtune/internal/report/svg"
	"schedtune/internal/report/timeline"
	"schedtune/simcore"
)

// Executors have a line of their own beside maps and reduces, with a point per
// change at its second and level; a run without Spark has none, in the chart as in
// the picture.
func TestExecutorsAreCharted(t *testing.T) {
	w := &simcore.Workload{Queues: []string{"root.b", "root.a"}}
	r := timeline.New(w)
	r.Queues[0].Add(simcore.Second, 1)
	c := RunningTasks(r, "running")
	if len(c.Series) != 2 || bytes.Contains(c.File(), []byte("executors")) {
		t.Errorf("%d lines without Spark, want maps and reduces", len(c.Series))
	}
	for _, x := range []struct {
		at    simcore.Time
		delta int
	}{{2, 3}, {5, 2}, {9, -5}} {
		r.Executors.Add(x.at*simcore.Second, x.delta)
	}
	c = RunningTasks(r, "running")
	if len(c.Series) != 3 || c.Series[2].Name != "executors" || c.Series[2].Shape != svg.Step {
		t.Fatalf("%d lines, want executors as the third", len(c.Series))
	}
	level := map[float64]float64{}
	for _, p := range c.Series[2].Points {
		level[p.X] = p.Y
	}
	for at, want := range map[float64]float64{2: 3, 5: 5, 9: 0} {
		if got, ok := level[at]; !ok || got != want {
			t.Errorf("%g executors at %g s (%v), want %g", got, at, ok, want)
		}
	}
	if !bytes.Contains(c.File(), []byte("executors")) {
		t.Error("the picture does not name the executors")
	}
}
