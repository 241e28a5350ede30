package yarnconf

import (
	"slices"
	"strings"
	"testing"
)

// TestAbsoluteForms: what Hadoop makes of absolute capacities that are written otherwise than its documentation
// has them (3.4.1 and 3.5.0, asked), and that check says so.
func TestAbsoluteForms(t *testing.T) {
	for _, c := range []struct {
		text   string
		legacy Resource // minimum in legacy queue mode
		vector Resource // and without it
		want   string   // rules, ascending; invalid-capacity: it does not load
	}{
		{"[memory=10240,vcores=4]", Resource{10240, 4}, Resource{10240, 4}, ""},
		{"[memory=10Gi,vcores=4]", Resource{10240, 4}, Resource{10240, 4}, ""},
		{"[memory-mb=10Gi,vcores=4]", Resource{10240, 4}, Resource{10240, 4}, ""},
		{"[memory=10gb,vcores=4]", Resource{}, Resource{10, 4}, "no-guarantee out-of-range"},
		{"[memory=10240,vcores=4x]", Resource{10240, 0}, Resource{10240, 4}, "out-of-range"},
		{"[mem=5]", Resource{}, Resource{}, "ignored no-guarantee"},
		{"[Memory=10240,vcores=4]", Resource{}, Resource{}, "ignored no-guarantee"},
		{"[memory=10240,cpu=4]", Resource{10240, 0}, Resource{10240, 0}, "ignored"},
		{"[10240,4]", Resource{}, Resource{}, "ignored ignored no-guarantee"},
		{"[memory=,vcores=4]", Resource{}, Resource{}, "ignored no-guarantee"},
		{"[vcores=4]", Resource{}, Resource{}, "no-guarantee"},
		{"[memory=-5,vcores=4]", Resource{-5, 4}, Resource{}, "out-of-range"},
		{"[memory=10240,vcores=-4]", Resource{10240, -4}, Resource{10240, 0}, "out-of-range"},
		{"[memory=1e4,vcores=4]", Resource{}, Resource{}, "invalid-capacity"},
		{"[memory=Gi10,vcores=4]", Resource{}, Resource{}, "invalid-capacity"},
		{"[memory=10.5Gi,vcores=4]", Resource{}, Resource{}, "invalid-capacity"},
	} {
		t.Run(c.text, func(t *testing.T) {
			lines := []string{"root.queues=a,default", "root.default.capacity=[memory=10240,vcores=4]",
				"root.a.capacity=" + c.text}
			d := fragment(t, lines...)
			var rules []string
			for _, p := range Check(d).Problems {
				if r := RuleOf(p); p.Key == Key("root.a", Capacity) {
					rules = append(rules, r)
				}
			}
			if got := strings.Join(slices.Sorted(slices.Values(rules)), " "); got != c.want {
				t.Errorf("check: got %q, want %q", got, c.want)
			}
			if c.want == "invalid-capacity" {
				return
			}
			total := Resource{40960, 16}
			for want, d := range map[*Resource]*Document{&c.legacy: d,
				&c.vector: fragment(t, append(lines, "legacy-queue-mode.enabled=false")...)} {
				conf, err := EvaluateAs(d, Hadoop34, Resource{})
				if err != nil {
					t.Fatal(err)
				}
				if got := conf.Effective(total)[conf.Find("root.a")].Min; got != *want {
					t.Errorf("minimum: got %v, want %v", got, *want)
				}
			}
		})
	}
}

// TestSameErrorOnce: a setting that all queues read is refused once.
func TestSameErrorOnce(t *testing.T) {
	d := fragment(t, "root.queues=default,b", "root.default.capacity=40", "root.b.capacity=60",
		"maximum-am-resource-percent=20%")
	if ps := d.Validate(); len(ps) != 1 {
		t.Errorf("got %v, want one error", ps)
	}
}
