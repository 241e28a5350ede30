package yarnconf

import "testing"

// EMR's classification and Ambari's lines are the queue file that they show; what is neither
// is refused as before.
func TestVendorForms(t *testing.T) {
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"EMR", `[{"Classification":"yarn-site","Properties":{"x":"y"}},{"Classification":"capacity-scheduler",
			"Properties":{"yarn.scheduler.capacity.root.queues":"a","yarn.scheduler.capacity.root.a.capacity":"100"}}]`, true},
		{"EMR, one level down", `{"Configurations":[{"Classification":"capacity-scheduler","Properties":
			{"yarn.scheduler.capacity.root.queues":"a","yarn.scheduler.capacity.root.a.capacity":"100"}}]}`, true},
		{"another object", `{"Configurations":{"a":1}}`, false},
		{"Ambari", "# shown\nyarn.scheduler.capacity.root.queues=a\nyarn.scheduler.capacity.root.a.capacity = 100\n", true},
		{"another classification", `[{"Classification":"yarn-site","Properties":{"x":"y"}}]`, false},
		{"another program's lines", "spark.master.url=x\n", false},
		{"cut JSON", `[{"Classification":"capacity-scheduler"`, false},
	} {
		d, err := Parse("f", []byte(c.text))
		if c.ok != (err == nil) {
			t.Errorf("%s: error %v, want one: %v", c.name, err, !c.ok)
		}
		if err == nil && d.Value("yarn.scheduler.capacity.root.a.capacity") != "100" {
			t.Errorf("%s: got %v, want root.a.capacity 100", c.name, d.Keys())
		}
	}
}

func FuzzVendorForms(f *testing.F) {
	f.Add([]byte(`[{"Classification":"capacity-scheduler","Properties":{"a":"b"}}]`))
	f.Add([]byte("yarn.scheduler.capacity.root.queues=a\n"))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = Parse("f", data) }) //nolint:errcheck // it must not panic
}
