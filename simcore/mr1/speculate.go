package mr1

import (
	"schedtune/simcore"
	"slices"
)

// Speculation is LATE (Zaharia, Konwinski, Joseph, Katz, Stoica: Improving
// MapReduce Performance in Heterogeneous Environments, OSDI 2008, section 4):
// when a slot is free and no pending task takes it, among the running tasks
// that have run for a while and whose progress rate is in the slowest share of
// their job, the one expected to end last gets a second attempt, as long as
// second attempts hold no more than their share of the slots. Differences: a
// task is compared with its job's running tasks of its kind only, and slow
// nodes are not set apart.

// speculate fills the node's free slots with second attempts.
func (s *Sim) speculate(node *nodeState) {
	for k := range simcore.Kind(2) {
		for node.free[s.pool(k)] > 0 && s.err == nil {
			i := s.latest(node.id, k)
			if i == simcore.None {
				break
			}
			s.double(i, node)
		}
	}
}

// latest returns the slot of the attempt that deserves a twin most.
func (s *Sim) latest(n simcore.NodeID, k simcore.Kind) int32 {
	limit := s.cfg.Speculation.Cap * float64(s.totalSlots[s.pool(k)])
	if s.secondAttempts(k) >= max(int32(limit), 1) {
		return simcore.None
	}
	best, left := int32(simcore.None), simcore.Time(0)
	for i := range s.slots {
		a := &s.slots[i]
		if a.job == simcore.None || a.kind != k || a.spec || a.paired || a.parked || s.nodeOf[i] == n ||
			s.now-a.start < s.cfg.Speculation.After || s.jobs[a.job].of[k].pending > 0 {
			continue
		}
		if l := s.view.Left(s.attempt(int32(i))); l > left && l < simcore.Never && s.slow(int32(i)) {
			best, left = int32(i), l
		}
	}
	return best
}

func (s *Sim) secondAttempts(k simcore.Kind) int32 {
	c := int32(0)
	for i := range s.slots {
		if s.slots[i].job != simcore.None && s.slots[i].spec && s.slots[i].kind == k {
			c++
		}
	}
	return c
}

// slow reports whether the attempt's progress rate is at or below the slow
// share's percentile of its job's running tasks.
func (s *Sim) slow(i int32) bool {
	a := &s.slots[i]
	s.rates = s.rates[:0]
	for o := range s.slots {
		if b := &s.slots[o]; b.job == a.job && b.kind == a.kind && !b.spec && !b.parked {
			s.rates = append(s.rates, s.rate(int32(o)))
		}
	}
	slices.Sort(s.rates)
	return s.rate(i) <= s.rates[int(s.cfg.Speculation.Slow*float64(len(s.rates)-1))]
}

func (s *Sim) rate(i int32) float64 {
	p := s.attempt(i)
	return s.progress(p) / max((s.now-p.Start).Seconds(), 1e-6)
}

func (s *Sim) double(i int32, node *nodeState) {
	a := s.slots[i]
	j := s.launch(simcore.Task{Job: a.job, Kind: a.kind, Index: a.task}, node, true)
	s.more[i].twin, s.more[j].twin = j, i
	s.slots[i].paired, s.slots[j].paired = true, true
}
