package diagnose

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// TestAgainstEngine: on random files, as many applications of one user get their masters on
// the scheduler as explain says, and why answers the first that does not with the limit that
// explain names first.
func TestAgainstEngine(t *testing.T) {
	for seed := range uint64(60) {
		againstEngine(t, seed)
	}
}

func againstEngine(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 43))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	share := 20 + r.IntN(70)
	lines := []string{"root.queues=a,b", fmt.Sprintf("root.a.capacity=%d", share),
		fmt.Sprintf("root.b.capacity=%d", 100-share),
		"maximum-am-resource-percent=" + one("0.1", "0.2", "0.5", "1"), "root.a.user-limit-factor=" +
			one("1", "0.5", "2", "-1"),
		fmt.Sprintf("root.a.maximum-capacity=%d", share+r.IntN(101-share)),
		"root.a.minimum-user-limit-percent=" + one("100", "50", "25"),
		"resource-calculator=org.apache.hadoop.yarn.util.resource." + one("DefaultResourceCalculator",
			"DominantResourceCalculator")}
	if r.IntN(4) == 0 {
		lines = append(lines, fmt.Sprintf("root.a.max-parallel-apps=%d", 1+r.IntN(4)))
	}
	cluster := nodes(1+r.IntN(6), int64(1+r.IntN(8))*2048, int64(1+r.IntN(8)))
	changes := map[string]string{}
	if r.IntN(2) == 0 { // masters on nodes of their own
		cluster.Labels = []simcore.NodeLabel{{Name: "x", Exclusive: r.IntN(2) == 0}}
		cluster.Nodes[0].Label = "x"
		lines = append(lines, "root.accessible-node-labels.x.capacity=100", "root.a.accessible-node-labels=x",
			"root.b.accessible-node-labels=x", fmt.Sprintf("root.a.accessible-node-labels.x.capacity=%d", share),
			fmt.Sprintf("root.b.accessible-node-labels.x.capacity=%d", 100-share))
		changes["yarn.node-labels.enabled"] = "true"
		changes["yarn.node-labels.am.default-node-label-expression"] = "x"
	}
	d := file(t, lines...)
	for k, v := range changes {
		var err error
		if d, err = d.EditValid([]yarnconf.Change{{Key: k, Value: v}}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	am := yarnconf.Resource{Memory: int64(1+r.IntN(3)) * 1024, VCores: int64(1 + r.IntN(2))}
	a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: cluster, Queue: "root.a", User: "u", AM: am})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	conf, err := yarnconf.Evaluate(d)
	if err != nil {
		t.Fatal(err)
	}
	s, err := capacity.OnCluster(conf, cluster)
	if err != nil {
		t.Fatal(err)
	}
	want := a.Running[0].Count
	var ids []yarn.AppID
	for i := range min(want, 200) + 3 {
		id, err := s.Submit(yarn.AppSpec{Name: fmt.Sprint("app", i), User: "u", Queue: "root.a", AM: yarn.Resource(am)})
		if err != nil {
			if a.Refusal == "" && a.Admission[0].Count > i { // else it says so
				t.Errorf("seed %d: application %d: %v", seed, i+1, err)
			}
			return
		}
		ids = append(ids, id)
	}
	got, first := int64(0), yarn.AppID(-1)
	has := map[yarn.AppID]bool{}
	for range 2*len(ids) + 2 {
		for n := range cluster.Nodes {
			for _, e := range s.Beat(yarn.NodeID(n), nil, nil) {
				if e.Kind == yarn.Allocate {
					has[e.App] = true
				}
			}
		}
	}
	for _, id := range ids {
		if has[id] {
			got++
		} else if first < 0 {
			first = id
		}
	}
	if got != want {
		t.Errorf("seed %d: %d applications at a time, explain says %d (%s)\n%v", seed, got, want, a.Running[0].What, lines)
	}
	if first >= 0 {
		st, _ := s.Standing(first)
		causes := Causes(&st, s.NameOf)
		kinds := map[string][]string{
			"AMs of the queue": {KindMastersQueue}, "AMs of the user": {KindMastersUser},
			"maximum of root.a": {KindQueueMaximum, KindNoRoom}, "capacity of root.a": {KindNoCapacity},
			"the nodes": {KindNoRoom, KindTooSmall, KindFragmented, KindHolds, KindQueueMaximum,
				KindReserved},
			"parallel applications in root.a": {KindParallelQueue}}
		same := false
		for _, l := range a.Running { // of equally tight limits any
			for _, k := range kinds[l.What] {
				same = same || l.Count == want && k == causes[0].Kind
			}
		}
		if !same {
			t.Errorf("seed %d: why says %s, explain %s\n%v", seed, causes[0].Text(), a.Running[0].What, lines)
		}
	}
}
