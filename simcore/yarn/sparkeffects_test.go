package yarn_test

import (
	"fmt"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// effectsQueues is a queue file of two leaves.
func effectsQueues(shareA, ams int, preempt bool) string {
	return "<configuration>" + property("capacity.root.queues", "a,b") +
		property("capacity.root.a.capacity", shareA) + property("capacity.root.b.capacity", 100-shareA) +
		property("capacity.root.a.user-limit-factor", 10) + property("capacity.root.b.user-limit-factor", 10) +
		property("capacity.maximum-am-resource-percent", float64(ams)/100) +
		fmt.Sprintf("<property><name>yarn.resourcemanager.scheduler.monitor.enable</name><value>%v</value></property>",
			preempt) + "</configuration>"
}

// effectsWork is twelve applications of two jobs with a gap of 30 s between them,
// alternately in the two queues, that come every 10 s and want up to 12 executors
// each, on a cluster for 48.
func effectsWork(change func(*simcore.SparkSettings)) (*simcore.Cluster, *simcore.Workload) {
	w := &simcore.Workload{Queues: []string{"root.a", "root.b"}, Users: []string{"u", "v"}}
	for i := range int32(12) {
		a := &simcore.SparkApp{Settings: simcore.DefaultSparkSettings(), Executors: []simcore.SparkExecutor{
			{Container: simcore.Vec{1024, 1}}}}
		s := &a.Settings
		s.Dynamic, s.Instances, s.Max, s.ShuffleService, s.Idle = true, 0, 12, true, 10*simcore.Second
		if change != nil {
			change(s)
		}
		for k := range int32(2) {
			job := simcore.SparkJob{FirstStage: k, Stages: 1}
			if k > 0 {
				job.After, job.Delay = []int32{k - 1}, 30*simcore.Second
			}
			a.Jobs = append(a.Jobs, job)
			a.Stages = append(a.Stages, simcore.SparkStage{Job: k, Tasks: 36, FirstTask: int32(len(w.Tasks.Duration)), Dist: -1,
				Reads: -1, Caches: -1})
			w.Tasks.Duration = append(w.Tasks.Duration, same(36, 8*simcore.Second)...)
		}
		w.Jobs = append(w.Jobs, simcore.Job{ID: fmt.Sprint("app", i), Queue: i % 2, User: i % 2, Class: -1,
			Submit:    simcore.Time(i) * 10 * simcore.Second,
			FirstTask: -1, MapDist: -1, ReduceDist: -1, AMAsk: simcore.Vec{1024, 1}, Spark: a})
	}
	c := &simcore.Cluster{Racks: []string{"/r"}}
	for i := range 6 {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprint("n", i), Capacity: simcore.Vec{8192, 8}})
	}
	return c, w
}

// effect is what a run of effectsWork shows, in seconds, in the mean over seeds:
// completion of the applications by queue, from submission to their driver's
// start, and the time in executors' containers.
type effect struct{ a, b, start, executors float64 }

func effectOf(t *testing.T, xml string, change func(*simcore.SparkSettings)) effect {
	t.Helper()
	c, w := effectsWork(change)
	return effectOn(t, c, w, xml)
}

func effectOn(t *testing.T, c *simcore.Cluster, w *simcore.Workload, xml string) (e effect) {
	t.Helper()
	conf := evaluate(t, xml)
	sim, err := yarn.NewSim(c, w, yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const seeds = 6
	for seed := range uint64(seeds) {
		cfg := yarn.RunConfig{Seed: seed + 1, Slowstart: -1, Jitter: yarn.Jitter{Launch: true, Phases: true},
			PreemptEvery: yarn.PreemptionInterval(conf.Preemption.Enabled, conf.Preemption.MonitoringInterval)}
		if _, err := sim.Run(cfg, scheduler(t, conf)); err != nil {
			t.Fatal(err)
		}
		for j, x := range sim.JobTimes() {
			took := (x.Finish - x.Submit).Seconds() / float64(seeds*len(w.Jobs)/2)
			if w.Jobs[j].Queue == 0 {
				e.a += took
			} else {
				e.b += took
			}
			e.start += (x.AMAllocated - x.Submit).Seconds() / float64(seeds*len(w.Jobs))
			e.executors += x.ExecutorTime.Seconds() / seeds
		}
	}
	return e
}

// TestSparkEffects: the signs of effects, where two queues ask for more than the
// cluster has. A queue with a larger share ends earlier and the other later; a
// small share for drivers makes applications wait for theirs; preemption
// gives the queue below its share room earlier; a longer idle timeout costs time in executors;
// static executors, held over the gap, cost more than dynamic ones.
func TestSparkEffects(t *testing.T) {
	base := effectOf(t, effectsQueues(50, 50, false), nil)
	share := effectOf(t, effectsQueues(80, 50, false), nil)
	if share.a >= base.a || share.b <= base.b {
		t.Errorf("share of a 80 %% instead of 50: completions %.1f and %.1f s, were %.1f and %.1f", share.a, share.b, base.a,
			base.b)
	}
	if few := effectOf(t, effectsQueues(50, 5, false), nil); few.start <= base.start+5 {
		t.Errorf("5 %% for drivers instead of 50: %.1f s to the driver's start, was %.1f", few.start, base.start)
	}
	if idle := effectOf(t, effectsQueues(50, 50, false), func(s *simcore.SparkSettings) {
		s.Idle = simcore.Minute
	}); idle.executors <= base.executors {
		t.Errorf("idle timeout 60 s instead of 10: %.0f executor-seconds, were %.0f", idle.executors, base.executors)
	}
	static := effectOf(t, effectsQueues(50, 50, false), func(s *simcore.SparkSettings) {
		s.Dynamic, s.Instances = false, 12
	})
	if static.executors <= base.executors {
		t.Errorf("static executors: %.0f executor-seconds, were %.0f", static.executors, base.executors)
	}
	c, w := effectsWork(nil) // a's applications come first and have long tasks
	for i := range w.Tasks.Duration {
		w.Tasks.Duration[i] = simcore.Minute
	}
	for j := range w.Jobs {
		w.Jobs[j].Queue, w.Jobs[j].User = int32(j/6), int32(j/6)
		w.Jobs[j].Submit = simcore.Time(j/6) * simcore.Minute
	}
	lent, taken := effectOn(t, c, w, effectsQueues(20, 50, false)), effectOn(t, c, w, effectsQueues(20, 50, true))
	if taken.b >= lent.b {
		t.Errorf("preemption for the queue of 80 %%: completion %.1f s, was %.1f", taken.b, lent.b)
	}
}
