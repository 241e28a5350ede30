package yarnconf

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// conf makes properties of "name value" lines without prefix.
func conf(settings string) Map {
	m := Map{}
	for line := range strings.Lines(strings.TrimSpace(settings)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		m[Prefix+name] = value
	}
	return m
}

// A new setting of a queue that an included file describes goes into the file itself, below
// what it has of the queue's relatives, and where it has none, behind the include.
func TestNewSettingBesideAnInclude(t *testing.T) {
	dir := t.TempDir()
	queue := "<property><name>" + Prefix + "root.%s.capacity</name><value>50</value></property>\n"
	for name, text := range map[string]string{
		"a.xml": "<configuration>" + strings.Repeat(" ", 300) + strings.ReplaceAll(queue, "%s", "a") + "</configuration>",
		"main.xml": "<configuration>\n<property><name>" + Prefix + "root.queues</name><value>a,b</value></property>\n" +
			strings.ReplaceAll(queue, "%s", "b") + "<include href=\"a.xml\"/>\n</configuration>\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Load(filepath.Join(dir, "main.xml"))
	if err != nil {
		t.Fatal(err)
	}
	key := Key("root.a", MaximumCapacity)
	got, err := d.Edit([]Change{{Key: key, Value: "80"}})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := got.Get(key); v != "80" || !strings.Contains(string(got.Bytes()),
		"root.b.capacity</name><value>50</value></property>\n<property><name>"+key+"</name><value>80</value></property>\n<include") {
		t.Errorf("the file is now\n%s", got.Bytes())
	}
}

// What Queues tells of node labels, and Placed of queues that make queues.
func TestQueuesThatHaveLabelsOrMakeQueues(t *testing.T) {
	const settings = `
root.queues a,b,c
root.a.capacity 40
root.b.capacity 30
root.c.capacity 30
root.accessible-node-labels gpu
root.accessible-node-labels.gpu.capacity 100
root.a.accessible-node-labels.gpu.capacity 100
root.b.auto-create-child-queue.enabled true
root.b.leaf-queue-template.capacity 10
root.b.leaf-queue-template.maximum-capacity 150`
	c, err := Evaluate(conf(settings))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct{ leaf, managed bool }{"root.a": {true, false}, "root.b": {false, true},
		"root": {false, false}} {
		p := c.Queues[c.Find(path)].Placed()
		if p.Leaf != want.leaf || p.Managed != want.managed || p.Flexible || p.Path != path {
			t.Errorf("%s: %+v, want %+v", path, p, want)
		}
	}
	made := c.MakesQueues()
	if len(made) != 1 || made[0].Parent != "root.b" || !strings.Contains(made[0].Reason, "maximum-capacity is not from "+
		"0 to 100") {
		t.Errorf("%+v", made)
	}
	infos, err := mustParse(t, "f", configFile("", "", settings)).Queues()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range infos {
		if want := q.Path == "root.a" || q.Path == "root"; q.Labelled != want {
			t.Errorf("%s: labelled %v, want %v", q.Path, q.Labelled, want)
		}
	}
}

// Leaves of one short name can't be asked for by it; a parent of that name is no matter.
func TestShortNames(t *testing.T) {
	for _, c := range []struct {
		settings string
		warned   bool
	}{
		{"root.queues a,b\nroot.a.capacity 50\nroot.b.capacity 50\nroot.a.queues x\nroot.a.x.capacity 100\nroot.b.queues " +
			"x\nroot.b.x.capacity 100", true},
		{"root.queues a,x\nroot.a.capacity 50\nroot.x.capacity 50\nroot.a.queues x\nroot.a.x.capacity 100\nroot.x.queues " +
			"y\nroot.x.y.capacity 100", false},
	} {
		warned := false
		for _, p := range Check(mustParse(t, "f", configFile("", "", c.settings))).Problems {
			warned = warned || strings.Contains(p.Reason, "have the same short name")
		}
		if warned != c.warned {
			t.Errorf("%s: warned %v, want %v", c.settings, warned, c.warned)
		}
	}
}

// Hadoop 1 polls once a millisecond at the most.
func TestMR1LeastInterval(t *testing.T) {
	for value, ok := range map[string]bool{"1": true, "0": false} {
		m, err := EvaluateMR1(Map{mr1Prefix + "queue.default.capacity": "100", mr1Prefix + "init-poll-interval": value})
		if (err == nil) != ok || ok && m.InitPollInterval != 1 {
			t.Errorf("init-poll-interval %s: %v", value, err)
		}
	}
}

// On a cluster of nothing, resources are compared as they are: what is more of one and not
// less of the other is more.
func TestCompareOnNothing(t *testing.T) {
	c := Calculator{Dominant: true}
	for _, k := range []struct {
		a, b Resource
		want int
	}{
		{Resource{2, 1}, Resource{1, 1}, 1}, {Resource{1, 1}, Resource{1, 2}, -1}, {Resource{3, 3}, Resource{3, 3}, 0},
	} {
		if got := c.Compare(Resource{}, k.a, k.b); got != k.want {
			t.Errorf("%v against %v: %d, want %d", k.a, k.b, got, k.want)
		}
	}
}

// A label's maximum of a queue with an absolute minimum is its parent's where none is
// written.
func TestLabelMaximumIsInherited(t *testing.T) {
	c, err := Evaluate(conf(`
root.queues a
root.accessible-node-labels gpu
root.accessible-node-labels.gpu.capacity 100
root.a.capacity [memory=1000,vcores=1]
root.a.accessible-node-labels.gpu.capacity [memory=8000,vcores=8]
root.a.accessible-node-labels.gpu.maximum-capacity [memory=9000,vcores=9]
root.a.queues b
root.a.b.capacity [memory=1000,vcores=1]
root.a.b.accessible-node-labels.gpu.capacity [memory=4000,vcores=4]`))
	if err != nil {
		t.Fatal(err)
	}
	if l := c.Queues[c.Find("root.a.b")].LabelOf("gpu"); l == nil || l.ConfiguredMax != (Resource{9000, 9}) {
		t.Errorf("%+v, want a maximum of 9000 MiB and 9 cores", l)
	}
}

// What is done to a clone leaves the configuration as it was.
func TestClone(t *testing.T) {
	read := func() *Config {
		c, err := Evaluate(conf("root.queues a\nroot.a.capacity 1w\nroot.a.auto-queue-creation-v2.enabled " +
			"true\nroot.a.accessible-node-labels gpu\n" +
			"root.accessible-node-labels gpu\nroot.accessible-node-labels.gpu.capacity " +
			"1w\nroot.a.accessible-node-labels.gpu.capacity 1w"))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c, want := read(), read()
	d := c.Clone()
	a := d.Find("root.a")
	if _, err := d.AddFlexible(a, "made", true); err != nil {
		t.Fatal(err)
	}
	d.Queues[a].Weight, d.Queues[a].Labels[0].Weight, d.Queues[0].Children[0] = 7, 8, 9
	if !reflect.DeepEqual(c.Queues, want.Queues) || c.Find("root.a.made") >= 0 {
		t.Errorf("%+v\nwant %+v", c.Queues, want.Queues)
	}
}

// Limits of a heartbeat's assignments are warned of where they have no effect, and only where
// they are written.
func TestLimitsOfAsynchronousScheduling(t *testing.T) {
	base := "root.queues a\nroot.a.capacity 100\nschedule-asynchronously.enable "
	for settings, want := range map[string]int{
		base + "true": 0, base + "false\nper-node-heartbeat.maximum-container-assignments 10": 0,
		base + "true\nper-node-heartbeat.maximum-container-assignments " +
			"10\nper-node-heartbeat.maximum-offswitch-assignments 2": 2,
	} {
		n := 0
		for _, p := range Check(mustParse(t, "f", configFile("", "", settings))).Problems {
			if strings.Contains(p.Reason, "has no effect: schedule-asynchronously.enable is true") {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: warned %d times, want %d", settings, n, want)
		}
	}
}

// Preemption within a queue is off where it is off for the queue, for one above it or for all.
func TestWhereNothingIsPreempted(t *testing.T) {
	const policy = "yarn.resourcemanager.scheduler.monitor."
	queues := "root.queues a,b\nroot.a.capacity 50\nroot.b.capacity 50\nroot.a.queues x,y\nroot.a.x.capacity " +
		"50\nroot.a.y.capacity 50\n"
	for _, c := range []struct {
		settings    string
		intra       string
		within, all map[string]bool // disabled
	}{
		{"", "true", map[string]bool{}, map[string]bool{}},
		{"", "false", map[string]bool{"root.a.x": true, "root.a.y": true, "root.b": true}, map[string]bool{}},
		{"root.a.disable_preemption true\nroot.a.y.disable_preemption false", "true", map[string]bool{"root.a.x": true},
			map[string]bool{"root.a.x": true}},
		{"root.a.intra-queue-preemption.disable_preemption true", "true",
			map[string]bool{"root.a.x": true, "root.a.y": true}, map[string]bool{}},
	} {
		m := conf(queues + c.settings)
		m[policy+"enable"] = "true"
		m["yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled"] = c.intra
		e, err := Evaluate(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"root.a.x", "root.a.y", "root.b"} {
			q := e.Queues[e.Find(path)]
			if q.PreemptionDisabled != c.all[path] || q.IntraPreemptionDisabled != c.within[path] {
				t.Errorf("%q, within queues %s, %s: disabled %v, within %v", c.settings, c.intra, path, q.PreemptionDisabled,
					q.IntraPreemptionDisabled)
			}
		}
	}
}

// Hadoop 3.3 takes no amount with a unit that it does not know, where later ones read the whole
// text as something else.
func TestUnknownUnits(t *testing.T) {
	m := conf("root.queues a\nroot.a.capacity [memory=10Q,vcores=1]")
	_, err := EvaluateAs(m, Hadoop33, Resource{})
	if errs := Rejected(err); len(errs) == 0 || !strings.Contains(errs[0].Error(), "Hadoop 3.3 knows no unit Q") {
		t.Error(err)
	}
	if _, err := Evaluate(m); err == nil || strings.Contains(err.Error(), "knows no unit") {
		t.Error(err)
	}
}

// The user limit of Hadoop 3.3 is a whole number, and has no value for all queues.
func TestUserLimitOf33(t *testing.T) {
	read := func(v Version, settings string) (float32, error) {
		c, err := EvaluateAs(conf("root.queues a\nroot.a.capacity 100\n"+settings), v, Resource{})
		if err != nil {
			return 0, err
		}
		return c.Queues[c.Find("root.a")].UserLimit, nil
	}
	if got, err := read(Hadoop33, "root.a.minimum-user-limit-percent 40"); err != nil || got != 40 {
		t.Errorf("%v, %v; want 40", got, err)
	}
	if got, err := read(Hadoop33, "minimum-user-limit-percent 40"); err != nil || got != 100 {
		t.Errorf("3.3 for all queues: %v, %v; want 100", got, err)
	}
	if got, err := read(Hadoop34, "minimum-user-limit-percent 40"); err != nil || got != 40 {
		t.Errorf("3.4 for all queues: %v, %v; want 40", got, err)
	}
	if _, err := read(Hadoop33, "root.a.minimum-user-limit-percent 40.5"); err == nil {
		t.Error("3.3 takes a fraction")
	}
	if got, err := read(Hadoop34, "root.a.minimum-user-limit-percent 40.5"); err != nil || got != 40.5 {
		t.Errorf("3.4: %v, %v; want 40.5", got, err)
	}
}

// A maximum below the capacity is told, with both as they are written, but at the root, between
// absolute resources and where they are equal.
func TestMaximumBelowCapacity(t *testing.T) {
	for settings, want := range map[string]string{
		"root.a.capacity 60\nroot.a.maximum-capacity 50.0": "50.0 is below capacity 60: must be between 60 and 100",
		"root.a.capacity 60\nroot.a.maximum-capacity 60":   "",
		"root.a.capacity 60\nroot.a.maximum-capacity 61":   "",
		"root.a.capacity 60\nroot.maximum-capacity 50":     "",
		"root.a.capacity [memory=2048,vcores=2]\nroot.a.maximum-capacity [memory=4096,vcores=4]\nroot.b.capacity " +
			"[memory=1024,vcores=1]": "",
	} {
		if !strings.Contains(settings, "root.b") {
			settings += "\nroot.b.capacity 40"
		}
		found := ""
		for _, p := range mustParse(t, "f", configFile("", "", "root.queues a,b\n"+settings)).Validate() {
			if strings.Contains(p.Reason, "is below capacity") {
				found += p.Reason
			}
		}
		if found != want {
			t.Errorf("%q: %q, want %q", settings, found, want)
		}
	}
}
