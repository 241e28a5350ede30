package study

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/tune"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// lossCase is a random tree of up to a dozen leaves, some with next to nothing,
// and a random history on a random cluster: what refuses applications once shares
// move.
func lossCase(t *testing.T, seed uint64) *scenario.Case {
	t.Helper()
	k := rng.NewKey(seed, 77)
	n := uint64(0)
	pick := func(m int) int { n++; return k.IntN(n, m) }
	doc, leaves := lossTree(t, pick)
	nodes := 2 + pick(12)
	cluster := &simcore.Cluster{Racks: []string{"/r"}}
	for i := range nodes {
		cluster.Nodes = append(cluster.Nodes, simcore.Node{Name: fmt.Sprintf("n%d", i), Cores: 8,
			Capacity: simcore.Vec{8192 << pick(2), 8}})
	}
	w := &simcore.Workload{Name: "random", Queues: leaves}
	users := 1 + pick(6)
	for u := range users {
		w.Users = append(w.Users, fmt.Sprintf("u%d", u))
	}
	at := simcore.Time(0)
	busy := 1 + pick(len(leaves)) // queues beyond have no job
	for i := range 20 + pick(60) {
		if pick(5) > 0 { // bursts between gaps
			at += simcore.Time(pick(20_000)) * simcore.Millisecond
		} else {
			at += simcore.Time(pick(120)) * simcore.Second
		}
		maps := 1 + pick(12)
		j := simcore.Job{ID: fmt.Sprintf("j%d", i), Submit: at, Queue: int32(pick(busy)), User: int32(pick(users)),
			Class: -1, Maps: int32(maps), Reduces: int32(pick(3)),
			FirstTask: int32(len(w.Tasks.Duration)), Slowstart: -1, AMAsk: simcore.Vec{1024, 1}, MapAsk: simcore.Vec{1024, 1},
			ReduceAsk: simcore.Vec{1024, 1}, MapDist: -1, ReduceDist: -1}
		for range j.Maps + j.Reduces {
			w.Tasks.Duration = append(w.Tasks.Duration, simcore.Time(2000+pick(30_000))*simcore.Millisecond)
		}
		w.Jobs = append(w.Jobs, j)
	}
	return &scenario.Case{Doc: doc, Cluster: cluster, Work: w, Calibration: yarn.Default()}
}

// lossTree writes a queue file of one to three levels.
func lossTree(t *testing.T, pick func(int) int) (*yarnconf.Document, []string) {
	var b strings.Builder
	b.WriteString("<configuration>\n")
	set := func(key, value string) {
		fmt.Fprintf(&b, "<property><name>yarn.scheduler.capacity.%s</name><value>%s</value></property>\n", key, value)
	}
	set("maximum-am-resource-percent", "0.5")
	set("maximum-applications", fmt.Sprint([]int{100, 1000, 10000}[pick(3)]))
	var leaves []string
	var level func(path string, depth int)
	level = func(path string, depth int) {
		k := 2 + pick(3)
		var names []string
		left := 1000
		for i := range k {
			name := fmt.Sprintf("%c%d", 'a'+depth, i)
			names = append(names, name)
			tenths := 1 + pick(max(1, min(400, left-(k-i)*2)))
			if pick(4) == 0 {
				tenths = 1 + pick(8)
			}
			if i == k-1 {
				tenths = left
			}
			left -= tenths
			full := path + "." + name
			set(full+".capacity", fmt.Sprintf("%d.%d", tenths/10, tenths%10))
			set(full+".maximum-capacity", "100")
			if depth < 2 && pick(3) == 0 {
				level(full, depth+1)
				continue
			}
			leaves = append(leaves, full)
			set(full+".user-limit-factor", []string{"1", "2", "10", "0.5"}[pick(4)])
			set(full+".minimum-user-limit-percent", []string{"100", "50", "25"}[pick(3)])
		}
		set(path+".queues", strings.Join(names, ","))
	}
	level("root", 0)
	b.WriteString("</configuration>\n")
	doc, err := yarnconf.Parse("random.xml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return doc, leaves
}

// TestNoRecommendationLosesJobs searches random trees and histories with every
// sampler and objective: on fresh seeds no recommended file loses a job that the
// current file finishes, and none leaves less room than it must.
func TestNoRecommendationLosesJobs(t *testing.T) {
	studies := testdata.Cases(16)
	objectives := []string{"mean-completion", "makespan", "mean-wait", "p95-completion", "mean-response-ratio",
		"fairness", "utilisation", "throughput", "max-completion", "queue"}
	var samplers []string
	for _, s := range tune.Samplers() {
		samplers = append(samplers, s.Name)
	}
	moved, skipped := 0, 0
	for i := range studies {
		seed := uint64(1000 + i)
		c := lossCase(t, seed)
		objective := objectives[i%len(objectives)]
		if objective == "queue" {
			objective = "queue." + c.Work.Queues[c.Work.Jobs[0].Queue] + ".mean-completion"
		}
		goals := []string{objective}
		sampler := samplers[i/2%len(samplers)]
		if sampler == "nsga2" {
			goals = append(goals, "p99-wait")
		}
		s, err := PrepareCase(t.Context(), c, Request{Objectives: goals, Workers: 2, Options: tune.Options{Method: sampler,
			Seed: seed, Budget: 120}})
		if err != nil {
			t.Log(seed, err) // such as a tree whose current file gives no run
			skipped++
			continue
		}
		r, err := s.Run(context.Background(), nil, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Decision.Recommended {
			moved++
		}
		checkNoLoss(t, s, r, fmt.Sprintf("seed %d, %s, %s", seed, objective, sampler))
	}
	t.Logf("%d studies, %d recommend a change, %d could not start", studies, moved, skipped)
	if moved == 0 || skipped > studies/4 {
		t.Errorf("%d of %d studies recommend a change, %d could not start", moved, studies, skipped)
	}
}

func checkNoLoss(t *testing.T, s *Study, r *tune.Result, name string) {
	t.Helper()
	if short := s.Runner.shortfall(r.Best.Settings); short > 0 {
		t.Errorf("%s: the recommended file leaves too little room: %v", name, short)
	}
	for seed := uint64(1) << 55; seed < 1<<55+6; seed++ {
		present, err := s.Runner.Simulate(t.Context(), r.Present.Settings, seed, 0, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		best, err := s.Runner.Simulate(t.Context(), r.Best.Settings, seed, 0, nil)
		if err != nil {
			t.Errorf("%s: the recommended file gives no run: %v", name, err)
			return
		}
		kept := present.Lost()
		for _, j := range best.Lost() {
			if !slices.Contains(kept, j) {
				t.Errorf("%s: job %d is lost", name, j)
			}
		}
	}
}

// Where the current settings refuse every job, or every one of a protected queue, the
// error says who is refused and why.
func TestEveryJobRefused(t *testing.T) {
	c := lossCase(t, 1004)
	for i := range c.Work.Jobs {
		c.Work.Jobs[i].AMAsk = simcore.Vec{1 << 30, 1}
	}
	for _, limits := range [][]string{nil, {Protection(5)}} {
		_, err := PrepareCase(t.Context(), c, Request{Objectives: []string{"makespan"}, Constraints: limits,
			Options: tune.Options{Budget: 60, Seed: 1}})
		if err == nil || !strings.Contains(err.Error(), "no job that counts for ") || !strings.Contains(err.Error(),
			"application master of 1073741824 MiB") {
			t.Errorf("%v: %v", limits, err)
		}
	}
}
