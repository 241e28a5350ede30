package study

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"schedtune/internal/cputime"
	"schedtune/tune"
)

// fidelityOutcome is what one study of a problem came to.
type fidelityOutcome struct {
	Best, Found tune.Settings
	Proven      bool
	Runs        int
	Whole       float64 // cost in whole runs
	Tasks       float64 // simulated
	Seconds     float64 // processor time
	Levels      []tune.LevelUse
}

// fidelityStudy is one of the studies that are compared.
type fidelityStudy struct {
	name, fidelity string
	budget         int
}

// fidelityStudies are a study of whole runs, one on levels, and one of as many whole runs
// as the latter may cost.
var fidelityStudies = []fidelityStudy{{"whole", FidelityFull, 1000}, {"levels", FidelityLevels, 1000}, {"tenth", FidelityFull, 100}}

// TestFidelity compares searches on levels with searches of full fidelity and writes a
// table. It takes long:
//
//	SCHEDTUNE_LONG=1 FIDELITY_OUT=table.md go test ./internal/study -run TestFidelity -timeout 0 -v
//
// FIDELITY_HALF is "development" or "held-out", or numbers; both without; FIDELITY_STORE is a folder
// that keeps studies of full fidelity and runs of the judgement; FIDELITY_ONLY names the studies to
// make; FIDELITY_LOGS is a folder for the logs; FIDELITY_SEED is added to the studies' seeds.
func TestFidelity(t *testing.T) {
	if os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("long: set SCHEDTUNE_LONG=1")
	}
	var out io.Writer = os.Stdout
	if path := os.Getenv("FIDELITY_OUT"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out = f
	}
	var names []string
	for _, st := range studiesMade() {
		names = append(names, st.name)
	}
	fmt.Fprintf(out, "| problem | recommended: %[1]s | found: %[1]s | cost in whole runs | tasks | processor time |\n|---|---|---|---|---|---|\n", strings.Join(names, "; "))
	sums := make([]fidelitySum, len(names))
	for _, number := range fidelityNumbers(t) {
		p, err := drawFidelity(number)
		if err != nil {
			t.Fatal(err)
		}
		compareStudies(t, out, p, sums)
	}
	for i := range sums {
		sums[i].write(out, names[i], &sums[0])
	}
}

// studiesMade are those that FIDELITY_ONLY names, or all.
func studiesMade() []fidelityStudy {
	only := os.Getenv("FIDELITY_ONLY")
	if only == "" {
		return fidelityStudies
	}
	var out []fidelityStudy
	for _, st := range fidelityStudies {
		if strings.Contains(","+only+",", ","+st.name+",") {
			out = append(out, st)
		}
	}
	return out
}

// compareStudies makes the studies of a problem and writes its row.
func compareStudies(t *testing.T, out io.Writer, p *fidelityProblem, sums []fidelitySum) {
	t.Helper()
	var sets []tune.Settings
	var cost, tasks, seconds []string
	var all []fidelityOutcome
	for _, st := range studiesMade() {
		o := studyOnce(t, p, st)
		all = append(all, o)
		sets = append(sets, o.Best, o.Found)
		cost = append(cost, fmt.Sprintf("%.0f", o.Whole))
		tasks = append(tasks, fmt.Sprintf("%.3f", o.Tasks/all[0].Tasks))
		seconds = append(seconds, fmt.Sprintf("%.3f", o.Seconds/all[0].Seconds))
		t.Logf("%d: %s %.1f s, proven %v, %v", p.number, st.name, o.Seconds, o.Proven, levelUses(o.Levels))
	}
	truth := truths(t, p, sets...)
	var best, found []string
	for i := range all {
		best, found = append(best, truth[2*i].String()), append(found, truth[2*i+1].String())
		sums[i].add(truth[2*i], truth[2*i+1], all[i].Seconds, all[i].Tasks)
	}
	join := func(texts []string) string { return strings.Join(texts, "; ") }
	row := fmt.Sprintf("| %v | %s | %s | %s | %s | %s |", p, join(best), join(found), join(cost), join(tasks), join(seconds))
	fmt.Fprintln(out, row)
	t.Log(row)
}

