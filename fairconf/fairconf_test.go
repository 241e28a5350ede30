package fairconf

import (
	"math"
	"strings"
	"testing"

	"schedtune/yarnconf"
)

// Every form a resource may be written in, with what Hadoop 3.4.1 makes of it.
// The cluster holds 10000 MiB and 30 cores.
func TestLimits(t *testing.T) {
	cluster := Resource{Memory: 10000, VCores: 30}
	for _, c := range []struct {
		text    string
		missing int64
		want    Resource
	}{
		{"1024 mb, 5 vcores", 0, Resource{Memory: 1024, VCores: 5}},
		{"5 VCORES,1024 MB", 0, Resource{Memory: 1024, VCores: 5}},
		{"1024 mb 5 vcores", 0, Resource{Memory: 1024, VCores: 5}},
		{"1024.9 mb, 5.7 vcores", 0, Resource{Memory: 1024, VCores: 5}}, // fractions are cut off
		{"memory-mb=512, vcores=3", 0, Resource{Memory: 512, VCores: 3}},
		{"memory-mb=512", 0, Resource{Memory: 512}},
		{"vcores=3", Never, Resource{Memory: math.MaxInt64, VCores: 3}},
		{"memory-mb=512", Never, Resource{Memory: 512, VCores: -1}}, // the original cuts 2^63-1 to 32 bits
		{"50%", 0, Resource{Memory: 5000, VCores: 15}},
		{"33.3 %", 0, Resource{Memory: 3329, VCores: 9}}, // 33.3/100 is below 0.333 in 64 bits; fractions are cut off
		{"50% memory, 10% cpu", 0, Resource{Memory: 5000, VCores: 3}},
		{"10%cpu,50%memory", 0, Resource{Memory: 5000, VCores: 3}},
		{"memory-mb=25%", 0, Resource{Memory: 2500, VCores: 30}}, // what is not named is whole
		{"vcores=20%, memory-mb=25 %", 0, Resource{Memory: 2500, VCores: 6}},
	} {
		l, err := parseLimit(c.text, c.missing)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if got := l.Of(cluster); got != c.want {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
	for _, bad := range []string{"", " ", "1024", "1024 mb", "mb, vcores", "-1 mb, 2 vcores", "1 mb, -2 vcores",
		"memory-mb=x", "memory-mb=-1",
		"gpu=1", "memory-mb=1=2", "memory-mb=50%, vcores=3", "50% memory", "-5%", "a%", "99999999999 mb, 1 vcores", "=,="} {
		if l, err := parseLimit(bad, 0); err == nil {
			t.Errorf("%q: accepted as %+v", bad, l)
		}
	}
}

const sample = `<?xml version="1.0"?>
<allocations>
  <!-- a comment -->
  <queue name="prod" type="parent">
    <weight>3.0</weight>
    <minResources>2048 mb, 2 vcores</minResources>
    <queue name="etl"><schedulingPolicy>fifo</schedulingPolicy><maxRunningApps>4</maxRunningApps><maxAMShare>1.7</maxAMShare></queue>
    <pool name="adhoc"><allowPreemptionFrom>false</allowPreemptionFrom><fairSharePreemptionThreshold>2</fairSharePreemptionThreshold></pool>
  </queue>
  <queue name="dev"><maxResources>50%</maxResources><minSharePreemptionTimeout>5</minSharePreemptionTimeout></queue>
  <user name="ann"><maxRunningApps>2</maxRunningApps></user>
  <userMaxAppsDefault>5</userMaxAppsDefault>
  <queueMaxAMShareDefault>0.8f</queueMaxAMShareDefault>
  <defaultQueueSchedulingPolicy>fair</defaultQueueSchedulingPolicy>
  <defaultMinSharePreemptionTimeout>30</defaultMinSharePreemptionTimeout>
  <unheardOf>1</unheardOf>
</allocations>`

func TestParse(t *testing.T) {
	a, err := Parse("sample.xml", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(a.Leaves, " ") + " | " + strings.Join(a.Parents, " "); got != "root.prod.etl "+
		"root.prod.adhoc root.dev | root.prod" {
		t.Errorf("queues %s", got)
	}
	if a.Of("root.prod").Weight != 3 || a.Of("root.dev").Weight != 1 ||
		a.Of("root.prod").Min != (Resource{Memory: 2048, VCores: 2}) {
		t.Error("weight or minimum")
	}
	if a.Of("root.prod.etl").Policy != FIFO || a.Of("root.prod.etl").MaxApps != 4 || a.Of("root.prod.etl").MaxAMShare != 1 ||
		a.Of("root.dev").MaxAMShare != 0.8 {
		t.Error("policy, applications or master share")
	}
	if a.UserApps("ann") != 2 || a.UserApps("bob") != 5 || !a.Of("root.prod.adhoc").Fixed ||
		a.Of("root.prod.adhoc").FairThreshold != 1 {
		t.Error("users or preemption")
	}
	if a.Of("root").MinTimeout != 30000 || a.Of("root.dev").MinTimeout != 5000 || a.Of("root.prod").MinTimeout != -1 ||
		a.Of("root").FairTimeout != Never {
		t.Error("timeouts")
	}
	if len(a.Warnings) != 1 || a.Warnings[0].Line != 16 || a.Warnings[0].Key != "unheardOf" {
		t.Errorf("warnings %v", a.Warnings)
	}
}

// Refusals name file, line, queue and what is allowed, on one line.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"<a/>", "f:1: a: the outermost element must be <allocations>"},
		{"<allocations>\n<queue name='a'>\n<weight>x</weight></queue></allocations>",
			`f:3: queue root.a: weight: "x": must be a number`},
		{"<allocations><queue name='a.b'/></allocations>", "f:1: queue a.b: queue: a period in the name"},
		{"<allocations><queue name=' '/></allocations>", "f:1: queue: missing name"},
		{"<allocations><queue name='root'/>\n<queue name='b'/></allocations>", "f:1: queue root: queue: a queue beside root"},
		{"<allocations><queue name='a'><queue name='b'/><maxAMShare>1</maxAMShare></queue></allocations>",
			"set for a parent queue"},
		{"<allocations><queue name='a'><maxRunningApps></maxRunningApps></queue></allocations>",
			"f:1: queue root.a: maxRunningApps: missing value"},
		{"<allocations><defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy></allocations>",
			"fifo: must be fair or drf"},
		{"<allocations><queue name='a'><schedulingPolicy>lifo</schedulingPolicy></queue></allocations>",
			`"lifo": must be one of fair, fifo, drf`},
		{"<allocations><queue name='a'><reservation/></queue></allocations>", "a reservation queue cannot be simulated"},
		{"<allocations><queuePlacementPolicy><rule name='user'/><rule name='default'/></queuePlacementPolicy></allocations>",
			"can never be reached"},
		{"<allocations><queuePlacementPolicy><rule name='specified'/></queuePlacementPolicy></allocations>",
			"the last rule must always find a queue"},
		{"<allocations><queuePlacementPolicy><rule name='primaryGroup'/></queuePlacementPolicy></allocations>",
			"users have no groups here"},
		{"<!DOCTYPE x><allocations/>", "a document type declaration"},
		{"<allocations>", "f:1: XML:"},
		{"", "f:1: XML: the file has no element"},
		{"<allocations/><allocations/>", "a second outermost element"},
	} {
		_, err := Parse("f", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// Without a placement in the file the properties decide, as in the original.
func TestRules(t *testing.T) {
	kinds := func(p yarnconf.Map) string {
		s, errs := ReadSite(p)
		if len(errs) > 0 {
			t.Fatal(errs[0])
		}
		out := ""
		for _, r := range New().Rules(s) {
			out += string("sudr"[r.Kind])
			if r.Create {
				out += "+"
			}
		}
		return out
	}
	for p, want := range map[[2]string]string{{"true", "true"}: "s+u+", {"false", "true"}: "s+d+",
		{"true", "false"}: "sud+", {"false", "false"}: "sd+"} {
		if got := kinds(yarnconf.Map{Prefix + "user-as-default-queue": p[0],
			Prefix + "allow-undeclared-pools": p[1]}); got != want {
			t.Errorf("user-as-default-queue=%s allow-undeclared-pools=%s: rules %s, want %s", p[0], p[1], got, want)
		}
	}
}

func TestSite(t *testing.T) {
	s := defaultSite()
	if s.Increment != (Resource{Memory: 1024, VCores: 1}) || s.MaxAllocation != (Resource{Memory: 8192, VCores: 4}) ||
		s.NodeThreshold != -1 || s.UpdateInterval != 500 {
		t.Errorf("defaults %+v", s)
	}
	for key, value := range map[string]string{
		"yarn.scheduler.minimum-allocation-mb":       "9000",
		"yarn.scheduler.increment-allocation-mb":     "0",
		Prefix + "reservable-nodes":                  "much",
		Prefix + "max.assign":                        "1.5",
		Prefix + "continuous-scheduling-enabled":     "true",
		"yarn.scheduler.minimum-allocation-vcores":   "-1",
		"yarn.scheduler.maximum-allocation-vcores":   "x",
		"yarn.scheduler.increment-allocation-vcores": "-3",
	} {
		if _, errs := ReadSite(yarnconf.Map{key: value}); len(errs) == 0 || errs[0].Key != key {
			t.Errorf("%s=%s: %v, want it refused", key, value, errs)
		}
	}
}

// The newer names of the increments take a unit, at most one space before it and
// nothing around it; what they come to was recorded from Hadoop.
func TestIncrementUnits(t *testing.T) {
	const memory, cores = "yarn.resource-types.memory-mb.increment-allocation",
		"yarn.resource-types.vcores.increment-allocation"
	for _, c := range []struct {
		key, value string
		want       int64 // 0 = refused
	}{
		{memory, "7", 7}, {memory, "2048Mi", 2048}, {memory, "2 Gi", 2048}, {memory, "2048 Ki", 2}, {memory, "512 Ki", 0},
		{memory, "512 M", 488}, {memory, "2048k", 1}, {memory, " 7 ", 0}, {memory, "7  Mi", 0}, {memory, "7mi", 0},
		{memory, "9223372036854775807Pi", 0},
		{cores, "3 ", 3}, {cores, "3000m", 3}, {cores, "2k", 2000}, {cores, "3000000000", 0}, {cores, "", 0},
	} {
		s, errs := ReadSite(yarnconf.Map{c.key: c.value})
		got := s.Increment.Memory
		if c.key == cores {
			got = s.Increment.VCores
		}
		if refused := len(errs) > 0; refused != (c.want == 0) || !refused && got != c.want {
			t.Errorf("%s=%q: %d, %v; want %d", c.key, c.value, got, errs, c.want)
		}
	}
}

// The property of a queue wins over the general one; access lists are reported.
func TestMastersAndAccess(t *testing.T) {
	s, errs := ReadSite(yarnconf.Map{Prefix + "am.preemption": "false", Prefix + "am.preemption.root.a": "true"})
	if len(errs) > 0 || !s.PreemptsMasters("root.a") || s.PreemptsMasters("root.b") {
		t.Errorf("%v: a %v, b %v", errs, s.PreemptsMasters("root.a"), s.PreemptsMasters("root.b"))
	}
	a, err := Parse("f", []byte("<allocations><queue name='a'><aclSubmitApps>*</aclSubmitApps></queue>\n<queue "+
		"name='b'><aclSubmitApps>ann</aclSubmitApps></queue></allocations>"))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Access) != 1 ||
		a.Access[0].Error() !=
			`f:2: queue root.b: aclSubmitApps: "ann": access lists are not simulated: every user may submit` {
		t.Errorf("access %v", a.Access)
	}
}

// FuzzParse: no file panics, and what is accepted can be asked for anything.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("<allocations><queue name='root'><queue name='a'/></queue><queuePlacementPolicy><rule " +
		"name='nestedUserQueue'><rule name='default' queue='x'/></rule><rule " +
		"name='default'/></queuePlacementPolicy></allocations>"))
	f.Add([]byte(
		"<allocations><queueMaxResourcesDefault>memory-mb=10%,vcores=3%</queueMaxResourcesDefault></allocations>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Parse("f", data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		for _, q := range append(append([]string{"root", "root.none"}, a.Leaves...), a.Parents...) {
			a.Of(q).Max.Of(Resource{Memory: 1 << 40, VCores: 1 << 20})
			if a.Of(q).Weight < 0 || a.Of(q).FairThreshold > 1 || a.Of(q).Policy > DRF {
				t.Fatalf("%s: weight %g, threshold %g, policy %d", q, a.Of(q).Weight, a.Of(q).FairThreshold, a.Of(q).Policy)
			}
		}
		a.Rules(defaultSite())
	})
}

