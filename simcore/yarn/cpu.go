package yarn

import "schedtune/simcore"

// cores is a set of processor cores that launches share by their number of busy
// threads, with virtual time (simulation by finish tags: a launch of work w on
// k threads that arrives when the virtual clock shows V ends when it shows
// V + w/k; the clock runs at min(1, cores/threads) with the threads of all
// launches). A thread cannot use more than one core.
type cores struct {
	n       float64 // cores
	threads float64 // of all launches
	clock   float64 // virtual time in µs
	at      simcore.Time
	waiting []launch // binary heap by tag, then id
}

// launch is work on shared cores.
type launch struct {
	tag     float64 // virtual time at which it is done
	threads float64
	id      int32 // see startWork
}

// reset makes them n idle cores.
func (c *cores) reset(n float64) {
	c.n, c.threads, c.clock, c.at, c.waiting = n, 0, 0, 0, c.waiting[:0]
}

// rate is the speed of the virtual clock.
func (c *cores) rate() float64 {
	if c.threads > c.n {
		return c.n / c.threads
	}
	return 1
}

// advance moves the virtual clock to now.
func (c *cores) advance(now simcore.Time) {
	if len(c.waiting) > 0 {
		c.clock += float64(now-c.at) * c.rate()
	} else {
		c.clock, c.threads = 0, 0 // nothing holds a tag: restart, for precision
	}
	c.at = now
}

// add puts a launch of work w on k threads in.
func (c *cores) add(now simcore.Time, id int32, w simcore.Time, k float64) {
	c.advance(now)
	c.threads += k
	c.waiting = append(c.waiting, launch{c.clock + float64(w)/k, k, id})
	h := c.waiting
	for i := len(h) - 1; i > 0; {
		p := (i - 1) / 2
		if !h[i].less(h[p]) {
			break
		}
		h[i], h[p] = h[p], h[i]
		i = p
	}
}

// less orders launches by their end.
func (a launch) less(b launch) bool {
	return a.tag < b.tag || a.tag == b.tag && a.id < b.id
}

// next returns when the first launch ends, Never without one.
func (c *cores) next() simcore.Time {
	if len(c.waiting) == 0 {
		return simcore.Never
	}
	left := max(c.waiting[0].tag-c.clock, 0)
	return c.at + simcore.Time(left/c.rate()+0.999)
}

// pop ends the first launch.
func (c *cores) pop(now simcore.Time) int32 {
	c.advance(now)
	id := c.waiting[0].id
	c.remove(0)
	return id
}

// drop takes a launch out before its end.
func (c *cores) drop(now simcore.Time, id int32) {
	c.advance(now)
	for i := range c.waiting {
		if c.waiting[i].id == id {
			c.remove(i)
			return
		}
	}
}

// remove takes the launch at a place of the heap out.
func (c *cores) remove(i int) {
	h := c.waiting
	last := len(h) - 1
	c.threads -= h[i].threads
	h[i] = h[last]
	c.waiting = h[:last]
	h = c.waiting
	for i < last { // sift up, then down: the moved entry may belong either way
		p := (i - 1) / 2
		if i == 0 || !h[i].less(h[p]) {
			break
		}
		h[i], h[p] = h[p], h[i]
		i = p
	}
	for {
		k := 2*i + 1
		if k >= last {
			return
		}
		if k+1 < last && h[k+1].less(h[k]) {
			k++
		}
		if !h[k].less(h[i]) {
			return
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}

// ShareCores returns when launches end that start at the given instants
// (ascending) with the given work and threads and share a number of cores, as
// launches do in a run. Fitting a calibration uses it. The slices are of one length; it
// panics where work or threads are shorter than start.
func ShareCores(n float64, start, work []simcore.Time, threads []float64) []simcore.Time {
	ends := make([]simcore.Time, len(start))
	c := cores{n: n}
	for i := 0; i < len(start) || len(c.waiting) > 0; {
		if at := c.next(); i == len(start) || at <= start[i] {
			ends[c.pop(at)] = at
			continue
		}
		c.add(start[i], int32(i), work[i], threads[i])
		i++
	}
	return ends
}
