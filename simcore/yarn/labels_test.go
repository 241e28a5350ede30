package yarn_test

import (
	"fmt"
	"maps"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// labelledCase is two nodes, one with label x, and a job of four maps that asks
// for the label with all it has.
func labelledCase(exclusive bool, labels *simcore.JobLabels) (*simcore.Cluster, *simcore.Workload) {
	c := &simcore.Cluster{Racks: []string{"/r1"}, Labels: []simcore.NodeLabel{{Name: "x", Exclusive: exclusive}}}
	for i, label := range []string{"", "x"} {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("n%d", i), Capacity: simcore.Vec{4096, 4}, Speed: 1,
			Label: label})
	}
	w := &simcore.Workload{Queues: []string{"root.a"}, Users: []string{"u"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 10}}}
	w.Jobs = []simcore.Job{{ID: "j", Class: -1, Maps: 4, FirstTask: -1, MapDist: 0, ReduceDist: -1, Slowstart: -1,
		MapAsk: simcore.Vec{1024, 1}, AMAsk: simcore.Vec{1024, 1}, Labels: labels}}
	return c, w
}

func runLabelled(t *testing.T, c *simcore.Cluster, w *simcore.Workload, more yarnconf.Map) *simcore.Result {
	t.Helper()
	p := yarnconf.Map{yarnconf.Prefix + "root.queues": "a", yarnconf.Prefix + "root.a.capacity": "100", yarnconf.Prefix +
		"maximum-am-resource-percent": "1",
		yarnconf.Prefix + "root.accessible-node-labels.x.capacity": "100", yarnconf.Prefix +
			"root.a.accessible-node-labels.x.capacity": "100",
		yarnconf.Prefix + "root.a.accessible-node-labels": "x", yarnconf.Prefix + "root.a.user-limit-factor": "2",
		yarnconf.Prefix + "per-node-heartbeat.maximum-offswitch-assignments": "10"}
	maps.Copy(p, more)
	conf, err := yarnconf.Evaluate(p)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := yarn.NewSim(c, w, yarn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var r *simcore.Result
	for range 2 {
		if r, err = sim.Run(yarn.RunConfig{Seed: 1}, scheduler(t, conf)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// A job on the labelled node has room for its master and three maps beside it:
// two waves. With its master elsewhere all four maps run at once.
func TestLabelsInTime(t *testing.T) {
	times := map[string]simcore.Time{}
	for name, l := range map[string]*simcore.JobLabels{"all": {App: "x"}, "maps": {Map: "x"}, "none": nil} {
		t.Run(name, func(t *testing.T) {
			c, w := labelledCase(true, l)
			times[name] = runLabelled(t, c, w, nil).End
		})
	}
	if wave := 9 * simcore.Second; times["all"]-times["maps"] < wave || times["none"]-times["maps"] < wave {
		t.Errorf("makespan %v; asking for the label with the maps only saves a wave of 10 s", times)
	}
	// Shared, the labelled node takes what asks for no label.
	c, w := labelledCase(false, nil)
	if end := runLabelled(t, c, w, nil).End; times["none"]-end < 5*simcore.Second {
		t.Errorf("shared partition: %v, exclusive %v", end, times["none"])
	}
}

// With several nodes offered at once and a timer that sorts them every second,
// all runs.
func TestNodesSortedInTime(t *testing.T) {
	for _, interval := range []string{"0", "1000"} {
		t.Run(interval, func(t *testing.T) {
			c, w := labelledCase(true, &simcore.JobLabels{Map: "x"})
			more := yarnconf.Map{yarnconf.Prefix + "multi-node-placement-enabled": "true", yarnconf.Prefix +
				"multi-node-sorting.policy": "by",
				yarnconf.Prefix + "multi-node-sorting.policy.names": "by", yarnconf.Prefix +
					"multi-node-sorting.policy.by.class": yarnconf.ByUsage,
				yarnconf.Prefix + "multi-node-sorting.policy.by.sorting-interval.ms": interval}
			if r := runLabelled(t, c, w, more); r.Jobs[0].Finish <= 0 {
				t.Errorf("interval %s: %+v", interval, r.Jobs[0])
			}
		})
	}
}
