package scenario

import (
	"testing"

	"schedtune/simcore"
)

// priced is a case of four nodes: two cheap, one dear, one cheap and large.
func priced() *Case {
	c := &Case{Cluster: &simcore.Cluster{Racks: []string{"r"}}, Work: &simcore.Workload{}}
	for i, mib := range []int64{1000, 1000, 1000, 4000} {
		c.Cluster.Nodes = append(c.Cluster.Nodes, simcore.Node{Name: string(rune('a' + i)), Capacity: simcore.Vec{mib, 4},
			Price: []float64{1, 3, 1, 2}[i]})
	}
	c.Work.Tasks.HostAt, c.Work.Tasks.Hosts = []int32{0, 2, 4}, []int32{0, 1, 3, 2}
	return c
}

func names(c *Case) (s string) {
	for i := range c.Cluster.Nodes {
		s += c.Cluster.Nodes[i].Name
	}
	return s
}

func TestResize(t *testing.T) {
	for n, want := range map[int]string{1: "d", 2: "ad", 3: "acd", 4: "abcd", 5: "abcdadded1"} {
		c := priced()
		r := c.Resize(n)
		if got := names(r); got != want {
			t.Errorf("%d nodes: %s, want %s", n, got, want)
		}
		for i, h := range r.Work.Tasks.Hosts {
			if int(h) >= n || n < 4 && r.Cluster.Nodes[h].Name != c.Cluster.Nodes[c.Work.Tasks.Hosts[i]].Name && kept(r, c, i) {
				t.Errorf("%d nodes: block %d lies on %d", n, i, h)
			}
		}
		if names(c) != "abcd" || c.Work.Tasks.Hosts[2] != 3 {
			t.Error("the case itself has changed")
		}
	}
	own := priced()
	own.Work.Tasks.Hosts[0] = 7 // of a trace of another cluster
	if r := own.Resize(2); r.Work.Tasks.Hosts[0] != 7 {
		t.Errorf("a block that lies on no node lies on %d", r.Work.Tasks.Hosts[0])
	}
	if r := priced().Resize(6); r.Cluster.Nodes[5].Capacity[0] != 4000 || r.Cluster.Nodes[5].Price != 2 {
		t.Errorf("added %+v for %g, want the cheapest kind by MiB", r.Cluster.Nodes[5], r.Cluster.Nodes[5].Price)
	}
	c := priced()
	for i := range c.Cluster.Nodes {
		c.Cluster.Nodes[i].Price = 0
	}
	if got := names(c.Resize(2)); got != "ab" {
		t.Errorf("without prices: %s, want the last nodes gone", got)
	}
}

// kept reports whether the node that held block i is still there.
func kept(r, c *Case, i int) bool {
	name := c.Cluster.Nodes[c.Work.Tasks.Hosts[i]].Name
	for k := range r.Cluster.Nodes {
		if r.Cluster.Nodes[k].Name == name {
			return true
		}
	}
	return false
}

func TestPrices(t *testing.T) {
	f, err := ParseCluster("c", []byte("nodes:\n - {count: 2, memory: 1024, vcores: 1, price: 0.5}\n - {memory: 2048, "+
		"vcores: 2}\n"))
	if err != nil || len(f.Cluster.Nodes) != 3 || f.Cluster.Nodes[1].Price != 0.5 || f.Cluster.Nodes[2].Price != 0 {
		t.Errorf("%+v, %v; want prices 0.5 twice and 0", f, err)
	}
	if _, err := ParseCluster("c", []byte("nodes:\n - {memory: 1024, vcores: 1, price: -1}\n")); err == nil {
		t.Error("a price below 0 is accepted")
	}
}
