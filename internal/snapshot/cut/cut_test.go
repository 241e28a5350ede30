package cut

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/snapshot"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/validation/testdata"
)

// scored is a predicted start beside the recorded one, in seconds.
type scored struct {
	app        string
	wait, rest float64 // recorded: from submission, from the instant
	got        float64 // predicted, from the instant
	low, high  float64
}

// predict scores the applications that wait at an instant.
func predict(t *testing.T, r *Run, earlier []*Run, at simcore.Time, replications int) (out []scored) {
	t.Helper()
	dir := t.TempDir()
	if err := r.Write(dir, at, earlier); err != nil {
		t.Fatal(err)
	}
	o, err := snapshot.Open(dir, snapshot.Options{Replications: replications, Seed: 1})
	if err != nil {
		t.Fatalf("%s at %v: %v", r.Name, at.Std(), err)
	}
	starts, err := o.Starts(t.Context(), nil)
	if err != nil {
		t.Fatalf("%s at %v: %v", r.Name, at.Std(), err)
	}
	for i := range starts {
		a := r.app(starts[i].App.ID)
		if a.Allocated == simcore.Never {
			continue // not recorded
		}
		low, high := starts[i].Interval()
		out = append(out, scored{a.Name, (a.Allocated - a.Submit).Seconds(), (a.Allocated - at).Seconds(),
			starts[i].Quantile(0.5).Seconds(), low.Seconds(), high.Seconds()})
	}
	return out
}

// instants draws moments of a run at which something waits.
func instants(r *Run, key rng.Key, n int) (out []simcore.Time) {
	last := simcore.Time(0)
	for i := range r.Apps {
		if at := r.Apps[i].Allocated; at != simcore.Never {
			last = max(last, at)
		}
	}
	for k := range n {
		at := simcore.Time((5 + key.Float64(uint64(k))*(last.Seconds()-5)) * 1e6)
		if len(r.Waiting(at)) > 0 {
			out = append(out, at)
		}
	}
	return out
}

// figures of a list: medians of the absolute error as a part of the wait and of what
// is left of it, and the share inside the intervals.
func figures(list []scored) (ofWait, ofRest, inside float64) {
	var a, b []float64
	for _, x := range list {
		a, b = append(a, math.Abs(x.got-x.rest)/x.wait), append(b, math.Abs(x.got-x.rest)/x.rest)
		if x.low <= x.rest && x.rest <= x.high {
			inside++
		}
	}
	return stats.Median(a), stats.Median(b), inside / float64(len(list))
}

// loadRuns reads the recorded runs, the earliest first.
func loadRuns(t *testing.T) []*Run {
	t.Helper()
	var runs []*Run
	for _, glob := range []string{"minimr/run-0[1-8]*", "minimr/repeats/*", "minispark/run-*"} {
		dirs, err := filepath.Glob(filepath.Join(testdata.Shared(t, "traces"), glob))
		if err != nil || len(dirs) == 0 {
			t.Fatalf("%s: got %d runs, error %v", glob, len(dirs), err)
		}
		for _, d := range dirs {
			r, err := Load(d)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b *Run) int { return int(a.Epoch - b.Epoch) })
	return runs
}

// TestRecordedStarts prints one half of results/starts.csv: recorded runs in order of
// time, every other one (SCHEDTUNE_HALF=0, on which the allowances of package moment
// were set, or 1), cut at drawn instants; the history is what was over by then, with
// the earlier runs and without.
func TestRecordedStarts(t *testing.T) {
	if os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("set SCHEDTUNE_LONG=1 to predict the starts of recorded runs")
	}
	runs := loadRuns(t)
	half, name := 0, "development"
	if os.Getenv("SCHEDTUNE_HALF") == "1" {
		half, name = 1, "judged"
	}
	fmt.Println("half,history,run,waits,error_of_wait_percent,error_of_rest_percent,inside_percent")
	for _, with := range []bool{true, false} {
		var all, spark []scored
		for i, r := range runs {
			if i%2 != half {
				continue
			}
			var mine []scored
			earlier := runs[:i]
			if !with {
				earlier = nil
			}
			for _, at := range instants(r, rng.NewKey(24, 7).At(uint64(i)), 6) {
				mine = append(mine, predict(t, r, earlier, at, 60)...)
			}
			if len(mine) > 0 {
				fmt.Println(line(name, with, r.Name, mine))
			}
			all = append(all, mine...)
			if strings.Contains(r.Dir, "minispark") {
				spark = append(spark, mine...)
			}
		}
		fmt.Println(line(name, with, "spark", spark))
		fmt.Println(line(name, with, "all", all))
	}
}

func line(half string, history bool, name string, list []scored) string {
	w, r, in := figures(list)
	return fmt.Sprintf("%s,%v,%s,%d,%.1f,%.1f,%.0f", half, history, name, len(list), 100*w, 100*r, 100*in)
}

// dayBefore is a run as it would be in the history of the day after.
func dayBefore(t *testing.T, dir string) *Run {
	t.Helper()
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Trace.Jobs {
		j := &r.Trace.Jobs[i]
		j.ID = strings.Replace(j.ID, "job_1", "job_0", 1)
		for _, m := range []*trace.Millis{&j.Submit, &j.Launch, &j.Finish} {
			*m -= 86_400_000
		}
		for k := range j.Tasks {
			for n := range j.Tasks[k].Attempts {
				a := &j.Tasks[k].Attempts[n]
				for _, m := range []*trace.Millis{&a.Start, &a.ShuffleEnd, &a.SortEnd, &a.Finish} {
					if m.Known() {
						*m -= 86_400_000
					}
				}
			}
		}
	}
	return r
}

// The run of the repository. Without a history nobody knows how long its first tasks
// last, and the intervals say so; with the same jobs of the day before the starts are
// known.
func TestOwnRun(t *testing.T) {
	dir := testdata.Run(t, "mapreduce")
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		earlier      []*Run
		most, inside float64
	}{{nil, 0.6, 0.85}, {[]*Run{dayBefore(t, dir)}, 0.15, 0.85}} {
		var all []scored
		for _, at := range instants(r, rng.NewKey(24, 8), 60) {
			all = append(all, predict(t, r, c.earlier, at, 20)...)
		}
		for _, x := range all {
			t.Logf("%-12s waited %6.1f s, left %6.1f, predicted %6.1f (%.1f to %.1f)", x.app, x.wait, x.rest, x.got, x.low,
				x.high)
		}
		w, _, in := figures(all)
		t.Logf("%d waits, %d earlier runs: median error %.1f %% of the wait, %.0f %% inside", len(all), len(c.earlier),
			100*w, 100*in)
		if len(all) < 5 || w > c.most || in < c.inside {
			t.Errorf("%d waits, median error %.2f, %.2f inside the intervals; want 5, at most %.2f, at least %.2f", len(all), w,
				in, c.most, c.inside)
		}
	}
}