func levelUses(ls []tune.LevelUse) string {
	text := ""
	for _, l := range ls {
		r := "-"
		if l.Correlation != nil {
			r = fmt.Sprintf("%.2f", *l.Correlation)
		}
		text += fmt.Sprintf("%s cost %.4f runs %d rank correlation %s search %v; ", l.Name, l.Cost, l.Runs, r, l.Search)
	}
	return text
}

// fidelityNumbers are the problems that FIDELITY_HALF names.
func fidelityNumbers(t *testing.T) []int {
	t.Helper()
	development, heldOut := []int{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}, []int{1, 3, 5, 7, 9, 13, 15, 17, 19, 21}
	switch half := os.Getenv("FIDELITY_HALF"); half {
	case "development":
		return development
	case "held-out":
		return heldOut
	case "":
		return append(development, heldOut...)
	default:
		var numbers []int
		for s := range strings.SplitSeq(half, ",") {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, n)
		}
		return numbers
	}
}

// studyOnce makes a study, or takes it from the store.
func studyOnce(t *testing.T, p *fidelityProblem, st fidelityStudy) fidelityOutcome {
	t.Helper()
	var o fidelityOutcome
	path := ""
	if dir := os.Getenv("FIDELITY_STORE"); dir != "" && st.fidelity == FidelityFull {
		path = filepath.Join(dir, fmt.Sprintf("%s-%d-%d-%d.json", st.fidelity, p.number, st.budget, fidelitySeed(t)))
		if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &o) == nil {
			return o
		}
	}
	o = makeStudy(t, p, st)
	if path != "" {
		store(t, path, o)
	}
	return o
}

// store writes a file of the store.
func store(t *testing.T, path string, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// makeStudy makes a study.
func makeStudy(t *testing.T, p *fidelityProblem, st fidelityStudy) fidelityOutcome {
	t.Helper()
	before := cputime.Seconds()
	var tasks atomic.Int64
	var sizes sync.Map // of workloads, by window
	req := Request{Objectives: []string{p.objective}, Constraints: p.limits, Fidelity: st.fidelity, Options: tune.Options{Seed: uint64(p.number) + fidelitySeed(t), Budget: st.budget}}
	var s *Study
	req.Evaluate = func(run tune.Run) tune.Evaluator {
		return tune.Pool(runtime.NumCPU(), func(ctx context.Context, it tune.Item) tune.Outcome {
			o := run(ctx, it)
			n, ok := sizes.Load(it.Window)
			if !ok {
				n = int64(s.Runner.tasks(it.Window))
				sizes.Store(it.Window, n)
			}
			tasks.Add(n.(int64))
			return o
		})
	}
	s, err := PrepareCase(t.Context(), p.c, req)
	if err != nil {
		t.Fatal(err)
	}
	var log *tune.Log
	if dir := os.Getenv("FIDELITY_LOGS"); dir != "" {
		if log, err = tune.OpenLog(filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", st.name, p.number))); err != nil {
			t.Fatal(err)
		}
		defer log.Close()
	}
	r, err := s.Run(context.Background(), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := fidelityOutcome{Best: r.Best.Settings, Found: r.Best.Settings, Proven: r.Proven, Runs: r.Runs, Whole: r.Cost,
		Tasks: float64(tasks.Load()), Seconds: cputime.Seconds() - before, Levels: r.Levels}
	if o.Whole == 0 {
		o.Whole = float64(r.Runs)
	}
	if r.Unproven != nil {
		o.Found = r.Unproven.Settings
	}
	return o
}

// tasks are those of a window's workload.
func (r *Runner) tasks(window int) float64 {
	if level, w := r.levelRun(window); level != nil {
		return tasksOf(level.Workload(w))
	}
	return tasksOf(r.Runner.Workload(window))
}

// fidelitySeed is added to the seeds of studies: FIDELITY_SEED, 0 without.
func fidelitySeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("FIDELITY_SEED")
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
