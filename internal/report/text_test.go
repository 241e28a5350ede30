package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"schedtune/internal/accuracy"
	"schedtune/internal/report/html"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/tune"
)

func TestGainText(t *testing.T) {
	g := func(mean, low, high float64) tune.Gain {
		return tune.Gain{Metric: "makespan", Interval: tune.Interval{Mean: mean, Low: low, High: high, Level: 0.95, N: 9}}
	}
	for want, gain := range map[string]tune.Gain{
		"makespan improves by 51.6 % (95 % interval 51.3 to 51.9, 9 unused seeds)":            g(0.516, 0.513, 0.519),
		"makespan improves by 0.028 % (95 % interval 0.021 to 0.035, 9 unused seeds)":         g(0.00028, 0.00021, 0.00035),
		"makespan gets worse by 49.4 % (95 % interval 39.0 to 59.9, 9 unused seeds)":          g(-0.494, -0.599, -0.390),
		"makespan improves by 0.0 % (95 % interval 0.0 to 0.0, 9 unused seeds)":               g(0, 0, 0),
		"makespan gets worse by 0.00050 % (95 % interval 0.00010 to 0.00090, 9 unused seeds)": g(-5e-6, -9e-6, -1e-6),
	} {
		if got := gainText(gain, true); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// What a study that was stopped, or whose confirmation had no results, has measured are runs by
// which the search has chosen, and no unused seeds.
func TestUnconfirmedText(t *testing.T) {
	r := &tune.Result{Status: tune.Cancelled, Gain: []tune.Gain{
		{Metric: "makespan", Interval: tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, Level: 0.95, N: 9}}}}
	if got, want := Verdict(r), "stopped before confirmation, nothing is proven: with the best so far makespan "+
		"improves by 20.0 % (95 % interval 10.0 to 30.0, 9 runs of the search)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.Gain[0].N = 1
	if got := Verdict(r); !strings.HasSuffix(got, ", 1 run of the search)") {
		t.Error(got)
	}
	if got := (&Summary{}).metricsTitle(); got != "mean over runs of the search" {
		t.Error(got)
	}
}

// A prediction says what is expected and what the recorded workload shows.
func TestPromiseText(t *testing.T) {
	g := tune.Gain{Metric: "makespan", Interval: tune.Interval{Mean: 0.14, Low: 0.04, High: 0.22, Level: 0.9, N: 33},
		Again: &tune.Interval{Mean: 0.236, Low: 0.234, High: 0.238, Level: 0.95, N: 8}, Workloads: 0.06}
	if got, want := gainText(g, true), "makespan improves by 14.0 % on similar workloads (90 % interval 4.0 to 22.0), "+
		"by 23.6 % on the recorded trace"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	g.Again.Mean = -0.02
	if got, want := gainText(g, true), "makespan improves by 14.0 % on similar workloads (90 % interval 4.0 to 22.0); "+
		"on the recorded trace it gets worse by 2.0 %"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	lines := strings.Join((&Summary{Gain: []tune.Gain{g}}).promiseLines(), "\n")
	for _, want := range []string{"expected on similar workloads: -14.0 % (90 % interval -22.0 to -4.0",
		"on the recorded trace: +2.0 %"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
	// Three times the history narrows the interval by the root of three, more runs
	// by what Student's distribution adds to the normal one.
	low, high := longer(g, 3)
	if r := math.Log((1-low)/(1-high)) / math.Log((1-0.04)/(1-0.22)); r < 0.5 || r > 0.65 {
		t.Errorf("three times the history leaves %.2f of the width, want about 0.58", r)
	}
}

// A constraint that is broken, or that the current settings break, stands in the
// headline.
func TestLimitsInTheVerdict(t *testing.T) {
	kept, broken := tune.ConstraintResult{Kept: true}, tune.ConstraintResult{}
	for want, r := range map[string]*tune.Result{
		"":                              {Present: tune.Summary{Feasible: true}, Constraints: []tune.ConstraintResult{kept}},
		"the constraint is NOT kept; ":  {Constraints: []tune.ConstraintResult{broken}},
		"1 of 2 constraints NOT kept; ": {Constraints: []tune.ConstraintResult{kept, broken}},
		"the constraints are kept, which the current configuration breaks; ": {Constraints: []tune.ConstraintResult{kept}},
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
	for _, line := range append(ApplyLines(sum, "my out"), RollbackLines(sum, "my out")...) {
		if !strings.Contains(line, "cp 'my out/") {
			t.Error(line)
		}
	}
	var b strings.Builder
	sum.printChanges(&b)
	if !strings.Contains(b.String(), "from [memory=102400,vcores=50] to [memory=162618,vcores=79]") {
		t.Error(b.String())
	}
}

// Where it was not measured what each change brings, that is said, with the budget that
// would; what was fitted to all that was tried is marked as such.
func TestSharesText(t *testing.T) {
	part := 0.4
	alone := Change{Setting: "root.a.maximum-capacity", Without: &part}
	spread := []tune.Importance{{Name: "slowstart", Share: 0.3}, {Name: "root.a.maximum-capacity", Share: 0.25},
		{Name: "root.b.maximum-capacity", Share: 0.01}}
	for want, sum := range map[string]*Summary{
		"": {Changes: []Change{{Setting: "slowstart", Share: &part}, alone}},
		"what each change brings was not measured, for too few runs were left; a larger --budget measures it": {
			Changes: []Change{{Setting: "slowstart"}}},
		"what each change brings was not measured, for too few runs were left; --budget 900 would probably measure it; " +
			"not measured but fitted to all that was tried, so much of the spread of scores goes with a setting: " +
			"root.a.maximum-capacity 25 %": {
			Changes: []Change{{Setting: "root.a.maximum-capacity"}, {Setting: "root.b.maximum-capacity"}}, AblationBudget: 900,
			Importance: spread},
		`"share of gain", what goes as the changes are taken back one after another, was not measured, for too few runs were left; --budget 900 would probably measure it`: {Changes: []Change{alone}, AblationBudget: 900, Importance: spread},
		"where no figure stands, the ablation had taken the change back at little loss in few runs; in the confirmation " +
			"all changes together were better by more than that, so they stay": {
			Changes: []Change{{Setting: "slowstart", Share: &part}, {Setting: "root.b.maximum-capacity"}}},
		`"share of gain" was not measured: on the rollback to the current settings a configuration has no result`: {
			Changes: []Change{alone, {Setting: "slowstart", Loses: true}}},
	} {
		if got := sum.sharesText("share of gain"); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// What the interval of the recorded period is and how much it stands on is said with it.
func TestAgainText(t *testing.T) {
	g := tune.Gain{Metric: "makespan", Interval: tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, N: 16, Level: 0.9},
		Again: &tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, N: 6, Level: 0.9}}
	for want, change := range map[string]func(){
		"makespan on the recorded trace: -20.0 % (90 % prediction interval -30.0 to -10.0 for one more run of each " +
			"configuration; 6 runs of each)": func() { g.AgainWindows = 1 },
		"makespan on the recorded trace: -20.0 % (90 % prediction interval -30.0 to -10.0 for one more run of each " +
			"configuration; 6 runs of each in 4 windows)": func() { g.AgainWindows = 4 },
		"makespan on the recorded trace: -20.0 % (no interval: 6 runs of each in 6 windows do not show how much two runs " +
			"of one window differ)": func() { g.AgainWindows, g.Again.Level = 6, 0 },
	} {
		g.Again.Level = 0.9
		change()
		if got := (&Summary{Gain: []tune.Gain{g}}).promiseLines(); got[0] != want {
			t.Errorf("%s\nwant %s", got[0], want)
		}
	}
	g.AgainWindows, g.Again.Level = 1, 0.9
	var page html.Data
	reportLead(&page, &Summary{Gain: []tune.Gain{g}})
	if want := "makespan changes by −20.0 % (90 % prediction interval −30.0 to −10.0 for one more run of each " +
		"configuration; 6 runs of each)."; !strings.HasSuffix(page.Promise, want) {
		t.Errorf("page: %s\nwant %s", page.Promise, want)
	}
}

// A limit that is not kept is shown beside the present value, and queues that a
// limit does not speak of are named where they pay.
func TestTextOfLimits(t *testing.T) {
	figure := func(v float64) GroupFigure { return GroupFigure{MeanCompletion: v} }
	sum := &Summary{
		Changes: []Change{{Setting: "slowstart"}},
		Present: Configuration{Metrics: []tune.Metric{{Name: "queue.a.p95-wait", Interval: tune.Interval{Mean: 98}}}},
		Groups: []GroupRow{{Dimension: "queue", Name: "a", Before: figure(9), After: figure(3)},
			{Dimension: "queue", Name: "b", Before: figure(5), After: figure(13)}},
		Constraints: []tune.ConstraintResult{{Constraint: tune.Constraint{Text: "queue.a.p95-wait <= 1s",
			Metric: "queue.a.p95-wait"}, Value: tune.Interval{Mean: 13}}},
	}
	var b strings.Builder
	sum.printQueues(&b)
	sum.printConstraints(&b)
	for _, want := range []string{"slower: b;", "NOT kept, now 98.00 (13.00,"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	sum.Constraints = []tune.ConstraintResult{{Constraint: tune.Constraint{Text: "queue.b.mean-completion <= " +
		"present + 5 %", Metric: "queue.b.mean-completion"}}}
	b.Reset()
	sum.printQueues(&b)
	if strings.Contains(b.String(), "slower") {
		t.Error(b.String())
	}
}

// On drawn workloads a queue's row has the interval of what one of them will show, where it is known,
// and its costs have it too; no line is longer than a terminal.
func TestTextOfDrawnQueues(t *testing.T) {
	figure := func(v float64) GroupFigure { return GroupFigure{Jobs: 3, MeanCompletion: v} }
	low, high, far := -0.136, 0.228, 12.0
	sum := &Summary{
		Changes: []Change{{Setting: "slowstart"}},
		Groups: []GroupRow{
			{Dimension: "queue", Name: "root.prod", Jobs: 3, Before: figure(30), After: figure(31),
				Drawn: &DrawnFigure{Before: 32.47, After: 33.43, Low: &low, High: &high}},
			{Dimension: "queue", Name: "root.departments.research.nightly", Jobs: 3, Before: figure(300), After: figure(200),
				Drawn: &DrawnFigure{Before: 400, After: 300, Low: &low, High: &far}},
			{Dimension: "queue", Name: "root.rare", Jobs: 3, Before: figure(10), After: figure(12),
				Drawn: &DrawnFigure{Before: 10, After: 11}},
			{Dimension: "queue", Name: "root.free", Jobs: 3, Before: figure(10), After: figure(12)},
		},
	}
	sum.Costs = sum.costs()
	var b strings.Builder
	sum.printQueues(&b)
	sum.printCosts(&b)
	for _, want := range []string{
		"root.prod                  32.47     33.43    +3.0 %         -13.6 to +22.8        3        +3.3 %\n",
		"…ents.research.nightly     400.0     300.0   -25.0 %  -13.6 to 1000 or more        3       -33.3 %\n",
		"root.rare                  10.00     11.00   +10.0 %                      -        3       +20.0 %\n",
		"root.free                  10.00     12.00         -                      -        3       +20.0 %\n",
		"queue root.prod: mean completion 3.0 % longer (32.47 → 33.43 s; 90 % interval -13.6 to +22.8)\n",
		"queue root.rare: mean completion 10.0 % longer (10.00 → 11.00 s)\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if n := len([]rune(line)); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// The ends of an interval that is not known are not told to the last digit, and a
// small gain does not lengthen those of a wide one.
func TestFarEnds(t *testing.T) {
	for _, c := range []struct {
		iv   tune.Interval
		want [3]string
	}{
		{tune.Interval{Mean: 0.028, Low: -1795.25, High: 0.999}, [3]string{"2.8", "-1000 or less", "99.9"}},
		{tune.Interval{Mean: -0.028, Low: -0.5, High: 1795.25}, [3]string{"2.8", "-1000 or less", "50.0"}},
		{tune.Interval{Mean: 0.000006, Low: -0.178, High: 0.0002}, [3]string{"0.00060", "-17.8", "0.02000"}},
	} {
		if _, got := improvement(c.iv); got != c.want {
			t.Errorf("%+v: %q, want %q", c.iv, got, c.want)
		}
	}
	if got, want := span(1e5, -99.9), "-99.9 to 1000 or more"; got != want {
		t.Errorf("%q, want %q", got, want)
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
		if lines := c.sum.narrowingLines(); len(lines) != 1 || !strings.Contains(lines[0], c.want) {
			t.Errorf("%q, want %q", lines, c.want)
		}
	}
}

// Less gain on the search's own workloads is said in words, not by a minus sign beside "more".
func TestOptimismText(t *testing.T) {
	for o, want := range map[float64]string{0.021: "selection bias: 2.1 percentage points",
		-0.002: "selection bias: -0.2 percentage points", 0: "selection bias: 0.0 percentage points"} {
		if got := optimismText(o); !strings.HasSuffix(got, want) {
			t.Errorf("%v: %q, want %q", o, got, want)
		}
	}
}

// All of the folder's files stand in one column.
func TestFilesAreAligned(t *testing.T) {
	_, files, _ := strings.Cut(readme(&Summary{}, "0.5"), "\nFiles\n")
	for line := range strings.Lines(files) {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		if at := len("  ") + 28; line[at] != ' ' || line[at+1] == ' ' {
			t.Errorf("the text does not begin in column %d: %q", at+1, line)
		}
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

// What is no assumption about the inputs stands with the result: on what the figures of the
// page rest, each as a sentence.
func TestBehindThePage(t *testing.T) {
	g := tune.Gain{Metric: "mean-completion", Interval: tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, N: 16, Level: 0.9},
		Again: &tune.Interval{Mean: 0.2, Low: 0.1, High: 0.3, N: 6, Level: 0.9}}
	sum := &Summary{Gain: []tune.Gain{g}, Finished: JobFigures{Jobs: 88, Present: 88, Best: 87.5},
		Notes: []string{"an assumption"}}
	got := strings.Join(sum.behind(), "\n")
	for _, want := range []string{
		"Mean-completion expected on similar workloads: −20.0 % (90 % interval −30.0 to −10.0, 16 workloads not used by " +
			"the search).\n",
		"To narrow the interval of mean-completion: ", "Jobs finished per run: 88 of 88 with the current settings, 87.5 " +
			"after; means are over these.",
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
	apply, back := ApplyLines(sum, "my out"), RollbackLines(sum, "my out")
	if len(apply) != 2 || !strings.HasPrefix(apply[0], "tune apply 'my out' --rm http://rm:8088 --yes  # ") ||
		!strings.Contains(apply[1], "mapred-site.xml") {
		t.Errorf("%q", apply)
	}
	if len(back) != 2 || !strings.HasPrefix(back[0], "tune rollback 'my out' --rm http://rm:8088 --yes  # ") {
		t.Errorf("%q", back)
	}
	for store, want := range map[string][3]bool{ // refresh, tune, curl or PUT
		scenario.StoreMutable: {false, true, true}, scenario.StoreFile: {true, false, false}, "": {true, false, true},
	} {
		sum.Inputs.Store = store
		var readme strings.Builder
		readmeSteps(sum, func(format string, a ...any) { fmt.Fprintf(&readme, format+"\n", a...) })
		text := readme.String()
		got := [3]bool{strings.Contains(text, "yarn rmadmin -refreshQueues"),
			strings.Contains(text, "tune apply . --rm http://rm:8088 --yes"), strings.Contains(text, FileMutation) &&
				strings.Contains(text, FileUnmutate)}
		if got != want || (len(sum.storeStep(FileMutation)) == 1) != want[2] {
			t.Errorf("store %q: refresh, tune, request: %v, want %v\n%s", store, got, want, text)
		}
	}
}