// FuzzSite: whatever the properties say, what is read without an error can be simulated:
// steps of allocations above 0, the smallest at most the largest, an interval of updates.
func FuzzSite(f *testing.F) {
	f.Add("yarn.resource-types.memory-mb.increment-allocation=2 Gi\nyarn.scheduler.minimum-allocation-mb=512")
	f.Add("yarn.resource-types.vcores.increment-allocation=4294967297\nyarn.scheduler.fair.update-interval-ms=-5")
	f.Add("yarn.scheduler.fair.am.preemption.root.a=false\nyarn.scheduler.fair.reservable-nodes=NaN\nyarn.scheduler.maximum-allocation-vcores= 7 ")
	f.Fuzz(func(t *testing.T, text string) {
		props := yarnconf.Map{}
		for _, line := range strings.Split(text, "\n") {
			key, value, _ := strings.Cut(line, "=")
			props[key] = value
		}
		s, errs := ReadSite(props)
		for _, e := range errs {
			if e.Key == "" || e.Reason == "" {
				t.Errorf("got error %+v, want a property and a reason", e)
			}
		}
		if len(errs) > 0 {
			return
		}
		if s.Increment.Memory <= 0 || s.Increment.VCores <= 0 || s.UpdateInterval <= 0 {
			t.Errorf("increment %+v, updates every %d ms", s.Increment, s.UpdateInterval)
		}
		if s.MinAllocation.Memory < 0 || s.MinAllocation.VCores < 0 || s.MinAllocation.Memory > s.MaxAllocation.Memory ||
			s.MinAllocation.VCores > s.MaxAllocation.VCores {
			t.Errorf("allocations of %+v to %+v", s.MinAllocation, s.MaxAllocation)
		}
		for _, v := range []float64{float64(s.ReservationMultiple), float64(s.ReservableNodes),
			float64(s.PreemptionUtilisation), float64(s.NodeThreshold), float64(s.RackThreshold)} {
			if math.IsNaN(v) {
				t.Errorf("%+v", s)
			}
		}
	})
}
