package study

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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

// TestFidelity compares searches on levels with searches of full fidelity and writes a
// table. It takes long:
//
//	SCHEDTUNE_LONG=1 FIDELITY_OUT=table.md go test ./internal/study -run TestFidelity -timeout 0 -v
//
// FIDELITY_HALF is "development" or "held-out", or numbers; all ten without; FIDELITY_STORE is a folder
// that keeps studies of full fidelity, which FIDELITY_ONLY=whole makes alone; FIDELITY_LOGS is a
// folder for the logs; FIDELITY_BUDGET is the number of runs, 1000.
func TestFidelity(t *testing.T) {
	if os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("long: set SCHEDTUNE_LONG=1")
	}
	budget := 1000
	if s := os.Getenv("FIDELITY_BUDGET"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		budget = n
	}
	numbers := fidelityNumbers(t)
	out := os.Stdout
	if path := os.Getenv("FIDELITY_OUT"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out = f
	}
	fmt.Fprintf(out, "| problem | gain, whole | gain, levels | found, whole | found, levels | cost in whole runs | tasks | processor time |\n|---|---|---|---|---|---|---|---|\n")
	var sums [2]float64
	for _, number := range numbers {
		p, err := drawFidelity(number)
		if err != nil {
			t.Fatal(err)
		}
		full := studyOnce(t, p, FidelityFull, budget)
		if os.Getenv("FIDELITY_ONLY") == "whole" { // fills the store
			continue
		}
		some := studyOnce(t, p, FidelityLevels, budget)
		g := truths(t, p, full.Best, some.Best, full.Found, some.Found)
		fmt.Fprintf(out, "| %v | %s | %s | %s | %s | %.0f, %.0f | %.3f | %.3f |\n", p, g[0], g[1], g[2], g[3], full.Whole, some.Whole, some.Tasks/full.Tasks, some.Seconds/full.Seconds)
		sums[0] += g[0].gain
		sums[1] += g[1].gain
		for _, l := range some.Levels {
			r := "-"
			if l.Correlation != nil {
				r = fmt.Sprintf("%.2f", *l.Correlation)
			}
			t.Logf("%d: level %s cost %.4f runs %d rank correlation %s search %v", number, l.Name, l.Cost, l.Runs, r, l.Search)
		}
		t.Logf("%d: full %.0f s, levels %.0f s, gains %v", number, full.Seconds, some.Seconds, g)
	}
	fmt.Fprintf(out, "\nSum of gains: %.4f on whole runs, %.4f on levels: %.1f %%.\n", sums[0], sums[1], 100*sums[1]/sums[0])
}

