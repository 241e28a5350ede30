package predict

import (
	"math"
	"testing"
)

// Equations 4 and 5 with K = 2, F_o = 1/s, A_o = 8, m' = 3, T_m = 4, r = 8:
// t_fair = 2 3 / 1 + 4 = 10 s; s = 1 1/2 10 = 5 (and (K-1) m' + F_o (K-1) T_m / K
// = 3 + 2); t_batch = 5 8 / (1 16) = 2.5 s.
func TestBatchTimes(t *testing.T) {
	j := MapStage{Running: true, ReducesStarted: true, Pending: 3, Reduces: 8, MapTime: 4}
	fair, batch := j.BatchTimes(ReleaseEstimate{Frequency: 1, Available: 8}, 2)
	near(t, "t_fair", fair, 10, 1e-12)
	near(t, "t_batch", batch, 2.5, 1e-12)
	if fair, _ := j.BatchTimes(ReleaseEstimate{}, 2); !math.IsInf(fair, 1) {
		t.Errorf("no releases: t_fair %v, want +Inf", fair)
	}
}

// Algorithm 2 takes the largest t_fair - t_batch. With K = 3 (F_o = 1, A_o = 8):
// job 0: fair 3 2 + 4 = 10, s = 20/3, batch (20/3) 8/16 = 10/3, gain 20/3;
// job 1: fair 3 5 + 4 = 19, s = 38/3, batch (38/3) 8/9 = 304/27, gain 7.74.
// Job 2 has not begun its reduces.
func TestBatchFinish(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 8}
	jobs := []MapStage{
		{Running: true, ReducesStarted: true, Pending: 2, Reduces: 8, MapTime: 4},
		{Running: true, ReducesStarted: true, Pending: 5, Reduces: 1, MapTime: 4},
		{Running: true, Pending: 50, Reduces: 50, MapTime: 4},
	}
	if got := BatchFinish(jobs, e); got != 1 {
		t.Errorf("picked %d, want 1", got)
	}
	jobs[1].Pending = 0
	if got := BatchFinish(jobs, e); got != 0 {
		t.Errorf("picked %d, want 0", got)
	}
	if got := BatchFinish(jobs[2:], e); got != -1 {
		t.Errorf("picked %d, want none", got)
	}
}

// Whether batch finish would serve another job first asks only running jobs that have
// begun their reduces and have maps left. The job's t_fair - t_batch by equations 4 and 5
// with K = 2: t_fair = 2 10 + 3 = 23, t_batch = 23/2 10/12 = 9.58; the other's is larger
// with 100 maps pending.
func TestBatchServesOnlyJobsThatReduce(t *testing.T) {
	e := ReleaseEstimate{Frequency: 1, Available: 10}
	j := MapStage{Running: true, Pending: 14, Reduces: 2, MapTime: 3, ShuffleTime: 20}
	idle := MapStage{Running: true} // so that K is 2 whatever the other does
	for name, c := range map[string]struct {
		other MapStage
		want  int
	}{
		"reduces": {MapStage{Running: true, ReducesStarted: true, Pending: 100, Reduces: 2, MapTime: 3},
			-1},
		"not begun":        {MapStage{Running: true, Pending: 100, MapTime: 3}, 1},
		"no maps left":     {MapStage{Running: true, ReducesStarted: true, Reduces: 50, MapTime: 300}, 1},
		"no longer active": {MapStage{ReducesStarted: true, Pending: 100, Reduces: 2, MapTime: 3}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			jobs := []MapStage{c.other, j}
			if !c.other.Running {
				jobs = append(jobs, idle)
			}
			if got := (LazyStart{BatchFollows: true}).Pick(jobs, e); got != c.want {
				t.Errorf("the other job: %s: picked %d, want %d", name, got, c.want)
			}
		})
	}
}

// The largest gain is served wherever it stands: with K = 2 (F_o = 1, A_o = 8) five maps and
// eight reduces gain more than two maps and eight reduces.
func TestBatchFinishOrder(t *testing.T) {
	large := MapStage{Running: true, ReducesStarted: true, Pending: 5, Reduces: 8, MapTime: 4}
	small := large
	small.Pending = 2
	e := ReleaseEstimate{Frequency: 1, Available: 8}
	for want, jobs := range [][]MapStage{{large, small}, {small, large}} {
		if got := BatchFinish(jobs, e); got != want {
			t.Errorf("picked %d of %+v, want %d", got, jobs, want)
		}
	}
}

// Equations 4 and 5 where containers come by more than one a second: K = 2, F_o = 2/s, A_o = 8,
// m' = 3, T_m = 4, r = 8: t_fair = 2 3 / 2 + 4 = 7 s; s = 2 1/2 7 = 7; t_batch = 7 8 / (2 16).
func TestBatchTimesOfFrequentReleases(t *testing.T) {
	j, e := MapStage{Pending: 3, Reduces: 8, MapTime: 4}, ReleaseEstimate{Frequency: 2, Available: 8}
	fair, batch := j.BatchTimes(e, 2)
	near(t, "t_fair", fair, 7, 1e-12)
	near(t, "t_batch", batch, 1.75, 1e-12)
	if fair, batch := j.BatchTimes(e, 0); !math.IsInf(fair, 1) || !math.IsInf(batch, 1) {
		t.Errorf("no job shares the releases: %v, %v; want +Inf", fair, batch)
	}
}
