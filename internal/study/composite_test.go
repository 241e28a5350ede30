package study

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// partedStudy is a study of a small case: root has a and b with 60 and 40 %, b has c and
// d with 25 and 75 %; a, c and d have jobs.
func partedStudy(t *testing.T, objectives ...string) *Study {
	t.Helper()
	var xml string
	settings := map[string]string{
		"root.queues": "a,b", "root.b.queues": "c,d", "root.a.capacity": "60", "root.b.capacity": "40",
		"root.b.c.capacity": "25", "root.b.d.capacity": "75",
		"root.a.maximum-capacity": "80", "root.b.maximum-capacity": "50", "root.b.c.maximum-capacity": "90",
		"root.a.user-limit-factor":   "2",
		"root.b.c.user-limit-factor": "3", "root.b.d.minimum-user-limit-percent": "50", "maximum-am-resource-percent": "0.5",
	}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		xml += "<property><name>yarn.scheduler.capacity." + key + "</name><value>" + settings[key] + "</value></property>\n"
	}
	doc, err := yarnconf.Parse("small.xml", []byte("<configuration>\n"+xml+"</configuration>\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &simcore.Workload{Name: "small", Users: []string{"u", "v"}, Queues: []string{"root.a", "root.b.c", "root.b.d"},
		Dists: []simcore.Dist{{Kind: simcore.LogNormal, A: 3, B: 0.4}}}
	for i := range 24 {
		w.Jobs = append(w.Jobs, simcore.Job{ID: string(rune('a' + i)), Queue: int32(i % 3), User: int32(i % 2), Class: -1,
			Submit: simcore.Seconds(float64(10 * i)), Slowstart: -1,
			FirstTask: -1, Maps: int32(2 + i%7), MapDist: 0, ReduceDist: -1, AMAsk: simcore.Vec{1024, 1},
			MapAsk: simcore.Vec{2048, 1}, ReduceAsk: simcore.Vec{2048, 1}})
	}
	cluster := &simcore.Cluster{Racks: []string{"/r"}}
	for range 3 {
		cluster.Nodes = append(cluster.Nodes, simcore.Node{Name: "n" + string(rune('0'+len(cluster.Nodes))), Cores: 8,
			Capacity: simcore.Vec{16384, 8}})
	}
	s, err := PrepareCase(context.Background(), &scenario.Case{Doc: doc, Cluster: cluster, Work: w,
		Calibration: yarn.Default()},
		Request{Objectives: objectives, Windows: 1, Workloads: -1, Params: []string{"*"}, Options: tune.Options{Budget: 100}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What the parts of a run make is the metric of the run: the sum of means by their jobs,
// the largest, and of throughput, up to its factor, the ratio of two runs. Logarithms are told to
// four decimals, so they agree to a part in 10^4.
func TestPartsMakeTheMetric(t *testing.T) {
	for _, metric := range []string{"mean-completion", "mean-wait", "mean-execution", "mean-response-ratio",
		"mean-bounded-slowdown", "max-completion", "max-bounded-slowdown", "makespan", "throughput", "utilisation"} {
		s := partedStudy(t, metric)
		c, factor := s.Problem.Composite.Objectives[0], 0.0
		if len(c.Components) != 3 {
			t.Fatalf("%s has %d parts, want those of three leaves", metric, len(c.Components))
		}
		for seed := range uint64(4) {
			o := s.Runner.Outcome(context.Background(), tune.Item{Settings: s.Space.PresentSettings(), Seed: seed})
			made, is := c.Metric(o.Parts), o.Metrics[metric]
			if metric == "throughput" || metric == "utilisation" {
				if factor == 0 {
					factor = is / made
				}
				if metric == "utilisation" {
					continue // what is in use differs by seed too
				}
				made *= factor
			}
			if !(math.Abs(made-is) <= 3e-4*(is+1)) {
				t.Errorf("%s, seed %d: parts %v make %v, the run has %v", metric, seed, o.Parts, made, is)
			}
		}
	}
}

// Of two objectives the parts come one after the other. An objective of one leaf, by its path
// or its last part, is made of this leaf alone; one of a user's jobs has no parts.
func TestPartsOfSeveralObjectives(t *testing.T) {
	metrics := []string{"queue.root.b.c.mean-wait", "user.u.mean-wait", "queue.d.max-completion", "mean-completion"}
	s := partedStudy(t, metrics...)
	c := s.Problem.Composite
	o := s.Runner.Outcome(context.Background(), tune.Item{Settings: s.Space.PresentSettings(), Seed: 3})
	if len(c.Objectives) != 4 || len(o.Parts) != 1+0+1+3 {
		t.Fatalf("%d objectives, %d numbers; want 4 and 5", len(c.Objectives), len(o.Parts))
	}
	at := 0
	for k, n := range []int{1, 0, 1, 3} {
		made := c.Objectives[k]
		if len(made.Components) != n {
			t.Fatalf("%s has %d parts, want %d", metrics[k], len(made.Components), n)
		}
		if n == 0 {
			continue
		}
		if got, is := made.Metric(o.Parts[at:at+n]), o.Metrics[metrics[k]]; !(math.Abs(got-is) <= 3e-4*(is+1)) {
			t.Errorf("%s: parts make %v, the run has %v", metrics[k], got, is)
		}
		at += n
	}
	if near := c.Objectives[2].Components[0].Near; !near("root.b.d.user-limit-factor") ||
		near("root.b.c.user-limit-factor") {
		t.Error("the part of d is near other settings than its own")
	}
}

// A percentile of all jobs is made of eight quantiles of each leaf: with eight jobs in each
// it lies between the jobs next to it, one rank farther at most.
func TestPartsMakePercentiles(t *testing.T) {
	for metric, rank := range map[string]int{"p50-completion": 11, "p95-completion": 22} { // of 24 from 0, nearest rank
		s := partedStudy(t, metric)
		set, p := s.Space.PresentSettings(), s.Problem.Composite.Objectives[0]
		for seed := range uint64(6) {
			res, err := s.Runner.Simulate(context.Background(), set, seed, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			all := slices.Sorted(slices.Values(slices.Concat(res.QueueFigures("completion")...)))
			o := s.Runner.Outcome(context.Background(), tune.Item{Settings: set, Seed: seed})
			if all[rank] != o.Metrics[metric] {
				t.Fatalf("%s is %v, the job of rank %d %v", metric, o.Metrics[metric], rank, all[rank])
			}
			lo, hi := all[rank-2], all[min(rank+2, 23)]
			if made := p.Metric(o.Parts); made < lo*0.999 || made > hi*1.001 {
				t.Errorf("%s, seed %d: parts make %v; jobs around it from %v to %v", metric, seed, made, lo, hi)
			}
		}
	}
}

// Two leaves of 3 and 1 jobs, spread evenly from 0 to 1 and from 1 to 2: half of all lie
// below 2/3, nine tenths below 1.6; logarithms of values plus 1 here.
func TestQuantileOfSketches(t *testing.T) {
	p := &parts{jobs: []float64{3, 1}, all: 4}
	for want, at := range map[float64]float64{0.5: 2.0 / 3, 0.9: 1.6} {
		var v []float64
		for _, from := range []float64{0, 1} {
			for _, level := range partLevels {
				v = append(v, from+level)
			}
		}
		p.want = want
		if got := p.quantile(v); math.Abs(got-at) > 1e-9 {
			t.Errorf("%v lies at %v, want %v", want, got, at)
		}
	}
}

// Features of the current file by hand: c has a quarter of 40 %, 0.1 of the cluster, and
// 0.9 of a half at most; a user gets three times the share, 0.3, masters half of each.
func TestFeaturesOfATree(t *testing.T) {
	s := partedStudy(t, "makespan")
	c := s.Problem.Composite
	values := c.Features(s.Space.PresentSettings())
	if len(values) != len(c.FeatureNames) {
		t.Fatalf("%d features, %d names", len(values), len(c.FeatureNames))
	}
	for name, want := range map[string]float64{
		"root.a.absolute-share": 0.6, "root.a.absolute-ceiling": 0.8, "root.a.user": 0.8, "root.a.masters-of-share": 0.3,
		"root.b.share": 40, "root.b.c.absolute-share": 0.1, "root.b.c.absolute-ceiling": 0.45, "root.b.c.user": 0.3,
		"root.b.c.masters-of-user":    0.15,
		"root.b.c.masters-of-ceiling": 0.225, "root.b.d.absolute-share": 0.3, "root.b.d.absolute-ceiling": 0.5,
		"root.b.d.least-of-share": 0.15, "root.b.d.least-user": 0.15,
	} {
		i := slices.Index(c.FeatureNames, name)
		if i < 0 {
			t.Errorf("no feature %s in %v", name, c.FeatureNames)
			continue
		}
		if math.Abs(values[i]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, values[i], want)
		}
	}
}

// Near a leaf are its settings, those of the queues above it and what is nobody's.
func TestNear(t *testing.T) {
	near := nearTo("root.b.c")
	for name, want := range map[string]bool{"root.b.c.user-limit-factor": true, "root.b.maximum-capacity": true,
		"root.b.*": true, "root.*": true, "slowstart": true,
		"spark.executor.cores": true, "root.b.d.user-limit-factor": false, "root.a.absolute-share": false,
		"root.b.cc.share": false, "root.a.*": false} {
		if near(name) != want {
			t.Errorf("near %s: %v", name, !want)
		}
	}
}
