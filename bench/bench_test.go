package main

import (
	"os"
	"testing"

	"schedtune/tune"
)

// smallTable is a small version of the benchmark for the claims: the suite's
// ten-dimensional problems, instance 7, few repeats.
func smallTable(t *testing.T, names ...string) *table {
	t.Helper()
	repeats := 5
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		repeats = 25
	}
	ps, err := functionProblems([]int{10}, 7, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var ms []method
	for _, m := range append(ourMethods(), baselines()...) {
		for _, n := range names {
			if m.name == n {
				ms = append(ms, m)
			}
		}
	}
	if len(ms) != len(names) {
		t.Fatalf("%d of %d methods found", len(ms), len(names))
	}
	tb, err := runAll(ps, ms, repeats, 2, 1, func(*table, int) (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

// Against random search and the stock GA: at most half the final regret and at
// least 4 times fewer runs to target, each on 80 % of problems.
func TestBeatsRandomAndStockGA(t *testing.T) {
	tb := smallTable(t, "ours", "random, 5 seeds", "eaopt GA stock, 5 seeds")
	for m := 1; m < len(tb.methods); m++ {
		v := tb.compare(0, m)
		t.Logf("%s: at most half %.2f, at least four times %.2f, geometric mean %.2f", v.name, v.half, v.four, v.geomean)
		if v.half < 0.8 {
			t.Errorf("%s: at most half the regret on %.0f %% of problems, want 80 %%", v.name, 100*v.half)
		}
		if v.four < 0.8 {
			t.Errorf("%s: four times fewer runs to target on %.0f %% of problems, want 80 %%", v.name, 100*v.four)
		}
	}
}

// Against the hand-tuned GA and DE: no worse on 80 % of problems, at least 1.5
// times fewer runs in the geometric mean.
func TestBeatsTunedGAAndDE(t *testing.T) {
	tb := smallTable(t, "ours", "eaopt GA tuned, 2 seeds", "eaopt DE tuned, 2 seeds")
	for m := 1; m < len(tb.methods); m++ {
		v := tb.compare(0, m)
		t.Logf("%s: no worse %.2f, geometric mean %.2f", v.name, v.noWorse, v.geomean)
		if v.noWorse < 0.8 || v.geomean < 1.5 {
			t.Errorf("%s: no worse on %.0f %%, %.2f times fewer runs, want 80 %% and 1.5", v.name, 100*v.noWorse, v.geomean)
		}
	}
}

// The suite's problems are what they claim: the current configuration costs about 3, the
// optimum about 1, and no random point beats the optimum.
func TestFunctionsAreScaled(t *testing.T) {
	ps, err := functionProblems([]int{5, 20}, 1, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		if v := p.present(); v < 2 || v > 6 {
			t.Errorf("%s: the current configuration costs %v, want 2 to 6", p.name, v)
		}
		if p.best < 0.99 || p.best > 2.5 {
			t.Errorf("%s: the optimum costs %v, want 0.99 to 2.5", p.name, p.best)
		}
		s, err := tune.NewSampler("random", tune.SamplerConfig{Space: p.space, Population: 200})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range s.Ask() {
			if v := p.truth(p.space.Decode(u)); v < p.best-1e-9 {
				t.Errorf("%s: a random point costs %v, want the optimum %v or more", p.name, v, p.best)
			}
		}
	}
}

// A repeat is a pure function of problem, method and seed.
func TestRepeatsAreDeterministic(t *testing.T) {
	ps, err := functionProblems([]int{5}, 3, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append(ourMethods(), baselines()...) {
		a, _, err := runOne(ps[6], m, 4)
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := runOne(ps[6], m, 4)
		if err != nil {
			t.Fatal(err)
		}
		if len(a) != len(b) || a.final() != b.final() {
			t.Errorf("%s: two runs with one seed end at %v and %v in %d and %d steps, want equal ones", m.name, a.final(),
				b.final(), len(a), len(b))
		}
	}
}

func BenchmarkSimulator(b *testing.B) {
	ps, err := simProblems(1, 400)
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range ps {
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			seed := uint64(0)
			for b.Loop() {
				seed++
				p.run(p.space.PresentSettings(), seed)
			}
		})
	}
}
