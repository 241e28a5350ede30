package inputs

import (
	"fmt"
	"math"
	"testing"

	"schedtune/simcore"
)

// A part of the cluster has the same part of every kind of node, one at least, spread
// over racks, and blocks lie on nodes that are there.
func TestSampleKeepsKinds(t *testing.T) {
	c := &Case{Cluster: &simcore.Cluster{Racks: []string{"/a", "/b"}}, Work: &simcore.Workload{}}
	for i := range 103 {
		n := simcore.Node{Name: fmt.Sprint(i), Rack: int32(i / 52), Capacity: simcore.Vec{8192, 8}}
		if i%10 == 0 {
			n.Capacity = simcore.Vec{65536, 32}
		}
		if i < 3 {
			n.Label = "gpu"
		}
		c.Cluster.Nodes = append(c.Cluster.Nodes, n)
	}
	for i := range 50 {
		c.Work.Tasks.Hosts = append(c.Work.Tasks.Hosts, int32(2*i))
	}
	count := func(c *Case) (small, big, gpu, second int) {
		for _, n := range c.Cluster.Nodes {
			switch {
			case n.Label != "":
				gpu++
			case n.Capacity[0] == 8192:
				small++
			default:
				big++
			}
			if n.Rack == 1 {
				second++
			}
		}
		return
	}
	part, kept := c.Sample(0.25)
	small, big, gpu, second := count(part)
	if n := len(part.Cluster.Nodes); small != 23 || big != 3 || gpu != 2 || second < n/3 || second > 2*n/3 {
		t.Errorf("%d small, %d big, %d with label, %d of %d on the second rack", small, big, gpu, second, len(part.Cluster.Nodes))
	}
	if math.Abs(kept-0.25) > 0.08 {
		t.Errorf("%v of the memory is kept; want about a quarter", kept)
	}
	for _, h := range part.Work.Tasks.Hosts {
		if int(h) >= len(part.Cluster.Nodes) {
			t.Fatalf("a block on node %d of %d", h, len(part.Cluster.Nodes))
		}
	}
	if len(c.Cluster.Nodes) != 103 {
		t.Error("the case itself has changed")
	}
}
