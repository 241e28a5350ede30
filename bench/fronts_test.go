package main

import (
	"math"
	"slices"
	"testing"

	"schedtune/tune"
)

// Areas by hand: one point 2 by 3 from the reference; a dominated one adds nothing, a
// step adds its own rectangle, points beyond the reference count for nothing, and the
// order does not matter.
func TestDominatedArea(t *testing.T) {
	ref := [2]float64{10, 10}
	for name, c := range map[string]struct {
		points [][2]float64
		want   float64
	}{
		"none":         {nil, 0},
		"one":          {[][2]float64{{8, 7}}, 6},
		"dominated":    {[][2]float64{{8, 7}, {9, 8}}, 6},
		"step":         {[][2]float64{{8, 7}, {9, 4}}, 6 + 3},
		"step, turned": {[][2]float64{{9, 4}, {8, 7}}, 6 + 3},
		"one above":    {[][2]float64{{8, 7}, {8, 5}}, 10},
		"beyond":       {[][2]float64{{11, 1}, {1, 11}, {10, 1}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := dominatedArea(c.points, ref); got != c.want {
				t.Errorf("%v: area %v, want %v", c.points, got, c.want)
			}
		})
	}
}

// An archive keeps what no other point dominates, once.
func TestArchive(t *testing.T) {
	var a archive
	for i, c := range []struct {
		values  []float64
		changes bool
		left    int
	}{
		{[]float64{5, 5}, true, 1}, {[]float64{5, 5}, false, 1}, {[]float64{6, 5}, false, 1},
		{[]float64{4, 6}, true, 2}, {[]float64{5, 4}, true, 2}, {[]float64{1, 1}, true, 1},
	} {
		if got := a.add(tune.Settings{{Name: "x", Value: string(rune('a' + i))}}, c.values); got != c.changes ||
			len(a) != c.left {
			t.Errorf("step %d: changed %v, %d points; want %v, %d", i, got, len(a), c.changes, c.left)
		}
	}
	if s := a.settings(); len(s) != 1 || s[0][0].Value != "f" {
		t.Errorf("left %v, want the last point", s)
	}
}

// On drawn workloads with limits the current configuration counts 1 in both objectives and
// keeps its limits.
func TestFrontsAsTheCommandHasThem(t *testing.T) {
	ps, err := frontProblems(3, 40, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps[:2] {
		if got, want := -p.present(), math.Pow(0.1/1.1, 2); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: volume of the current configuration %v, want %v", p.name, got, want)
		}
		if v := p.runs(p.space.PresentSettings(), 7); v[0] != 1 || v[1] != 1 {
			t.Errorf("%s: the current configuration costs %v, want 1 and 1", p.name, v)
		}
	}
	for _, p := range ps {
		if len(p.study.Constraints) == 0 || len(p.study.HoldOut) == 0 {
			t.Errorf("%s: %d limits, %d windows held out, want some of each", p.name, len(p.study.Constraints),
				len(p.study.HoldOut))
		}
	}
}

// The current configuration is a tenth inside the reference point in both objectives,
// so that its volume is a part of (0.1/1.1)^2; a front never counts for less than a part
// of it; the recommendations of random search never get worse in their own measurement.
func TestFrontProblems(t *testing.T) {
	ps, err := frontProblems(3, 40, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(ps) != 6 {
		t.Fatalf("%d problems, want 6", len(ps))
	}
	for _, p := range ps {
		if got, want := -p.present(), math.Pow(0.1/1.1, 2); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: volume of the current configuration %v, want %v", p.name, got, want)
		}
		var last []tune.Settings
		err := frontMethods("")[2].run(p, 1, func(runs int, rec ...tune.Settings) {
			if runs > p.budget || len(rec) == 0 {
				t.Errorf("%s: %d points after %d runs of %d", p.name, len(rec), runs, p.budget)
			}
			last = slices.Clone(rec)
		})
		if err != nil {
			t.Fatal(err)
		}
		if all, some := p.volume(last), p.volume(last[:1]); all > some+1e-12 {
			t.Errorf("%s: a front counts for %v, a part of it for %v", p.name, -all, -some)
		}
	}
}
