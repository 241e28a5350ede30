package study

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/stats"
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
	of             map[int]fidelityGains // by problem, over its seeds
	cost           []float64             // of each study, in whole runs
	seconds, tasks float64
}

// fidelityGains are sums of gains: those that count of what is recommended and found, the
// logarithms of the latter, -log(1 - gain), and the gains found whatever else is broken.
type fidelityGains struct {
	best, found, log, bare float64
}

func (s *fidelitySum) add(problem int, best, found truth, o fidelityOutcome) {
	if s.of == nil {
		s.of = map[int]fidelityGains{}
	}
	g := s.of[problem]
	g.best += best.counted()
	g.found += found.counted()
	g.log -= math.Log1p(-found.counted())
	g.bare += found.gain
	s.of[problem] = g
	s.cost = append(s.cost, o.Whole)
	s.seconds += o.Seconds
	s.tasks += o.Tasks
}

func (s *fidelitySum) write(out io.Writer, name string, whole *fidelitySum) {
	part := func(of func(fidelityGains) float64) string {
		a, b, low, high := ratioOver(s.of, whole.of, of)
		return fmt.Sprintf("%.3f (%.1f %%, 90 %% interval %.1f to %.1f)", a, 100*a/b, 100*low, 100*high)
	}
	fmt.Fprintf(out, "\n%s: sum of the gains found %s, of their logarithms %s, of all gains %s; recommended %s; cost "+
		"%.0f to %.0f whole runs, mean %.0f; tasks %.3f, processor time %.3f.\n", name,
		part(func(g fidelityGains) float64 { return g.found }), part(func(g fidelityGains) float64 { return g.log }),
		part(func(g fidelityGains) float64 { return g.bare }), part(func(g fidelityGains) float64 { return g.best }),
		slices.Min(s.cost), slices.Max(s.cost), stats.Mean(s.cost), s.tasks/whole.tasks, s.seconds/whole.seconds)
}

// ratioOver are the sums of a figure over problems of two kinds of study, and the 5th and 95th
// percentile of their ratio over 10,000 bootstrap samples of the problems.
func ratioOver(a, b map[int]fidelityGains, of func(fidelityGains) float64) (sumA, sumB, low, high float64) {
	problems := slices.Sorted(maps.Keys(b))
	for _, p := range problems {
		sumA += of(a[p])
		sumB += of(b[p])
	}
	ratios := make([]float64, 10_000)
	for i := range ratios {
		k := rng.NewKey(uint64(i), 0x626f6f74)
		var x, y float64
		for j := range problems {
			p := problems[k.IntN(uint64(j), len(problems))]
			x += of(a[p])
			y += of(b[p])
		}
		ratios[i] = x / y
	}
	slices.Sort(ratios)
	return sumA, sumB, stats.Quantile(ratios, 0.05), stats.Quantile(ratios, 0.95)
}

// fidelityTruth is the number of fresh workloads behind a truth.
const fidelityTruth = 32

// truths judges settings at full fidelity on workloads and seeds of their own.
func truths(t *testing.T, p *fidelityProblem, sets ...tune.Settings) []truth {
	t.Helper()
	s, err := PrepareCase(t.Context(), p.c, Request{Objectives: []string{p.objective}, Constraints: p.limits,
		Options: tune.Options{Seed: 1<<40 + uint64(p.number), Budget: 1000}})
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
