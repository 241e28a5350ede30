package main

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"time"

	"schedtune/internal/stats"
	"schedtune/tune"
)

// step is a recommendation: after so many runs, this truth.
type step struct {
	runs  int
	truth float64
}

// trace is one repeat of one method on one problem.
type trace []step

// at is the truth of what is recommended after a number of runs.
func (t trace) at(runs int) float64 {
	i := sort.Search(len(t), func(i int) bool { return t[i].runs > runs })
	return t[max(0, i-1)].truth
}

func (t trace) final() float64 { return t[len(t)-1].truth }

// cell is all repeats of one method on one problem.
type cell []trace

// table holds cells by problem and method, in the order of the lists.
type table struct {
	problems []*problem
	methods  []method
	cells    [][]cell
	own      []time.Duration // per method: its own time per run, summed over repeats
	repeats  []int           // per method: how many repeats own holds
	best     []float64       // per problem: the optimum or the best anyone found
	start    []float64       // per problem: truth of the current configuration
}

// stops are the numbers of runs after which every method's recommendation is
// judged: every 5 runs at first, then an eighth more each time.
func stops(budget int) []int {
	var out []int
	for r := 0; r < budget; r += max(5, r/8/5*5) {
		out = append(out, r)
	}
	return append(out, budget)
}

// runOne is one repeat: what the method would recommend at each stop, and the
// time of the method itself per run.
func runOne(p *problem, m method, seed uint64) (trace, time.Duration, error) {
	p = p.metered()
	start := time.Now()
	at := stops(p.budget)
	if p.judged != nil {
		at = slices.Clone(p.judged)
	}
	known := map[string]float64{}
	var t trace
	var rec []tune.Settings
	judge := func(before int) {
		for ; len(at) > 0 && at[0] < before; at = at[1:] {
			key := ""
			for _, s := range rec {
				key += s.Key() + "\n"
			}
			if _, ok := known[key]; !ok {
				known[key] = p.worth(rec)
			}
			t = append(t, step{at[0], known[key]})
		}
	}
	err := m.run(p, seed, func(runs int, now ...tune.Settings) {
		judge(runs)
		rec = now
	})
	judge(p.budget + 1)
	if err != nil {
		return nil, 0, fmt.Errorf("%s, %s, seed %d: %w", p.name, m.name, seed, err)
	}
	own := time.Since(start) - p.meter.spent
	if m.rival {
		own = p.meter.rival
	}
	return t, own / time.Duration(max(1, p.meter.runs)), nil
}

// metered is a copy of a problem whose runs are counted and timed.
func (p *problem) metered() *problem {
	q := *p
	q.meter = &meter{}
	return &q
}

// job is a repeat of one method on one problem.
type job struct{ p, m int }

// runAll fills a table repeat by repeat; jobs are shared by workers and land
// where they belong, so the table does not depend on their number. more is
// asked before every repeat but the first, with the table so far: false ends
// the table with whole repeats.
func runAll(ps []*problem, ms []method, repeats, workers int, seed uint64,
	more func(tb *table, done int) (bool, error)) (*table, error) {
	tb := &table{problems: ps, methods: ms, own: make([]time.Duration, len(ms)), repeats: make([]int, len(ms))}
	for range ps {
		tb.cells = append(tb.cells, make([]cell, len(ms)))
	}
	for r := range repeats {
		if r > 0 {
			tb.settleBest()
			if on, err := more(tb, r); err != nil || !on {
				return tb, err
			}
		}
		if err := tb.repeat(r, workers, seed); err != nil {
			return nil, err
		}
	}
	tb.settleBest()
	return tb, nil
}

// repeat adds one repeat to every cell.
func (tb *table) repeat(r, workers int, seed uint64) error {
	var todo []job
	for p := range tb.cells {
		for m := range tb.cells[p] {
			todo = append(todo, job{p, m})
			tb.cells[p][m] = append(tb.cells[p][m], nil)
		}
	}
	jobs := make(chan job)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range workers {
		wg.Go(func() {
			for j := range jobs {
				t, own, err := runOne(tb.problems[j.p], tb.methods[j.m], seed*1000+uint64(r))
				mu.Lock()
				tb.own[j.m] += own
				tb.repeats[j.m]++
				if err != nil && failed == nil {
					failed = err
				}
				tb.cells[j.p][j.m][r] = t
				mu.Unlock()
			}
		})
	}
	for _, j := range todo {
		jobs <- j
	}
	close(jobs)
	wg.Wait()
	return failed
}

func (tb *table) settleBest() {
	tb.best, tb.start = nil, nil
	for i, p := range tb.problems {
		best := math.Inf(1)
		if !math.IsNaN(p.best) {
			best = p.best
		}
		for _, c := range tb.cells[i] {
			for _, t := range c {
				for _, s := range t {
					best = math.Min(best, s.truth)
				}
			}
		}
		tb.best = append(tb.best, best)
		tb.start = append(tb.start, p.present())
	}
}

// regret normalises a truth: 0 is the best known, 1 the current configuration. Where
// nothing better than that is known, all that is worse is 1 as well.
func (tb *table) regret(p int, truth float64) float64 {
	if tb.start[p] <= tb.best[p] {
		if truth > tb.best[p] {
			return 1
		}
		return 0
	}
	return (truth - tb.best[p]) / (tb.start[p] - tb.best[p])
}

// finals lists the final regrets of a cell.
func (tb *table) finals(p, m int) []float64 {
	var out []float64
	for _, t := range tb.cells[p][m] {
		out = append(out, tb.regret(p, t.final()))
	}
	return out
}

// quantileAt is a quantile of regret over repeats after a number of runs.
func (tb *table) quantileAt(p, m, runs int, q float64) float64 {
	var out []float64
	for _, t := range tb.cells[p][m] {
		out = append(out, tb.regret(p, t.at(runs)))
	}
	return quantile(out, q)
}

func quantile(x []float64, q float64) float64 {
	return stats.Quantile(slices.Sorted(slices.Values(x)), q)
}

func median(x []float64) float64 { return quantile(x, 0.5) }

// runsTo is the first stop at which the median regret is at most target;
// infinity if it never is.
func (tb *table) runsTo(p, m int, target float64) float64 {
	for _, r := range stops(tb.problems[p].budget) {
		if tb.quantileAt(p, m, r, 0.5) <= target+1e-12 {
			return float64(max(r, 5))
		}
	}
	return math.Inf(1)
}
