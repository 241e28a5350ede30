package models

import (
	"fmt"
	"math"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

const overcommitXML = `<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
<property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>1</value></property>
<property><name>yarn.scheduler.minimum-allocation-mb</name><value>1</value></property>
</configuration>`

// recordedWorkload is the workload of a history, all submitted at once; AMs need almost no memory.
func recordedWorkload(tasks []NodeTask) *simcore.Workload {
	w := &simcore.Workload{Name: "planted", Queues: []string{"root.default"}, Users: []string{"u"}}
	for i, t := range tasks {
		if i == 0 || tasks[i-1].Effect != t.Effect {
			w.Jobs = append(w.Jobs, simcore.Job{ID: t.Effect, Class: -1, FirstTask: int32(i), MapDist: -1, ReduceDist: -1,
				MapAsk: simcore.Vec{1024, 1}, AMAsk: simcore.Vec{1, 1}, Slowstart: 1})
		}
		w.Jobs[len(w.Jobs)-1].Maps++
		w.Tasks.Duration = append(w.Tasks.Duration, simcore.Seconds(t.End-t.From))
	}
	return w
}

// simulated is the makespan of a history's jobs on nodes with so many slots.
func simulated(t *testing.T, w *simcore.Workload, nodes, slots int, slope, neighbours float64) float64 {
	t.Helper()
	c := &simcore.Cluster{Racks: []string{"/r"}}
	for n := range nodes {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprint("n", n), Capacity: simcore.Vec{int64(slots*1024 + 200), 100}})
	}
	doc, err := yarnconf.Parse("capacity-scheduler.xml", []byte(overcommitXML))
	if err != nil {
		t.Fatal(err)
	}
	conf, err := yarnconf.Evaluate(doc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := capacity.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := yarn.NewSim(c, w, yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cal := yarn.Default()
	cal.TaskSlowdown, cal.TaskNeighbours = slope, neighbours
	r, err := sim.Run(yarn.RunConfig{Slowstart: -1, Calibration: cal}, s)
	if err != nil {
		t.Fatal(err)
	}
	span, _ := r.Value("makespan")
	return span
}

// From a history of nodes with six slots, on which tasks slow each other down, follows how long the
// same jobs take on nodes with ten, all at once, which the planted run tells: with the fitted slowdown
// nearer than without. Where there is none, the fit changes nothing.
func TestOvercommitIsPredicted(t *testing.T) {
	for _, seed := range []uint64{0, 3} {
		slopes := []float64{0.1 * float64(seed), 0.1 * float64(seed)}
		history, truth := plantedOn(10+seed, 240, slopes, 6, 200), plantedOn(10+seed, 240, slopes, 10, 0)
		nodes, want := map[string]bool{}, 0.0
		for i := range truth {
			nodes[history[i].Node] = true
			want = math.Max(want, truth[i].End)
		}
		for i := range history {
			history[i].Class = ""
		}
		r, w := FitContention("planted", history), recordedWorkload(history)
		slope, neighbours := r.Mean()
		plain := math.Abs(math.Log(simulated(t, w, len(nodes), 10, 0, 0) / want))
		with := math.Abs(math.Log(simulated(t, w, len(nodes), 10, slope, neighbours) / want))
		t.Logf("slope %.1f, fitted %.3f beside %.1f: error of the makespan %.3f with, %.3f without", slopes[0], slope,
			neighbours, with, plain)
		if seed == 0 && slope != 0 || seed > 0 && (math.Abs(slope/slopes[0]-1) > 0.15 || with > 0.5*plain) {
			t.Errorf("slope %.2f: got %.3f, log error of the makespan %.3f with it and %.3f without", slopes[0], slope, with,
				plain)
		}
	}
}
