package main

import (
	"context"
	"fmt"
	"math"
	"sort"

	"schedtune/datasets"
	"schedtune/internal/fileio"
	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Simulator problems: the embedded queue file (prod, batch, adhoc, reports)
// on a few nodes, three workloads, two objectives. Task times are drawn per
// seed; arrivals, launch delays and heartbeat phases move too.

// stream is one user's sequence of similar jobs.
type stream struct {
	user, queue   string
	jobs, burst   int     // jobs in all, and submitted together
	gap           float64 // seconds between submissions, mean
	maps, reduces [2]int
	mapTime       float64 // median seconds; reduces take 1.5 times as long
}

// mix is a workload of several streams.
type mix struct {
	name    string
	streams []stream
}

// workloads lists the mixes.
func workloads() []mix {
	return []mix{
		{"interactive", []stream{
			{"dora", "root.prod", 14, 1, 30, [2]int{2, 12}, [2]int{1, 1}, 8},
			{"emil", "root.prod", 14, 1, 30, [2]int{4, 16}, [2]int{1, 2}, 10},
			{"tom", "root.adhoc", 8, 1, 50, [2]int{8, 30}, [2]int{1, 4}, 20},
			{"etl", "root.batch", 3, 1, 100, [2]int{40, 80}, [2]int{4, 8}, 30},
		}},
		{"batch", []stream{
			{"etl", "root.batch", 7, 1, 50, [2]int{40, 90}, [2]int{6, 12}, 30},
			{"warehouse", "root.batch", 5, 1, 70, [2]int{50, 100}, [2]int{6, 12}, 25},
			{"dora", "root.prod", 8, 1, 50, [2]int{2, 12}, [2]int{1, 1}, 8},
			{"tom", "root.adhoc", 5, 1, 80, [2]int{10, 30}, [2]int{1, 4}, 20},
		}},
		{"bursty", []stream{
			{"reporter", "root.reports", 18, 6, 130, [2]int{8, 24}, [2]int{1, 3}, 15},
			{"dora", "root.prod", 12, 4, 100, [2]int{4, 16}, [2]int{1, 1}, 8},
			{"tom", "root.adhoc", 6, 2, 120, [2]int{10, 40}, [2]int{1, 4}, 20},
			{"etl", "root.batch", 4, 1, 90, [2]int{30, 60}, [2]int{4, 8}, 25},
		}},
	}
}

// simNodes is the size of the cluster: 4 nodes in the tables' instance 1, and
// others in the instances for development.
func simNodes(instance uint64) int {
	if instance == 1 {
		return 4
	}
	return 3 + 2*int(instance%2)
}

// simJobs is the part of a stream's jobs that is submitted, and simTasks the
// part of their tasks: small enough for thousands of studies.
const (
	simJobs  = 0.6
	simTasks = 0.5
)

func simCluster(instance uint64) *simcore.Cluster {
	c := &simcore.Cluster{Racks: []string{"/rack0", "/rack1"}}
	nodes := simNodes(instance)
	for i := range nodes {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%d", i), Rack: int32(i * 2 / nodes),
			Capacity: simcore.Vec{16384, 8}, Speed: 1, Cores: 8})
	}
	return c
}

