package yarnconf

import (
	"strings"
	"testing"
)

// TestRegrets: what loads and does not do what an administrator expects is named at its line,
// and what is as it should be is not.
func TestRegrets(t *testing.T) {
	const dominant = "resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
	ab := []string{"root.queues=default,b", "root.default.capacity=40", "root.b.capacity=60",
		"root.default.user-limit-factor=-1", "root.b.user-limit-factor=-1"}
	nodes := []NodeGroup{{Nodes: 4, Total: Resource{4 * 8192, 4 * 8}}}
	small := []NodeGroup{{Nodes: 4, Total: Resource{4 * 8192, 4 * 2}}}
	for _, c := range []struct {
		name   string
		lines  []string
		site   string
		on     []NodeGroup
		hadoop Version
		want   string // KEY: part of the reason; "" for no warning
	}{
		{name: "nothing", lines: ab, on: nodes},
		{name: "no queue default", lines: []string{"root.queues=a", "root.a.capacity=100"},
			want: "root.queues: applications that name no queue are refused"},
		{name: "no queue default, and rules", lines: []string{"root.queues=a", "root.a.capacity=100",
			"queue-mappings=u:%user:a"}},
		{name: "default is stopped", lines: append([]string{"root.default.state=STOPPED"}, ab...),
			want: "root.default.state: applications that name no queue are refused: root.default is STOPPED"},
		{name: "root is stopped", lines: append([]string{"root.state=STOPPED"}, ab...),
			want: "root.state: root is STOPPED, and every queue with it"},
		{name: "default is stopped with its parent", lines: []string{"root.queues=a", "root.a.capacity=100",
			"root.a.state=STOPPED",
			"root.a.queues=default", "root.a.default.capacity=100", "root.a.default.user-limit-factor=-1"},
			want: "root.a.state: applications that name no queue are refused: root.a.default is STOPPED"},
		{name: "rule of the same user", lines: append([]string{"queue-mappings=u:ann:default,u:bob:b,u:ann:b"}, ab...),
			want: "queue-mappings: rule 3 (u:ann:b) is never asked: rule 1 decides for user ann"},
		{name: "neither true nor false", lines: append([]string{"root.b.disable_preemption=on"}, ab...),
			want: `root.b.disable_preemption: "on" is taken as not set`},
		{name: "part of a percent", lines: append([]string{"root.b.minimum-user-limit-percent=0.5"}, ab...),
			want: "root.b.minimum-user-limit-percent: 0.5 is taken as a percentage"},
		{name: "largest container below the smallest", lines: append([]string{"root.b.maximum-allocation-mb=512"}, ab...),
			on:   nodes,
			want: "root.b.maximum-allocation-mb: 512 is below yarn.scheduler.minimum-allocation-mb (1024)"},
		{name: "more than there is", lines: []string{"root.queues=default,b", "root.default.capacity=[memory=60000,vcores=4]",
			"root.b.capacity=[memory=5536,vcores=4]", "root.default.user-limit-factor=-1", "root.b.user-limit-factor=-1"},
			on: nodes,
			want: "root.b.capacity: the queues below root ask for 65536 MiB of 32768: all are scaled down, and root.b gets " +
				"2768 " +
				"MiB instead of 5536"},
		{name: "cores not counted", lines: ab, on: small,
			want: "resource-calculator: cores are not counted: the memory of a node holds up to 8 containers of the least " +
				"allocation, and it has 2 cores"},
		{name: "cores counted", lines: append([]string{dominant}, ab...), on: small},
		{name: "permissions not looked at", lines: append([]string{"root.b.acl_submit_applications=ann"}, ab...),
			site: "yarn.acl.enable=false", want: "root.b.acl_submit_applications: permissions of queues have no effect"},
		{name: "cut short", lines: append([]string{"root.b.user-limit=2"}, ab...),
			want: "root.b.user-limit: is no setting of the Capacity Scheduler and is ignored (write root.b.user-limit-factor)"},
		{name: "for all queues, in 3.3", lines: append([]string{"user-limit-factor=3"}, ab...)[:4], hadoop: Hadoop33,
			want: "user-limit-factor: is ignored: Hadoop 3.3 reads it for single queues only"},
		{name: "masters on a label without capacity", lines: ab,
			site: "yarn.node-labels.am.default-node-label-expression=x\nyarn.node-labels.enabled=true",
			want: "yarn.node-labels.am.default-node-label-expression: application masters are requested on nodes with label x"},
		{name: "guaranteed cores of nothing, in 3.3", lines: []string{dominant, "root.queues=default,low",
			"root.default.capacity=99", "root.low.capacity=1", "root.low.user-limit-factor=100"},
			site: "yarn.resourcemanager.scheduler.monitor.enable=true", on: nodes, hadoop: Hadoop33,
			want: "root.low.capacity: the guaranteed cores of root.low come to 0, and Hadoop 3.3 preempts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := fragment(t, c.lines...).ForHadoop(c.hadoop)
			if c.site != "" {
				var changes []Change
				for _, l := range strings.Split(c.site, "\n") {
					k, v, _ := strings.Cut(l, "=")
					changes = append(changes, Change{Key: k, Value: v})
				}
				d = d.WithSite(mustParse(t, "site.xml", string(Fragment("", changes))))
			}
			got := problemsOf(CheckOn(d, c.on))
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("want %q in\n%s", c.want, got)
			}
		})
	}
}

// TestOtherForms: EMR's classifications and Ambari's lines are read as the XML they stand
// for, with their lines.
func TestOtherForms(t *testing.T) {
	for name, text := range map[string]string{
		"ambari": "# queues\nyarn.scheduler.capacity.root.queues=default\nyarn.scheduler.capacity.root.default.capacity=90\n",
		"emr": `[{"Classification": "yarn-site", "Properties": {"a": "b"}}, {"Classification": "capacity-scheduler", "Properties": {
"yarn.scheduler.capacity.root.queues": "default",
"yarn.scheduler.capacity.root.default.capacity": "90"}}]`,
	} {
		d, err := Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, ok := d.Lookup(Key("root.default", Capacity))
		if !ok || p.Value != "90" || p.Line != 3 {
			t.Errorf("%s: %+v", name, p)
		}
		if ps := d.Validate(); len(ps) != 1 || ps[0].Line != 3 {
			t.Errorf("%s: %v", name, ps)
		}
	}
}
