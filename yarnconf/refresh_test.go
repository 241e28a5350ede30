package yarnconf

import "testing"

// b has 791 MiB and one core, its children 613 + 177 = 790 MiB and two cores.
// Without nodes the comparison is by components and undecided, so the file
// loads. On 40,960 MiB and 32 cores b's share is max(791/40960, 1/32) = 1/32,
// the children's 2/32: more than b has.
func TestLoadsOn(t *testing.T) {
	c, errs := evaluate(Map{
		Prefix + "resource-calculator": calculators + "DominantResourceCalculator",
		Prefix + "root.queues":         "b", Prefix + "root.b.queues": "x,y",
		Prefix + "root.b.capacity":   "[memory=791,vcores=1]",
		Prefix + "root.b.x.capacity": "[memory=613,vcores=1]",
		Prefix + "root.b.y.capacity": "[memory=177,vcores=1]",
	}, versionOf(Map{
		Prefix + "resource-calculator": calculators + "DominantResourceCalculator",
		Prefix + "root.queues":         "b", Prefix + "root.b.queues": "x,y",
		Prefix + "root.b.capacity":   "[memory=791,vcores=1]",
		Prefix + "root.b.x.capacity": "[memory=613,vcores=1]",
		Prefix + "root.b.y.capacity": "[memory=177,vcores=1]",
	}), Resource{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	for cluster, want := range map[Resource]bool{{}: true, {Memory: 40960, VCores: 32}: false} {
		if got := c.LoadsOn(cluster); got != want {
			t.Errorf("on %v: %v", cluster, got)
		}
	}
}

// A load reads a, b, c, d and forgets the percentages when it meets d. A refresh
// meets d first: "root.a" to "root.d" hash to 4·4 + 12 + i modulo 16, so that
// d alone begins a new round.
func TestMixedByHash(t *testing.T) {
	p := Map{Prefix + "root.queues": "a,b,c,d"}
	for _, q := range []string{"a", "b", "c"} {
		p[Key("root."+q, Capacity)] = "20"
	}
	p[Key("root.d", Capacity)] = "[memory=1024,vcores=1]"
	c, errs := evaluate(p, versionOf(p), Resource{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	at, err := c.MixedByHash()
	if err == nil || at != 0 {
		t.Errorf("parent %d, error %v", at, err)
	}
	if errs := CheckRefresh(c, c, nil, p); len(errs) != 1 {
		t.Errorf("refresh: %v", errs)
	}
	p[Key("root.d", Capacity)] = "40"
	if c, errs = evaluate(p, versionOf(p), Resource{}); len(errs) > 0 {
		t.Fatal(errs[0])
	}
	if _, err := c.MixedByHash(); err != nil {
		t.Error(err)
	}
}
