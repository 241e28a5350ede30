package study

import (
	"fmt"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
)

// threeNights has jobs every five minutes for three hours from the begin of each of three days.
func threeNights() *simcore.Workload {
	w := &simcore.Workload{Name: "nights", Queues: []string{"root.a"}, Users: []string{"u"}}
	for i := range 3 * 36 {
		at := simcore.Time(i/36)*24*simcore.Hour + simcore.Time(i%36)*5*simcore.Minute
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprint(i), Submit: at, Maps: 1, FirstTask: int32(i), MapDist: -1,
			ReduceDist: -1})
		w.Tasks.Duration = append(w.Tasks.Duration, simcore.Second)
	}
	return w
}

// Nights that are resampled stay nights: without any further spread every job keeps its time after
// the begin of its night, nights are mixed, and the drawn period is as long as one.
func TestNightsAreDrawnFromNights(t *testing.T) {
	w := threeNights()
	seasons := seasonsOf(w, scenario.Windows(w, 3))
	if len(seasons) != 3 || seasons[2].Start != 48*simcore.Hour || seasons[0].Length <= 175*simcore.Minute-1 {
		t.Fatalf("got seasons %+v, want three of 175 minutes", seasons)
	}
	day := 24 * simcore.Hour
	nights := map[simcore.Time]bool{}
	for k := range uint64(20) {
		drawn := Workload(w, Spread{Seasons: seasons, Part: 1}, rng.NewKey(31, k))
		if n := len(drawn.Jobs); n < 30 || n > 42 {
			t.Errorf("seed 31, draw %d: %d jobs, want about the 36 of a night", k, n)
		}
		for _, j := range drawn.Jobs {
			var i int
			if _, err := fmt.Sscanf(j.ID, "%d#", &i); err != nil {
				t.Fatal(err)
			}
			from := w.Jobs[i].Submit
			if nights[from/day] = true; j.Submit != from%day {
				t.Errorf("seed 31, draw %d: job %s at %v after a night's begin, want %v", k, j.ID, j.Submit, from%day)
			}
		}
	}
	if len(nights) != 3 {
		t.Errorf("drawn from nights %v, want all three", nights)
	}
}

// A record without idle times of day has no seasons, nor has one window.
func TestOtherRecordsHaveNoSeasons(t *testing.T) {
	w := threeNights()
	if s := seasonsOf(w, scenario.Windows(w, 1)); s != nil {
		t.Errorf("one window: got %+v, want none", s)
	}
	for i := range w.Jobs {
		w.Jobs[i].Submit = simcore.Time(i) * 10 * simcore.Minute
	}
	if s := seasonsOf(w, scenario.Windows(w, 4)); s != nil {
		t.Errorf("without pauses: got %+v, want none", s)
	}
}
