package diagnose

import (
	"strings"
	"testing"

	"schedtune/simcore"
	"schedtune/yarnconf"
)

// Two of six nodes have the label gpu, of which the queue has half: 16 of 32 GiB.
// The figures without label are those of the four others, where it has 25 %.
func TestPartitions(t *testing.T) {
	d := file(t, "root.queues=a,b", "root.a.capacity=25", "root.b.capacity=75", "root.a.maximum-capacity=50",
		"root.a.accessible-node-labels=gpu", "root.a.accessible-node-labels.gpu.capacity=50",
		"root.b.accessible-node-labels.gpu.capacity=50",
		"root.a.accessible-node-labels.gpu.maximum-capacity=75",
		"root.a.accessible-node-labels.gpu.maximum-am-resource-percent=0.5", "root.b.accessible-node-labels= ")
	c := nodes(6, 16<<10, 16)
	c.Labels = []simcore.NodeLabel{{Name: "gpu"}}
	c.Nodes[1].Label, c.Nodes[4].Label = "gpu", "gpu"
	ask := func(queue, label string) *LimitsAnswer {
		a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: c, Queue: queue, User: "u", Label: label})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	plain, gpu := ask("a", ""), ask("a", "gpu")
	if plain.Nodes != 4 || plain.Guaranteed.Memory != 16<<10 || plain.Most.Memory != 32<<10 || plain.Label != "" {
		t.Errorf("without label: %+v", plain)
	}
	if gpu.Nodes != 2 || gpu.Guaranteed.Memory != 16<<10 || gpu.Most.Memory != 24<<10 || gpu.Label != "gpu" {
		t.Errorf("gpu: %+v", gpu)
	}
	// Masters may have half of what is guaranteed there: 8 GiB, four of 2 GiB.
	if l := explainFind(t, gpu.Running, "AMs of the queue"); l.Resource.Memory != 8<<10 || l.Count != 4 ||
		!strings.HasSuffix(l.Key, "gpu.maximum-am-resource-percent") || l.Line == 0 {
		t.Errorf("masters on gpu: %+v", l)
	}
	if l := explainFind(t, gpu.Growth, "maximum of root.a"); !strings.HasSuffix(l.Key, "gpu.maximum-capacity") ||
		l.Count != 24 {
		t.Errorf("maximum on gpu: %+v", l)
	}
	if p := ask("b", "gpu").Partitions[1]; p.Access || p.LoneUser != 0 || p.Nodes != 2 {
		t.Errorf("b, which may not use gpu: %+v", p)
	}
	if text := printed(t, gpu); !strings.Contains(text, "2 nodes with label gpu") ||
		!strings.Contains(text, "gpu (shared)") {
		t.Error(text)
	}
	if _, err := AskLimits(LimitsQuestion{Doc: d, Cluster: c, Queue: "a", User: "u", Label: "ssd"}); err == nil ||
		!strings.Contains(err.Error(), "none, gpu") {
		t.Errorf("a label that no node has: got error %v, want one that names none, gpu", err)
	}
	// A queue's own expression is what its applications ask for.
	d2, err := d.Edit([]yarnconf.Change{{Key: yarnconf.Key("root.a", "default-node-label-expression"), Value: "gpu"}})
	if err != nil {
		t.Fatal(err)
	}
	d = d2
	if a := ask("a", ""); a.Label != "gpu" {
		t.Errorf("the default expression is not followed: %q", a.Label)
	}
	if a := ask("a", unlabelled); a.Label != "" {
		t.Errorf("asked for nodes without label: %q", a.Label)
	}
}

// Without a queue the file's own rules choose it. Of root.users, which has 1 of 4
// parts of 64 GiB, the only leaf has all: 16 GiB; its template's factor 0.5 keeps a
// user at 8. Settings are those of the template.
func TestMadeOnFirstUse(t *testing.T) {
	d := file(t, "root.queues=prod,users", "root.prod.capacity=3w", "root.users.capacity=1w",
		"root.users.auto-queue-creation-v2.enabled=true",
		"root.users.auto-queue-creation-v2.leaf-template.user-limit-factor=0.5",
		"queue-mappings=u:etl:root.prod,u:%user:root.users.%user")
	a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(4, 16<<10, 16), User: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Queue != "root.users.ann" || !a.Made || len(a.Placed) != 2 || a.Guaranteed.Memory != 16<<10 {
		t.Errorf("%+v", a)
	}
	if l := explainFind(t, a.Growth, "user limit"); l.Resource.Memory != 8<<10 ||
		l.Key != yarnconf.Prefix+"root.users.auto-queue-creation-v2.leaf-template.user-limit-factor" || l.Line == 0 {
		t.Errorf("%+v", l)
	}
	if ad := a.Advice; len(ad) == 0 || ad[0].Changes[0].Key !=
		yarnconf.Prefix+"root.users.auto-queue-creation-v2.leaf-template.user-limit-factor" || ad[0].After.Share != 1 {
		t.Errorf("%+v", ad)
	}
	if a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(4, 16<<10, 16), User: "ann",
		Queue: "root.users.team.ann"}); err != nil || a.Queue != "root.users.team.ann" || !a.Made {
		t.Errorf("two levels: %v", err)
	}
	if _, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(4, 16<<10, 16), User: "ann",
		Queue: "root.users.a.b.c"}); err == nil || !strings.Contains(err.Error(), "3 levels below root.users: at most 2") {
		t.Errorf("three levels: %v", err)
	}
	if a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(4, 16<<10, 16), User: "etl"}); err != nil ||
		a.Queue != "root.prod" || a.Made || len(a.Placed) != 1 {
		t.Errorf("etl: %+v %v", a, err)
	}
}

