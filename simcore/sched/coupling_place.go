package sched

import (
	"cmp"
	"slices"

	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// Where Coupling puts tasks: the centrality of map output for reduces, random
// peeking for maps.

// group returns in which group of the job's list L the node stands. L holds
// the nodes with a free reduce slot and no reduce of the job that are cheapest to
// fetch the job's map output to; it is remembered until something happens to a task.
func (s *coupling) group(v *mr1.View, j simcore.JobID, n int) int {
	if s.list.job != j || s.list.version != s.version || s.list.nodes == nil {
		s.list = centralityList{j, s.version, s.centrality(v, j)}
	}
	return predict.CentralityGroup(s.list.nodes, n)
}

// centralityList is a list L and when it was made.
type centralityList struct {
	job     simcore.JobID
	version uint64
	nodes   []int
}

// centrality computes L. On a tree a node's cost is 4 times the bytes beyond
// its rack and 2 times those of its rack beyond itself, so that one pass finds
// the few nodes that can be in L; equation 1 orders these.
func (s *coupling) centrality(v *mr1.View, j simcore.JobID) []int {
	if len(s.bytes) != v.Nodes() {
		s.bytes, s.rackBytes = make([]int64, v.Nodes()), make([]int64, max(v.Racks(), 1))
	}
	clear(s.bytes)
	clear(s.rackBytes)
	v.Output(j, s.bytes)
	var holders []int
	var sizes []float64
	for n, b := range s.bytes {
		if b > 0 {
			holders, sizes = append(holders, n), append(sizes, float64(b))
			s.rackBytes[v.Rack(simcore.NodeID(n))] += b
		}
	}
	hops := func(u, n int) float64 { return float64(v.Distance(simcore.NodeID(holders[u]), simcore.NodeID(n))) }
	free := s.nearest(v, j)
	order := s.tie.At(uint64(j)).At(uint64(v.Tasks(j, simcore.Reduce) - v.Pending(j, simcore.Reduce)))
	slices.SortFunc(free, func(a, b int) int {
		return cmp.Compare(order.Uint64(uint64(a)), order.Uint64(uint64(b)))
	})
	return predict.Centrality(sizes, hops, free, s.keep, nil)
}

// nearest returns the nodes with a free reduce slot and no reduce of the job whose
// cost is at most that of the D-th cheapest.
func (s *coupling) nearest(v *mr1.View, j simcore.JobID) []int {
	var free []int
	var saved []int64 // bytes a node does not have to fetch, in hops
	for n := range s.bytes {
		if id := simcore.NodeID(n); v.Free(id, simcore.Reduce) > 0 && v.JobOn(j, id, simcore.Reduce) == 0 {
			free = append(free, n)
			saved = append(saved, s.rackBytes[v.Rack(id)]+s.bytes[n])
		}
	}
	if len(free) <= s.keep {
		return free
	}
	sorted := slices.Clone(saved)
	slices.Sort(sorted)
	least, near := sorted[len(sorted)-s.keep], free[:0]
	for i, n := range free {
		if saved[i] >= least {
			near = append(near, n)
		}
	}
	return near
}

// pickMap goes through the jobs in fair order, without regard to locality, and
// launches a map of each with its probability. A job that is turned down skips the
// heartbeat, so that it waits 1/p heartbeats on average (section II-B).
func (s *coupling) pickMap(v *mr1.View, n simcore.NodeID) simcore.JobID {
	if !s.usePeek {
		return s.fair.next(v, simcore.Map)
	}
	for len(s.skipped) < v.JobCount() {
		s.skipped = append(s.skipped, false)
	}
	s.count(v, simcore.Map)
	for {
		j := s.least(v, simcore.Map, func(j simcore.JobID) bool { return !s.skipped[j] })
		if j == simcore.None {
			return simcore.None
		}
		s.tried++
		if s.draw.At(s.beats).Float64(uint64(s.tried)) < s.probability(v, j, n) {
			return j
		}
		s.skipped[j] = true
	}
}

// probability is equation 3 for job j on node n.
func (s *coupling) probability(v *mr1.View, j simcore.JobID, n simcore.NodeID) float64 {
	l, _ := v.Locality(j, n)
	if l == simcore.NodeLocal {
		return 1
	}
	p := predict.Peek{
		RackLocal: l == simcore.RackLocal, RunsReduce: v.JobOn(j, n, simcore.Reduce) > 0,
		Pending: int(v.Pending(j, simcore.Map)), BetaOverwrite: s.beta,
	}
	local, free, sample := s.peek(v, j)
	p.LocalShare, p.FreeNodes = predict.Sampled(local, free, sample, v.Nodes())
	return p.Probability()
}

// largestPeek is K where none is given: a medium cluster is looked at whole,
// of a large one that many nodes (the paper's K = N served 62).
const largestPeek = 100

// peek looks at K nodes drawn at random, or at all, and counts those with
// input of the job's pending maps (K1) and those with a free map slot (K2).
func (s *coupling) peek(v *mr1.View, j simcore.JobID) (local, free, sample int) {
	sample = min(v.Nodes(), largestPeek)
	if s.sample > 0 {
		sample = min(v.Nodes(), s.sample)
	}
	key := s.draw.At(s.beats).At(uint64(j))
	for i := range sample {
		n := simcore.NodeID(i)
		if sample < v.Nodes() {
			n = simcore.NodeID(key.IntN(uint64(i), v.Nodes()))
		}
		if l, ok := v.Locality(j, n); ok && l == simcore.NodeLocal {
			local++
		}
		if v.Free(n, simcore.Map) > 0 {
			free++
		}
	}
	return local, free, sample
}
