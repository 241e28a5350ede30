package yarnconf

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestWrongValues: a value that can't be read is an error at its property, whatever its
// type, and the edges of each range are allowed.
func TestWrongValues(t *testing.T) {
	const rm, p = "yarn.resourcemanager.", "yarn.resourcemanager.monitor.capacity.preemption."
	for _, key := range []string{"maximum-applications", "node-locality-delay",
		"per-node-heartbeat.maximum-offswitch-assignments", "user.max-parallel-apps", "user.u.max-parallel-apps",
		"max-parallel-apps",
		"schedule-asynchronously.scheduling-interval-ms", "schedule-asynchronously.maximum-threads",
		p + "max_wait_before_kill", p + "total_preemption_per_round", p + "natural_termination_factor",
		"root.a.maximum-applications", "root.a.user-limit-factor", "root.a.minimum-user-limit-percent",
		"root.a.maximum-am-resource-percent", "root.a.priority", "root.a.maximum-capacity", "root.a.capacity",
		"root.a.maximum-application-lifetime", "root.a.default-application-lifetime", "root.a.maximum-allocation-mb",
		"root.a.maximum-allocation-vcores", "root.a.user-settings.u.weight",
		"root.a.accessible-node-labels.x.capacity", "root.a.accessible-node-labels.x.maximum-capacity",
		"root.a.ordering-policy", "root.ordering-policy", "root.a.state", "resource-calculator",
		"yarn.scheduler.minimum-allocation-mb", "yarn.scheduler.maximum-allocation-vcores",
		"multi-node-sorting.policy.names=d multi-node-sorting.policy.d.class"} {
		_, errs := evaluate(props(twoLeaves+key+"=1x1"), versionOf(props("")), Resource{})
		last := key[strings.LastIndexByte(key, ' ')+1:]
		full := last
		if !strings.HasPrefix(full, "yarn.") {
			full = Prefix + last
		}
		if len(errs) == 0 || errs[0].Key != full || errs[0].Value != "1x1" || errs[0].Reason == "" {
			t.Errorf("%s=1x1: %v, want an error there", last, errs)
		}
	}
	for text, ok := range map[string]bool{
		// 0.05 may be missing or too much
		"root.a.capacity=40.04 root.b.capacity=60":    true,
		"root.a.capacity=39.96 root.b.capacity=60":    true,
		"root.a.capacity=40.06 root.b.capacity=60":    false,
		"root.a.capacity=0 root.b.capacity=100":       true,
		"root.a.capacity=0 root.b.capacity=0":         false,
		"root.a.capacity=-1 root.b.capacity=101":      false,
		"root.a.capacity=10000w root.b.capacity=0w":   true,
		"root.a.capacity=10000.5w root.b.capacity=0w": false,
		// as if it had no weight
		"root.a.capacity=-1w root.b.capacity=1w": true,
		"root.a.capacity=-2w root.b.capacity=1w": false,
		// up to 100 / 50
		"root.a.minimum-user-limit-percent=50 root.a.user-settings.u.weight=2":   true,
		"root.a.minimum-user-limit-percent=50 root.a.user-settings.u.weight=2.1": false,
		"root.a.user-settings.u.weight=0":                                        true,
		"root.a.user-settings.u.weight=-0.1":                                     false,
		// inherited where users may have the whole
		"root.user-settings.u.weight=1.5":                                             false,
		"yarn.scheduler.minimum-allocation-mb=0":                                      false,
		"yarn.scheduler.minimum-allocation-vcores=5":                                  false,
		"root.maximum-application-lifetime=50 root.a.default-application-lifetime=50": true,
		"root.maximum-application-lifetime=50 root.a.default-application-lifetime=51": false,
		"root.a.maximum-allocation-vcores=5":                                          false,
		"root.a.maximum-allocation=memory-mb=8193":                                    false,
		"root.a.maximum-allocation=vcores=5":                                          false,
		"root.reservable=true":                                                        false,
		"root.a.reservable=true":                                                      true,
		"root.a.accessible-node-labels=x root.a.default-node-label-expression=x&&":    true,
		"root.a.accessible-node-labels=x root.a.default-node-label-expression=x&&y":   false,
		// the root has all labels
		"root.accessible-node-labels=x root.a.accessible-node-labels=y":                                    true,
		"multi-node-sorting.policy.names=default":                                                          true,
		"multi-node-sorting.policy.names=default multi-node-sorting.policy.default.sorting-interval.ms=-1": false,
		"multi-node-sorting.policy.names=d":                                                                false,
		// no class by itself
		"root.a.multi-node-sorting.policy=default": false,
	} {
		if _, err := Evaluate(props(twoLeaves + text)); (err == nil) != ok {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestJavaNumbers: what Configuration.getInt, Float.parseFloat and references take.
func TestJavaNumbers(t *testing.T) {
	for s, want := range map[string]int{"0x1F": 31, "-0X10": -16, "+7": 7, "-2147483648": math.MinInt32, "0": 0} {
		if got, err := parseJavaInt(s); err != nil || got != want {
			t.Errorf("parseJavaInt(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "2147483648", "0x80000000", "1.0", "0x", "-", "1L"} {
		if got, err := parseJavaInt(s); err == nil {
			t.Errorf("parseJavaInt(%q) = %d", s, got)
		}
	}
	for s, want := range map[string]float32{" 1.5f ": 1.5, "2D": 2, ".5": 0.5, "1e40": float32(math.Inf(1)),
		"-Infinity": float32(math.Inf(-1)), "+Infinity": float32(math.Inf(1)), "1e-50": 0} {
		if got, err := parseJavaFloat(s); err != nil || got != want {
			t.Errorf("parseJavaFloat(%q) = %g, %v; want %g", s, got, err, want)
		}
	}
	for _, s := range []string{"", "f", "1x", "inf", "nan", "0x1p3", "1_0"} {
		if got, err := parseJavaFloat(s); err == nil {
			t.Errorf("parseJavaFloat(%q) = %g", s, got)
		}
	}
	m := Map{"a": "${b}-${c}", "b": "1${d}", "c": "3", "d": "2", "loop": "x${loop}", "open": "${b", "unknown": "${e}${b}"}
	r := &Reader{p: m}
	for key, want := range map[string]string{"a": "12-3", "loop": strings.Repeat("x", 20) + "${loop}", "open": "${b",
		"unknown": "${e}${b}"} {
		if key == "loop" {
			want = strings.Repeat("x", 21) + "${loop}" // its own and one for each of 20 replacements
		}
		if got, ok := r.get(key); !ok || got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

// TestFind: by path, and by a short name that one queue alone has.
func TestFind(t *testing.T) {
	c, err := Evaluate(props("root.queues=a,b root.a.capacity=40 root.b.capacity=60 root.a.queues=x,y " +
		"root.a.x.capacity=50 root.a.y.capacity=50 root.b.queues=x,z,w root.b.x.capacity=50 root.b.z.capacity=30 " +
		"root.b.w.capacity=20"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"root.b.x": "root.b.x", "y": "root.a.y", "root": "root", "w": "root.b.w",
		"x": "", "q": "", "a.x": ""} {
		got := ""
		if i := c.Find(name); i >= 0 {
			got = c.Queues[i].Path
		}
		if got != want {
			t.Errorf("%s: found %q, want %q", name, got, want)
		}
	}
}

// TestInherited: what a queue has from those above it, and where an error of it is shown.
func TestInherited(t *testing.T) {
	const tree = "root.queues=p,q root.p.capacity=50 root.q.capacity=50 root.p.queues=x,y root.p.x.capacity=50 " +
		"root.p.y.capacity=50 "
	c, err := Evaluate(
		props(tree +
			`root.user-settings.u.weight=0.5 root.p.user-settings.v.weight=0.6 root.p.x.user-settings.u.weight=0.7 root.maximum-application-lifetime=90
		root.default-application-lifetime=0 root.p.maximum-application-lifetime=60 root.p.x.default-application-lifetime=0 root.p.y.default-application-lifetime=30 root.p.maximum-allocation-mb=2048`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		u, v         float32
		most, normal int64 // lifetimes
		memory       int64
	}{
		"root.q":   {0.5, 0, 90, 90, 8192}, // a default of 0 is that of the maximum
		"root.p.x": {0.7, 0.6, 60, 60, 2048},
		"root.p.y": {0.5, 0.6, 60, 30, 2048},
	} {
		q := c.Queues[c.Find(path)]
		if q.UserWeights["u"] != want.u || q.UserWeights["v"] != want.v || q.MaxLifetime != want.most ||
			q.DefaultLifetime != want.normal || q.MaxAllocation.Memory != want.memory {
			t.Errorf("%s: weights %v, lifetimes %d and %d, %d MiB; want %+v", path, q.UserWeights, q.MaxLifetime,
				q.DefaultLifetime, q.MaxAllocation.Memory, want)
		}
	}
	for text, key := range map[string]string{
		// of the leaves, and written at the root
		"root.user-settings.u.weight=2":                                   "root.user-settings.u.weight",
		"root.user-settings.u.weight=0 root.p.user-settings.u.weight=2":   "root.p.user-settings.u.weight",
		"root.user-settings.w.weight=1 root.p.x.user-settings.u.weight=2": "root.p.x.user-settings.u.weight",
	} {
		_, err := Evaluate(props(tree + text))
		for _, e := range Rejected(err) {
			if e.Key != Prefix+key {
				t.Errorf("%s: an error at %s, want %s", text, e.Key, key)
			}
		}
		if err == nil {
			t.Errorf("%s: accepted", text)
		}
	}
}

// TestLayers: properties above others hide them, and each name is listed once.
func TestLayers(t *testing.T) {
	l := layered{over: map[string]string{"b": "over", "c": "new"}, base: Map{"a": "1", "b": "2"}}
	if b, ok := l.Get("b"); !ok || b != "over" || !reflect.DeepEqual(l.Keys(), []string{"a", "b", "c"}) {
		t.Errorf("b is %q of %v", b, l.Keys())
	}
	if _, ok := (layered{over: map[string]string{"x": ""}}).Get("y"); ok {
		t.Error("a name that nobody sets")
	}
}
