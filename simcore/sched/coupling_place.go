package sched

import (
	"math/rand/v2"

	"schedtune/internal/rng"
	"schedtune/predict"
	"schedtune/simcore"
)

// Where Coupling puts tasks: the centrality of map output for reduces, random
// peeking for maps.

// centrality returns the list L of the job: the nodes with a free reduce slot
// that are cheapest to fetch its map output to.
func (s *coupling) centrality(v *simcore.View, j simcore.JobID) []int {
	if len(s.bytes) != v.Nodes() {
		s.bytes = make([]int64, v.Nodes())
	}
	clear(s.bytes)
	v.Output(j, s.bytes)
	sizes := make([]float64, v.Nodes())
	var free []int
	for n := range sizes {
		sizes[n] = float64(s.bytes[n])
		if v.Free(simcore.NodeID(n), simcore.Reduce) > 0 {
			free = append(free, n)
		}
	}
	hops := func(a, b int) float64 { return float64(v.Distance(simcore.NodeID(a), simcore.NodeID(b))) }
	r := rand.New(rng.NewStream(s.tie.At(s.beats).At(uint64(j))))
	return predict.Centrality(sizes, hops, free, s.keep, r)
}

// pickMap goes through the list L of map candidates that ignore locality, one
// per free slot of the heartbeat, and launches each with its probability.
func (s *coupling) pickMap(v *simcore.View, n simcore.NodeID) simcore.JobID {
	if !s.usePeek {
		return s.fair.next(v, simcore.Map)
	}
	for s.tried < s.offered {
		j := s.candidate(v)
		if j == simcore.None {
			return simcore.None
		}
		s.tried++
		if s.draw.At(s.beats).Float64(uint64(s.tried)) < s.probability(v, j, n) {
			return j
		}
		s.skip(j)
	}
	return simcore.None
}

// candidate is the next entry of L: the fair choice, counting candidates that
// were turned down in this heartbeat as if they ran.
func (s *coupling) candidate(v *simcore.View) simcore.JobID {
	s.count(v, simcore.Map)
	for j := v.FirstWaiting(simcore.Map); j != simcore.None; j = v.NextWaiting(j, simcore.Map) {
		if int(j) < len(s.skipped) {
			s.pools[s.poolOf(v, j)].running += int(s.skipped[j])
		}
	}
	best := simcore.JobID(simcore.None)
	for j := v.FirstWaiting(simcore.Map); j != simcore.None; j = v.NextWaiting(j, simcore.Map) {
		if int(j) < len(s.skipped) && s.skipped[j] >= v.Pending(j, simcore.Map) {
			continue
		}
		if best == simcore.None || s.compare(v, simcore.Map, j, best) < 0 {
			best = j
		}
	}
	return best
}

func (s *coupling) skip(j simcore.JobID) {
	for len(s.skipped) <= int(j) {
		s.skipped = append(s.skipped, 0)
	}
	s.skipped[j]++
}

// probability is equation 3 for job j on node n.
func (s *coupling) probability(v *simcore.View, j simcore.JobID, n simcore.NodeID) float64 {
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

// peek looks at K nodes drawn at random, or at all, and counts those with
// input of the job's pending maps (K1) and those with a free map slot (K2).
func (s *coupling) peek(v *simcore.View, j simcore.JobID) (local, free, sample int) {
	sample = v.Nodes()
	if s.sample > 0 && s.sample < sample {
		sample = s.sample
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