// simWorkload draws the jobs of a mix; the draws are part of the problem.
func simWorkload(name string, streams []stream, instance uint64) *simcore.Workload {
	w := &simcore.Workload{Name: name}
	var queues fileio.Index
	for i, s := range streams {
		w.Users = append(w.Users, s.user)
		q := queues.ID(&w.Queues, s.queue)
		d := int32(len(w.Dists))
		w.Dists = append(w.Dists,
			simcore.Dist{Kind: simcore.LogNormal, A: math.Log(s.mapTime), B: 0.35},
			simcore.Dist{Kind: simcore.LogNormal, A: math.Log(1.5 * s.mapTime), B: 0.35})
		k := rng.NewKey(76+instance, uint64(i)).At(uint64(len(name)))
		at := 5 * float64(i)
		for j := range int(math.Round(simJobs * float64(s.jobs))) {
			if j > 0 && j%s.burst == 0 {
				at += s.gap * k.Exp(uint64(j))
			}
			draw := k.At(uint64(j))
			w.Jobs = append(w.Jobs, simcore.Job{
				Name: fmt.Sprintf("%s-%d", s.user, j), Queue: q, User: int32(i), Class: -1,
				Submit: simcore.Seconds(at + 0.3*float64(j%s.burst)),
				Maps:   scaled(between(draw, 0, s.maps)), Reduces: scaled(between(draw, 1, s.reduces)), FirstTask: -1,
				Slowstart: -1,
				MapAsk:    simcore.Vec{2048, 1}, ReduceAsk: simcore.Vec{3072, 1}, AMAsk: simcore.Vec{1536, 1},
				MapDist: d, ReduceDist: d + 1,
			})
		}
	}
	sort.SliceStable(w.Jobs, func(a, b int) bool { return w.Jobs[a].Submit < w.Jobs[b].Submit })
	for i := range w.Jobs {
		w.Jobs[i].ID = fmt.Sprintf("job_%04d", i)
	}
	return w
}

func between(k rng.Key, i uint64, r [2]int) int32 { return int32(r[0] + k.IntN(i, r[1]-r[0]+1)) }

// scaled is a number of tasks at the size of the problems, at least 1.
func scaled(tasks int32) int32 { return max(1, int32(math.Round(simTasks*float64(tasks)))) }

// simHeldOut is the number of seeds behind the truth.
const simHeldOut = 6

// simProblems lists workloads times objectives; settings of queues without jobs
// are searched too, so that all problems have the same 25 parameters. instance
// selects the draw of the jobs and the size of the cluster.
func simProblems(instance uint64, budget int) ([]*problem, error) {
	var out []*problem
	for _, mix := range workloads() {
		for _, objective := range []string{"makespan", "mean-response-ratio"} {
			s, err := mix.study(instance, study.Request{Objectives: []string{objective}, Windows: 1, Params: []string{"*"}})
			if err != nil {
				return nil, err
			}
			out = append(out, simProblem(s, mix.name, objective, instance, budget))
		}
	}
	return out, nil
}

// study prepares a study of the embedded queue file on a mix.
func (m mix) study(instance uint64, q study.Request) (*study.Study, error) {
	set, err := datasets.Load(scenario.DefaultSet)
	if err != nil {
		return nil, err
	}
	doc, err := yarnconf.Parse("capacity-scheduler.xml", set.ConfigXML)
	if err != nil {
		return nil, err
	}
	return study.PrepareCase(context.Background(), &scenario.Case{Doc: doc, Cluster: simCluster(instance),
		Work: simWorkload(m.name, m.streams, instance), Calibration: yarn.Default()}, q)
}

// stalled is what a run without result costs, over the current configuration's.
const stalled = 10

func simProblem(s *study.Study, name, objective string, instance uint64, budget int) *problem {
	fail := math.NaN()
	// outcome has what tune receives of a run as well: the parts of the objective.
	outcome := func(set tune.Settings, seed uint64, _ int) tune.Outcome {
		o := s.Runner.Outcome(context.Background(), tune.Item{Settings: set, Seed: seed})
		cost := fail
		if o.Err == "" {
			cost = o.Metrics[objective]
		}
		return tune.Outcome{Metrics: map[string]float64{"cost": cost}, Parts: o.Parts}
	}
	run := func(set tune.Settings, seed uint64) float64 { return outcome(set, seed, 0).Metrics["cost"] }
	p := &problem{name: name + " " + objective, space: s.Space.Space, run: run, best: math.NaN(), budget: budget,
		instance: instance, candidates: s.Problem.Candidates}
	p.truth = func(set tune.Settings) float64 {
		sum := 0.0
		for i := range simHeldOut {
			sum += run(set, 1<<50+uint64(i))
		}
		return sum / simHeldOut
	}
	fail = stalled * p.present()
	p.study = &tune.Problem{Name: p.name, Space: p.space, Objectives: []tune.Objective{{Metric: "cost"}},
		Composite: s.Problem.Composite}
	p.outcome = outcome
	return p
}
