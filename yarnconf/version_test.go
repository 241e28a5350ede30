package yarnconf

import (
	"math"
	"testing"
)

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
		edited, err := d.Edit([]Change{{Key: Prefix + "root.a.user-limit-factor", Value: "2"}})
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

// A leaf with resources of a label that no node has: its part of nothing is infinite in 3.3.6,
// and so many applications it admits; later versions have none.
func TestLabelWithoutNodes(t *testing.T) {
	m := Map{Key("root", "queues"): "a,b", Key("root", "accessible-node-labels"): "gpu",
		Key("root", "accessible-node-labels.gpu.capacity"): "100"}
	for _, q := range []string{"root.a", "root.b"} {
		m[Key(q, Capacity)], m[Key(q, "accessible-node-labels")] = "[memory=1024,vcores=1]", "gpu"
		m[Key(q, "accessible-node-labels.gpu.capacity")] = "[memory=512,vcores=1]"
	}
	for v, want := range map[Version]Effective{
		Hadoop33: {Capacity: float32(math.Inf(1)), MaxApplications: math.MaxInt32},
		Hadoop34: {MaxApplications: 2500},
	} {
		c, err := EvaluateAs(m, v, Resource{})
		if err != nil {
			t.Fatal(err)
		}
		parts := []Partition{{Total: Resource{Memory: 4096, VCores: 8}}, {Name: "gpu"}}
		out := [][]Effective{make([]Effective, len(c.Queues)), make([]Effective, len(c.Queues))}
		c.EffectivePartitions(parts[0].Total, parts, out)
		i := c.Find("root.a")
		if got := (Effective{Capacity: out[1][i].Capacity, MaxApplications: out[0][i].MaxApplications}); got != want {
			t.Errorf("%v: got %+v, want %+v", v, got, want)
		}
	}
}
