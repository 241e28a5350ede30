package yarnconf

import (
	"strings"
	"testing"
)

// problemsOf are what a check says, one a line.
func problemsOf(r CheckReport) string {
	var lines []string
	for _, p := range r.Problems {
		lines = append(lines, p.Error())
	}
	return strings.Join(lines, "\n")
}

// What a lone user of absolute resources can have is a share of a cluster that is known, else an
// amount. Of 12 nodes with 32768 MiB, 393216 together, 131072 are a third and a queue without
// maximum-capacity may grow to all: a factor of 3.
func TestFactorOfAbsoluteResources(t *testing.T) {
	d := fragment(t, "resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
		"root.queues=a,b,c",
		"root.a.capacity=[memory=131072,vcores=32]",
		"root.b.capacity=[memory=65536,vcores=16]", "root.b.maximum-capacity=[memory=131072,vcores=32]",
		"root.c.capacity=[memory=65536,vcores=16]", "root.c.user-limit-factor=2",
		"root.c.maximum-capacity=[memory=131072,vcores=32]")
	of := Resource{12 * 32768, 96}
	for _, c := range []struct {
		what, got string
		want      []string
	}{
		{"known", problemsOf(CheckOn(d, []NodeGroup{{Nodes: 12, Total: of}})), []string{
			"root.a.user-limit-factor: not set, and 1 keeps a single user at 33.33 % of an idle cluster, though the queue may " +
				"grow to 100 %",
			"; the same holds for 1 more queue"}},
		{"unknown", problemsOf(Check(d)), []string{
			"root.a.user-limit-factor: not set, and 1 keeps a single user at 131072 MiB however much of the cluster is idle, " +
				"though the " +
				"queue has no maximum-capacity; the same holds for 1 more queue (-1 lifts",
		}},
		// No node without label: nothing is known of these.
		{"labelled", problemsOf(CheckOn(d, []NodeGroup{{}, {Label: "x", Nodes: 1, Total: of}})),
			[]string{"root.a.user-limit-factor: not set, and 1 keeps a single user at 131072 MiB"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.got, want) {
				t.Errorf("%s: missing %q in\n%s", c.what, want, c.got)
			}
		}
		if strings.Contains(c.got, "root.c.user-limit-factor") {
			t.Errorf("%s: of a user who can fill the queue:\n%s", c.what, c.got)
		}
	}
}

// Capacities with a unit for each resource are measured on a cluster that is known: of 100000 MiB
// 30 % are 30000, and 60000 are twice as much.
func TestFactorOfVectors(t *testing.T) {
	d := fragment(t, "legacy-queue-mode.enabled=false", "root.queues=a,b", "root.a.capacity=[memory=30%,vcores=30%]",
		"root.a.maximum-capacity=[memory=60000,vcores=60]", "root.b.capacity=1w", "root.b.user-limit-factor=-1")
	if got := problemsOf(Check(d)); strings.Contains(got, "single user") {
		t.Errorf("on no cluster:\n%s", got)
	}
	got := problemsOf(CheckOn(d, []NodeGroup{{Nodes: 1, Total: Resource{100000, 100}}}))
	if want := "1 keeps a single user at 30 % of an idle cluster, though the queue may grow to 60 % (2 lets"; !strings.Contains(got, want) {
		t.Errorf("missing %q in\n%s", want, got)
	}
}

// A name that nothing reads is found in templates, behind labels and among the settings of
// dynamic queues, with the nearest that is read there.
func TestUnknownNamesInGroups(t *testing.T) {
	const pool = "root.pool.auto-queue-creation-v2."
	d := fragment(t, "root.queues=a,pool", "root.a.capacity=1w", "root.pool.capacity=1w", pool+"enabled=true",
		pool+"max-queue-depth=2", pool+"leaf-template.user-limit-facter=2", pool+"template.max-capacity=50",
		"auto-queue-creation-v2.queue-expiration-tim=60",
		"root.accessible-node-labels.gpu.capacity=100", "root.a.accessible-node-labels.gpu.max-capacity=50",
		"per-node-heartbeat.maximum-container-assignment=5",
		// These are read.
		pool+"maximum-queue-depth=2", pool+"parent-template.capacity=2w",
		pool+"template.accessible-node-labels.gpu.capacity=1w", "auto-queue-creation-v2.queue-expiration-time=60",
		pool+"queue-auto-removal.enable=false", "root.a.accessible-node-labels.gpu.maximum-am-resource-percent=0.2",
		"root.pool.*.auto-queue-creation-v2.leaf-template.capacity=2w")
	got := problemsOf(Check(d))
	for _, c := range [][2]string{
		{pool + "max-queue-depth", pool + "maximum-queue-depth"},
		{pool + "leaf-template.user-limit-facter", pool + "leaf-template.user-limit-factor"},
		{pool + "template.max-capacity", pool + "template.maximum-capacity"},
		{"auto-queue-creation-v2.queue-expiration-tim", "auto-queue-creation-v2.queue-expiration-time"},
		{"root.a.accessible-node-labels.gpu.max-capacity", "root.a.accessible-node-labels.gpu.maximum-capacity"},
		{"per-node-heartbeat.maximum-container-assignment", "per-node-heartbeat.maximum-container-assignments"},
	} {
		if want := c[0] + ": is no setting of the Capacity Scheduler and is ignored (write " + c[1] +
			")"; !strings.Contains(got, want) {
			t.Errorf("missing %q", want)
		}
	}
	if n := strings.Count(got, "is no setting"); n != 6 {
		t.Errorf("%d names nothing reads, want 6:\n%s", n, got)
	}
}