// fidelityNumbers are the problems that FIDELITY_HALF names.
func fidelityNumbers(t *testing.T) []int {
	t.Helper()
	numbers := []int{2, 4, 6, 8, 10, 1, 3, 5, 7, 9}
	switch half := os.Getenv("FIDELITY_HALF"); half {
	case "development":
		return numbers[:5]
	case "held-out":
		return numbers[5:]
	case "":
		return numbers
	default:
		numbers = nil
		for _, s := range strings.Split(half, ",") {
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
func studyOnce(t *testing.T, p *fidelityProblem, fidelity string, budget int) fidelityOutcome {
	t.Helper()
	var o fidelityOutcome
	path := ""
	if dir := os.Getenv("FIDELITY_STORE"); dir != "" && fidelity == FidelityFull {
		path = filepath.Join(dir, fmt.Sprintf("%s-%d-%d.json", fidelity, p.number, budget))
		if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &o) == nil {
			return o
		}
	}
	before := cputime.Seconds()
	var tasks atomic.Int64
	var sizes sync.Map // of workloads, by window
	req := Request{Objectives: []string{p.objective}, Constraints: p.limits, Fidelity: fidelity, Options: tune.Options{Seed: uint64(p.number), Budget: budget}}
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
		if log, err = tune.OpenLog(filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", fidelity, p.number))); err != nil {
			t.Fatal(err)
		}
		defer log.Close()
	}
	r, err := s.Run(context.Background(), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	o = fidelityOutcome{Best: r.Best.Settings, Found: r.Best.Settings, Proven: r.Proven, Runs: r.Runs, Whole: r.Cost,
		Tasks: float64(tasks.Load()), Seconds: cputime.Seconds() - before, Levels: r.Levels}
	if o.Whole == 0 {
		o.Whole = float64(r.Runs)
	}
	if r.Unproven != nil {
		o.Found = r.Unproven.Settings
	}
	if path != "" {
		b, err := json.Marshal(o)
		if err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// truth is what settings bring on fresh workloads.
type truth struct {
	gain   float64 // 1 - exp of the mean logarithm of the ratio to the present
	lost   float64 // jobs a run that the present does
	failed int     // runs without a result where the present has one
	over   float64 // by how much the limit that is exceeded most is, as a part of it
}

func (t truth) String() string {
	s := fmt.Sprintf("%.1f %%", 100*t.gain)
	if t.lost > 0 {
		s += fmt.Sprintf(", %.2g lost", t.lost)
	}
	if t.failed > 0 {
		s += fmt.Sprintf(", %d without result", t.failed)
	}
	if t.over > 0 {
		s += fmt.Sprintf(", limit +%.1f %%", 100*t.over)
	}
	return s
}

// fidelityTruth is the number of fresh workloads behind a truth.
const fidelityTruth = 32

// truths judges settings at full fidelity on workloads and seeds of their own.
func truths(t *testing.T, p *fidelityProblem, sets ...tune.Settings) []truth {
	t.Helper()
	s, err := PrepareCase(t.Context(), p.c, Request{Objectives: []string{p.objective}, Constraints: p.limits, Options: tune.Options{Seed: 1<<40 + uint64(p.number), Budget: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	all := []tune.Settings{s.Space.PresentSettings()}
	at := make([]int, len(sets)) // of the settings among all
	for k, set := range sets {
		at[k] = slices.IndexFunc(all, set.Equal)
		if at[k] < 0 {
			at[k] = len(all)
			all = append(all, set)
		}
	}
	outs := make([]tune.Outcome, len(all)*fidelityTruth)
	items := make([]tune.Item, len(outs))
	for i := range items {
		items[i] = tune.Item{Settings: all[i%len(all)], Seed: 1<<50 + uint64(i/len(all)), Window: s.Problem.HoldOut[i/len(all)]}
	}
	pool := tune.Pool(runtime.NumCPU(), s.Runner.Outcome)
	if err := pool.Evaluate(context.Background(), items, func(i int, o tune.Outcome) { outs[i] = o }); err != nil {
		t.Fatal(err)
	}
	res := make([]truth, len(sets))
	for k := range sets {
		sum, n := 0.0, 0.0
		over := map[string][2]float64{}
		for i := 0; i < len(outs); i += len(all) {
			a, b := outs[i], outs[i+at[k]]
			if a.Err != "" {
				continue
			}
			if b.Err != "" { // counts for no gain; the table tells
				res[k].failed++
				n++
				continue
			}
			sum += math.Log(b.Metrics[p.objective] / a.Metrics[p.objective])
			n++
			lost := map[int32]bool{}
			for _, j := range a.Lost {
				lost[j] = true
			}
			for _, j := range b.Lost {
				if !lost[j] {
					res[k].lost++
				}
			}
			for _, c := range s.Problem.Constraints {
				x, okA := a.Metrics[c.Metric]
				y, okB := b.Metrics[c.Metric]
				if okA && okB && strings.Contains(c.Metric, "queue.") {
					v := over[c.Metric]
					over[c.Metric] = [2]float64{v[0] + x, v[1] + y}
				}
			}
		}
		res[k].gain = 1 - math.Exp(sum/n)
		res[k].lost /= n
		for _, c := range s.Problem.Constraints {
			v := over[c.Metric]
			if c.Factor > 0 && v[0] > 0 {
				res[k].over = max(res[k].over, v[1]/(c.Factor*v[0])-1)
			}
		}
	}
	return res
}

// tasks are those of a window's workload.
func (r *Runner) tasks(window int) float64 {
	if level, w := r.levelRun(window); level != nil {
		return tasksOf(level.Workload(w))
	}
	return tasksOf(r.Runner.Workload(window))
}