// What a queue made by a flexible parent begins with is not the value for all queues, nor, of these
// two settings, what the file says of the queue itself: users and masters are unlimited unless a
// template says otherwise. Which template it is, a wildcard's too, is told.
func TestSourceOfMadeQueues(t *testing.T) {
	lines := []string{"maximum-am-resource-percent=0.2", "user-limit-factor=3", "root.queues=prod,users",
		"root.prod.capacity=3w", "root.users.capacity=1w", "root.users.auto-queue-creation-v2.enabled=true",
		"root.users.ann.user-limit-factor=7"}
	const wild = "root.*.auto-queue-creation-v2.leaf-template."
	for _, c := range []struct {
		more        string
		key, value  string
		limit, from string
		line        bool
	}{
		{"", yarnconf.UserFactor, "-1", "user limit", "root.users.auto-queue-creation-v2.leaf-template.", false},
		{"", yarnconf.AMShare, "1.0", "AMs of the queue", "root.users.auto-queue-creation-v2.leaf-template.",
			false},
		{wild + yarnconf.AMShare + "=0.5", yarnconf.AMShare, "0.5", "AMs of the queue", wild, true},
	} {
		t.Run(c.more, func(t *testing.T) {
			d := file(t, append(lines[:len(lines):len(lines)], strings.Fields(c.more)...)...)
			a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(4, 16<<10, 16), User: "ann", Queue: "root.users.ann"})
			if err != nil {
				t.Fatal(err)
			}
			l := explainFind(t, append(a.Growth, a.Running...), c.limit)
			if l.Key != yarnconf.Prefix+c.from+c.key || l.Value != c.value || l.Line > 0 != c.line {
				t.Errorf("%s: %s = %s (line %d), want %s", c.limit, l.Key, l.Value, l.Line, c.from+c.key)
			}
		})
	}
}

// Where application masters run, what is left beside them, and the change that admits one
// more: on nodes with a label of their own, in a queue that holds a master and no task, by
// cores, and below one master.
func TestMastersAccount(t *testing.T) {
	labelled := nodes(3, 8192, 4)
	labelled.Labels = []simcore.NodeLabel{{Name: "core"}}
	labelled.Nodes[0].Label = "core"
	dominant := "resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
	gib := func(n int64) yarnconf.Resource { return yarnconf.Resource{Memory: n << 10, VCores: 1} }
	for _, c := range []struct {
		name    string
		lines   []string
		cluster *simcore.Cluster
		am      yarnconf.Resource
		count   int64
		what    string
		beside  int64
		advice  string // key and value, "" for none
	}{
		// 4 cores, half of them for masters.
		{"label of masters, by cores", []string{"root.queues=a", "root.a.capacity=100", dominant,
			"maximum-am-resource-percent=0.5", "root.accessible-node-labels.core.capacity=100",
			"root.a.accessible-node-labels=core", "root.a.accessible-node-labels.core.capacity=100"}, labelled, gib(1), 2,
			"AMs of the queue", 2, "root.a.accessible-node-labels.core.maximum-am-resource-percent 0.51"},
		{"label of masters without capacity", []string{"root.queues=a", "root.a.capacity=100",
			"root.accessible-node-labels=*"}, labelled, gib(1), 0, "capacity of root.a", 0,
			"root.a.accessible-node-labels.core.capacity 100"},
		{"a master and no task beside it", []string{"root.queues=a,b", "root.a.capacity=40", "root.b.capacity=60",
			"root.a.maximum-capacity=40", "root.a.maximum-am-resource-percent=1"}, nodes(1, 4096, 8), gib(1), 1,
			"maximum of root.a", 0, "root.a.maximum-capacity 75"},
		// A tenth of 8 GiB is rounded up to 1 GiB: 0.38 is the first with two masters of 2 GiB.
		{"a share below one master", []string{"root.queues=a", "root.a.capacity=100"}, nodes(1, 8192, 8), gib(2), 1,
			"AMs of the queue", 1, "root.a.maximum-am-resource-percent 0.38"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := file(t, c.lines...)
			if len(c.cluster.Labels) > 0 {
				d, _ = d.EditValid([]yarnconf.Change{{Key: "yarn.node-labels.enabled", Value: "true"},
					{Key: "yarn.node-labels.am.default-node-label-expression", Value: "core"}})
			}
			a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: c.cluster, Queue: "root.a", User: "u", AM: c.am})
			if err != nil {
				t.Fatal(err)
			}
			if l := a.Running[0]; l.Count != c.count || l.What != c.what || a.Beside != c.beside {
				t.Errorf("%d by %s, %d beside a task; want %d by %s, %d", l.Count, l.What, a.Beside, c.count, c.what, c.beside)
			}
			got := ""
			for _, ad := range a.Advice {
				if ad.For == "start" {
					got = strings.TrimPrefix(ad.Changes[0].Key, yarnconf.Prefix) + " " + ad.Changes[0].Value
				}
			}
			if got != c.advice {
				t.Errorf("advice %q, want %q", got, c.advice)
			}
		})
	}
}

// TestNoQueueNamed: without a queue and rules, YARN's client asks for default.
func TestNoQueueNamed(t *testing.T) {
	for _, c := range []struct{ queues, want string }{{"default,b", "root.default"}, {"a,b", ""}} {
		first, _, _ := strings.Cut(c.queues, ",")
		d := file(t, "root.queues="+c.queues, "root."+first+".capacity=50", "root.b.capacity=50")
		a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(2, 8192, 8), User: "u"})
		if (err == nil) != (c.want != "") || err == nil && a.Queue != c.want {
			t.Errorf("%s: %v, want %q", c.queues, err, c.want)
		}
	}
}
