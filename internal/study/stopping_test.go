package study

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/tune"
)

// TestStoppingSaves measures what two ways to make runs cheaper without a change of the
// outcome could save at best, on the runs of a search on whole workloads:
//
//   - Early stopping: a run ends at the first instant at which a lower bound of its
//     objective (every job that is under way takes as long as it has taken, every other
//     no time) is above what the median, the best or the current settings have on the
//     same instance.
//   - A common prefix: the part of the containers that are allocated before the first
//     allocation that differs from that under the current settings.
//
// FIDELITY_HALF names the problems. // It takes minutes:
//
//	SCHEDTUNE_LONG=1 FIDELITY_HALF=development go test ./internal/study -run TestStoppingSaves -timeout 0 -v
func TestStoppingSaves(t *testing.T) {
	if os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("long: set SCHEDTUNE_LONG=1")
	}
	for _, number := range fidelityNumbers(t) {
		p, err := drawFidelity(number)
		if err != nil {
			t.Fatal(err)
		}
		m := stoppingRuns(t, p, 150)
		text := ""
		for _, phase := range []string{"median", "best", "present"} {
			saved, stopped := m.saved(phase)
			text += fmt.Sprintf(" %s: %.1f %% (%.0f %% of runs stopped);", phase, 100*saved, 100*stopped)
		}
		median, most := m.prefixes(t)
		t.Logf("%v: %d runs; saved by a bound of%s common prefix %.2f %% of the containers in the median, %.2f %% at most",
			p, len(m.runs), text, 100*median, 100*most)
	}
}

// stoppable is one run of a search.
type stoppable struct {
	item  tune.Item
	work  *simcore.Workload
	jobs  []simcore.JobResult
	value float64
}

// stopping holds the runs of a search.
type stopping struct {
	s      *Study
	metric string
	mu     sync.Mutex
	runs   []stoppable
}

func stoppingRuns(t *testing.T, p *fidelityProblem, budget int) *stopping {
	t.Helper()
	m := &stopping{metric: p.objective}
	req := Request{Objectives: []string{p.objective}, Constraints: p.limits, Options: tune.Options{Seed: uint64(p.number),
		Budget: budget}}
	req.Evaluate = func(tune.Run) tune.Evaluator {
		return tune.Pool(runtime.NumCPU(), func(ctx context.Context, it tune.Item) tune.Outcome {
			res, err := m.s.Runner.Simulate(t.Context(), it.Settings, it.Seed, it.Window, nil)
			if err != nil {
				return tune.Outcome{Err: err.Error()}
			}
			o := tune.Outcome{Metrics: map[string]float64{}, Lost: res.Lost()}
			for _, name := range m.s.Runner.Metrics() {
				if v := simulate.Value(res, name); !math.IsNaN(v) {
					o.Metrics[name] = v
				}
			}
			m.mu.Lock()
			m.runs = append(m.runs, stoppable{it, res.Workload(), res.Jobs, simulate.Value(res, p.objective)})
			m.mu.Unlock()
			return o
		})
	}
	var err error
	if m.s, err = PrepareCase(t.Context(), p.c, req); err != nil {
		t.Fatal(err)
	}
	if _, err := m.s.Run(context.Background(), nil, nil); err != nil {
		t.Fatal(err)
	}
	return m
}

// groups are the runs by instance.
func (m *stopping) groups() map[[2]uint64][]*stoppable {
	out := map[[2]uint64][]*stoppable{}
	for i := range m.runs {
		r := &m.runs[i]
		key := [2]uint64{r.item.Seed, uint64(r.item.Window)}
		out[key] = append(out[key], r)
	}
	return out
}

