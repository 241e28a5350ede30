package diagnose

import (
	"strings"
	"testing"

	"schedtune/simcore"
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

// TestRefusedByPermission: a user whom no permission on the path lists is refused before anything else; groups count.
func TestRefusedByPermission(t *testing.T) {
	lines := []string{"root.queues=a", "root.a.capacity=100", "root.acl_submit_applications= ", "root.acl_administer_queue= ",
		"root.a.acl_submit_applications=ann,bob ops"}
	for _, x := range []struct {
		user, group, enabled string
		refused              bool
	}{{"ann", "", "true", false}, {"eve", "", "true", true}, {"eve", "ops", "true", false}, {"eve", "", "false", false}} {
		d := file(t, lines...)
		d, err := d.EditValid([]yarnconf.Change{{Key: "yarn.acl.enable", Value: x.enabled}})
		if err != nil {
			t.Fatal(err)
		}
		q := LimitsQuestion{Doc: d, Cluster: nodes(2, 8192, 8), Queue: "root.a", User: x.user}
		if x.group != "" {
			q.Groups = []string{x.group}
		}
		a, err := AskLimits(q)
		if err != nil {
			t.Fatal(err)
		}
		if (a.Refusal != "") != x.refused {
			t.Errorf("%+v: refusal %q", x, a.Refusal)
		}
	}
}

// TestPermissions: why names a user without permission as explain does, and the entry that admits it; where groups that
// are not known decide, it notes that.
func TestPermissions(t *testing.T) {
	for _, x := range []struct {
		name, list, value string // value: of the change; "" where the user may submit
		groups            []string
		notes             int
	}{
		{"listed", "ann,eve", "", nil, 0},
		{"other user", "ann", "ann,eve", nil, 0},
		{"nobody", " ", "eve", nil, 0},
		{"group not known", "ann ops", "", nil, 1},
		{"group", "ann ops", "", []string{"ops"}, 0},
		{"other group", "ann ops", "ann,eve ops", []string{"dev"}, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			conf := map[string]string{"root.queues": "a,b", "root.a.capacity": "50", "root.b.capacity": "50",
				"root.acl_submit_applications": " ", "root.acl_administer_queue": " ", "root.a.acl_submit_applications": x.list}
			rep := small{conf, map[string]string{"yarn.acl.enable": "true"}, "  - {count: 2, memory: 8192, vcores: 8}\n",
				[]string{job("j", "eve", "a", 0, 1, 1024, 10, 0)}}.askOf(t, Query{Job: "j", At: 5 * simcore.Second, Seed: 1,
				Runs: 1, Groups: map[string][]string{"eve": x.groups}})
			a := rep.Answer
			if barred := a.Causes[0].Kind == KindPermission; barred != (x.value != "") || len(rep.Notes) != x.notes ||
				barred && (len(a.Changes) != 1 || a.Changes[0].Value != x.value || rep.End != simcore.Never) {
				t.Errorf("causes %+v, changes %+v, notes %q", a.Causes, a.Changes, rep.Notes)
			}
		})
	}
}

// TestEveryNodeLabelled: an application that requests no label waits for ever where every node has one.
func TestEveryNodeLabelled(t *testing.T) {
	rep := small{map[string]string{"root.queues": "a", "root.a.capacity": "100", "root.a.accessible-node-labels": "x",
		"root.accessible-node-labels.x.capacity": "100", "root.a.accessible-node-labels.x.capacity": "100"},
		map[string]string{"yarn.node-labels.enabled": "true"}, "  - {count: 2, memory: 8192, vcores: 8, label: x}\n",
		[]string{job("small", "u", "a", 0, 1, 1024, 10, 0)}}.ask(t, "small", minute)
	if c := rep.Answer.Causes; len(c) != 1 || c[0].Kind != KindNoNodes ||
		!strings.Contains(c[0].Text(), "default-node-label-expression of root.a") {
		t.Errorf("causes %+v", c)
	}
}

// TestPriorityUnderFair: fair ordering does not look at priorities, so that fifo is what helps a higher one.
func TestPriorityUnderFair(t *testing.T) {
	rep := small{map[string]string{"root.queues": "a", "root.a.capacity": "100", "root.a.ordering-policy": "fair",
		"root.a.maximum-am-resource-percent": "0.5"}, map[string]string{"yarn.cluster.max-application-priority": "9"},
		"  - {count: 4, memory: 16384, vcores: 16}\n", []string{job("low1", "u", "a", 0, 400, 1024, 60, 1),
			job("low2", "u", "a", 5, 400, 1024, 60, 1), job("high", "u", "a", 30, 60, 1024, 60, 9)}}.ask(t, "high", minute)
	if o := rep.Options; len(o) == 0 || !o[0].Helps || o[0].Steps[0].Key != prefix+"root.a.ordering-policy" ||
		o[0].Steps[0].Value != "fifo" {
		t.Errorf("options %+v, want ordering-policy fifo", o)
	}
}
