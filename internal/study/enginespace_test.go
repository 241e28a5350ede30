package study

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

const sparkExample = "../../datasets/spark/"

func sparkCase(t *testing.T) *scenario.Case {
	t.Helper()
	c, err := (&scenario.Files{Config: sparkExample + "capacity-scheduler.xml", Site: sparkExample + "yarn-site.xml",
		Cluster: sparkExample + "nodes.yaml", Traces: []string{sparkExample + "eventlogs"}}).Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// engineSpace returns the space of a case in which --params names an engine's defaults, what moves with its present value,
// and the notes. Without that name they do not move.
func engineSpace(t *testing.T, c *scenario.Case, engine string) (s *Space, have, notes []string) {
	t.Helper()
	for _, only := range [][]string{nil, {"capacity"}, {"root.*"}} {
		s, _, err := NewSpace(c, only)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Params() {
			if strings.HasPrefix(p.Name, engine) {
				t.Errorf("--params %v: %s moves", only, p.Name)
			}
		}
	}
	s, notes, err := NewSpace(c, []string{engine + ".*"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Params() {
		if !p.Fixed {
			have = append(have, p.Name+"="+p.Present)
		}
	}
	return s, have, notes
}

// Spark's defaults move only where --params names them. Of the example's 19
// applications with dynamic allocation (datasets/sparklogs_test.go) seven have the
// maximum 36 and none an idle or backlog timeout of its own.
func TestSparkParams(t *testing.T) {
	s, have, notes := engineSpace(t, sparkCase(t), "spark")
	if d := cmp.Diff([]string{sparkMax + "=36", sparkInitial + "=0", sparkIdle + "=60", sparkBacklog + "=1"},
		have); d != "" {
		t.Error(d)
	}
	if !strings.Contains(strings.Join(notes, "\n"), "19 applications with dynamic allocation") {
		t.Errorf("notes %v", notes)
	}
	if s.DefaultsOf(s.PresentSettings()) != nil {
		t.Error("the current settings move something")
	}
	set := tune.Settings{{Name: sparkMax, Value: "infinity"}, {Name: sparkInitial, Value: "0"},
		{Name: sparkIdle, Value: "20"}, {Name: sparkBacklog, Value: "1"}}
	moved := simcore.DefaultSparkSettings()
	moved.Dynamic, moved.Max, moved.Idle = true, 36, simcore.Minute
	s.DefaultsOf(set).Spark(&moved)
	if moved.Max != math.MaxInt32 || moved.Idle != 20*simcore.Second || moved.Initial != 0 ||
		moved.Backlog != simcore.Second {
		t.Errorf("settings of an application: %+v", moved)
	}
	if d := cmp.Diff([]Companion{{Name: FileSpark,
		To:   []yarnconf.Change{{Key: sparkMax, Value: "2147483647"}, {Key: sparkIdle, Value: "20s"}},
		Back: []yarnconf.Change{{Key: sparkMax, Value: "36"}, {Key: sparkIdle, Value: "60s"}}}}, s.Companions(set)); d != "" {
		t.Error(d)
	}
	if changes, _ := s.Changes(set); len(changes) != 0 {
		t.Errorf("the queue file changes: %v", changes)
	}
}

// A moved default reaches those applications that have it, and no others: with
// a maximum of 5 instead of 36 the ETL chain holds fewer executors and takes
// longer; jobs of the static dashboards alone on the cluster do not change.
func TestSparkDefaultsInRuns(t *testing.T) {
	c := sparkCase(t)
	s, _, err := NewSpace(c, []string{"spark.*"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRunner(c, s, []*simcore.Workload{c.Work}, nil)
	if err != nil {
		t.Fatal(err)
	}
	etl := func(most string) float64 {
		set, err := s.Complete(tune.Settings{{Name: sparkMax, Value: most}})
		if err != nil {
			t.Fatal(err)
		}
		res, err := r.Simulate(t.Context(), set, 1, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := res.Value("queue.root.etl.mean-completion")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	// 480 tasks of 18 s and more, four at a time on each of 5 executors, take 8 minutes and more
	if now, few := etl("36"), etl("5"); few < now+100 || few < 500 {
		t.Errorf("mean completion %v with 36 executors at most, %v with 5", now, few)
	}
}

// No run gets below the bounds of the example.
func TestSparkBounds(t *testing.T) {
	c := sparkCase(t)
	s, _, err := NewSpace(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRunner(c, s, []*simcore.Workload{c.Work}, nil)
	if err != nil {
		t.Fatal(err)
	}
	make, mean := makespanBound(c, arrivalSpread(c)), completionBound(c)
	if make < 300 || mean < 30 {
		t.Errorf("bounds %v, %v: next to nothing", make, mean)
	}
	for seed := range uint64(3) {
		res, err := r.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if m, _ := res.Value("makespan"); m < make {
			t.Errorf("seed %d: makespan %v below its bound %v", seed, m, make)
		}
		if m, _ := res.Value("mean-completion"); m < mean {
			t.Errorf("seed %d: mean completion %v below its bound %v", seed, m, mean)
		}
	}
}

// Executors are figures of runs with Spark applications, and of no others; a
// scheduler of Hadoop 1 refuses such applications.
func TestSparkMetrics(t *testing.T) {
	c := sparkCase(t)
	r, err := simulate.New(c, simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := res.Value("executors")
	sum, _ := res.Value("executor-seconds")
	// nine dashboards with six executors each are 54; every executor runs a second
	if dash, _ := res.Value("user.ann.executors"); dash != 54 || n < 100 || sum < n {
		t.Errorf("%v executors, %v of the dashboards, %v seconds", n, dash, sum)
	}
	if _, err := simulate.New(c, simulate.Options{Scheduler: "fifo"}); err == nil || !strings.Contains(err.Error(),
		"capacity, yarn-fair") {
		t.Error(err)
	}
	plain, err := (&scenario.Files{Dataset: "default-1"}).Load()
	if err != nil {
		t.Fatal(err)
	}
	if r, err = simulate.New(plain, simulate.Options{}); err != nil {
		t.Fatal(err)
	}
	if res, err = r.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if v, err := res.Value("executor-seconds"); err != nil || !math.IsNaN(v) {
		t.Errorf("without Spark: %v, %v", v, err)
	}
}
