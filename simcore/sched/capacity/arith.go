package capacity

import "schedtune/yarnconf"

// Comparisons and rounding by the scheduler's calculator, against the present cluster and the
// minimum allocation. Under the default calculator only memory counts
// (DefaultResourceCalculator), and these are one comparison each; yarnconf.Calculator has
// the rules, and those of the dominant share (DominantResourceCalculator).

// more is Compare(a, b) > 0.
func (s *Scheduler) more(a, b res) bool {
	if s.calc.Dominant {
		return s.calc.Compare(s.cluster, a, b) > 0
	}
	return a.Memory > b.Memory
}

// smaller is the calculator's Min: a when equal.
func (s *Scheduler) smaller(a, b res) res {
	if s.more(a, b) {
		return b
	}
	return a
}

// larger is the calculator's Max: a when equal.
func (s *Scheduler) larger(a, b res) res {
	if s.more(b, a) {
		return b
	}
	return a
}

// fits is the calculator's Fits: a is no more than b in any component that counts
// (ResourceCalculator.fitsIn).
func (s *Scheduler) fits(a, b res) bool {
	return a.Memory <= b.Memory && (!s.calc.Dominant || a.VCores <= b.VCores)
}

// holds reports whether at least one container of a size is free
// (ResourceCalculator.computeAvailableContainers). Components that the size does not have do
// not count.
func (s *Scheduler) holds(free, size res) bool {
	if !s.calc.Dominant {
		return free.Memory >= size.Memory
	}
	return (size.Memory == 0 || free.Memory >= size.Memory) && (size.VCores == 0 || free.VCores >= size.VCores)
}

// roundDown rounds towards zero to multiples of the minimum allocation.
func (s *Scheduler) roundDown(r res) res {
	if s.mask < 0 || r.Memory <= s.mask {
		return s.calc.RoundDown(r, s.minAlloc)
	}
	return res{Memory: r.Memory &^ s.mask, VCores: 1} // one core for any memory
}

// roundUpMemory rounds memory up to multiples of the minimum allocation.
func (s *Scheduler) roundUpMemory(m int64) int64 {
	if s.mask >= 0 && m >= 0 {
		return (m + s.mask) &^ s.mask
	}
	return yarnconf.Calculator{}.RoundUp(res{Memory: m}, s.minAlloc).Memory
}

// maskOf is what roundDown and roundUpMemory clear: all below the minimum
// allocation's only bit, or -1 where rounding takes a division or cores count.
func (s *Scheduler) maskOf() int64 {
	if step := s.minAlloc.Memory; !s.calc.Dominant && step > 0 && step&(step-1) == 0 {
		return step - 1
	}
	return -1
}
