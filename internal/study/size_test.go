package study

import (
	"context"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/tune"
)

func request(workers int, constraints ...string) SizeRequest {
	return SizeRequest{Check: 3, Least: 18, Study: Request{Inputs: scenario.Files{Embedded: true, Dataset: "default-1"},
		Objectives: []string{"p95-completion"}, Constraints: constraints,
		Workers: workers, Options: tune.Options{Budget: 20, Seed: 3}}}
}

// TestFind: a tuned file never needs more nodes than the current one, which never
// needs more than there are where limits are relative; the size below the one
// found was judged and broke a limit.
func TestFind(t *testing.T) {
	r, s, set, err := Find(context.Background(), request(3, "queue.*.mean-completion <= present + 10 %"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Untuned == nil || r.Tuned == nil || r.Tuned.Nodes > r.Untuned.Nodes || r.Untuned.Nodes > r.Present {
		t.Fatalf("present %d, untuned %+v, tuned %+v; want a descending sequence", r.Present, r.Untuned, r.Tuned)
	}
	for _, found := range []*Step{r.Untuned, r.Tuned} {
		judged := found.Nodes == 18
		for k := range r.Steps {
			judged = judged || r.Steps[k].Nodes == found.Nodes-1 && !r.Steps[k].Kept
		}
		if !judged {
			t.Errorf("%d nodes found; want %d judged too, and to break a limit", found.Nodes, found.Nodes-1)
		}
	}
	if n := len(s.Case.Cluster.Nodes); n != r.Tuned.Nodes {
		t.Errorf("study of %d nodes, want %d", n, r.Tuned.Nodes)
	}
	if _, _, err := s.Tuned(set); err != nil {
		t.Error(err)
	}
}

// TestNone: what no cluster keeps is no size; without limits there is no question.
func TestNone(t *testing.T) {
	req := request(2, "mean-completion <= 1ms")
	req.Least = 20
	r, s, _, err := Find(context.Background(), req, nil)
	if err != nil || r.Untuned != nil || r.Tuned != nil || s != nil {
		t.Errorf("untuned %+v, tuned %+v, %v; want none", r.Untuned, r.Tuned, err)
	}
	if _, _, _, err := Find(context.Background(), request(1), nil); err == nil || !strings.Contains(err.Error(),
		"--constraint") {
		t.Errorf("error %v, want one that names --constraint", err)
	}
}

// TestLimit: what is beyond a relative limit is found workload by workload, and
// two workloads that differ by as much as the present does are no difference.
func TestLimit(t *testing.T) {
	of := func(v ...float64) (out []tune.Outcome) {
		for _, x := range v {
			out = append(out, tune.Outcome{Metrics: map[string]float64{"m": x}})
		}
		return out
	}
	f := &finder{present: of(10, 1000)}
	for _, c := range []struct {
		limit tune.Constraint
		got   []tune.Outcome
		want  float64
		sure  bool
	}{
		{tune.Constraint{Metric: "m", Op: "<=", Factor: 1.1}, of(10.5, 1050), 10.5/11 - 1, true},
		{tune.Constraint{Metric: "m", Op: "<=", Factor: 1.1}, of(11, 1100), 0, true},
		{tune.Constraint{Metric: "m", Op: ">=", Limit: 100}, of(50, 50), 0.5, false},
		{tune.Constraint{Metric: "m", Op: "<=", Limit: 100}, of(50, 50), -0.5, true},
	} {
		l := f.limit(&c.limit, c.got)
		if d := l.Beyond - c.want; d > 1e-9 || d < -1e-9 || l.Sure != c.sure || l.Kept != (c.want <= 1e-12) {
			t.Errorf("%+v: %+v, want beyond by %g, sure %v", c.limit, l, c.want, c.sure)
		}
	}
	if !loses([]int32{1, 4}, []int32{1, 2, 3}) || loses([]int32{2}, []int32{1, 2, 3}) {
		t.Error("only job 4 is lost that the current configuration finishes")
	}
}
