package main

import (
	"slices"
	"strings"
	"testing"
)

// What is drawn covers what the trees are to cover, and a problem is a pure function
// of its number.
func TestTreesAreDrawnAsSaid(t *testing.T) {
	count := map[string]int{}
	objectives := map[string]bool{}
	const n = 400
	for i := range n {
		s := drawTree(i)
		if s != drawTree(i) {
			t.Fatalf("tree %d is drawn twice and differs", i)
		}
		if s.levels < 2 || s.levels > 3 || s.leaves < 4 || s.leaves > 12 || s.hours < 0.5 || s.hours > 1.5 || s.load < 0.4 ||
			s.load > 1.3 {
			t.Errorf("%v is outside what is drawn from", s)
		}
		for name, on := range map[string]bool{"three levels": s.levels == 3, "sane": s.sane, "weights": s.weights,
			"drawn": s.drawn, "limits": s.limit != ""} {
			if on {
				count[name]++
			}
		}
		objectives[s.objective] = true
	}
	// Binomial with n = 400: four standard deviations are 40 at a half, 35 at a quarter.
	for name, want := range map[string]int{"three levels": n / 2, "sane": n / 2, "weights": n / 4, "drawn": n / 2,
		"limits": n / 2} {
		if d := count[name] - want; d < -40 || d > 40 {
			t.Errorf("%s: %d of %d, want about %d", name, count[name], n, want)
		}
	}
	if len(objectives) != len(treeObjectives()) {
		t.Errorf("%d of %d objectives drawn", len(objectives), len(treeObjectives()))
	}
}

// The current configuration costs 1 by definition, its files are valid, and the
// same number gives the same cost.
func TestTreeProblems(t *testing.T) {
	ps, err := treeProblems(4, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	again, err := treeProblems(4, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range ps {
		if v := p.present(); v < 1-1e-9 || v > 1+1e-9 {
			t.Errorf("%s: the current configuration costs %v, want 1", p.name, v)
		}
		u := p.space.Present()
		for k := range u {
			u[k] = 0.3
		}
		s := p.space.Decode(u)
		if a, b := p.run(s, 5), again[i].run(s, 5); a != b || a <= 0 {
			t.Errorf("%s: costs %v and %v, want equal ones above 0", p.name, a, b)
		}
		if !strings.Contains(p.name, "leaves") || p.space.Dim() < 5 {
			t.Errorf("%s: %d parameters, want leaves in the name and 5 or more", p.name, p.space.Dim())
		}
	}
}

// Leaves, parents and levels of a tree fit: every leaf is a sibling once, every
// parent has two children or more, and there are as many leaves as drawn.
func TestTreeLeaves(t *testing.T) {
	for i := range 200 {
		s := drawTree(i)
		leaves, levels := treeLeaves(s, newDraws(1))
		children := map[string]int{}
		for _, lv := range levels {
			if len(lv.Queues) < 2 {
				t.Errorf("tree %d: %s has %d children", i, lv.Parent, len(lv.Queues))
			}
			for _, q := range lv.Queues {
				children[q]++
			}
		}
		if len(leaves) != s.leaves {
			t.Errorf("tree %d: %d leaves, want %d", i, len(leaves), s.leaves)
		}
		for _, l := range leaves {
			if children[l] != 1 {
				t.Errorf("tree %d: leaf %s stands %d times", i, l, children[l])
			}
		}
	}
}

// The first method is behind the best of random search, tuned DE and SMAC3 at each length; other
// methods do not count, and a problem on which it leads does not either.
func TestBehindRows(t *testing.T) {
	tb := &table{problems: []*problem{{name: "a"}, {name: "b"}}, methods: []method{{name: "ours"},
		{name: "random, 5 seeds"}, {name: "SMAC3 1 seed"}, {name: "another"}}}
	recommends := func(at50, at100 float64) cell { return cell{{{runs: 50, truth: at50}, {runs: 100, truth: at100}}} }
	tb.cells = [][]cell{
		{recommends(1, 0.92), recommends(0.9, 0.9), recommends(0.8, 0.9), recommends(0.1, 0.1)},
		{recommends(0.5, 0.5), recommends(0.6, 0.6), recommends(0.7, 0.7), recommends(0.1, 0.1)},
	}
	against := "random, 5 seeds; SMAC3 1 seed"
	want := [][]string{{"against_best_of", "runs", "by_a_point", "by_5_percent", "most_points"},
		{against, "50", "1", "1", "20.0"}, {against, "100", "1", "0", "2.0"}}
	got := tb.behindRows([]int{50, 100})
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("got %q, want %q", got, want)
	}
	tb.methods = []method{{name: "ours"}, {name: "another"}}
	if got := tb.behindRows([]int{50}); len(got) != 1 {
		t.Errorf("without opponents: got %q, want the header alone", got)
	}
}
