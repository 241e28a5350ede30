package diagnose

import (
	"strings"
	"testing"

	"schedtune/yarnconf"
)

// TestRoomBesideMasters: what fits beside the application masters that run at a time, by node, and where they may
// leave no node with room.
func TestRoomBesideMasters(t *testing.T) {
	for _, x := range []struct {
		name                       string
		share                      string
		am, container              int64
		running, room, beside, one int64 // one: room beside one master more, by the advice
	}{
		// 3 nodes of 10 GiB: two masters of 2 GiB on each leave three containers.
		{"room", "0.4", 2048, 2048, 6, 9, 6, 8},
		// A container of 8 GiB fits beside no master of 4 GiB: three masters may block all three nodes.
		{"a master blocks a node", "1", 4096, 8192, 6, 0, 2, -1},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := file(t, "root.queues=a", "root.a.capacity=100", "maximum-am-resource-percent="+x.share)
			a, err := AskLimits(LimitsQuestion{Doc: d, Cluster: nodes(3, 10240, 16), Queue: "a", User: "u",
				AM: yarnconf.Resource{Memory: x.am, VCores: 1}, Container: yarnconf.Resource{Memory: x.container, VCores: 1}})
			if err != nil {
				t.Fatal(err)
			}
			if a.Running[0].Count != x.running || a.Room != x.room || a.Beside != x.beside {
				t.Errorf("%d running, room %d, beside %d; want %d, %d, %d", a.Running[0].Count, a.Room, a.Beside, x.running,
					x.room, x.beside)
			}
			one := int64(-1)
			for _, ad := range a.Advice {
				if ad.For == "start" {
					one = ad.Room
				}
			}
			if one != x.one {
				t.Errorf("advice leaves room for %d, want %d", one, x.one)
			}
			if warned := strings.Contains(strings.Join(a.Findings, " "), "root.a.max-parallel-apps 2"); warned != (x.beside <
				x.running) {
				t.Errorf("findings %q", a.Findings)
			}
		})
	}
}

// TestNothingByCapacity: a queue that has nothing of a label, or of a parent with absolute resources, accepts
// applications, which wait for ever: Hadoop 3.4.1 does.
func TestNothingByCapacity(t *testing.T) {
	for name, x := range map[string]struct {
		lines        []string
		queue, label string
		finding      string
	}{
		"of a label": {[]string{"root.queues=a", "root.a.capacity=100", "root.a.accessible-node-labels=*"}, "root.a", "x",
			"no capacity of label x"},
		"of a template": {[]string{"root.queues=a,m", "root.a.capacity=[memory=8192,vcores=8]",
			"root.m.capacity=[memory=8192,vcores=8]", "root.m.auto-create-child-queue.enabled=true",
			"root.m.leaf-queue-template.capacity=50"}, "root.m.ann", "", "is a percentage, and root.m has absolute resources"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := nodes(2, 8192, 8)
			if x.label != "" {
				cluster.Nodes[0].Label = x.label
			}
			a, err := AskLimits(LimitsQuestion{Doc: file(t, x.lines...), Cluster: cluster, Queue: x.queue, User: "ann",
				Label: x.label})
			if err != nil {
				t.Fatal(err)
			}
			if a.Refusal != "" || a.Running[0].Count != 0 || !strings.Contains(strings.Join(a.Findings, " "), x.finding) {
				t.Errorf("refusal %q, %d running, findings %q", a.Refusal, a.Running[0].Count, a.Findings)
			}
		})
	}
}
