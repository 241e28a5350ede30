package yarnconf

import "testing"

func TestVersions(t *testing.T) {
	for in, want := range map[string]Version{"3.3": Hadoop33, "3.3.6": Hadoop33, "3.4.1": Hadoop34, "3.5.0": Hadoop35,
		"3.4.1-amzn-0": Hadoop34} {
		if got, err := ParseVersion(in); err != nil || got != want {
			t.Errorf("ParseVersion(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"2.10", "3", "3.6", "x.y.z"} {
		if v, err := ParseVersion(in); err == nil {
			t.Errorf("ParseVersion(%q) = %v; want an error", in, v)
		}
	}
}

// TestAsynchronousByDefault: since 3.5.0 scheduling is asynchronous unless it is
// switched off (YARN-7327), and an edited document keeps its version.
func TestAsynchronousByDefault(t *testing.T) {
	const root = `<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>100</value></property></configuration>`
	for v, want := range map[Version]bool{Hadoop33: false, Hadoop34: false, Hadoop35: true} {
		d, err := Parse("queues.xml", []byte(root))
		if err != nil {
			t.Fatal(err)
		}
		d = d.ForHadoop(v)
		edited, err := d.Set(Prefix+"root.a.user-limit-factor", "2")
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*Document{d, edited} {
			if c, errs := evaluate(d, versionOf(d), Resource{}); len(errs) > 0 || c.Asynchronous != want || c.Version != v {
				t.Errorf("%v: asynchronous %v of Hadoop %v, errors %v; want %v", v, c.Asynchronous, c.Version, errs, want)
			}
		}
	}
}
