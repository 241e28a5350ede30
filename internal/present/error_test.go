package present

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/inputs"
	"schedtune/internal/run"
	"schedtune/internal/stats"
	"schedtune/internal/testdata"
	"schedtune/yarnconf"
)

// Recorded runs that differ in settings only are pairs: from the record of one and
// the settings of the other the simulator predicts the ratio of makespans and of
// mean completion times, and the records tell it. The run that the prediction is
// made from teaches the calibration; the other is unknown to it.
func TestErrorOfChanges(t *testing.T) {
	base := testdata.Shared(t, "traces", "minimr")
	slowstart := map[string]float64{"run-01": 0.05, "run-02": 0.5, "run-03": 1, "run-04": 0.05, "run-05": 0.05, "run-06": 0.5, "run-07": 1}
	metrics := []string{"makespan", "mean-completion"}
	recorded := map[string][]map[string]float64{} // by scenario
	runs := map[bool][]string{}
	var site string
	for _, even := range []bool{true, false} {
		var dirs []string
		dirs, site = recordedRuns(t, even)
		for _, d := range dirs {
			if slowstart[scenario(d)] == 0 || strings.HasSuffix(d, "loaded") {
				continue
			}
			runs[even] = append(runs[even], d)
			recorded[scenario(d)] = append(recorded[scenario(d)], valuesOf(t, d, site))
		}
	}
	for _, even := range []bool{true, false} {
		inside, n := map[string]int{}, 0
		for _, d := range runs[even] {
			c, l := load(t, d, filepath.Join(d, "capacity-scheduler.xml"), site)
			r := Compare(c, l, 1)
			own, now := simulated(t, c, filepath.Join(d, "capacity-scheduler.xml"), site, -1, metrics), valuesOf(t, d, site)
			for other := range recorded {
				if other == scenario(d) {
					continue
				}
				files, err := filepath.Glob(filepath.Join(base, other+"*", "capacity-scheduler.xml"))
				if err != nil || len(files) != 1 {
					t.Fatal(other, err)
				}
				then := simulated(t, c, files[0], site, slowstart[other], metrics)
				n++
				for _, m := range metrics {
					var came []float64
					for _, v := range recorded[other] {
						came = append(came, v[m])
					}
					e := math.Log(stats.Mean(came)/now[m]) - math.Log(then[m]/own[m])
					if math.Abs(e) <= 1.645*r.Error(m).Spread {
						inside[m]++
					}
				}
			}
		}
		for _, m := range metrics {
			share := float64(inside[m]) / float64(n)
			t.Logf("even %v: %.0f %% of %d errors of %s inside the 90 %% interval", even, 100*share, n, m)
			if share < 0.85 {
				t.Errorf("even %v: %.0f %% of %s inside, want about 90", even, 100*share, m)
			}
		}
	}
}

// valuesOf are a record's makespan and mean completion.
func valuesOf(t *testing.T, dir, site string) map[string]float64 {
	t.Helper()
	c, _ := load(t, dir, filepath.Join(dir, "capacity-scheduler.xml"), site)
	first, last, sum, n := math.Inf(1), 0.0, 0.0, 0.0
	for _, o := range observe(c.Recorded) {
		first, last, sum, n = min(first, o.submit), max(last, o.finish), sum+o.finish-o.submit, n+1
	}
	return map[string]float64{"makespan": last - first, "mean-completion": sum / n}
}

// simulated are means over twenty runs of a case under a file and a slowstart.
func simulated(t *testing.T, c *inputs.Case, config, site string, slowstart float64, metrics []string) map[string]float64 {
	t.Helper()
	doc, err := yarnconf.Load(config)
	if err != nil {
		t.Fatal(err)
	}
	s, err := yarnconf.Load(site)
	if err != nil {
		t.Fatal(err)
	}
	other := *c
	other.Doc = doc.WithSite(s)
	other.Props = other.Doc
	r, err := run.New(&other, run.Options{Jitter: run.Replications()})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	const n = 20
	for i := range uint64(n) {
		res, err := r.Run(run.Item{Slowstart: slowstart, Seed: 100 + i})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range metrics {
			out[m] += run.Value(res, m) / n
		}
	}
	return out
}
