package snapshot

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/simcore"
)

// The web services tell of one application's containers after the other's. A container
// that ended in between stands beside the one that took its place, and the node seems to
// hold more than it has.

// onNode is a container of an application on a node.
type onNode struct {
	app, at int
	master  bool
	asked   int64 // when the application's containers were listed
	since   int64
	size    simcore.Vec
}

// leaveOut takes containers that must have ended off nodes that would hold more than they
// have: those of the applications that were asked the earliest, of these the oldest, and
// masters, with their applications, only where no other is left. Cores count where the
// calculator looks at them. It needs nodes that the cluster has.
func (m *Model) leaveOut(cores bool) error {
	nodes := make([][]onNode, len(m.c.Cluster.Nodes))
	for i := range m.State.Apps {
		a := &m.State.Apps[i]
		for k, x := range a.Containers {
			n, err := m.node(x.Node)
			if err != nil {
				return fmt.Errorf("application %s: %w", a.ID, err)
			}
			nodes[n] = append(nodes[n], onNode{app: i, at: k, master: k == 0, asked: a.Asked, since: x.Since, size: vec(x.Size)})
		}
	}
	out := map[[2]int]bool{}
	for n := range nodes {
		over := overfull(nodes[n], m.c.Cluster.Nodes[n].Capacity, cores)
		for _, x := range over {
			out[[2]int{x.app, x.at}] = true
		}
	}
	if len(out) > 0 {
		m.without(out)
	}
	return nil
}

// overfull returns those of a node's containers without which it holds what it has.
func overfull(list []onNode, has simcore.Vec, cores bool) []onNode {
	var used simcore.Vec
	for _, x := range list {
		used[0], used[1] = used[0]+x.size[0], used[1]+x.size[1]
	}
	full := func() bool { return used[0] > has[0] || cores && used[1] > has[1] }
	if !full() {
		return nil
	}
	slices.SortStableFunc(list, func(x, y onNode) int {
		if x.master != y.master {
			if x.master {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(x.asked, y.asked), cmp.Compare(x.since, y.since))
	})
	n := 0
	for ; n < len(list) && full(); n++ {
		used[0], used[1] = used[0]-list[n].size[0], used[1]-list[n].size[1]
	}
	return list[:n]
}

// without removes containers, and applications whose masters are among them.
func (m *Model) without(out map[[2]int]bool) {
	gone := 0
	var kept []App
	for i := range m.State.Apps {
		a := m.State.Apps[i]
		if out[[2]int{i, 0}] {
			gone++
			continue
		}
		var left []Container
		for k, x := range a.Containers {
			if !out[[2]int{i, k}] {
				left = append(left, x)
			}
		}
		a.Containers = left
		kept = append(kept, a)
	}
	m.State.Apps = kept
	note := fmt.Sprintf("%d containers are left out that had ended when others of their nodes were reported", len(out))
	if gone > 0 {
		note += fmt.Sprintf(", with %d applications whose masters are among them", gone)
	}
	m.Notes = append(m.Notes, note+", because the ResourceManager is asked about one application after the other")
}
