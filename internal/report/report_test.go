package report

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"schedtune/internal/report/svg"
	"schedtune/tune"
)

// A log by hand. The current configuration runs on workloads 0 to 4, each in 10 s but the last
// in 20. Trial 1 fails; trial 2 is luck on one workload; trial 3 takes 32 s on four workloads
// of 40 and ran in the confirmation too, which does not count; trial 4 takes 45 s on all five
// of 60.
const logText = `{"schema":"schedtune/trials/v1"}
{"trial":0,"origin":"present"}
{"run":0,"trial":0,"phase":"search","seed":1,"window":0,"metrics":{"makespan":10}}
{"run":1,"trial":0,"phase":"search","seed":1,"window":1,"metrics":{"makespan":10}}
{"run":2,"trial":0,"phase":"search","seed":1,"window":2,"metrics":{"makespan":10}}
{"run":3,"trial":0,"phase":"search","seed":1,"window":3,"metrics":{"makespan":10}}
{"run":4,"trial":0,"phase":"halving","seed":1,"window":4,"metrics":{"makespan":20}}
{"run":5,"trial":1,"phase":"search","seed":1,"window":0,"error":"stalled"}
{"run":6,"trial":2,"phase":"search","seed":1,"window":4,"metrics":{"makespan":5}}
{"run":7,"trial":3,"phase":"search","seed":1,"window":0,"metrics":{"makespan":8}}
{"run":8,"trial":3,"phase":"search","seed":1,"window":1,"metrics":{"makespan":8}}
{"run":9,"trial":3,"phase":"search","seed":1,"window":2,"metrics":{"makespan":8}}
{"run":10,"trial":3,"phase":"search","seed":1,"window":3,"metrics":{"makespan":8}}
{"run":11,"trial":4,"phase":"search","seed":1,"window":0,"metrics":{"makespan":9}}
{"run":12,"trial":4,"phase":"search","seed":1,"window":1,"metrics":{"makespan":9}}
{"run":13,"trial":4,"phase":"search","seed":1,"window":2,"metrics":{"makespan":9}}
{"run":14,"trial":4,"phase":"search","seed":1,"window":3,"metrics":{"makespan":9}}
{"run":15,"trial":4,"phase":"search","seed":1,"window":4,"metrics":{"makespan":9}}
{"run":16,"trial":3,"phase":"confirm","seed":1,"window":4,"metrics":{"makespan":1}}
{"decision":"halve","value":2}
`

