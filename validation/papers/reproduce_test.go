package papers

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"schedtune/datasets"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/simcore/sched"
	"schedtune/yarnconf"
)

func sections(t *testing.T, paper, table string, reps, workers int) []Section {
	t.Helper()
	s, err := Run(context.Background(), paper, table, Options{Seed: 1, Replications: reps, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// row finds a row by the beginning of its text.
func row(t *testing.T, s []Section, what string) Row {
	t.Helper()
	for _, s := range s {
		for _, r := range s.Rows {
			if strings.HasPrefix(r.What, what) {
				return r
			}
		}
	}
	t.Fatalf("no row %q", what)
	return Row{}
}

// described are published tables that describe experiments and are no outcome.
var described = map[string]string{
	"coshh": "1 2 3 4 5 10 11 claims", "learning": "5 7", "omo": "4 5 claims", "coupling": "2 3 files sets claims", "thesis": "2.1 4.1 4.2 4.3 claims",
}

// Every published table with outcomes has its section, tables and figures of
// the learning paper alike.
func TestEveryPublishedTableHasASection(t *testing.T) {
	have := map[string]bool{}
	for _, e := range experiments() {
		for _, id := range e.ids {
			if have[e.paper+" "+id] {
				t.Errorf("%s %s is filled twice", e.paper, id)
			}
			have[e.paper+" "+id] = true
		}
	}
	for _, p := range datasets.Papers() {
		for _, id := range datasets.TableIDs(p) {
			if strings.Contains(" "+described[p]+" ", " "+id+" ") {
				continue
			}
			if !have[p+" table "+id] && !have[p+" figure "+id] {
				t.Errorf("%s %s has no section", p, id)
			}
		}
	}
}

// Every figure stated in the texts belongs to a section that exists.
func TestEveryStatedFigureHasASection(t *testing.T) {
	for _, p := range []string{"coshh", "omo", "coupling", "thesis"} {
		c, err := datasets.Published(p, "claims")
		if err != nil {
			t.Fatal(err)
		}
		ids := " "
		for _, e := range experiments() {
			if e.paper == p {
				ids += strings.Join(e.ids, " ") + " "
			}
		}
		for _, r := range c.Rows {
			for _, where := range strings.Split(r[2], " and ") {
				w := strings.Replace(strings.TrimRight(where, "ab"), "figures", "figure", 1)
				if w == "table I" || w == "equation 2" {
					continue // Coupling's Roman one; with figure 10
				}
				if !strings.HasPrefix(w, "figure") && !strings.HasPrefix(w, "section") && !strings.HasPrefix(w, "table") {
					w = "figure " + w
				}
				if !strings.Contains(ids, " "+w+" ") {
					t.Errorf("%s: %s (%s) has no section", p, r[0], where)
				}
			}
		}
	}
}

// The claims that make each paper, as statistics over a few seeds; the full
// number of replications is what go run ./validation papers runs.
func TestClaims(t *testing.T) {
	if testing.Short() {
		t.Skip("several seconds")
	}
	coshh := sections(t, "coshh", "figure 6", 2, 0)
	for _, what := range []string{"COSHH below FIFO", "COSHH below Fair"} {
		if r := row(t, coshh, what); r.Ours.Mean <= 0 {
			t.Errorf("%s: %.1f %%, want above 0", what, r.Ours.Mean)
		}
	}
	two := sections(t, "coupling", "figure 1", 2, 0)
	if r := row(t, two, "the wait under Coupling"); r.Verdict != Met {
		t.Errorf("job 2 waits %.0f %% less under Coupling, want 90 at least", r.Ours.Mean)
	}
	u := sections(t, "omo", "2", 2, 0)
	if r := row(t, u, "1 job: best slowstart"); !(r.Ours.Mean > 0) {
		t.Errorf("table 2 has no U: the best is %.1f %% below slowstart 1", r.Ours.Mean)
	}
	tasks := sections(t, "learning", "figure 11", 2, 0)
	if r := row(t, tasks, "rank correlation"); r.Ours.Mean < 0.8 {
		t.Errorf("figure 11: rank correlation %.2f, want at least 0.8", r.Ours.Mean)
	}
	thesis := sections(t, "thesis", "6.2", 1, 0)
	if r := row(t, thesis, "rank correlation"); r.Ours.Mean < 0.8 {
		t.Errorf("table 6.2: rank correlation %.2f, want at least 0.8", r.Ours.Mean)
	}
	// An end that is told at once lets any node win the next task: without it
	// jobs stick to their slots, and locality is off by more than half.
	if r := row(t, sections(t, "thesis", "6.7", 2, 0), "mean relative error"); r.Ours.Mean > 30 {
		t.Errorf("table 6.7: %.0f %% off, want at most 30", r.Ours.Mean)
	}
	// A user limit lets late jobs start early, which is the thesis's first finding.
	if r := row(t, sections(t, "thesis", "6.14", 1, 0), "rank correlation"); r.Ours.Mean < 0.8 {
		t.Errorf("table 6.14: rank correlation %.2f, want at least 0.8", r.Ours.Mean)
	}
}

// Experiments 2 and 5, 6 and 8 of table 6.5 are the same by construction: their
// makespans are 1197, 1200 and 1229, 1229 against 1229, 1233 and 1230, 1228.
func TestEqualExperiments(t *testing.T) {
	pub, err := datasets.Published("thesis", "6.5")
	if err != nil {
		t.Fatal(err)
	}
	runs := map[int]*thesisRun{}
	for n := 1; n <= 8; n++ {
		runs[n] = &thesisRun{}
	}
	x, y, err := thesisPairCells(pub, 'm', 2, runs)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(x, []float64{1197, 1200, 1229, 1229}) || !slices.Equal(y, []float64{1229, 1233, 1230, 1228}) {
		t.Errorf("%v and %v", x, y)
	}
	// Their settings differ in the User-Limit-Factor alone, under a limit.
	for _, pair := range thesisEqual {
		a, err := datasets.ThesisExperiment(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := datasets.ThesisExperiment(pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if a.UserLimitFactor == b.UserLimitFactor || a.MinimumUserPercent != b.MinimumUserPercent ||
			!slices.Equal(a.Capacity, b.Capacity) || !slices.Equal(a.MaximumCapacity, a.Capacity) || !slices.Equal(b.MaximumCapacity, b.Capacity) {
			t.Errorf("experiments %v: %+v and %+v", pair, a, b)
		}
	}
}

// A job's runs make a sample: two jobs of type 1 with 1 and 3, 10 and 30 seconds in
// two runs both vary by sqrt(2)/2, however much they differ.
func TestThesisVariationIsOverRuns(t *testing.T) {
	reps := make([][]float64, 2)
	for i, x := range [][2]float64{{1, 10}, {3, 30}} {
		reps[i] = append(make([]float64, 4+3*7*2), 0, 1, x[0], 1, 1, x[1])
	}
	run := thesisOutcome(reps)
	for _, half := range []int{0, 1, 2} {
		if got, want := run.variation[half][1].Mean, math.Sqrt2/2; math.Abs(got-want) > 1e-9 {
			t.Errorf("half %d: coefficient of variation %v, want %v", half, got, want)
		}
	}
}

// The worked linear program of COSHH comes out to the last printed digit.
func TestWorkedProgram(t *testing.T) {
	for _, r := range sections(t, "coshh", "section 3.2", 1, 1)[0].Rows {
		if r.Verdict != Met {
			t.Errorf("%s: %v, published %v", r.What, r.Ours.Mean, r.Published)
		}
	}
}

// One worker and three give the same bytes, and so do two writes.
func TestWorkersAndWritesDoNotMatter(t *testing.T) {
	a, b := sections(t, "omo", "table 2", 2, 1), sections(t, "omo", "table 2", 2, 3)
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for i, s := range [][]Section{a, b} {
		if err := Write(dirs[i], s, Provenance{Command: "go run ./validation papers omo --table 2", Version: "test", Seed: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"omo.md", "omo.csv", "omo/table-2-slowstart.svg"} {
		x, err := os.ReadFile(filepath.Join(dirs[0], name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(dirs[1], name))
		if err != nil {
			t.Fatal(err)
		}
		if string(x) != string(y) {
			t.Errorf("%s differs between one and three workers", name)
		}
	}
}

func TestSelect(t *testing.T) {
	if ids, err := Select("omo", "2"); err != nil || len(ids) != 1 || ids[0] != "table 2" {
		t.Errorf("omo 2: %v, %v", ids, err)
	}
	for _, c := range []struct{ paper, table, want string }{{"nope", "", "allowed: coupling"}, {"omo", "99", "figure 12"}} {
		if _, err := Select(c.paper, c.table); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want an error with %q", c.paper, c.table, err, c.want)
		}
	}
}

// The settings the thesis's experiments run with are those of their embedded
// capacity-scheduler.xml.
func TestThesisConfigurationIsTheXML(t *testing.T) {
	for _, n := range []int{1, 14, 26} {
		ds, err := datasets.Load("thesis-" + Number(float64(n)))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := yarnconf.Parse("capacity-scheduler.xml", ds.ConfigXML)
		if err != nil {
			t.Fatal(err)
		}
		m, err := yarnconf.EvaluateMR1(doc)
		if err != nil {
			t.Fatal(err)
		}
		got, err := thesisMR1(n)
		if err != nil {
			t.Fatal(err)
		}
		want := sched.MR1FromConf(m)
		if len(got.Queues) != len(want.Queues) {
			t.Fatalf("experiment %d: %d queues, the file has %d", n, len(got.Queues), len(want.Queues))
		}
		byName := map[string]sched.MR1Queue{}
		for _, q := range want.Queues {
			byName[q.Name] = q
		}
		for _, q := range got.Queues {
			if byName[q.Name] != q {
				t.Errorf("experiment %d, queue %s: %+v, the file has %+v", n, q.Name, q, byName[q.Name])
			}
		}
		got.Queues, want.Queues = nil, nil
		if got.String() != want.String() || got.MaximumTasksPerHeartbeat != want.MaximumTasksPerHeartbeat || got.MaxTasksToAssignAfterOffSwitch != want.MaxTasksToAssignAfterOffSwitch ||
			got.InitPollInterval != want.InitPollInterval || got.InitWorkerThreads != want.InitWorkerThreads {
			t.Errorf("experiment %d: %+v, the file has %+v", n, got, want)
		}
	}
}

// tune compare --dataset runs a set as its experiments do: the same makespan as
// here, for a set of every paper.
func TestCompareAgrees(t *testing.T) {
	r := newRunner(context.Background(), Options{Seed: 1})
	for _, c := range []struct{ set, scheduler string }{
		{"omo-terasort-1", omoFair + "0.7"}, {"omo-terasort", omoSpec}, {"coshh-yahoo", coshhSchedulers[1]}, {"coshh-real-users", coshhRealSchedulers[1]},
		{"coupling-two-greps", couplingSpec}, {"learning-mix", "learning:noise=0.1"}, {"thesis-12", thesisSpec()},
	} {
		s, err := simulate.Load(scenario.Files{}, c.set, simulate.Options{Scheduler: c.scheduler})
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		set, err := r.load(c.set)
		if err != nil {
			t.Fatal(err)
		}
		x := trial{set: set, scheduler: c.scheduler}
		if set.ConfigXML != nil {
			if x.queues, err = thesisMR1(12); err != nil {
				t.Fatal(err)
			}
		}
		own, err := r.run(&x, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range []string{"makespan", "mean-completion", "locality"} {
			got, _ := res.Value(metric)
			if want := value(own, metric); got != want {
				t.Errorf("%s under %s, %s: %v, reproduce has %v", c.set, c.scheduler, metric, got, want)
			}
		}
	}
}

// Three values 1, 2, 3: mean 2, standard deviation 1, t(2, 0.975) = 4.3027, so
// the interval is 2 ± 4.3027/sqrt(3) = 2 ± 2.4841.
func TestEstimate(t *testing.T) {
	e := estimate([]float64{1, 2, 3})
	if e.Mean != 2 || math.Abs(e.High-4.4841) > 1e-4 || math.Abs(e.Low+0.4841) > 1e-4 {
		t.Errorf("%+v, want 2 (-0.4841 to 4.4841)", e)
	}
	if e := estimate([]float64{5}); e.Low != 5 || e.High != 5 {
		t.Errorf("one value: %+v", e)
	}
}

// Ranks of 1 2 2 4 are 1 2.5 2.5 4 and of 10 30 20 40 are 1 3 2 4: deviations
// (-1.5 0 0 1.5) and (-1.5 .5 -.5 1.5), sums of squares 4.5 and 5, product 4.5:
// correlation 4.5/sqrt(22.5) = 0.94868.
func TestSpearman(t *testing.T) {
	if got := stats.Spearman([]float64{1, 2, 2, 4}, []float64{10, 30, 20, 40}); math.Abs(got-0.94868) > 1e-5 {
		t.Errorf("%v, want 0.94868", got)
	}
}

func TestReductionIsPaired(t *testing.T) {
	got := reduction([]float64{50, 90}, []float64{100, 100})
	if math.Abs(got[0]-50) > 1e-9 || math.Abs(got[1]-10) > 1e-9 {
		t.Errorf("%v, want 50 and 10 %%", got)
	}
}

// Every section of the committed results with a missed row has its heading in
// why.md, and a paragraph below it.
func TestEveryMissHasAReason(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "results", "papers", "why.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := func(paper, id string) bool {
		_, below, ok := strings.Cut(string(text), "\n## "+whyHeading(paper, id)+"\n\n")
		return ok && len(below) > 40 && !strings.HasPrefix(below, "#")
	}
	for _, paper := range Papers() {
		rows, at := committed(t, paper)
		for _, r := range rows {
			section := r[at["section"]]
			if r[at["verdict"]] == string(Missed) && r[at["counted"]] == "true" && r[at["note"]] == "" && !said(paper, section) {
				t.Errorf("%s, %s: %q is missed without a reason", paper, section, r[at["what"]])
			}
		}
	}
}

// The correlation that repeats leave, by hand: ranks 1 to 8 have variance 63/12.
func TestAttainable(t *testing.T) {
	cells := func(v map[int]float64) (out []thesisValue) {
		for n := 1; n <= 8; n++ {
			out = append(out, thesisValue{experiment: n, item: 1, published: v[n]})
		}
		return out
	}
	// Ranks are the values. Pairs 2 and 5, 6 and 8: w = (1/2 + 1/2)/2 = 0.5, b = (64-1)/12.
	got := attainable(cells(map[int]float64{1: 1, 2: 2, 5: 3, 3: 4, 6: 5, 8: 6, 4: 7, 7: 8}), false)
	if want := math.Sqrt(1 - 0.5/5.25); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	// Pairs 1 and 8 apart: w = 49/2 and 25/2, more than the table varies by.
	if got := attainable(cells(map[int]float64{2: 1, 5: 8, 6: 2, 8: 7, 1: 3, 3: 4, 4: 5, 7: 6}), false); got != 0 {
		t.Errorf("%v, want 0", got)
	}
}

// committed are the rows of a paper's committed results and the place of each column.
func committed(t *testing.T, paper string) (rows [][]string, at map[string]int) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "results", "papers", paper+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	if rows, err = csv.NewReader(bytes.NewReader(b)).ReadAll(); err != nil {
		t.Fatal(err)
	}
	at = map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	return rows[1:], at
}