// saved is the part of all tasks that need not have been simulated, and the part of
// the runs that would have been stopped.
func (m *stopping) saved(by string) (part, stopped float64) {
	all := 0.0
	for _, g := range m.groups() {
		slices.SortFunc(g, func(a, b *stoppable) int { return a.item.Trial - b.item.Trial })
		values := make([]float64, len(g))
		for i, r := range g {
			values[i] = r.value
		}
		slices.Sort(values)
		limit := values[len(values)/2]
		switch by {
		case "best":
			limit = values[0]
		case "present":
			if limit = math.Inf(1); g[0].item.Trial == 0 {
				limit = g[0].value
			}
		}
		for _, r := range g {
			all++
			if r.value > limit {
				stopped++
				part += 1 - r.doneBy(r.stopAt(m.metric, limit))
			}
		}
	}
	return part / all, stopped / all
}

// stopAt is the first instant at which the bound is above a limit, to a second.
func (r *stoppable) stopAt(metric string, limit float64) simcore.Time {
	low, high := simcore.Time(0), simcore.Time(0)
	for i := range r.jobs {
		high = max(high, r.jobs[i].Finish)
	}
	for high-low > simcore.Second {
		at := low + (high-low)/2
		if r.bound(metric, at) > limit {
			high = at
		} else {
			low = at
		}
	}
	return high
}

// bound is what the objective is at least, as known at an instant.
func (r *stoppable) bound(metric string, at simcore.Time) float64 {
	stat, figure, _ := strings.Cut(metric, "-")
	xs := make([]float64, 0, len(r.jobs))
	for i := range r.jobs {
		j := r.jobs[i]
		if j.Failed {
			continue
		}
		so := max(at-j.Submit, 0)
		switch figure {
		case "completion":
			xs = append(xs, min(so, j.Completion()).Seconds())
		case "wait":
			xs = append(xs, min(so, j.Wait()).Seconds())
		case "response-ratio":
			x := 1.0
			if j.Finish <= at {
				x = j.ResponseRatio()
			}
			xs = append(xs, x)
		case "bounded-slowdown":
			if alone := r.work.Alone[j.Job]; alone > 0 {
				j.Finish = min(j.Finish, j.Submit+so)
				xs = append(xs, j.BoundedSlowdown(alone))
			}
		}
	}
	if stat == "mean" {
		sum := 0.0
		for _, x := range xs {
			sum += x
		}
		return sum / float64(len(xs))
	}
	slices.Sort(xs)
	return xs[(len(xs)*95+99)/100-1]
}

// doneBy is the part of the tasks that have run by an instant, if those of a job run
// evenly from its start to its end.
func (r *stoppable) doneBy(at simcore.Time) float64 {
	done, all := 0.0, 0.0
	for i := range r.jobs {
		j := &r.jobs[i]
		n := float64(r.work.Jobs[j.Job].Maps + r.work.Jobs[j.Job].Reduces)
		all += n
		if j.Finish <= at {
			done += n
		} else if j.Start < at {
			done += n * float64(at-j.Start) / float64(j.Finish-j.Start)
		}
	}
	return done / all
}

// prefixes are the median and the largest of the common prefixes with the present
// settings, over some runs.
func (m *stopping) prefixes(t *testing.T) (median, most float64) {
	t.Helper()
	var parts []float64
	for i := 0; i < len(m.runs); i += max(1, len(m.runs)/20) {
		it := m.runs[i].item
		a, b := m.allocations(t, m.s.Space.PresentSettings(), it), m.allocations(t, it.Settings, it)
		k := 0
		for k < min(len(a), len(b)) && a[k] == b[k] {
			k++
		}
		if it.Trial > 0 {
			parts = append(parts, float64(k)/float64(len(a)))
		}
	}
	slices.Sort(parts)
	return parts[len(parts)/2], parts[len(parts)-1]
}

// allocations are a run's containers in order.
func (m *stopping) allocations(t *testing.T, set tune.Settings, it tune.Item) []simulate.Change {
	t.Helper()
	var out []simulate.Change
	if _, err := m.s.Runner.Simulate(t.Context(), set, it.Seed, it.Window, func(c simulate.Change) {
		if c.Delta > 0 {
			out = append(out, c)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return out
}
