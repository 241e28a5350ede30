package yarnconf

import (
	"maps"
	"strings"
	"testing"
)

// What check says of node labels: settings without effect, queues that get nothing,
// sums that only just pass, and on a cluster labels that no node has and nodes that
// no queue may use.
func TestCheckLabels(t *testing.T) {
	d := fragment(t, "root.queues=a,b,c", "root.a.capacity=50", "root.b.capacity=30", "root.c.capacity=20",
		"root.a.accessible-node-labels=gpu", "root.b.accessible-node-labels=gpu,ssd", "root.c.accessible-node-labels= ",
		"root.a.accessible-node-labels.gpu.capacity=59.97", "root.b.accessible-node-labels.gpu.capacity=30",
		"root.c.accessible-node-labels.gpu.capacity=10",
		"root.b.default-node-label-expression=ssd")
	groups := []NodeGroup{{Nodes: 2, Total: Resource{2048, 2}}, {Label: "gpu", Nodes: 1, Total: Resource{1024, 1}},
		{Label: "big", Nodes: 3, Total: Resource{9216, 3}}}
	var all []string
	for _, p := range CheckOn(d, groups).Problems {
		if p.Severity == Error {
			t.Errorf("%v", p)
		}
		all = append(all, p.Reason)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"root.c may not use nodes with label gpu",
		"root.b may use nodes with label ssd and gets none of them",
		"applications ask for nodes with label ssd and get none",
		"label gpu below root sum to 99.97",
		"no node of the cluster has label ssd",
		"no queue may use the nodes with label big (3 of 9216 MiB): they stand idle",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "root.a may") || strings.Contains(text, "label gpu (1") {
		t.Errorf("said of queues with nothing wrong:\n%s", text)
	}
	c, err := Evaluate(d)
	if err != nil {
		t.Fatal(err)
	}
	tables := d.Partitions(c, c.LabelNames())
	if len(tables) != 2 || tables[0].Label != "gpu" || tables[0].Sums[0].Sum != "99.97 %" || tables[0].Queues[2].Access ||
		!tables[0].Queues[1].Access || len(tables[1].Sums) != 0 {
		t.Errorf("%+v", tables)
	}
}

// CapacitySchedulerConfiguration.getAccessibleNodeLabels (Hadoop 3.4.1 and 3.5.0) gives *
// for root whatever is set, and logs that it does.
func TestCheckLabelsOfRoot(t *testing.T) {
	for value, warned := range map[string]bool{"gpu": true, " ": true, "*": false, " * ": false} {
		d := fragment(t, "root.queues=a", "root.a.capacity=100", "root.a.accessible-node-labels=gpu",
			"root.a.accessible-node-labels.gpu.capacity=100", "root.accessible-node-labels="+value)
		said := false
		for _, p := range Check(d).Problems {
			if p.Key == Prefix+"root.accessible-node-labels" {
				said = p.Severity == Warning && strings.Contains(p.Reason, "has no effect")
			}
		}
		if said != warned {
			t.Errorf("%q: warned %v: %v", value, said, Check(d).Problems)
		}
	}
}

// Hadoop 3.3 knows no weights; Hadoop 3.5 counts a resource of nothing as a
// resource, where 3.4 sees a percentage above resources (YARN-11641).
func TestAddVersion(t *testing.T) {
	said := func(d *Document, v Version) string {
		r := CheckReport{}
		r.AddVersion(d, v)
		var all []string
		for _, p := range r.Problems {
			all = append(all, p.Reason)
		}
		return strings.Join(all, "\n")
	}
	weights := fragment(t, "root.queues=a,b", "root.a.capacity=1w", "root.b.capacity=2w")
	if text := said(weights, Hadoop33); strings.Count(text, "Hadoop 3.3 refuses it: ") != 2 {
		t.Errorf("weights under 3.3: %s", text)
	}
	if text := said(weights, Hadoop35); text != "" {
		t.Errorf("weights under 3.5: %s", text)
	}
	nothing := fragment(t, "root.queues=a,b", "root.a.capacity=[memory=0,vcores=0]",
		"root.b.capacity=[memory=1024,vcores=1]",
		"root.a.queues=c", "root.a.c.capacity=[memory=1024,vcores=1]")
	if text := said(nothing, Hadoop35); !strings.Contains(text, "Hadoop 3.5 accepts it") {
		t.Errorf("nothing under 3.5: %q; 3.4: %v", text, nothing.Validate())
	}
	if text := said(nothing.ForHadoop(Hadoop35), Hadoop34); !strings.Contains(text, "Hadoop 3.4 refuses it") {
		t.Errorf("nothing under 3.4: %q", text)
	}
}

// What parents make on first use, and why one makes none.
func TestMakesQueues(t *testing.T) {
	d := fragment(t, "root.queues=m,f,n", "root.m.capacity=60", "root.f.capacity=20", "root.n.capacity=20",
		"root.m.auto-create-child-queue.enabled=true", "root.m.leaf-queue-template.capacity=10",
		"root.m.auto-create-child-queue.max-queues=3",
		"root.f.auto-queue-creation-v2.enabled=true", "root.f.auto-queue-creation-v2.template.capacity=2w",
		"root.f.auto-queue-creation-v2.leaf-template.user-limit-factor=3",
		"root.n.auto-queue-creation-v2.enabled=true", "root.n.queues=x", "root.n.x.capacity=100")
	c, err := Evaluate(d)
	if err != nil {
		t.Fatal(err)
	}
	all := c.MakesQueues()
	if len(all) != 3 {
		t.Fatalf("%+v", all)
	}
	if m := all[0]; !m.Managed || m.MaxQueues != 3 || m.Depth != 1 || len(m.Leaf) != 1 || m.Leaf[0].Value != "10" {
		t.Errorf("%+v", m)
	}
	leaf := map[string]string{}
	for _, ch := range all[1].Leaf {
		leaf[ch.Key] = ch.Value
	}
	if f := all[1]; f.Managed || f.Depth != 2 || leaf[Capacity] != "2w" || leaf[UserFactor] != "3" ||
		leaf[AMShare] != "1.0" || len(f.Up) != 1 {
		t.Errorf("%+v", f)
	}
	if n := all[2]; n.Reason == "" {
		t.Errorf("%+v makes queues beside percentages", n)
	}
}

// fragment is a file of these properties, written without their common prefix.
func fragment(t *testing.T, lines ...string) *Document {
	t.Helper()
	var changes []Change
	for _, l := range lines {
		k, v, _ := strings.Cut(l, "=")
		changes = append(changes, Change{Key: Prefix + k, Value: v})
	}
	return mustParse(t, "cs.xml", string(Fragment("", changes)))
}

// Where masters run by default: Hadoop's property, or EMR's where that is not set.
func TestMasterLabel(t *testing.T) {
	const hadoop, emr = "yarn.resourcemanager.node-labels.am.default-node-label-expression",
		"yarn.node-labels.am.default-node-label-expression"
	base := Map{Prefix + "root.queues": "a", Key("root.a", Capacity): "100"}
	for _, x := range []struct{ hadoop, emr, want string }{{"", "", ""}, {"", " CORE ", "CORE"}, {" x", "CORE", "x"},
		{"x", "", "x"}} {
		props := maps.Clone(base)
		if x.hadoop != "" {
			props[hadoop] = x.hadoop
		}
		if x.emr != "" {
			props[emr] = x.emr
		}
		c, err := Evaluate(props)
		if err != nil || c.MasterLabel != x.want {
			t.Errorf("%+v: %q, %v", x, c.MasterLabel, err)
		}
	}
}
