package yarn

import (
	"testing"

	"schedtune/simcore"
)

// A job is submitted its think time after the end of the last one that it follows, whenever that
// is; at its own time where none of these is there.
func TestChains(t *testing.T) {
	const second = simcore.Second
	for _, c := range []struct {
		name  string
		after []string
		think simcore.Time
		maps  int32 // of the first job
		last  int   // job at whose end it comes, -1 = at its own time
	}{
		{"one", []string{"a"}, 5 * second, 1, 0},
		{"one that takes longer than recorded", []string{"a"}, 5 * second, 40, 0},
		{"the later of two", []string{"b", "a"}, 0, 1, 1},
		{"one after days", []string{"a"}, 72 * simcore.Hour, 1, 0},
		{"one that is not there", []string{"x"}, 5 * second, 1, -1},
		{"one that is not there and another", []string{"x", "a"}, 5 * second, 1, 0},
		{"itself and a later one", []string{"c", "d"}, 5 * second, 1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := oneJob(c.maps, 0, 10, 0)
			for i, id := range []string{"b", "c", "d"} {
				j := w.Jobs[0]
				j.ID, j.Maps, j.Submit = id, 1, simcore.Time(i)*100*second
				w.Jobs = append(w.Jobs, j)
			}
			w.Jobs[0].ID, w.Jobs[2].After, w.Jobs[2].Think = "a", c.after, c.think
			w.Jobs[1].Maps = 2 * c.maps
			_, r := mustRun(t, testCluster(1, 4096), w, Options{}, RunConfig{Calibration: plain()}, newFIFO(4))
			want := w.Jobs[2].Submit
			if c.last >= 0 {
				want = r.Jobs[c.last].Finish + c.think
			}
			if got := r.Jobs[2].Submit; got != want || r.Jobs[2].Failed {
				t.Errorf("submitted at %v, failed %v, want at %v", got.Std(), r.Jobs[2].Failed, want.Std())
			}
		})
	}
}
