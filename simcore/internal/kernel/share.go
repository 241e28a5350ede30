package kernel

import "schedtune/simcore"

// shared is a resource divided equally among its flows: a disk array, one
// direction of a NIC or of a rack's uplink, the cores of a node. All flows are
// served at one rate, so it is enough to know the work V a flow present all
// the time would have received: a flow of size s that comes at V ends at
// V + s, tags never change their order, and the resource has one outstanding
// event, its smallest tag (virtual time of generalised processor sharing;
// Parekh and Gallager, 1993).
//
// With n flows each gets min(unit, units*unit/n): a flow cannot be on two
// disks or cores at once. Work is fixed point with 20 fractional bits, so that
// histories do not depend on the rounding of floats; V may wrap around, tags
// are compared by their distance from it, which limits one flow to 2^42 bytes
// (4.4 TB) or µs.
type shared struct {
	unit   uint64 // work per µs of one unit, fixed point; 0 = infinitely fast
	units  uint64
	rate   uint64 // of each flow, per µs
	v      uint64
	at     simcore.Time // when v was brought up to date
	flows  []flow
	served uint64 // whole work of completed flows, in units of work (not fixed point)
}

// flow is one attempt's use of a resource.
type flow struct {
	tag  uint64
	size uint64
	id   int32
}

const (
	workBits = 20
	maxWork  = 1 << 42
)

// resourceUnit turns a rate in work per second into fixed point per µs; a rate
// above 0 stays above 0.
func resourceUnit(perSecond float64) uint64 {
	if perSecond <= 0 {
		return 0
	}
	return max(uint64(perSecond/1e6*(1<<workBits)), 1)
}

func (r *shared) reset(perSecond float64, units int32) {
	r.unit, r.units = resourceUnit(perSecond), uint64(max(units, 1))
	r.v, r.at, r.served, r.flows = 0, 0, 0, r.flows[:0]
}

// setRate works out what each flow gets per µs; the number of flows changed.
func (r *shared) setRate() {
	r.rate = r.unit
	if n := uint64(len(r.flows)); n > r.units {
		r.rate = max(r.unit*r.units/n, 1)
	}
}

// setUnit changes the work per µs of one unit from now on.
func (r *shared) setUnit(now simcore.Time, unit uint64) {
	r.advance(now)
	r.unit = unit
	r.setRate()
}

func (r *shared) advance(now simcore.Time) {
	if len(r.flows) == 0 {
		r.v = 0
	} else {
		r.v += uint64(now-r.at) * r.rate
	}
	r.at = now
}

// add starts a flow of the given size.
func (r *shared) add(now simcore.Time, id int32, size int64) {
	r.advance(now)
	size = min(size, maxWork)
	r.flows = append(r.flows, flow{r.v + uint64(size)<<workBits, uint64(size), id})
	r.setRate()
	r.up(len(r.flows) - 1)
}

// next returns when the flow that ends first ends, if nothing changes.
func (r *shared) next() simcore.Time {
	if len(r.flows) == 0 {
		return simcore.Never
	}
	left := int64(r.flows[0].tag - r.v)
	if left <= 0 {
		return r.at
	}
	return r.at + simcore.Time((uint64(left)+r.rate-1)/r.rate)
}

// ended removes a flow that has ended by now and returns its attempt, None if
// there is none. The resource must be up to date.
func (r *shared) ended() int32 {
	if len(r.flows) == 0 || int64(r.flows[0].tag-r.v) > 0 {
		return simcore.None
	}
	f := r.flows[0]
	r.served += f.size
	r.removeAt(0)
	return f.id
}

// remove takes away the attempt's flow, if it has one, and reports whether.
func (r *shared) remove(now simcore.Time, id int32) bool {
	for i := range r.flows {
		if r.flows[i].id == id {
			r.advance(now)
			r.removeAt(i)
			return true
		}
	}
	return false
}

func (r *shared) removeAt(i int) {
	last := len(r.flows) - 1
	r.flows[i] = r.flows[last]
	r.flows = r.flows[:last]
	r.setRate()
	if i < last {
		r.down(i)
		r.up(i)
	}
}

func (r *shared) up(i int) {
	f := r.flows
	for i > 0 && f[i].before(&f[(i-1)/2]) {
		f[i], f[(i-1)/2] = f[(i-1)/2], f[i]
		i = (i - 1) / 2
	}
}

func (r *shared) down(i int) {
	f := r.flows
	for {
		c := 2*i + 1
		if c+1 < len(f) && f[c+1].before(&f[c]) {
			c++
		}
		if c >= len(f) || !f[c].before(&f[i]) {
			return
		}
		f[i], f[c] = f[c], f[i]
		i = c
	}
}

func (f *flow) before(o *flow) bool {
	return int64(f.tag-o.tag) < 0 || f.tag == o.tag && f.id < o.id
}

// left returns the work a flow still needs, as a share of its size; 0 if the
// attempt has no flow here.
func (r *shared) left(now simcore.Time, id int32) float64 {
	for i := range r.flows {
		if f := &r.flows[i]; f.id == id {
			v := r.v + uint64(now-r.at)*r.rate
			if int64(f.tag-v) <= 0 || f.size == 0 {
				return 0
			}
			return float64(f.tag-v) / float64(f.size<<workBits)
		}
	}
	return 0
}