func TestReadTrials(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trials.jsonl")
	if err := os.WriteFile(path, []byte(logText), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		maximise bool
		sign     float64
		best     [5]float64
	}{{false, 1, [5]float64{0, 0, 0, 0.2, 0.25}}, {true, -1, [5]float64{}}} {
		got, err := readTrials(path, tune.Objective{Metric: "makespan", Maximize: c.maximise})
		if err != nil {
			t.Fatal(err)
		}
		want := []trial{{Runs: 5, Pairs: 5, Steady: true}, {Runs: 6, Gain: math.NaN(), Pairs: 1},
			{Runs: 7, Gain: 0.75 * c.sign, Pairs: 1}, {Runs: 11, Gain: 0.2 * c.sign, Pairs: 4, Steady: true},
			{Runs: 16, Gain: 0.25 * c.sign, Pairs: 5, Steady: true}}
		for i := range got {
			want[i].Best = c.best[i]
			if diff := cmp.Diff(want[i], got[i].trial, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("maximise %v, trial %d: %s", c.maximise, i, diff)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d trials, want %d", len(got), len(want))
		}
	}
	if got, err := readTrials(path+".none", tune.Objective{}); got != nil || err != nil {
		t.Errorf("without a log: %v, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("{}\nnot json\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readTrials(path, tune.Objective{}); err == nil || !strings.Contains(err.Error(), "trials.jsonl:2:") {
		t.Errorf("error %v does not name the line", err)
	}
}

// Slices show the settings that carry most of the gain, wherever they are in the list of changes.
func TestSlicesByShare(t *testing.T) {
	share := func(v float64) *float64 { return &v }
	sum := &Summary{BestFound: &Found{Changes: []Change{{Setting: "root.a.user-limit-factor", Share: share(0.01)},
		{Setting: "root.b.maximum-capacity"}, {Setting: "root.c.maximum-capacity"}, {Setting: "slowstart",
			Share: share(0.63)}}},
		Importance: []tune.Importance{{Name: "root.d.ordering-policy", Share: 0.5}, {Name: "root.c.maximum-capacity",
			Share: 0.3},
			{Name: "slowstart", Share: 0.1}}}
	want := []string{"slowstart", "root.a.user-limit-factor", "root.c.maximum-capacity", "root.b.maximum-capacity",
		"root.d.ordering-policy"}
	if diff := cmp.Diff(want, sum.byShare()); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, i := range sum.importance() {
		names = append(names, i.Name)
	}
	if diff := cmp.Diff([]string{"slowstart", "root.c.maximum-capacity", "root.d.ordering-policy"}, names); diff != "" {
		t.Error(diff)
	}
}

// Better is positive in either direction: 10 s to 8 s is +20 %, a share of 0.5
// to 0.6 is +20 %.
func TestGainOf(t *testing.T) {
	if g := gainOf("makespan", 10, 8); math.Abs(g-0.2) > 1e-12 {
		t.Error(g)
	}
	if g := gainOf("utilisation", 0.5, 0.6); math.Abs(g-0.2) > 1e-12 {
		t.Error(g)
	}
}

// The text shows the current settings beside the front, on the same runs, and marks the point
// that was confirmed; the document names it, the first of the front too.
func TestFrontInText(t *testing.T) {
	at := func(x, y float64) Configuration {
		return Configuration{Metrics: []tune.Metric{{Name: "makespan", Interval: tune.Interval{Mean: x}},
			{Name: "mean-wait", Interval: tune.Interval{Mean: y}}}}
	}
	knee, own := 0, at(100, 50)
	sum := &Summary{Objectives: []string{"makespan", "mean-wait"}, Decision: tune.Decision{Recommended: true},
		Front: []Configuration{at(80, 40), at(90, 30)}, Knee: &knee, FrontPresent: &own}
	var b strings.Builder
	sum.printFront(&b)
	want := `
Pareto front of makespan and mean-wait: 2 configurations, none better than another in all
objectives; * is the compromise, which the confirmation measured. Means of the front's own runs.
summary.json has the settings of each (front[].settings)
         makespan  mean-wait
current  100 s     50 s
*        80 s      40 s
         90 s      30 s
`
	if b.String() != want {
		t.Errorf("%s, want %s", b.String(), want)
	}
	doc, err := json.Marshal(sum)
	if err != nil || !strings.Contains(string(doc), `"knee":0`) {
		t.Errorf("%v, %s", err, doc)
	}
}

// The chart of a front draws the current settings from the front's runs: where they are on
// the front, they stand on its point, whatever the confirmation measured.
func TestFrontOfOneSetOfRuns(t *testing.T) {
	at := func(x, y float64) Configuration {
		return Configuration{Metrics: []tune.Metric{{Name: "makespan", Interval: tune.Interval{Mean: x}},
			{Name: "mean-wait", Interval: tune.Interval{Mean: y}}}}
	}
	own := at(100, 30)
	knee := 1
	d := &page{Summary: &Summary{Objectives: []string{"makespan", "mean-wait"}, Present: at(104, 33),
		Front: []Configuration{at(90, 40), own}, Knee: &knee, FrontPresent: &own}}
	f, ok := d.frontFigure()
	if !ok {
		t.Fatal("no front")
	}
	got := map[string][]svg.Point{}
	for _, s := range f.draw(wide).(*svg.Chart).Series {
		got[s.Name] = s.Points
	}
	want := map[string][]svg.Point{"compromise": {{X: 100, Y: 30}}, "Pareto front": {{X: 90, Y: 40}},
		"current settings": {{X: 100, Y: 30}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	d.FrontPresent = nil
	if _, ok := d.frontFigure(); ok {
		t.Error("a front is drawn without the current settings")
	}
}
