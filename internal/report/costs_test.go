package report

import (
	"strings"
	"testing"

	"schedtune/internal/diagnose"
	"schedtune/tune"
)

// costSummary is a recommendation that doubles the mean waiting time, slows queue b
// and two users, grants b less, and leaves the rest.
func costSummary() *Summary {
	ms := func(makespan, wait, used float64) []tune.Metric {
		return []tune.Metric{{Name: "makespan", Interval: tune.Interval{Mean: makespan}},
			{Name: "mean-wait", Interval: tune.Interval{Mean: wait}}, {Name: "utilisation", Interval: tune.Interval{Mean: used}}}
	}
	row := func(dim, name string, before, after float64) GroupRow {
		return GroupRow{Dimension: dim, Name: name, Jobs: 3, Before: GroupFigure{Jobs: 3, MeanCompletion: before},
			After: GroupFigure{Jobs: 3, MeanCompletion: after}}
	}
	b := diagnose.TermsChange{Queue: "root.b", Leaf: true, Before: diagnose.Terms{Guaranteed: 28311, Maximum: 65536,
		LoneUser: 29696, Running: 3, Accepted: 9}, After: diagnose.Terms{Guaranteed: 3491, Maximum: 65536, LoneUser: 5120,
		Running: 1, Accepted: 9}}
	same := diagnose.TermsChange{Queue: "root.a", Leaf: true, Before: diagnose.Terms{Guaranteed: 1},
		After: diagnose.Terms{Guaranteed: 1}}
	sum := &Summary{Objectives: []string{"makespan"}, Present: Configuration{Metrics: ms(100, 10, 0.9)},
		BestFound: &Found{Configuration: Configuration{Metrics: ms(50, 20, 0.5)}, Changes: []Change{{Setting: "slowstart",
			From: "0.05", To: "0.8"}, {Setting: "root.b.capacity", From: "40", To: "5"}}},
		Groups: []GroupRow{row("queue", "root.a", 10, 10.1), row("queue", "root.b", 10, 13), row("user", "ann", 10, 9),
			row("user", "bob", 10, 12), row("user", "eve", 10, 40)},
		Terms: []diagnose.TermsChange{same, b}}
	sum.Costs = sum.costs()
	return sum
}

// Costs are what gets 2 % worse, in the metric's own direction, and what a queue is
// granted less of; the objective and the utilisation are none. What is 10 % worse
// is in the verdict.
func TestCosts(t *testing.T) {
	sum := costSummary()
	var got []string
	for _, c := range sum.Costs {
		got = append(got, c.Kind+" "+c.Name)
	}
	if text, want := strings.Join(got, ", "), "metric mean-wait, queue root.b, user bob, user eve, terms root.b"; text !=
		want {
		t.Fatalf("costs of %s, want %s", text, want)
	}
	if text := sum.Costs[4].Text; text != "root.b: guaranteed 28311 → 3491 MiB, a single user 29696 → 5120 MiB, "+
		"applications at a time 3 → 1" {
		t.Error(text)
	}
	if text, want := sum.harm(), "; but mean-wait 100.0 % worse (10 → 20 s), queue root.b: mean completion 30.0 % longer "+
		"(10 → 13 s), user bob: mean completion 20.0 % longer (10 → 12 s), 1 more"; text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	if text := sum.moves(&sum.BestFound.Changes[1]); text != "guaranteed 28311 → 3491 MiB" {
		t.Error(text)
	}
	if text := sum.moves(&sum.BestFound.Changes[0]); text != "reduces start at 80 % of the maps done, not at 5 %" {
		t.Error(text)
	}
	var b strings.Builder
	sum.Print(&b, View{Verbose: true})
	for _, want := range []string{"28311 → 3491 MiB", "limits unchanged: 1 of 2 queues, parents included",
		"\nwhat gets worse\n",
		"\nmean-wait 100.0 % worse (10 → 20 s)\n",
		"queues that get slower: root.b: mean completion 30.0 % longer (10 → 13 s)\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	sum.BestFound = nil
	if len(sum.costs()) != 0 {
		t.Error("what changes nothing costs nothing")
	}
}

// What limits keep from being gained is named with queues that get slower, where it is worth
// telling.
func TestLiftedText(t *testing.T) {
	sum := costSummary()
	sum.Lifted = &tune.Lifted{Gain: tune.Interval{Mean: 0.4, N: 8}, With: tune.Interval{Mean: 0.3},
		Broken: []tune.ConstraintResult{{Constraint: tune.Constraint{Metric: "queue.root.b.mean-completion", Factor: 1.05,
			Limit: 10.5}, Value: tune.Interval{Mean: 14.1}}}}
	if text, want := sum.liftedText(), "without --protect and --constraint the search found makespan 40 % "+
		"shorter, with them makespan 30 % shorter (8 workloads); queues that get slower: root.b +41 %"; text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	want := "<p>Without --protect and --constraint the search found makespan 40 % shorter, with them makespan " +
		"30 % shorter (8 workloads); queues that get slower: root.b &#43;41 %.</p>"
	if !strings.Contains(string(render(t, &page{Summary: sum})), want) {
		t.Errorf("no %q in the page", want)
	}
	sum.Lifted.With.Mean = 0.395
	if text := sum.liftedText(); text != "" {
		t.Error(text)
	}
}

// What is not modelled is in the verdict.
func TestNotModelled(t *testing.T) {
	if text := notModelled([]string{"opportunistic containers", "the resources yarn.io/gpu"}); text !=
		"; NOT modelled, so not part of this: opportunistic containers; the resources yarn.io/gpu" {
		t.Error(text)
	}
	if notModelled(nil) != "" {
		t.Error("nothing is named")
	}
}
