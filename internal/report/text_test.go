package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/accuracy"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/internal/text"
	"schedtune/tune"
)

func TestGainText(t *testing.T) {
	g := func(mean, low, high float64) *tune.Gain {
		return &tune.Gain{Metric: "makespan", Interval: tune.Interval{Mean: mean, Low: low, High: high, Level: 0.95, N: 9}}
	}
	for want, gain := range map[string]*tune.Gain{
		"makespan 52 % shorter (95 % interval 51 to 52 %, 9 unused seeds)":              g(0.516, 0.513, 0.519),
		"no difference in makespan (95 % interval 0.0 to 0.1 %, 9 unused seeds)":        g(0.00028, 0.00021, 0.0011),
		"makespan 49 % longer (95 % interval 39 to 60 %, 9 unused seeds)":               g(-0.494, -0.599, -0.390),
		"no difference in makespan (95 % interval 0.0 to 0.0 %, 9 unused seeds)":        g(0, 0, 0),
		"makespan 2.8 % shorter (95 % interval -1000 or less to 100 %, 9 unused seeds)": g(0.028, -1795.25, 0.999),
		"makespan 2.8 % longer (95 % interval -1000 or less to 50 %, 9 unused seeds)":   g(-0.028, -0.5, 1795.25),
	} {
		if got := gainText(gain, true); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if got, want := text.PercentSpan(1e5, -99.9), "-100 to 1000 or more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a study that was stopped, or whose confirmation had no results, has measured are runs by
// which the search has chosen, and no unused seeds.
func TestUnconfirmedText(t *testing.T) {
	r := &tune.Result{Status: tune.Cancelled, Found: &tune.Summary{}, Gain: []tune.Gain{
		{Metric: "makespan", Interval: tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, Level: 0.95, N: 9}}}}
	if got, want := Verdict(r),
		"not recommended: the study was interrupted before its confirmation; best found: makespan "+
			"20 % shorter (95 % interval 10 to 30 %, 9 runs of the search)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.Gain[0].N = 1
	if got := Verdict(r); !strings.HasSuffix(got, "makespan 20 % shorter (one run: no interval)") {
		t.Error(got)
	}
	if got := (&Summary{}).metricsTitle(); got != "mean over runs of the search" {
		t.Error(got)
	}
}

// What is recommended for its mean, though most periods do not change, says so.
func TestFewPeriodsChange(t *testing.T) {
	r := &tune.Result{Found: &tune.Summary{}, Confirmed: 36, Gain: []tune.Gain{{Metric: "makespan",
		Interval: tune.Interval{Low: -0.18, High: 0.48, Level: 0.9, N: 36}, Again: &tune.Interval{Mean: 0.002}}},
		Decision: tune.Decision{Recommended: true, Mean: &tune.Interval{Mean: 0.061, Low: 0.001, High: 0.118, Level: 0.9}}}
	if got, want := Verdict(r), "recommended: makespan 6.1 % shorter on average over similar workloads, the same in most "+
		"(90 % prediction interval -18 to 48 %), 0.2 % shorter on the recorded trace"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.Decision.Recommended = false
	if got := Verdict(r); !strings.Contains(got, "best found: no difference in makespan on similar workloads") {
		t.Error(got)
	}
}

// A prediction tells what is expected and what the recorded workload shows.
func TestPredictionText(t *testing.T) {
	g := tune.Gain{Metric: "makespan", Interval: tune.Interval{Mean: 0.14, Low: 0.04, High: 0.22, Level: 0.9, N: 33},
		Again: &tune.Interval{Mean: 0.236, Low: 0.234, High: 0.238, Level: 0.95, N: 8}, Workloads: 0.06}
	if got, want := gainText(&g, true),
		"makespan 14 % shorter on similar workloads (90 % prediction interval 4.0 to 22 %), "+
			"24 % shorter on the recorded trace"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	g.Again.Mean = -0.02
	if got, want := gainText(&g, true), ", 2.0 % longer on the recorded trace"; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
	lines := strings.Join((&Summary{Gain: []tune.Gain{g}}).behind(), "\n")
	for _, want := range []string{"14 % shorter on similar workloads (90 % prediction interval 4.0 to 22 %; 33 workloads",
		"2.0 % longer on the recorded trace"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
	// Three times the history narrows the interval by the root of three, more runs
	// by what Student's distribution adds to the normal one.
	low, high := longer(&g, 3)
	if r := math.Log((1-low)/(1-high)) / math.Log((1-0.04)/(1-0.22)); r < 0.5 || r > 0.65 {
		t.Errorf("three times the history leaves %.2f of the width, want about 0.58", r)
	}
}

// A constraint that is broken, or that the current settings break, is in the
// headline.
func TestLimitsInTheVerdict(t *testing.T) {
	kept, broken := tune.ConstraintResult{Kept: true}, tune.ConstraintResult{}
	for want, r := range map[string]*tune.Result{
		"":                         {Present: tune.Summary{Feasible: true}, Constraints: []tune.ConstraintResult{kept}},
		"1 of 1 limit NOT kept; ":  {Constraints: []tune.ConstraintResult{broken}},
		"1 of 2 limits NOT kept; ": {Constraints: []tune.ConstraintResult{kept, broken}},
		"the limits are kept, which the current configuration breaks; ": {Constraints: []tune.ConstraintResult{kept}},
	} {
		if got := limitsVerdict(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Commands to copy hold paths as a shell takes them; absolute resources are
// shown whole.
func TestTextOfChanges(t *testing.T) {
	sum := &Summary{Changes: []Change{{Setting: "root.a.capacity", File: study.FileConfig,
		From: "[memory=102400,vcores=50]", To: "[memory=162618,vcores=79]"}}}
	for _, s := range append(sum.steps("my out", false), sum.steps("my out", true)...) {
		if !strings.Contains(s.Command, "cp 'my out/") {
			t.Error(s)
		}
	}
	var b strings.Builder
	printChanges(&b, sum.Changes, true)
	if !strings.Contains(b.String(), "from [memory=102400,vcores=50] to [memory=162618,vcores=79]") {
		t.Error(b.String())
	}
}

// Where it was not measured what each change brings, that is said, and why.
func TestSharesText(t *testing.T) {
	part := 0.4
	alone := Change{Setting: "root.a.maximum-capacity", Without: &part}
	for want, changes := range map[string][]Change{
		"": {alone, {Setting: "slowstart", Without: &part}},
		"what each change brings was not measured, for too few runs were left; a larger --budget measures it": {
			{Setting: "slowstart"}},
		"the share of the gain of each change was not measured: on the rollback to the current settings a configuration " +
			"has no result": {alone, {Setting: "slowstart", Loses: true}},
	} {
		sum := &Summary{BestFound: &Found{Changes: changes}}
		if got := sum.sharesText(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// What the interval of the recorded period is and how much it stands on is said with it.
func TestAgainText(t *testing.T) {
	g := tune.Gain{Metric: "makespan", Interval: tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, N: 16, Level: 0.9},
		Again: &tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, N: 6, Level: 0.9}}
	for want, change := range map[string]func(){
		"makespan 20 % shorter on the recorded trace (90 % prediction interval 10 to 30 % for one more run of each " +
			"configuration; 6 runs of each)": func() { g.AgainWindows = 1 },
		"makespan 20 % shorter on the recorded trace (90 % prediction interval 10 to 30 % for one more run of each " +
			"configuration; 6 runs of each in 4 windows)": func() { g.AgainWindows = 4 },
		"makespan 20 % shorter on the recorded trace (no interval: one run per window and " +
			"configuration)": func() { g.AgainWindows, g.Again.Level = 6, 0 },
	} {
		g.Again.Level = 0.9
		change()
		if got := (&Summary{Gain: []tune.Gain{g}}).behind(); got[0] != want {
			t.Errorf("%s\nwant %s", got[0], want)
		}
	}
}

// A limit that is not kept is shown first, beside the current value; one that is kept for every queue is one.
func TestTextOfLimits(t *testing.T) {
	limitOf := func(text, metric string, kept bool) tune.ConstraintResult {
		return tune.ConstraintResult{Constraint: tune.Constraint{Text: text, Metric: metric}, Kept: kept, Sure: kept,
			Value: tune.Interval{Mean: 13, Low: 12, High: 14}}
	}
	sum := &Summary{Present: Configuration{Metrics: []tune.Metric{{Name: "queue.a.p95-wait",
		Interval: tune.Interval{Mean: 98}}}}, BestFound: &Found{Constraints: []tune.ConstraintResult{
		limitOf("queue.a.mean-completion <= present + 5 %", "queue.a.mean-completion", true),
		limitOf("queue.b.mean-completion <= present + 5 %", "queue.b.mean-completion", true),
		limitOf("queue.a.p95-wait <= 1s", "queue.a.p95-wait", false)}}}
	var got []string
	for _, l := range sum.limits() {
		got = append(got, sum.limitLine(&l))
	}
	want := []string{"limit queue.a.p95-wait <= 1s: NOT kept, now 98 s (13 s, interval 12 to 14 s)",
		"limit queue.*.mean-completion <= present + 5 %: kept for 2 queues with jobs (--protect off removes it)"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// On drawn workloads a queue's row has the interval of what one of them will show, where it is known,
// and what gets worse has it too; without --verbose no line is longer than a terminal, and the queues
// that get slower are named, the slowest first.
func TestTextOfDrawnQueues(t *testing.T) {
	figure := func(v float64) GroupFigure { return GroupFigure{Jobs: 3, MeanCompletion: v} }
	low, high, far := -0.136, 0.228, 12.0
	sum := &Summary{BestFound: &Found{Changes: []Change{{Setting: "slowstart"}}},
		Groups: []GroupRow{
			{Dimension: "queue", Name: "root.prod", Jobs: 3, Before: figure(30), After: figure(31),
				Drawn: &DrawnFigure{Before: 32.47, After: 33.43, Low: &low, High: &high}},
			{Dimension: "queue", Name: "root.departments.research.nightly", Jobs: 3, Before: figure(300), After: figure(200),
				Drawn: &DrawnFigure{Before: 400, After: 300, Low: &low, High: &far}},
			{Dimension: "queue", Name: "root.rare", Jobs: 3, Before: figure(10), After: figure(12),
				Drawn: &DrawnFigure{Before: 10, After: 11}},
		},
	}
	sum.Costs = sum.costs()
	var b strings.Builder
	sum.printQueues(&b)
	for _, want := range []string{
		"\nroot.prod                          32.5 s   33.4 s      +3.0 %   -14 to +23           3     +3.3 %\n",
		"\nroot.departments.research.nightly  400 s    300 s       -25.0 %  -14 to 1000 or more  3     -33.3 %\n",
		"\nroot.rare                          10 s     11 s        +10.0 %  -                    3     +20.0 %\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	sum.Print(&b, View{})
	if want := "\nqueues that get slower: root.rare: mean completion 10.0 % longer (10 → 11 s); root.prod: mean\n" +
		"completion 3.0 % longer (32.5 → 33.4 s; 90 % interval -14 to +23 %)\n"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if n := len([]rune(line)); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// What is said to narrow an interval is what does: history where workloads differ,
// nothing where all of it is the simulator's error, right inputs where the present
// is not reproduced.
func TestWhatNarrows(t *testing.T) {
	gain := func(model float64) *Summary {
		g := tune.Gain{Metric: "makespan", Interval: tune.Interval{Mean: 0, Low: -0.18, High: 0.152, Level: 0.9, N: 70},
			Model: model, Again: &tune.Interval{}}
		return &Summary{Gain: []tune.Gain{g}}
	}
	for _, c := range []struct {
		sum  *Summary
		want string
	}{
		{gain(0), "three times as much history"},
		{gain(0.1), "neither more history nor a larger --budget would narrow it"},
		{&Summary{Gain: gain(0).Gain, Reproduction: &accuracy.Report{Jobs: 3}}, "inputs with which the simulation agrees " +
			"with the record"},
		{&Summary{Gain: gain(0).Gain, Reproduction: &accuracy.Report{Jobs: 3, Reproduces: true}},
			"three times as much history"},
	} {
		if lines := c.sum.narrowing(); len(lines) != 1 || !strings.Contains(lines[0], c.want) {
			t.Errorf("%q, want %q", lines, c.want)
		}
	}
}

// The outcome of a large study fits on a screen of 40 lines and 100 columns.
func TestOneScreen(t *testing.T) {
	part := 0.1
	sum := &Summary{Objectives: []string{"makespan"}, Decision: tune.Decision{Recommended: true}, BestFound: &Found{},
		Verdict: strings.Repeat("a verdict of about five lines, ", 12)}
	add := func(name string, before, after float64) {
		sum.Present.Metrics = append(sum.Present.Metrics, tune.Metric{Name: name, Interval: tune.Interval{Mean: before}})
		sum.BestFound.Metrics = append(sum.BestFound.Metrics, tune.Metric{Name: name, Interval: tune.Interval{Mean: after}})
	}
	for _, name := range []string{"makespan", "mean-completion", "p95-completion", "mean-wait", "utilisation",
		"mean-slowdown"} {
		add(name, 15000, 40)
	}
	for i := range 30 {
		queue := fmt.Sprintf("root.departments.research.team%02d", i)
		sum.BestFound.Changes = append(sum.BestFound.Changes, Change{Setting: queue + ".maximum-am-resource-percent",
			From: "0.1", To: "0.25", Share: &part, Without: &part, LostLow: &part, LostHigh: &part, Workloads: 16,
			Serves: "team", Slower: &part, File: study.FileConfig, Needs: "refresh"})
		sum.Groups = append(sum.Groups, GroupRow{Dimension: "queue", Name: queue, Jobs: 9, Before: GroupFigure{Jobs: 9,
			MeanCompletion: 10}, After: GroupFigure{Jobs: 9, MeanCompletion: 10 + float64(i)}})
		sum.BestFound.Constraints = append(sum.BestFound.Constraints, tune.ConstraintResult{Kept: true, Sure: true,
			Constraint: tune.Constraint{Metric: "queue." + queue + ".p95-wait", Text: "queue." + queue + ".p95-wait <= 60s"}})
	}
	sum.Changes, sum.Costs = sum.BestFound.Changes, sum.costs()
	var b strings.Builder
	sum.Print(&b, View{Out: "out"})
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if len(lines) > 40 {
		t.Errorf("%d lines:\n%s", len(lines), b.String())
	}
	for _, line := range lines {
		if n := len([]rune(line)); n > 100 && !strings.HasPrefix(line, "  cp ") { // a command is not broken
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(b.String(), "…ments.research.team00.maximum-am-resource-percent") &&
		!strings.Contains(b.String(), ".team00.maximum-am-resource-percent") {
		t.Errorf("names that differ at their front are cut alike:\n%s", b.String())
	}
}

// On the page numbers below zero have minus signs; hyphens of names, flags and ranges stay.
func TestMinusSigns(t *testing.T) {
	for text, want := range map[string]string{
		"mean-completion -3.5 % (-4 to -3), --budget 1300, p95-wait, 2026-05": "mean-completion −3.5 % (−4 to −3), " +
			"--budget 1300, p95-wait, 2026-05",
		"-1": "−1", "": "",
	} {
		if got := minusSigns(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What is no assumption about the inputs stands with the result: on what the figures rest.
func TestBehind(t *testing.T) {
	g := tune.Gain{Metric: "mean-completion", Interval: tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, N: 16, Level: 0.9},
		Again: &tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, N: 6, Level: 0.9}}
	sum := &Summary{Gain: []tune.Gain{g}, Finished: JobFigures{Jobs: 88, Present: 88, Best: 87.5},
		Notes: []string{"an assumption"}}
	got := strings.Join(sum.behind(), "\n")
	for _, want := range []string{
		"mean-completion 20 % shorter on similar workloads (90 % prediction interval 10 to 30 %; 16 workloads not used " +
			"by the search)\n",
		"to narrow the interval of mean-completion: ", "jobs finished per run: 88 of 88 with the current settings, 87.5 " +
			"after; means are over these",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "assumption") {
		t.Errorf("an assumption in\n%s", got)
	}
}

// Where the ResourceManager takes changes itself, the steps are tune's: a copied file would
// change nothing, and a refresh is refused.
func TestStepsOfAStore(t *testing.T) {
	sum := &Summary{Changes: []Change{{Setting: "root.a.capacity", File: study.FileConfig, From: "60", To: "70"},
		{Setting: "slowstart", File: study.FileMapred, From: "0.05", To: "0.5"}},
		Inputs: InputFigures{Store: scenario.StoreMutable, RM: "http://rm:8088"}}
	apply, back := sum.steps("my out", false), sum.steps("my out", true)
	if len(apply) != 2 || !strings.HasPrefix(apply[0].Command, "tune apply 'my out' --rm http://rm:8088 --yes  # ") ||
		!strings.Contains(apply[1].Text, "mapred-site.xml") {
		t.Errorf("%q", apply)
	}
	if len(back) != 2 || !strings.HasPrefix(back[0].Command, "tune rollback 'my out' --rm http://rm:8088 --yes  # ") {
		t.Errorf("%q", back)
	}
	for store, want := range map[string][3]bool{ // refresh, tune, curl or PUT
		scenario.StoreMutable: {false, true, true}, scenario.StoreFile: {true, false, false}, "": {true, false, true},
	} {
		sum.Inputs.Store, sum.Recommended = store, true
		text := readme(sum, nil)
		got := [3]bool{strings.Contains(text, "yarn rmadmin -refreshQueues"),
			strings.Contains(text, "tune apply . --rm http://rm:8088 --yes"), strings.Contains(text, "curl -X PUT")}
		if got != want || (sum.request(FileMutation) != nil) != want[2] {
			t.Errorf("store %q: refresh, tune, request: %v, want %v\n%s", store, got, want, text)
		}
	}
}

// A setting that is read at the start only needs a restart both ways.
func TestStepsOfARestart(t *testing.T) {
	sum := &Summary{Changes: []Change{{Setting: "resource-calculator", Property: "p", File: study.FileConfig,
		Needs: "restart"}}}
	for _, back := range []bool{false, true} {
		got := sum.steps("d", back)
		if len(got) != 2 || got[1].Command != "" || !strings.Contains(got[1].Text, "p is read") {
			t.Errorf("back %v: %q, want a restart last", back, got)
		}
	}
}

// A column of which nothing is known is left out, for changes that move together too.
func TestColumnsOfChanges(t *testing.T) {
	part := 0.4
	for name, c := range map[string]struct {
		changes []Change
		want    []namedCell
	}{
		"nothing": {[]Change{{Setting: "root.a.capacity"}, {Setting: "root.b.capacity"}}, nil},
		"shares": {[]Change{{Setting: "root.a.capacity", Share: &part}, {Setting: "root.b.capacity"}},
			[]namedCell{{"Share of the gain", "40 %"}}},
		"without": {[]Change{{Setting: "root.a-1.maximum-capacity", Without: &part, Serves: "root.a-1", Slower: &part,
			Workloads: 16}}, []namedCell{{"Gain lost without it (90\u00a0% CI)", "40 %"}, {"Slower without", "a-1 +40 %"},
			{"Workloads", "16"}}},
	} {
		t.Run(name, func(t *testing.T) {
			sum := &Summary{BestFound: &Found{Changes: c.changes}}
			if d := cmp.Diff(c.want, sum.measuredCells()[0]); d != "" {
				t.Error(d)
			}
		})
	}
}
