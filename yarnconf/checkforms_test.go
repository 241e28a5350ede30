package yarnconf

import (
	"fmt"
	"strings"
	"testing"
)

// A mapping to a queue that is not there keeps the ResourceManager from loading
// the file; placeholders do not.
func TestMappings(t *testing.T) {
	d := mustParse(t, "f", nested)
	for value, errors := range map[string]int{"u:bob:adhoc,g:x:root.prod.etl": 0, "u:%user:%user": 0,
		"u:bob:nosuch, u:eve:none": 2} {
		next, err := d.Edit([]Change{{Key: Prefix + "queue-mappings", Value: value}})
		if err != nil {
			t.Fatal(err)
		}
		if r := Check(next); r.Count(Error) != errors {
			t.Errorf("%s: %v", value, r.Problems)
		}
	}
}

// Without legacy mode capacities follow other rules: no error, no figures, and
// nothing a tuner would touch.
func TestMixedUnits(t *testing.T) {
	d := mustParse(t, "f", string(Fragment("", []Change{
		{Key: Prefix + "legacy-queue-mode.enabled", Value: "false"}, {Key: Key("root", "queues"), Value: "a,b"},
		{Key: Key("root.a", Capacity), Value: "[memory=25%,vcores=2w]"},
		{Key: Key("root.b", Capacity), Value: "[memory=16384,vcores=1w]"}})))
	r := Check(d)
	if r.Count(Error) != 0 || r.Count(Warning) != 1 { // there is no queue default
		t.Errorf("%v", r.Problems)
	}
	lv, err := d.Levels()
	if err != nil || len(lv) != 1 || lv[0].Fixed == "" {
		t.Errorf("%+v %v", lv, err)
	}
}

// A capacity that can't be read is one mistake: what its siblings sum to is not
// known then.
func TestUnreadableCapacity(t *testing.T) {
	for _, capacity := range []string{"[memory=1024", "${nosuch}", "fifty", "101"} {
		text := "<configuration>"
		for _, p := range [][2]string{{"root.queues", "a,b"}, {"root.a.capacity", capacity}, {"root.b.capacity", "60"}} {
			text += "<property><name>" + Prefix + p[0] + "</name><value>" + p[1] + "</value></property>\n"
		}
		ps := mustParse(t, "cs.xml", text+"</configuration>").Validate()
		if len(ps) != 1 || ps[0].Key != Prefix+"root.a.capacity" || strings.Contains(ps[0].Reason, "sum") {
			t.Errorf("%s: %v", capacity, ps)
		}
	}
}

// A queue with a blank in its name can be changed like any other.
func TestBlankInQueueName(t *testing.T) {
	d := mustParse(t, "cs.xml", "<configuration><property><name>"+Prefix+"root.queues</name><value>ad "+
		"hoc</value></property>"+
		"<property><name>"+Prefix+"root.ad hoc.capacity</name><value>100</value></property></configuration>")
	key := Key("root.ad hoc", UserFactor)
	next, err := d.EditValid([]Change{{Key: key, Value: "2"}})
	if err != nil || next.Value(key) != "2" {
		t.Fatalf("%v", err)
	}
	if _, err := NewMutation(d, next); err != nil {
		t.Error(err)
	}
}

// Another of Hadoop's files, taken for the queue file, is called that.
func TestOtherFile(t *testing.T) {
	ps := Check(mustParse(t, "yarn-site.xml",
		"<configuration><property><name>yarn.scheduler.minimum-allocation-mb</name><value>256</value></property></configuration>")).Problems
	if len(ps) != 1 || !strings.Contains(ps[0].Error(), "yarn-site.xml:1: no setting of the Capacity Scheduler") {
		t.Errorf("%v", ps)
	}
}

// One blank is the usual way to close a queue: nobody. An empty element counts
// as not set, and root's default is everybody.
func TestBlankACL(t *testing.T) {
	for value, closed := range map[string]bool{" ": true, "\n  ": true, "": false, "*": false} {
		d, err := Parse("cs.xml", []byte(`<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property>
<property><name>yarn.scheduler.capacity.root.acl_submit_applications</name><value>`+value+`</value></property>
<property><name>yarn.scheduler.capacity.root.a.acl_submit_applications</name><value>u1</value></property>
</configuration>`))
		if err != nil {
			t.Fatal(err)
		}
		open := false
		for _, p := range Check(d).Problems {
			open = open || strings.Contains(p.Reason, "keeps nobody out")
		}
		if open == closed {
			t.Errorf("value %q: called open: %v", value, open)
		}
	}
}

