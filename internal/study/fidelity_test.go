package study

import (
	"cmp"
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

	"schedtune/internal/text"
	"schedtune/tune"
)

// fidelityOutcome is what one study of a problem came to.
type fidelityOutcome struct {
	Best, Found tune.Settings
	Proven      bool
	Whole       float64 // runs
	Tasks       float64 // simulated
	Seconds     float64 // processor time
}

// fidelityStudy is one of the studies that are compared.
type fidelityStudy struct {
	name   string
	budget int
}

// fidelityStudies are studies of fewer and fewer runs.
var fidelityStudies = []fidelityStudy{{"1000", 1000}, {"200", 200}, {"140", 140}, {"100", 100}}

// TestFidelity compares studies of few runs with one of many and writes results/fidelity.csv, and
// sums of the gains to standard output. It takes long:
//
//	SCHEDTUNE_LONG=1 FIDELITY_OUT=fidelity.csv go test ./internal/study -run TestFidelity -timeout 0 -v
//
// FIDELITY_HALF is "development" or "held-out", or numbers; both without; FIDELITY_STORE is a folder
// that keeps studies, under the name FIDELITY_CODE, and runs of the judgement; FIDELITY_ONLY names the
// studies to make; FIDELITY_LOGS is a folder for the logs; FIDELITY_SEEDS are added to the studies'
// seeds, one after the other ("0,1000"; 0 without).
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
	fmt.Fprintln(out, "problem,objective,study,repeat,found_percent,lost,failed,over_percent")
	sums := make([]fidelitySum, len(names))
	for _, number := range fidelityNumbers(t) {
		p, err := drawFidelity(number)
		if err != nil {
			t.Fatal(err)
		}
		for i, seed := range fidelitySeeds(t) {
			compareStudies(t, out, p, i+1, seed, sums)
		}
	}
	for i := range sums {
		sums[i].write(os.Stdout, names[i], &sums[0])
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

// compareStudies makes the studies of a problem with a seed and writes a row for each.
func compareStudies(t *testing.T, out io.Writer, p *fidelityProblem, repeat int, seed uint64, sums []fidelitySum) {
	t.Helper()
	var sets []tune.Settings
	var all []fidelityOutcome
	for _, st := range studiesMade() {
		o := studyOnce(t, p, st, seed)
		all = append(all, o)
		sets = append(sets, o.Best, o.Found)
		t.Logf("%d: %s %.1f s, proven %v", p.number, st.name, o.Seconds, o.Proven)
	}
	truth := truths(t, p, sets...)
	for i, st := range studiesMade() {
		best, found := truth[2*i], truth[2*i+1]
		sums[i].add(p.number, best, found, all[i])
		t.Logf("%v: %s recommended %v, found %v", p, st.name, best, found)
		fmt.Fprintf(out, "%d,%s,%s,%d,%.1f,%.2g,%d,%.1f\n", p.number, p.objective, st.name, repeat, 100*found.gain,
			found.lost, found.failed, 100*found.over)
	}
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
func studyOnce(t *testing.T, p *fidelityProblem, st fidelityStudy, seed uint64) fidelityOutcome {
	t.Helper()
	var o fidelityOutcome
	path := ""
	if dir := os.Getenv("FIDELITY_STORE"); dir != "" {
		path = filepath.Join(dir, fmt.Sprintf("%s-%s-%d-%d.json", os.Getenv("FIDELITY_CODE"), st.name, p.number, seed))
		if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &o) == nil {
			return o
		}
	}
	o = makeStudy(t, p, st, seed)
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
func makeStudy(t *testing.T, p *fidelityProblem, st fidelityStudy, seed uint64) fidelityOutcome {
	t.Helper()
	before := text.Seconds()
	var tasks atomic.Int64
	var sizes sync.Map // of workloads, by window
	req := Request{Objectives: []string{p.objective}, Constraints: p.limits,
		Options: tune.Options{Seed: uint64(p.number) + seed, Budget: st.budget}}
	var s *Study
	req.Evaluate = func(run tune.Run) tune.Evaluator {
		return tune.Pool(runtime.NumCPU(), func(ctx context.Context, it tune.Item) tune.Outcome {
			o := run(ctx, it)
			n, ok := sizes.Load(it.Window)
			if !ok {
				n = int64(TasksOf(s.Runner.Workload(it.Window)))
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
		if log, err = tune.OpenLog(filepath.Join(dir, fmt.Sprintf("%s-%d-%d.jsonl", st.name, p.number, seed))); err != nil {
			t.Fatal(err)
		}
		defer log.Close()
	}
	r, err := s.Run(context.Background(), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := fidelityOutcome{Best: r.Best.Settings, Found: r.Shown().Settings, Proven: r.Decision.Recommended,
		Whole: float64(r.Runs),
		Tasks: float64(tasks.Load()), Seconds: text.Seconds() - before}
	return o
}

// fidelitySeeds are added to the seeds of studies: FIDELITY_SEEDS, 0 without.
func fidelitySeeds(t *testing.T) []uint64 {
	t.Helper()
	var out []uint64
	for text := range strings.SplitSeq(cmp.Or(os.Getenv("FIDELITY_SEEDS"), "0"), ",") {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}
