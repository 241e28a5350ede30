package study

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"schedtune/tune"
)

// truth is what settings bring on fresh workloads.
type truth struct {
	gain   float64 // 1 - exp of the mean logarithm of the ratio to the present
	lost   float64 // jobs a run that the present does
	failed int     // runs without a result where the present has one
	over   float64 // by how much the limit that is exceeded most is, as a part of it
}

// overTolerance is by how much a mean over fresh workloads may be beyond a limit of
// "present + 5 %" for a gain to count: then nobody is more than 10 % worse, which is what
// a verdict names.
const overTolerance = 0.05

// counted is the gain, 0 where a limit is broken, work is lost or there is no result.
func (t truth) counted() float64 {
	if t.lost > 0 || t.failed > 0 || t.over > overTolerance {
		return 0
	}
	return t.gain
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

// fidelitySum adds up what a kind of study brings on all problems.
type fidelitySum struct {
	best, found       float64 // gains that count
	logBest, logFound float64 // their logarithms, -log(1 - gain)
	seconds, tasks    float64
}

func (s *fidelitySum) add(best, found truth, seconds, tasks float64) {
	s.best += best.counted()
	s.found += found.counted()
	s.logBest -= math.Log1p(-best.counted())
	s.logFound -= math.Log1p(-found.counted())
	s.seconds += seconds
	s.tasks += tasks
}

func (s *fidelitySum) write(out io.Writer, name string, whole *fidelitySum) {
	part := func(a, b float64) string { return fmt.Sprintf("%.3f (%.1f %%)", a, 100*a/b) }
	fmt.Fprintf(out, "\n%s: sum of the gains found %s, of their logarithms %s; recommended %s, %s; tasks %.3f, processor time %.3f.\n", name,
		part(s.found, whole.found), part(s.logFound, whole.logFound), part(s.best, whole.best), part(s.logBest, whole.logBest), s.tasks/whole.tasks, s.seconds/whole.seconds)
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
	all := append([]tune.Settings{s.Space.PresentSettings()}, sets...)
	outs := make([][]tune.Outcome, len(all))
	known := map[string][]tune.Outcome{}
	for k, set := range all {
		key := set.Key()
		if known[key] == nil {
			known[key] = truthRuns(t, p, s, set)
		}
		outs[k] = known[key]
	}
	res := make([]truth, len(sets))
	for k := range sets {
		res[k] = judge(p, s, outs[0], outs[k+1])
	}
	return res
}

// truthRuns are the runs of settings on the fresh workloads, from the store if they are
// there.
func truthRuns(t *testing.T, p *fidelityProblem, s *Study, set tune.Settings) []tune.Outcome {
	t.Helper()
	outs := make([]tune.Outcome, fidelityTruth)
	path := ""
	if dir := os.Getenv("FIDELITY_STORE"); dir != "" {
		path = filepath.Join(dir, fmt.Sprintf("truth-%d-%x.json", p.number, sha256.Sum256([]byte(set.Key())))[:60])
		if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &outs) == nil {
			return outs
		}
	}
	items := make([]tune.Item, fidelityTruth)
	for i := range items {
		items[i] = tune.Item{Settings: set, Seed: 1<<50 + uint64(i), Window: s.Problem.HoldOut[i]}
	}
	pool := tune.Pool(runtime.NumCPU(), s.Runner.Outcome)
	if err := pool.Evaluate(context.Background(), items, func(i int, o tune.Outcome) { outs[i] = o }); err != nil {
		t.Fatal(err)
	}
	if path != "" {
		store(t, path, outs)
	}
	return outs
}

// judge compares runs of settings with those of the present ones.
func judge(p *fidelityProblem, s *Study, before, after []tune.Outcome) truth {
	var res truth
	sum, n := 0.0, 0.0
	over := map[string][2]float64{}
	for i, a := range before {
		b := after[i]
		if a.Err != "" {
			continue
		}
		n++
		if b.Err != "" { // counts for no gain; the table tells
			res.failed++
			continue
		}
		sum += math.Log(b.Metrics[p.objective] / a.Metrics[p.objective])
		lost := map[int32]bool{}
		for _, j := range a.Lost {
			lost[j] = true
		}
		for _, j := range b.Lost {
			if !lost[j] {
				res.lost++
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
	res.gain = 1 - math.Exp(sum/n)
	res.lost /= n
	for _, c := range s.Problem.Constraints {
		v := over[c.Metric]
		if c.Factor > 0 && v[0] > 0 {
			res.over = max(res.over, v[1]/(c.Factor*v[0])-1)
		}
	}
	return res
}