// What the ResourceManager does with the file later: it lowers a default priority
// beyond the cluster's, and stops when a queue is to be made with a capacity in
// another form than its siblings'.
func TestWarnsOfLater(t *testing.T) {
	made := `<property><name>yarn.scheduler.capacity.root.auto-queue-creation-v2.enabled</name><value>true</value></property>
<property><name>yarn.scheduler.capacity.root.auto-queue-creation-v2.leaf-template.capacity</name><value>%s</value></property>`
	for _, x := range []struct{ extra, want string }{
		{"", ""}, // no yarn-site.xml: nobody knows the bound
		{"<property><name>yarn.cluster.max-application-priority</name><value>7</value></property>", ""},
		{"<property><name>yarn.cluster.max-application-priority</name><value>3</value></property>",
			"root.default.default-application-priority: 7 is taken as 3, the most that yarn.cluster.max-application-priority " +
				"allows (set yarn.cluster.max-application-priority in yarn-site.xml to 7 or more)"},
		{"<property><name>yarn.acl.enable</name><value>true</value></property>", "root.default.default-application-priority: 7 " +
			"is taken as 0, the most"},
		{fmt.Sprintf(made, "2w"), ""},
		{fmt.Sprintf(made, "50"), "root.auto-queue-creation-v2.enabled: the ResourceManager stops once a leaf is to be " +
			"made below root: its template's capacity is no weight (give the template of root a weight, or no capacity)"},
	} {
		doc := `<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
<property><name>yarn.scheduler.capacity.root.default.capacity</name><value>1w</value></property>
<property><name>yarn.scheduler.capacity.root.default.default-application-priority</name><value>7</value></property>` + x.extra + `</configuration>`
		var got []string
		for _, p := range Check(mustParse(t, "cs.xml", doc)).Problems {
			got = append(got, p.Error())
		}
		if all := strings.Join(got, "\n"); (x.want == "") != (all == "") || !strings.Contains(all, x.want) {
			t.Errorf("%s:\n got %s\nwant %s", x.extra, all, x.want)
		}
	}
}

// A queue's priority counts only where the parent orders by it.
func TestPriorityWithoutOrder(t *testing.T) {
	for policy, want := range map[string]int{"": 1, "root.ordering-policy=utilization": 1,
		"root.ordering-policy=priority-utilization": 0} {
		lines := []string{"root.queues=a,b", "root.a.capacity=50", "root.b.capacity=50", "root.a.priority=2"}
		if policy != "" {
			lines = append(lines, policy)
		}
		got := 0
		for _, p := range Check(fragment(t, lines...)).Problems {
			if strings.Contains(p.Reason, "2 has no effect: the ordering policy of root is ") {
				got++
			}
		}
		if got != want {
			t.Errorf("%q: %d warnings, want %d", policy, got, want)
		}
	}
}

// TestFixNamed: what is refused or ignored names the change that mends it.
func TestFixNamed(t *testing.T) {
	for name, x := range map[string]struct {
		lines []string
		want  string
	}{
		"settings of a queue one level too high": {[]string{"root.queues=a,b", "root.a.capacity=40", "root.b.capacity=60",
			"root.b.queues=b1", "root.b.b1.capacity=100", "root.b1.user-limit-factor=2"}, "write root.b.b1.user-limit-factor"},
		"a label that only root names": {[]string{"root.queues=a", "root.a.capacity=100",
			"root.accessible-node-labels.old.capacity=-1"}, "remove accessible-node-labels.old.* of root"},
		"units of their own": {[]string{"root.queues=a,b", "root.a.capacity=[memory=1w,vcores=4]",
			"root.b.capacity=[memory=3w,vcores=12]"}, "legacy-queue-mode.enabled to false"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := problemsOf(Check(fragment(t, x.lines...))); !strings.Contains(got, x.want) {
				t.Errorf("%s\nwant %q", got, x.want)
			}
		})
	}
}
