package capacity

import (
	"cmp"
	"slices"

	"schedtune/internal/java"
)

// Some decisions of the original follow the iteration order of Java's hash tables. The
// order is a function of the keys' hash codes, of how many entries a table has had at a
// time, and among entries of one bucket of the order in which they came; so it can be had
// here too. Each list below names the table of the original that it is walked like.

// hash is ContainerId.hashCode.
func (c *container) hash() uint32 { return java.HashContainer(int64(c.id), c.app.hash) }

// hash is SchedulerRequestKey.hashCode.
func (k *reqKey) hash() uint32 { return java.HashRequestKey(k.priority, k.alloc) }

// hashOrder sorts containers in place as a table by container id is walked that has held
// most of them at a time (liveContainers of an application, launchedContainers of a node).
func hashOrder(cs []*container, most int) []*container {
	java.HashSort(cs, most, func(c *container) (uint32, uint64) { return c.hash(), c.seq })
	return cs
}

// reservationOrder lists an application's reservations as its table of tables is walked: by
// request key, then by node (reservedContainers).
func reservationOrder(a *app) []*container {
	rs := slices.Clone(a.reservations)
	slices.SortFunc(rs, func(x, y *container) int {
		kx, ky := a.key(x.priority, x.alloc), a.key(y.priority, y.alloc)
		return cmp.Or(
			cmp.Compare(java.Bucket(kx.hash(), 16), java.Bucket(ky.hash(), 16)),
			cmp.Compare(kx.firstReservation, ky.firstReservation),
			cmp.Compare(java.Bucket(x.node.hash, kx.reservationTable), java.Bucket(y.node.hash, ky.reservationTable)),
			cmp.Compare(x.id, y.id))
	})
	return rs
}

// byTables sorts containers, given in the order of their choice, as a table of sets is
// walked: by application attempt, then by container (what selectors of preemption choose).
func byTables(cs []*container) []*container {
	perApp, entered := map[*app]int{}, map[*app]int{}
	for _, c := range cs {
		if perApp[c.app]++; perApp[c.app] == 1 {
			entered[c.app] = len(entered)
		}
	}
	apps := java.TableSize(len(perApp))
	slices.SortStableFunc(cs, func(x, y *container) int {
		if x.app != y.app {
			return cmp.Or(cmp.Compare(java.Bucket(x.app.hash, apps), java.Bucket(y.app.hash, apps)),
				cmp.Compare(entered[x.app], entered[y.app]))
		}
		size := java.TableSize(perApp[x.app])
		return cmp.Compare(java.Bucket(x.hash(), size), java.Bucket(y.hash(), size))
	})
	return cs
}

// partsByHash lists the partitions as a set of their names is walked (allPartitions of
// ProportionalCapacityPreemptionPolicy, a copy of the cluster's set with "" added).
func (s *Scheduler) partsByHash() []int32 {
	parts := make([]int32, 0, len(s.parts))
	for p := len(s.parts) - 1; p >= 0; p-- { // the one without label was entered last
		parts = append(parts, int32((p+1)%len(s.parts)))
	}
	name := func(p int32) string { return s.parts[p].name }
	java.HashSortBy(parts[:len(parts)-1], name)
	java.HashSortBy(parts, name)
	return parts
}

// nodesByHash lists the nodes as the table of them is walked (ClusterNodeTracker.nodes).
func (s *Scheduler) nodesByHash() []*node {
	var live []*node
	for _, n := range s.nodes {
		if !n.lost {
			live = append(live, n)
		}
	}
	java.HashSort(live, s.mostNodes, func(n *node) (uint32, uint64) { return n.hash, uint64(n.entry) })
	return live
}

// tableOrder sorts nodes in place as a table made of them is walked (CandidateNodeSet).
func tableOrder(nodes []*node) {
	java.SortByHash(nodes, java.TableSize(len(nodes)), func(n *node) uint32 { return n.hash })
}
