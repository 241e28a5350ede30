package remote

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// day is a case whose time limit pays for few runs: 120 jobs of two queues in a day on
// 48 nodes, whose smallest container is half the default's, which the times of
// jobs alone depend on.
func day(t *testing.T) *scenario.Case {
	t.Helper()
	k := yarnconf.Prefix
	doc, err := yarnconf.Parse("day.xml", yarnconf.Fragment("", []yarnconf.Change{
		{Key: k + "root.queues", Value: "a,b"}, {Key: k + "root.a.capacity", Value: "70"},
		{Key: k + "root.b.capacity", Value: "30"},
		{Key: k + "maximum-am-resource-percent", Value: "0.3"}, {Key: "yarn.scheduler.minimum-allocation-mb", Value: "512"}}))
	if err != nil {
		t.Fatal(err)
	}
	c := &scenario.Case{Doc: doc, Props: doc, Cluster: &simcore.Cluster{Racks: []string{"/rack"}},
		Calibration: yarn.Default()}
	for i := range 48 {
		c.Cluster.Nodes = append(c.Cluster.Nodes, simcore.Node{Name: fmt.Sprintf("node%02d", i), Cores: 4,
			Capacity: simcore.Vec{4096, 4}})
	}
	w := &simcore.Workload{Name: "day", Queues: []string{"root.a", "root.b"}, Users: []string{"u", "v", "w"},
		Dists: []simcore.Dist{{Kind: simcore.LogNormal, A: 6, B: 0.5}}}
	key := rng.NewKey(1, 1)
	for i := range 120 {
		n := uint64(i)
		user := key.IntN(n, 3)
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprintf("job%d", i), Submit: simcore.Time(i) * 720 * simcore.Second,
			Queue: int32(user / 2), User: int32(user), Class: -1,
			Slowstart: -1, FirstTask: -1, Maps: int32(1 + key.At(1).IntN(n, 25)), Reduces: int32(key.At(2).IntN(n, 3)),
			AMAsk: simcore.Vec{512, 1}, MapAsk: simcore.Vec{1536, 1}, ReduceAsk: simcore.Vec{1536, 1}})
	}
	c.Work = w
	return c
}

// A study of few runs, whose budget the time limit has cut, writes the same log by itself and
// with two workers elsewhere: those draw the workloads for themselves.
func TestFewEverywhere(t *testing.T) {
	log := func(evaluate func(tune.Run) tune.Evaluator, workers int) string {
		t.Helper()
		s, err := study.PrepareCase(t.Context(), day(t), fewRequest(evaluate, workers))
		if err != nil {
			t.Fatal(err)
		}
		if s.Request.Options.Budget != study.LeastBudget {
			t.Fatalf("a budget of %d runs; want %d", s.Request.Options.Budget, study.LeastBudget)
		}
		path := filepath.Join(t.TempDir(), "trials.jsonl")
		l, err := tune.OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if _, err := s.Run(context.Background(), l, nil); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	want := log(nil, 1)
	if !testing.Short() { // with the race detector a study takes a minute
		if got := log(nil, 3); got != want {
			t.Error("three workers in this process: another log")
		}
	}
	d := fewDriver(t, 2)
	if got := log(func(tune.Run) tune.Evaluator { return d }, 1); got != want {
		t.Error("two workers elsewhere: another log")
	}
}

// A package keeps the options on which the study's log depends.
func TestPackageKeepsOptions(t *testing.T) {
	want := tune.Options{Method: "random", Seed: 5, Budget: 60, Patience: 30, Risk: tune.Risk{Worse: 0.05, Queue: 0.1}}
	s, err := study.PrepareCase(t.Context(), day(t), study.Request{Objectives: []string{"makespan"}, Options: want})
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := Pack(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unpack(t.Context(), pkg, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := got.Request.Options
	if o.Method != want.Method || o.Seed != want.Seed || o.Budget != want.Budget || o.Patience != want.Patience ||
		o.Risk != want.Risk {
		t.Errorf("got %+v, want %+v", o, want)
	}
}

func fewRequest(evaluate func(tune.Run) tune.Evaluator, workers int) study.Request {
	return study.Request{Objectives: []string{"mean-bounded-slowdown"}, Constraints: []string{study.Protection(5)},
		TimeLimit: 10 * time.Millisecond,
		Options:   tune.Options{Seed: 3, Budget: 1000}, Workers: workers, Evaluate: evaluate}
}

// fewDriver has a server and workers that know of the study what its package says.
func fewDriver(t *testing.T, workers int) *Driver {
	t.Helper()
	s, err := study.PrepareCase(t.Context(), day(t), fewRequest(nil, 1))
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := Pack(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	srv, err := Listen("127.0.0.1:0", t.TempDir(), Security{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	timing := Timing{AckWait: time.Minute, Target: 20 * time.Millisecond}
	for range workers {
		nc, err := Connect(ctx, srv.URL(), Security{}, "worker")
		if err != nil {
			t.Fatal(err)
		}
		work, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if err := (&Worker{Slots: 1, Timing: timing}).Work(work, nc); err != nil {
				t.Error(err)
			}
		}()
		t.Cleanup(func() { stop(); <-ended; nc.Close() })
	}
	nc, err := Connect(ctx, srv.URL(), Security{}, "driver")
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDriver(ctx, nc, pkg, timing)
	if err != nil {
		t.Fatal(err)
	}
	d.Local, d.Slots, d.Metrics, d.Warn = s.Runner.Outcome, 1, s.Runner.Metrics(), t.Errorf
	t.Cleanup(d.Close)
	return d
}
