package yarnconf

import (
	"strings"
	"testing"
)

// TestTemplateOfPercent: the leaves of a percentage below a parent with absolute resources come to nothing from 3.4 on.
func TestTemplateOfPercent(t *testing.T) {
	d := fragment(t, "root.queues=a,m", "root.a.capacity=[memory=8192,vcores=8]", "root.m.capacity=[memory=8192,vcores=8]",
		"root.m.auto-create-child-queue.enabled=true", "root.m.leaf-queue-template.capacity=50")
	for v, want := range map[Version]int{Hadoop33: 0, Hadoop34: 1, Hadoop35: 1} {
		n := 0
		for _, p := range Check(d.ForHadoop(v)).Problems {
			if p.Rule == "leaf-without-capacity" {
				n++
			}
		}
		if n != want {
			t.Errorf("%v: %d warnings, want %d", v, n, want)
		}
	}
}

// Leaves of a managed parent beyond its capacity get any only by a policy of
// yarn-site.xml; without that file nobody knows whether it runs. Where such leaves are
// not made, it has nothing to do.
func TestManagedWithoutPolicy(t *testing.T) {
	const monitor = "yarn.resourcemanager.scheduler.monitor."
	const on, off = monitor + "enable</name><value>true", monitor + "enable</name><value>false"
	shares := monitor + "policies</name><value>" + preemptionIs + ", " + capacityIs + "QueueManagementDynamicEditPolicy"
	const fails = Prefix + "root.m.auto-create-child-queue.fail-on-exceeding-parent-capacity</name><value>true"
	for _, x := range []struct {
		site []string // nil: none
		want string
		also string // in the queue file
	}{
		{want: ""},
		{site: []string{}, want: "no policy of the scheduler's monitor runs"},
		{site: []string{off, shares}, want: "no policy of the scheduler's monitor runs"},
		{site: []string{on}, want: "does not list QueueManagementDynamicEditPolicy"},
		{site: []string{on, shares}, want: ""},
		{site: []string{off}, want: "", also: fails},
	} {
		file := func(name string, lines ...string) *Document {
			text := "<configuration>"
			for _, p := range lines {
				if p != "" {
					text += "<property><name>" + p + "</value></property>\n"
				}
			}
			return mustParse(t, name, text+"</configuration>")
		}
		d := file("cs.xml", Prefix+"root.queues</name><value>m", Prefix+"root.m.capacity</name><value>100",
			Prefix+"root.m.auto-create-child-queue.enabled</name><value>true",
			Prefix+"root.m.leaf-queue-template.capacity</name><value>40", x.also)
		if x.site != nil {
			d = d.WithSite(file("yarn-site.xml", x.site...))
		}
		got := ""
		for _, p := range Check(d).Problems {
			if strings.Contains(p.Reason, "leaf queues beyond the capacity of root.m never get any") {
				got = p.Reason
			}
		}
		if (got == "") != (x.want == "") || !strings.Contains(got, x.want) {
			t.Errorf("%v: %q, want %q", x.site, got, x.want)
		}
		c, err := Evaluate(d)
		if err != nil {
			t.Fatal(err)
		}
		if tmpl := c.Queues[1].Template; tmpl.Capacity != 0.4 || tmpl.MaxCapacity != 1 {
			t.Errorf("template %+v; want 0.4 of the parent, 1 at most", tmpl)
		}
	}
}

// The preemption of 3.4.1 fails in every round while a managed parent has no leaf, unless
// it may not preempt below that parent; 3.3.6 and 3.5.0 do not. So it was recorded: one run
// of the policy of each version over root.a above its share, root.b that asks, and root.m.
func TestPreemptionWithoutLeaf(t *testing.T) {
	const monitor = "yarn.resourcemanager.scheduler.monitor.enable</name><value>true"
	for _, x := range []struct {
		version Version
		also    string
		want    bool
	}{
		{Hadoop34, monitor, true}, {Hadoop33, monitor, false}, {Hadoop35, monitor, false},
		{Hadoop34, "x</name><value>1", false},
		{Hadoop34, monitor + "</value></property><property><name>" + Prefix + "root.m.disable_preemption</name><value>true",
			false},
		{Hadoop34, monitor + "</value></property><property><name>" + preemptKey + "observe_only</name><value>true", false},
	} {
		d := mustParse(t, "cs.xml",
			"<configuration><property><name>"+Prefix+"root.queues</name><value>a,b,m</value></property><property><name>"+Prefix+"root.a.capacity</name><value>40</value></property><property><name>"+
				Prefix+"root.b.capacity</name><value>40</value></property><property><name>"+Prefix+"root.m.capacity</name><value>20</value></property><property><name>"+Prefix+"root.m.auto-create-child-queue.enabled</name><value>true</value></property><property><name>"+
				Prefix+"root.m.leaf-queue-template.capacity</name><value>50</value></property><property><name>"+x.also+"</value></property></configuration>").ForHadoop(x.version)
		got := false
		for _, p := range Check(d).Problems {
			got = got || strings.Contains(p.Reason, "YARN-11801") &&
				strings.HasSuffix(p.Key, "root.m.auto-create-child-queue.enabled")
		}
		if got != x.want {
			t.Errorf("%v, %s: warned %v, want %v", x.version, x.also, got, x.want)
		}
	}
}
