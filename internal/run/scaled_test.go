package run

import (
	"testing"

	"schedtune/yarnconf"
)

// Absolute limits are scaled, all else stays.
func TestScaledValues(t *testing.T) {
	p := yarnconf.Prefix
	for _, c := range []struct{ key, value, want string }{
		{p + "maximum-applications", "10000", "1000"},
		{p + "root.a.maximum-applications", "25", "3"},
		{p + "root.a.maximum-applications", "4", "1"}, // 0 would refuse all
		{p + "root.a.maximum-applications", "0", "0"},
		{p + "root.max-parallel-apps", "2147483647", "2147483647"},
		{p + "user.joe.max-parallel-apps", "40", "4"},
		{p + "node-locality-delay", "40", "4"},
		{p + "node-locality-delay", "-1", "-1"},
		{p + "root.a.capacity", "25", "25"},
		{p + "root.a.capacity", "2w", "2w"},
		{p + "root.a.capacity", "[memory=10245,vcores=19]", "[memory=1024,vcores=1]"},
		{p + "root.a.maximum-capacity", "[memory=50%,vcores=3w]", "[memory=50%,vcores=3w]"},
		{p + "root.a.capacity", "[memory=4Gi,vcores=20]", "[memory=409Mi,vcores=2]"},
		{p + "root.a.maximum-allocation-mb", "8192", "8192"},
		{p + "root.a.user-limit-factor", "4", "4"},
		{p + "maximum-am-resource-percent", "0.5", "0.5"},
		{"yarn.scheduler.maximum-allocation-mb", "8192", "8192"},
	} {
		got, ok := scaledProps{yarnconf.Map{c.key: c.value}, 0.1}.Get(c.key)
		if !ok || got != c.want {
			t.Errorf("%s %s: %q; want %q", c.key, c.value, got, c.want)
		}
	}
	if got, ok := (scaledProps{yarnconf.Map{}, 0.1}).Get(systemApplications); !ok || got != "1000" {
		t.Errorf("the default of %s: %q; want 1000", systemApplications, got)
	}
	if _, ok := (scaledProps{yarnconf.Map{}, 0.1}).Get(p + "root.a.capacity"); ok {
		t.Error("a property that nobody set")
	}
}
