package trace

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"schedtune/simcore"
)

// answer is one of /ws/v1/cluster/nodes at an instant: name and state of each node.
func answer(at int64, nodes ...string) string {
	var list []string
	for i := 0; i < len(nodes); i += 2 {
		size := 1024
		if nodes[i+1] == "LOST" || nodes[i+1] == "DECOMMISSIONED" {
			size = 0
		}
		list = append(list,
			fmt.Sprintf(
				`{"id":"%s:1","nodeHostName":"%s","rack":"/r","state":"%s","usedMemoryMB":0,"availMemoryMB":%d,"usedVirtualCores":0,"availableVirtualCores":%d}`, nodes[i], nodes[i], nodes[i+1], size, size/128))
	}
	return fmt.Sprintf(`{"t_ms":%d,"body":{"nodes":{"node":[%s]}}}`, at, strings.Join(list, ",")) + "\n"
}

// show writes a cluster's changes, in seconds.
func show(c *simcore.Cluster) string {
	var s []string
	for _, n := range c.Nodes {
		s = append(s, n.Name)
	}
	s = append(s, "|")
	for _, n := range c.Elastic.Spare {
		s = append(s, n.Name)
	}
	s = append(s, "|")
	for _, ch := range c.Elastic.Changes {
		gone := "-"
		if ch.Gone > 0 {
			gone = fmt.Sprint(ch.Gone.Seconds())
		}
		s = append(s, fmt.Sprintf("%g %v %s %s", ch.At.Seconds(), ch.What, ch.Node, gone))
	}
	return strings.Join(s, " ")
}

// Polled answers tell who came and went: a stays, b is lost, c is emptied and goes, d
// joins, e is forgotten, f was lost before and never there.
func TestPolledNodes(t *testing.T) {
	polls := func(zero int64) string {
		return answer(zero+2000, "a", "RUNNING", "b", "RUNNING", "c", "RUNNING", "e", "RUNNING", "f", "LOST") +
			answer(zero+4000, "a", "RUNNING", "b", "LOST", "c", "DECOMMISSIONING", "d", "NEW", "e", "RUNNING", "f", "LOST") +
			answer(zero+6000, "a", "RUNNING", "c", "DECOMMISSIONED", "d", "RUNNING")
	}
	want := "a b c e | d | 3 lose b 3 3 decommission c 5 3 join d - 5 decommission e 5"
	for _, zero := range []int64{0, 1_700_000_000_000} {
		nodes, err := readNodes(strings.NewReader(polls(zero)), "nodes")
		if err != nil {
			t.Fatal(err)
		}
		j := NewJob("job_1_1")
		j.Submit = Millis(zero + 1000)
		tr := &Trace{Nodes: nodes, Jobs: []Job{j}}
		c, ok := tr.Cluster()
		if !ok || show(c) != want {
			t.Errorf("zero %d: %v, %s\nwant %s", zero, ok, show(c), want)
		}
		if err := c.Elastic.Validate(c.Nodes); err != nil {
			t.Error(err)
		}
		// From 5 s on b has gone, and d is there.
		tr.Jobs[0].Submit = Millis(zero + 5000)
		if c, _ = tr.Cluster(); show(c) != "a c e d | | 0 decommission c 1 1 decommission e 1" {
			t.Errorf("zero %d, later: %s", zero, show(c))
		}
	}
	// Jobs of the epoch beside polls that count from their own zero.
	nodes, err := readNodes(strings.NewReader(polls(-1000)), "nodes")
	if err != nil {
		t.Fatal(err)
	}
	j := NewJob("job_1_1")
	j.Submit = 1_700_000_000_000
	if c, _ := (&Trace{Nodes: nodes, Jobs: []Job{j}}).Cluster(); show(c) != want {
		t.Errorf("two clocks: %s\nwant %s", show(c), want)
	}
	// One undated answer shows no change.
	nodes, err = readNodes(
		strings.NewReader(
			`{"nodes":{"node":[{"id":"a:1","nodeHostName":"a","state":"RUNNING","usedMemoryMB":1,"availMemoryMB":1}]}}`),
		"nodes")
	if err != nil || len(nodes) != 1 || nodes[0].Stays != nil {
		t.Errorf("one answer: %+v, %v", nodes, err)
	}
}

const nodeLogText = `2026-11-23 08:00:00,000 INFO ResourceTrackerService: NodeManager from node h1(cmPort: 1 httpPort: 2) registered with capability: <memory:4096, vCores:8>, assigned nodeId h1:1
2026-11-23 08:00:00,010 INFO RMNodeImpl: h1:1 Node Transitioned from NEW to RUNNING
2026-11-23 08:00:01,000 INFO RMAppManager$ApplicationSummary: appId=application_1_1,name=j,user=u,queue=q,state=FINISHED,finalStatus=SUCCEEDED,submitTime=1795420801000,finishTime=1795420809000,memorySeconds=10,vcoreSeconds=10
2026-11-23 08:00:03,000 INFO ResourceTrackerService: NodeManager from node h2(cmPort: 1 httpPort: 2) registered with capability: <memory:2048, vCores:4>, assigned nodeId h2:1
2026-11-23 08:00:03,000 INFO RMNodeImpl: h2:1 Node Transitioned from NEW to RUNNING
2026-11-23 08:00:05,000 INFO RMNodeImpl: h1:1 Node Transitioned from RUNNING to LOST
`

// The log of a ResourceManager names sizes where nodes register; of one that
// registered before the log begins nothing can be made.
func TestNodesOfLog(t *testing.T) {
	read := func(text string) *Trace {
		tr := &Trace{}
		in, err := newInput(strings.NewReader(text), "rm.log")
		if err != nil {
			t.Fatal(err)
		}
		if err := readRMLog(in, tr, &notes{}); err != nil {
			t.Fatal(err)
		}
		return tr
	}
	tr := read(nodeLogText)
	c, ok := tr.Cluster()
	if !ok || show(c) != "h1 | h2 | 2 join h2 - 4 lose h1 4" || c.Nodes[0].Capacity != (simcore.Vec{4096, 8}) {
		t.Errorf("%v: %s, %+v", ok, show(c), c)
	}
	_, later, _ := strings.Cut(nodeLogText, "\n")
	if tr := read(later); len(tr.Nodes) != 0 {
		t.Errorf("nodes %+v of a log without their sizes", tr.Nodes)
	}
}

// readNodes reads an inventory of machines that stands alone.
func readNodes(r io.Reader, name string) ([]Node, error) {
	in, err := newInput(r, name)
	if err != nil {
		return nil, err
	}
	t := &Trace{}
	if err := readInventory(in, t, &notes{}); err != nil {
		return nil, err
	}
	if len(t.Nodes) == 0 {
		return nil, &Error{File: name, Err: errors.New("no nodes in the inventory")}
	}
	return t.Nodes, nil
}
