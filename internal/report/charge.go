package report

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"schedtune/internal/text"
	"schedtune/trace"
)

const (
	msPerHour   = 3_600_000.0
	mibPerGiB   = 1024.0
	mibMSToHour = mibPerGiB * msPerHour
)

// charge sums by a key of jobs and by period; uncaused is the waiting, in hours,
// while nothing held memory.
func charge(jobs []job, periods []Period, key func(*trace.Job) string) (groups []Group, uncaused float64) {
	at := map[string]int{}
	group := func(j *job) int {
		k := key(j.Job)
		x, ok := at[k]
		if !ok {
			x = len(groups)
			at[k] = x
			groups = append(groups, Group{Name: k, Periods: make([]Amount, len(periods))})
		}
		return x
	}
	s := sweep{periods: periods}
	for i := range jobs {
		j := &jobs[i]
		g := group(j)
		of := groups[g].Periods
		if j.Job.Standing() {
			of[0].Jobs++
		} else if j.Submit.Known() {
			of[period(periods, int64(j.Submit))].Jobs++
			if j.started > j.Submit {
				eachPeriod(periods, j.Submit, j.started, func(p int, ms float64) { of[p].WaitedHours += ms / msPerHour })
				s.waits(j.Submit, j.started)
			}
		}
		for k := range j.held {
			j.charge(of, periods, &j.held[k])
			s.holds(g, j.held[k].From, j.held[k].To, j.held[k].MiB*j.mem)
		}
	}
	uncaused = s.run(groups)
	for g := range groups {
		for p := range periods {
			groups[g].add(&groups[g].Periods[p])
		}
		if len(periods) == 1 {
			groups[g].Periods = nil
		}
	}
	order(groups)
	return groups, uncaused
}

// charge adds one holding to the periods it lies in.
func (j *job) charge(of []Amount, periods []Period, h *trace.Holding) {
	whole := float64(h.To - h.From)
	eachPeriod(periods, h.From, h.To, func(p int, ms float64) {
		a := &of[p]
		a.MemoryHours += h.MiB * j.mem * ms / mibMSToHour
		a.VCoreHours += h.VCores * j.cores * ms / msPerHour
		if h.UsedMiB > 0 {
			a.UsedMemoryHours += text.Known(h.UsedMiB * ms / mibMSToHour)
			a.OfMemoryHours += h.MiB * ms / mibMSToHour
		}
		if h.CoreTime > 0 {
			a.UsedVCoreHours += text.Known(float64(h.CoreTime) * ms / whole / msPerHour)
			a.OfVCoreHours += h.VCores * ms / msPerHour
		}
	})
}

// eachPeriod calls f with the periods that [from, to) lies in and the
// milliseconds of it in each.
func eachPeriod(periods []Period, from, to trace.Millis, f func(p int, ms float64)) {
	for p := period(periods, int64(from)); p < len(periods) && periods[p].FromMS < int64(to); p++ {
		f(p, float64(min(int64(to), periods[p].ToMS)-max(int64(from), periods[p].FromMS)))
	}
}

// period is the index of the period that holds a time.
func period(periods []Period, at int64) int {
	i := sort.Search(len(periods), func(i int) bool { return periods[i].ToMS > at })
	return min(i, len(periods)-1)
}

// change is a moment at which jobs begin or end to wait, or a group to hold.
type chargebackChange struct {
	at    int64
	group int
	kib   int64 // begun, or ended (negative), to be held; whole, so that sums are exact
	waits int64 // +1, -1 or 0
}

// sweep goes through time once. The waiting of one moment, waiting·dt, belongs
// to a group by held/all; the sum of waiting·dt/all over time is the same for
// every group, so a group is brought up to date only when what it holds changes
// and at the ends of periods.
type sweep struct {
	periods []Period
	changes []chargebackChange

	held    []int64   // KiB by group
	seen    []float64 // sum when the group was last brought up to date
	all     int64     // KiB
	waiting int64     // jobs
	sum     float64   // of waiting·dt/all, ms a KiB
}

func (s *sweep) waits(from, to trace.Millis) {
	s.changes = append(s.changes, chargebackChange{at: int64(from), waits: 1}, chargebackChange{at: int64(to), waits: -1})
}

func (s *sweep) holds(g int, from, to trace.Millis, mib float64) {
	if kib := int64(math.Round(mib * 1024)); kib > 0 && to > from {
		s.changes = append(s.changes, chargebackChange{at: int64(from), group: g, kib: kib},
			chargebackChange{at: int64(to), group: g, kib: -kib})
	}
}

// run fills CausedHours and returns the hours waited while nothing was held.
func (s *sweep) run(groups []Group) (uncaused float64) {
	slices.SortStableFunc(s.changes, func(a, b chargebackChange) int { return cmp.Compare(a.at, b.at) })
	s.held, s.seen = make([]int64, len(groups)), make([]float64, len(groups))
	now, p := s.periods[0].FromMS, 0
	advance := func(to int64) {
		if waited := float64(s.waiting) * float64(to-now); s.all > 0 {
			s.sum += waited / float64(s.all)
		} else {
			uncaused += waited
		}
		now = to
	}
	settle := func() {
		for g := range groups {
			s.update(groups, p, g)
		}
	}
	for i := range s.changes {
		c := &s.changes[i]
		for s.periods[p].ToMS <= c.at && p+1 < len(s.periods) {
			advance(s.periods[p].ToMS)
			settle()
			p++
		}
		advance(c.at)
		if c.kib != 0 {
			s.update(groups, p, c.group)
			s.held[c.group] += c.kib
			s.all += c.kib
		}
		s.waiting += c.waits
	}
	settle()
	return uncaused / msPerHour
}

// update gives group g its part of the waiting since it was last brought up to
// date, all of it within period p.
func (s *sweep) update(groups []Group, p, g int) {
	groups[g].Periods[p].CausedHours += float64(s.held[g]) * (s.sum - s.seen[g]) / msPerHour
	s.seen[g] = s.sum
}
