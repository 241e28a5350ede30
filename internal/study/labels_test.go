package study

import (
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/yarnconf"
)

// labelledBase: prod and batch share gpu and ssd, adhoc has a part of gpu that no
// job asks for, reports runs on ssd alone.
var labelledBase = []string{"root.queues=prod,batch,adhoc,reports", "root.prod.capacity=40", "root.batch.capacity=30",
	"root.adhoc.capacity=20", "root.reports.capacity=10",
	"root.prod.accessible-node-labels.gpu.capacity=55", "root.batch.accessible-node-labels.gpu.capacity=30.5",
	"root.adhoc.accessible-node-labels.gpu.capacity=14.5",
	"root.prod.accessible-node-labels.gpu.maximum-capacity=80", "root.batch.accessible-node-labels.ssd.capacity=60",
	"root.reports.accessible-node-labels.ssd.capacity=40",
	"root.reports.default-node-label-expression=ssd"}

// labelledCase gives nodes and jobs of the embedded case labels.
func labelledCase(t *testing.T, properties []string) *scenario.Case {
	t.Helper()
	c := tunedCase(t, properties)
	cluster, work := *c.Cluster, *c.Work
	cluster.Nodes = append([]simcore.Node(nil), cluster.Nodes...)
	cluster.Labels = []simcore.NodeLabel{{Name: "gpu"}, {Name: "ssd", Exclusive: true}}
	for i := range cluster.Nodes {
		cluster.Nodes[i].Label = []string{"", "gpu", "ssd"}[i%3]
	}
	work.Jobs = append([]simcore.Job(nil), work.Jobs...)
	for i := range work.Jobs {
		switch q := work.Queues[work.Jobs[i].Queue]; {
		case i%2 == 0 && (q == "root.prod" || q == "root.batch"):
			work.Jobs[i].Labels = &simcore.JobLabels{Map: "gpu"}
		case i%3 == 0 && q == "root.batch":
			work.Jobs[i].Labels = &simcore.JobLabels{App: "ssd"}
		}
	}
	c.Cluster, c.Work = &cluster, &work
	return c
}

// TestLabelSharesMove: per label and parent shares move and keep their sum, maxima
// stay above them, and what no job asks for stays.
func TestLabelSharesMove(t *testing.T) {
	c := labelledCase(t, labelledBase)
	s, notes, err := NewSpace(c, []string{yarnconf.Capacity, yarnconf.MaximumCapacity})
	if err != nil {
		t.Fatal(err)
	}
	if changes, _ := s.Changes(s.PresentSettings()); len(changes) > 0 {
		t.Fatalf("the present point changes %v", changes)
	}
	before, err := yarnconf.Evaluate(c.Doc)
	if err != nil {
		t.Fatal(err)
	}
	stays := map[string]bool{"root.adhoc gpu": true, "root.reports ": true}
	moved := map[string]bool{}
	for k, p := range points(s, 60) {
		changes, _ := s.Changes(s.Decode(p))
		doc, err := c.Doc.EditValid(changes)
		if err != nil {
			t.Fatalf("point %d: %v: %v", k, changes, err)
		}
		conf, err := yarnconf.Evaluate(doc)
		if err != nil {
			t.Fatalf("point %d: %v: %v", k, changes, err)
		}
		sum := map[string]float32{}
		for i := range conf.Queues {
			q, was := &conf.Queues[i], &before.Queues[i]
			if q.Parent < 0 {
				continue
			}
			sum[""] += q.Capacity
			note := func(label string, now, then, most float32) {
				if name := q.Path + " " + label; now != then {
					moved[name] = true
					if stays[name] {
						t.Fatalf("point %d: the share of %q in %s moves from %g to %g", k, label, q.Path, then, now)
					}
				}
				if most < now-1e-6 {
					t.Fatalf("point %d: %s has %g of %q and at most %g", k, q.Path, now, label, most)
				}
			}
			note("", q.Capacity, was.Capacity, q.MaxCapacity)
			for n, l := range q.Labels {
				sum[l.Name] += l.Capacity
				note(l.Name, l.Capacity, was.Labels[n].Capacity, l.MaxCapacity)
			}
		}
		for label, f := range sum {
			if f < 0.99999 || f > 1.00001 {
				t.Fatalf("point %d: the shares of %q sum to %g", k, label, f)
			}
		}
	}
	for _, name := range []string{"root.prod ", "root.prod gpu", "root.batch gpu", "root.batch ssd", "root.reports ssd"} {
		if !moved[name] {
			t.Errorf("the share of %s never moves; notes: %s", name, strings.Join(notes, "; "))
		}
	}
}

// TestLabelPatterns: --params reaches label shares by pattern, those that nothing
// asks for too.
func TestLabelPatterns(t *testing.T) {
	c := labelledCase(t, labelledBase)
	s, _, err := NewSpace(c, []string{"root.*" + ofLabel + "gpu.capacity"})
	if err != nil {
		t.Fatal(err)
	}
	free := 0
	for _, p := range s.Params() {
		if !p.Fixed {
			free++
			if !strings.HasSuffix(p.Name, ".gpu.capacity") {
				t.Errorf("%s may move", p.Name)
			}
		}
	}
	if free != 3 {
		t.Errorf("%d shares of gpu may move, want 3", free)
	}
}
