package study

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"schedtune/simcore"
	"schedtune/tune"
)

// Whether a study has levels follows from the number of tasks, the budget and the time
// limit alone.
func TestWhenLevelsAreUsed(t *testing.T) {
	p, err := drawFidelity(2)
	if err != nil {
		t.Fatal(err)
	}
	drawn := workloads{recorded: 4, search: DefaultWorkloads}
	tasks := tasksOf(p.c.Work) / 4
	limit := estimatedTime(1000, tasks)
	for _, c := range []struct {
		name string
		req  Request
		want bool
	}{
		{"no fidelity", Request{}, false},
		{"auto, default limit", Request{Fidelity: FidelityAuto}, false},
		{"auto, at the limit", Request{Fidelity: FidelityAuto, TimeLimit: limit}, false},
		{"auto, beyond the limit", Request{Fidelity: FidelityAuto, TimeLimit: limit - time.Millisecond}, true},
		{"full", Request{Fidelity: FidelityFull, TimeLimit: 1}, false},
		{"levels", Request{Fidelity: FidelityLevels}, true},
		{"auto, two objectives", Request{Fidelity: FidelityAuto, TimeLimit: 1, Objectives: []string{"makespan", "mean-wait"}}, false},
		{"auto, too few runs", Request{Fidelity: FidelityAuto, TimeLimit: 1, Options: tune.Options{Budget: tune.LeastLevelBudget - 1}}, false},
		{"auto, enough runs", Request{Fidelity: FidelityAuto, TimeLimit: 1, Options: tune.Options{Budget: tune.LeastLevelBudget}}, true},
		{"auto, budget in time", Request{Fidelity: FidelityAuto, TimeLimit: 1, Options: tune.Options{TimeBudget: time.Hour}}, false},
	} {
		if c.req.Options.TimeBudget == 0 && c.req.Options.Budget == 0 {
			c.req.Options.Budget = 1000
		}
		ls, err := c.req.chooseLevels(p.c, &drawn)
		if err != nil || (len(ls) > 0) != c.want {
			t.Errorf("%s: %v, %v; want levels: %v", c.name, ls, err, c.want)
		}
		for _, l := range ls {
			if l.cluster*float64(len(p.c.Cluster.Nodes)) < leastNodes-1e-9 || l.time*float64(6*simcore.Hour) < 0.9*float64(leastPeriod) || l.time > 1 || l.cluster > 1 {
				t.Errorf("%s: level of %.3f of the time and %.3f of %d nodes", c.name, l.time, l.cluster, len(p.c.Cluster.Nodes))
			}
		}
	}
	for _, bad := range []Request{{Fidelity: "some"}, {Fidelity: FidelityLevels, Objectives: []string{"makespan", "mean-wait"}}, {Fidelity: FidelityLevels, Options: tune.Options{Budget: 100}}} {
		if _, err := bad.chooseLevels(p.c, &drawn); err == nil || !strings.Contains(err.Error(), "allowed: ") {
			t.Errorf("%+v: %v", bad.Fidelity, err)
		}
	}
}

// A level's workloads hold the part of the tasks that its cost says, its cluster the
// part of the memory that its jobs are, and its windows come after all others.
func TestLevelsAreWhatTheyCost(t *testing.T) {
	p, err := drawFidelity(2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := PrepareCase(t.Context(), p.c, Request{Objectives: []string{"mean-completion"}, Fidelity: FidelityLevels, Options: tune.Options{Seed: 1, Budget: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Problem.Levels) == 0 || len(s.Runner.levels) != len(s.Problem.Levels) {
		t.Fatalf("%d levels, %d runners", len(s.Problem.Levels), len(s.Runner.levels))
	}
	next := 4 + 2*DefaultWorkloads
	// The work of the trace's windows and of the search's workloads is known, and no other's.
	if len(s.Problem.Work) != 4+DefaultWorkloads {
		t.Fatalf("the work of %d windows, want %d", len(s.Problem.Work), 4+DefaultWorkloads)
	}
	for _, w := range []int{0, 3, 4, 67} {
		tasks := tasksOf(s.Runner.Runner.Workload(w)) // their times are not recorded
		if s.Problem.Work[w] != tasks {
			t.Errorf("window %d: work %v, want its %v tasks", w, s.Problem.Work[w], tasks)
		}
	}
	for i, l := range s.Problem.Levels {
		r := s.Runner.levels[i].runner
		got := 0.0
		for w := range l.Windows {
			got += tasksOf(r.Workload(w)) / float64(l.Windows)
		}
		// The standard deviation of a load is 0.2, and more for few large jobs.
		if want := l.Cost * tasksOf(p.c.Work) / 4; math.Abs(got/want-1) > 0.35 {
			t.Errorf("level %s: %.0f tasks a run; want %.0f", l.Name, got, want)
		}
		if l.First != next || l.Cost >= 1 {
			t.Errorf("level %s: first window %d; want %d", l.Name, l.First, next)
		}
		next += l.Windows
		o := s.Runner.Outcome(context.Background(), tune.Item{Settings: s.Space.PresentSettings(), Seed: 7, Window: l.First})
		again := s.Runner.Outcome(context.Background(), tune.Item{Settings: s.Space.PresentSettings(), Seed: 7, Window: l.First})
		if o.Err != "" || !(o.Metrics["mean-completion"] > 0) || o.Metrics["mean-completion"] != again.Metrics["mean-completion"] {
			t.Errorf("level %s: %+v, then %+v", l.Name, o, again)
		}
		nodes := len(r.Cluster.Nodes)
		if nodes < leastNodes || r.Cluster.Nodes[0].Capacity[simcore.Memory] != p.c.Cluster.Nodes[0].Capacity[simcore.Memory] {
			t.Errorf("level %s: %d nodes", l.Name, nodes)
		}
	}
	if s.Problem.Windows != next {
		t.Errorf("%d windows; want %d", s.Problem.Windows, next)
	}
}

// A level's workload begins with the jobs of its first 20 minutes, of half its time at
// most; all others come that much earlier.
func TestLevelsBeginWithABacklog(t *testing.T) {
	for _, c := range []struct{ last, first simcore.Time }{{simcore.Hour, 20 * simcore.Minute}, {20 * simcore.Minute, 10 * simcore.Minute}} {
		w := &simcore.Workload{}
		for i := range simcore.Time(11) {
			w.Jobs = append(w.Jobs, simcore.Job{Submit: i * c.last / 10})
		}
		for i, j := range backlog(w).Jobs {
			if want := max(0, simcore.Time(i)*c.last/10-c.first); j.Submit != want {
				t.Errorf("%v: job %d is submitted at %v; want %v", c.last.Std(), i, j.Submit.Std(), want.Std())
			}
		}
	}
}
