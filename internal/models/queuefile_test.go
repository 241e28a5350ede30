package models

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"os"

	"schedtune/datasets"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// On two kinds of node, of which one serves one class only, the recommendation gives
// that class's queue the kind as its label; shares sum to 100 per kind and level, the
// file is valid, and the cluster file reads back as the cluster with its labels.
func TestRecommend(t *testing.T) {
	set, err := datasets.Load("default-1")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := yarnconf.Parse("default.xml", set.ConfigXML)
	if err != nil {
		t.Fatal(err)
	}
	c := *set.Cluster
	c.Nodes = append([]simcore.Node(nil), c.Nodes...)
	r := &AllocationResult{Classes: []AllocationClass{{Name: "batch"}, {Name: "rest"}}}
	for n := range c.Nodes {
		delta := []float64{0, 1}
		if n >= 12 {
			c.Nodes[n].Speed, delta = 2, []float64{1, 0}
		}
		r.Nodes = append(r.Nodes, AllocationNode{Name: c.Nodes[n].Name, Delta: delta})
	}
	w := set.Workload
	label := func(j int) string {
		if w.Queues[w.Jobs[j].Queue] == "root.batch" {
			return "batch"
		}
		return "rest"
	}
	rec, err := r.Recommend(doc, w, &c, label)
	if err != nil {
		t.Fatal(err)
	}
	out, err := doc.EditValid(rec.Changes)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range out.Validate() {
		if p.Severity == yarnconf.Error {
			t.Error(p)
		}
	}
	if v := out.Value(yarnconf.Key("root.batch", "default-node-label-expression")); v != "kind2" {
		t.Errorf("root.batch asks for %q", v)
	}
	if v := out.Value(yarnconf.Key("root.prod", "default-node-label-expression")); v != "" {
		t.Errorf("root.prod asks for %q", v)
	}
	for _, g := range rec.Groups {
		batch, sum := g.Shares["root.batch"], 0.0
		for _, v := range g.Shares {
			sum += v
		}
		if want := map[string]float64{"": 1, "kind2": 100}[g.Label]; math.Abs(batch-want) > 1e-9 || sum > 104 ||
			sum < 100-1e-9 {
			t.Errorf("%+v", g)
		}
	}
	path := filepath.Join(t.TempDir(), "nodes.yaml")
	if err := os.WriteFile(path, rec.NodesYAML(), 0o644); err != nil {
		t.Fatal(err)
	}
	back, err := scenario.LoadCluster(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(back.Cluster.Nodes) != 20 || back.Cluster.Nodes[12] != rec.Cluster.Nodes[12] &&
		strings.TrimSpace(back.Cluster.Nodes[12].Label) != "kind2" || len(back.Cluster.Labels) != 1 ||
		back.Cluster.Labels[0].Exclusive {
		t.Errorf("read back: %+v, labels %+v", back.Cluster.Nodes[12], back.Cluster.Labels)
	}
	// A file with labels of its own is refused.
	if _, err := r.Recommend(out, w, &c, label); err == nil || !strings.Contains(err.Error(), "without labels") {
		t.Errorf("labels on labels: %v", err)
	}
}