// An empty list of labels is not set, so the parent's labels stay; a blank names none.
func TestEmptyListOfLabels(t *testing.T) {
	for value, warned := range map[string]bool{"": true, " ": false, "gpu": false} {
		d := fragment(t, "root.queues=a,b", "root.a.capacity=50", "root.b.capacity=50",
			"root.accessible-node-labels.gpu.capacity=100",
			"root.a.accessible-node-labels.gpu.capacity=100", "root.b.accessible-node-labels="+value)
		c, err := Evaluate(d)
		if err != nil {
			t.Fatal(err)
		}
		if may := c.Queues[c.Find("root.b")].Accessible("gpu"); may != (value != " ") {
			t.Errorf("%q: root.b may use the label: %v", value, may)
		}
		if got := problemsOf(Check(d)); strings.Contains(got, "root.b.accessible-node-labels: an empty value is not set: "+
			"root.b may use the labels of its parent (one blank") != warned {
			t.Errorf("%q:\n%s", value, got)
		}
	}
}

// A parent's capacity may name a resource that yarn.resource-types declares (recorded with Hadoop
// 3.4.1: loads with it, and not without).
func TestDeclaredResources(t *testing.T) {
	m := conf("legacy-queue-mode.enabled false\nroot.queues a\nroot.a.queues x\nroot.a.capacity " +
		"[memory=50%,vcores=50%,yarn.io/gpu=0]\nroot.a.x.capacity 100")
	if _, err := Evaluate(m); err == nil || !strings.Contains(err.Error(), "names yarn.io/gpu, a resource that the "+
		"cluster does not have") {
		t.Errorf("not declared: %v", err)
	}
	m["yarn.resource-types"] = "yarn.io/fpga, yarn.io/gpu"
	if _, err := Evaluate(m); err != nil {
		t.Errorf("declared: %v", err)
	}
}

// A leaf whose maximum is below the least container starts nothing on the cluster: 3 % of 32768 MiB are 983.
func TestMaximumBelowLeastContainer(t *testing.T) {
	d := fragment(t, "root.queues=a,b", "root.a.capacity=97", "root.b.capacity=3", "root.b.maximum-capacity=3")
	got := problemsOf(CheckOn(d, []NodeGroup{{Nodes: 2, Total: Resource{32768, 64}}}))
	if want := "root.b may use at most 983 MiB of the nodes without a label, less than the least container (1024 MiB)"; !strings.Contains(got, want) {
		t.Errorf("missing %q in\n%s", want, got)
	}
	if got = problemsOf(CheckOn(d, []NodeGroup{{Nodes: 2, Total: Resource{65536, 64}}})); strings.Contains(got,
		"least container (") {
		t.Errorf("of a maximum of 1966 MiB:\n%s", got)
	}
}

// What limits applications to one by rejecting the others, and preemption that is on and never kills.
func TestOneApplicationAndBalance(t *testing.T) {
	const policy = "yarn.resourcemanager.monitor.capacity.preemption."
	site := Map{"yarn.resourcemanager.scheduler.monitor.enable": "true",
		policy + "preemption-to-balance-queue-after-satisfied.enabled": "true"}
	for wait, warns := range map[string]bool{"15000": true, "150000": false} {
		site[policy+"max_wait_before_kill"] = wait
		behind, err := Parse("site.xml", Fragment("", Changes(nil, site)))
		if err != nil {
			t.Fatal(err)
		}
		d := fragment(t, "root.queues=a", "root.a.capacity=100", "root.a.maximum-applications=1").WithSite(behind)
		got := problemsOf(Check(d))
		if strings.Contains(got, "never preempts: ") != warns {
			t.Errorf("wait %s:\n%s", wait, got)
		}
		if want := "1 rejects every application while another one runs or waits (max-parallel-apps 1 lets them wait)"; !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
}
