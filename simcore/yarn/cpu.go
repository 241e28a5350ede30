package yarn

import (
	"cmp"
	"slices"

	"schedtune/simcore"
)

// cores is a set of processor cores that launches share in proportion to their busy
// threads. With virtual time (simulation by finish tags), a launch of work w on
// k threads that arrives when the virtual clock shows V ends when it shows
// V + w/k; the clock runs at min(1, cores/threads) with the threads of all
// launches. A thread cannot use more than one core.
type cores struct {
	n       float64 // cores
	threads float64 // of all launches
	clock   float64 // virtual time in µs
	at      simcore.Time
	waiting []launch // in descending order of their end
}

// launch is work on shared cores.
type launch struct {
	tag     float64 // virtual time of its end
	threads float64
	id      int32 // see startWork
}

// reset makes them n idle cores.
func (c *cores) reset(n float64) {
	c.n, c.threads, c.clock, c.at, c.waiting = n, 0, 0, 0, c.waiting[:0]
}

// rate returns the speed of the virtual clock.
func (c *cores) rate() float64 {
	if c.threads > c.n {
		return c.n / c.threads
	}
	return 1
}

// advance moves the virtual clock to now. Without launches it restarts, for precision.
func (c *cores) advance(now simcore.Time) {
	if len(c.waiting) > 0 {
		c.clock += float64(now-c.at) * c.rate()
	} else {
		c.clock, c.threads = 0, 0
	}
	c.at = now
}

// add starts a launch of work w on k threads.
func (c *cores) add(now simcore.Time, id int32, w simcore.Time, k float64) {
	c.advance(now)
	c.threads += k
	l := append(c.waiting, launch{c.clock + float64(w)/k, k, id})
	for i := len(l) - 1; i > 0 && l[i-1].before(&l[i]); i-- {
		l[i-1], l[i] = l[i], l[i-1]
	}
	c.waiting = l
}

// before orders launches by their end, then by id.
func (a *launch) before(b *launch) bool { return a.tag < b.tag || a.tag == b.tag && a.id < b.id }

// next returns when the first launch ends, Never without one.
func (c *cores) next() simcore.Time {
	if len(c.waiting) == 0 {
		return simcore.Never
	}
	left := max(c.waiting[len(c.waiting)-1].tag-c.clock, 0)
	return c.at + simcore.Time(left/c.rate()+0.999)
}

// pop ends the first launch and returns its id.
func (c *cores) pop(now simcore.Time) int32 {
	c.advance(now)
	first := c.waiting[len(c.waiting)-1]
	c.threads -= first.threads
	c.waiting = c.waiting[:len(c.waiting)-1]
	return first.id
}

// drop removes a launch before its end.
func (c *cores) drop(now simcore.Time, id int32) {
	c.advance(now)
	if i := slices.IndexFunc(c.waiting, func(l launch) bool { return l.id == id }); i >= 0 {
		c.threads -= c.waiting[i].threads
		c.waiting = slices.Delete(c.waiting, i, i+1)
	}
}

// ShareCores returns when launches end that start at the given times with the given work and
// threads and share n cores, as launches do in a run. Fitting a calibration uses it. It panics if
// work or threads are shorter than start.
func ShareCores(n float64, start, work []simcore.Time, threads []float64) []simcore.Time {
	order := make([]int, len(start))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(start[a], start[b]) })
	ends := make([]simcore.Time, len(start))
	c := cores{n: n}
	for i := 0; i < len(order) || len(c.waiting) > 0; {
		if at := c.next(); i == len(order) || at <= start[order[i]] {
			ends[order[c.pop(at)]] = at
			continue
		}
		o := order[i]
		c.add(start[o], int32(i), work[o], threads[o])
		i++
	}
	return ends
}
