package trace

import (
	"maps"
	"slices"
	"strings"

	"schedtune/simcore"
	"schedtune/trace/internal/history"
)

// hostMap maps recorded hosts onto the nodes of a cluster.
type hostMap map[string]int32

// newHostMap maps every host on which a trace keeps input. A host whose name
// is that of a node is that node. The others are mapped by order of name:
// recorded racks go to the cluster's racks in turn, and the hosts of a rack to
// that rack's nodes in turn, so that what shared a rack still does and the
// result does not depend on the order of jobs. Hosts without a rack go to all
// nodes in turn.
func newHostMap(t *Trace, c *simcore.Cluster, n *notes) hostMap {
	m := hostMap{}
	if c == nil || len(c.Nodes) == 0 {
		return m
	}
	byName := make(map[string]int32, len(c.Nodes))
	for i := range c.Nodes {
		if _, dup := byName[c.Nodes[i].Name]; !dup {
			byName[c.Nodes[i].Name] = int32(i)
		}
	}
	unknown := map[string][]string{} // rack to hosts
	racks := t.racks()
	count := 0
	for _, h := range inputHosts(t) {
		rack, name := SplitHost(h)
		if rack == "" {
			rack = racks[name]
		}
		if id, ok := byName[name]; ok {
			m[h] = id
		} else if id, ok := byName[h]; ok {
			m[h] = id
		} else {
			unknown[rack] = append(unknown[rack], h)
			count++
		}
	}
	if count > 0 {
		m.spread(unknown, c)
		n.addCount(count, Assumed, "hosts of the trace that are not in the cluster stand for its nodes in turn")
	}
	return m
}

// racks collects the racks of hosts from where attempts ran and from the
// inventory, for sources that name an input's hosts alone (job histories).
func (t *Trace) racks() map[string]string {
	racks := map[string]string{}
	for _, n := range t.Nodes {
		racks[n.Name] = n.Rack
	}
	for j := range history.Pointers(t.Jobs) {
		for _, a := range j.Containers() {
			if rack, name := SplitHost(a.Host); rack != "" {
				racks[name] = rack
			}
		}
	}
	return racks
}

// inputHosts lists the recorded input locations in order of name.
func inputHosts(t *Trace) []string {
	seen := map[string]bool{}
	see := func(host string) {
		if host != "" {
			seen[host] = true
		}
	}
	for j := range history.Pointers(t.Jobs) {
		for k := range j.Tasks {
			for _, h := range j.Tasks[k].Hosts {
				see(h)
			}
		}
		if j.Spark != nil {
			sparkHosts(j.Spark, see)
		}
		if j.Tez != nil {
			tezHosts(j.Tez, see)
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// spread deals recorded racks and hosts onto racks and nodes.
func (m hostMap) spread(unknown map[string][]string, c *simcore.Cluster) {
	full := nodesByRack(c)
	for i, h := range unknown[""] {
		m[h] = int32(i % len(c.Nodes))
	}
	delete(unknown, "")
	next := make([]int, len(full))
	for i, r := range slices.Sorted(maps.Keys(unknown)) {
		to := i % len(full)
		for _, h := range unknown[r] {
			m[h] = full[to][next[to]%len(full[to])]
			next[to]++
		}
	}
}

// nodesByRack lists the nodes of every rack that has any.
func nodesByRack(c *simcore.Cluster) [][]int32 {
	perRack := make([][]int32, max(1, len(c.Racks)))
	for i := range c.Nodes {
		r := int(c.Nodes[i].Rack)
		if r < 0 || r >= len(perRack) {
			r = 0
		}
		perRack[r] = append(perRack[r], int32(i))
	}
	var full [][]int32
	for _, nodes := range perRack {
		if len(nodes) > 0 {
			full = append(full, nodes)
		}
	}
	return full
}

// SplitHost parts "/rack/host"; a bare host has no rack.
func SplitHost(h string) (rack, name string) {
	i := strings.LastIndexByte(h, '/')
	if i < 0 {
		return "", h
	}
	return h[:i], h[i+1:]
}
