package tune

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"schedtune/internal/rng"
)

// needed are the values below which a setting holds work back.
var needed = []struct {
	name string
	most float64
}{{"c", 70}, {"k", 55}, {"v", 90}}

// hinted is a problem of many settings of which three hold work back: a run hints at those that are below what it
// needs, by the amount that is missing.
func hinted(t testing.TB, workers int, hints bool) Problem {
	var ps []Param
	for i := range 24 {
		ps = append(ps, Param{Name: string(rune('a' + i)), Max: 100, Step: 1, Present: "20"})
	}
	return Problem{Space: mustSpace(t, ps...), Objectives: []Objective{{Metric: "cost"}},
		Evaluator: Pool(workers, func(_ context.Context, it Item) Outcome {
			cost := 10.0
			var out []Hint
			for _, n := range needed {
				if v := value(it, n.name); v < n.most {
					cost += (n.most - v) / 10
					out = append(out, Hint{n.name, n.most - v, (n.most - v) / 200})
				}
			}
			if !hints {
				out = nil
			}
			noise := math.Exp(0.05 * rng.NewKey(it.Seed, 1).Norm(0))
			return Outcome{Metrics: map[string]float64{"cost": cost * noise}, Hints: out}
		})}
}

// A search that is told what holds work back has after 30 runs all of the gain, which one that is not has not.
func TestHintsHelp(t *testing.T) {
	cost := func(hints bool, budget int) (sum float64) {
		for seed := range uint64(4) {
			r := search(t, hinted(t, 1, hints), Options{Seed: seed, Budget: budget, Off: PartAblation | PartConfirm})
			for _, n := range needed {
				sum += math.Max(0, n.most-value(Item{Settings: r.Shown().Settings}, n.name)) / 40
			}
		}
		return sum
	}
	with, without := cost(true, 30), cost(false, 30)
	t.Logf("cost beyond the least %.2f with hints, %.2f without", with, without)
	if with > 0.1 || without < 1 {
		t.Errorf("cost beyond the least %.2f with hints, %.2f without", with, without)
	}
}

// Hints are in the log, and a study that uses them is the same for any number of workers and when it resumes.
func TestHintsResume(t *testing.T) {
	dir := t.TempDir()
	o := Options{Seed: 3, Budget: 100}
	log, res := logged(t, hinted(t, 1, true), o, filepath.Join(dir, "full"))
	if !bytes.Contains(log, []byte(`"hints":[{"param":"v"`)) || !bytes.Contains(log, []byte(`"bottleneck"`)) {
		t.Fatal("the log has no hints, or no configuration that they led to")
	}
	for name, cut := range map[string]int{"8 workers": 0, "resumed": len(log) / 2} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, log[:cut], 0o644); err != nil {
				t.Fatal(err)
			}
			again, res2 := logged(t, hinted(t, 8, true), o, path)
			if !bytes.Equal(log, again) || !bytes.Equal(res, res2) {
				t.Error("another study")
			}
		})
	}
}

// The hints of a trial by hand: each parameter once, the mean move by weight, the largest weight first.
func TestHintsOfATrial(t *testing.T) {
	tr := &trial{runs: map[instance]Outcome{
		{seed: 1}: {Hints: []Hint{{"a", 10, 0.5}, {"b", -4, 0.25}}},
		{seed: 2}: {Hints: []Hint{{"b", -8, 0.75}}},
	}}
	got := hintsOf(tr)
	if len(got) != 2 || got[0] != (Hint{"b", -7, 0.5}) || got[1] != (Hint{"a", 10, 0.25}) {
		t.Errorf("got %+v, want b by -7 with 0.5 and a by 10 with 0.25", got)
	}
}
