package kernel

import (
	"slices"

	"schedtune/simcore"
)

// shared is a resource divided equally among its flows: a disk array, one
// direction of a NIC or of a rack's uplink, the cores of a node. All flows are
// served at one rate, so it is enough to know the work V that a flow present all
// the time would have received: a flow of size s that comes at V ends at
// V + s, tags never change their order, and the resource has one outstanding
// event, its smallest tag (virtual time of generalised processor sharing;
// Parekh and Gallager, 1993).
//
// Each of n flows gets min(unit, units*unit/n): a flow cannot be on two
// disks or cores at once. Work is fixed point with 20 fractional bits, so that
// histories do not depend on the rounding of floats; V may wrap around, tags
// are compared by their distance from it, which limits one flow to 2^42 bytes
// (4.4 TB) or µs.
type shared struct {
	unit   uint64 // work per µs of one unit, fixed point; 0 = infinitely fast
	units  uint64
	rate   uint64       // of each flow, per µs
	v      uint64       // V
	at     simcore.Time // when v was updated
	flows  []flow       // in descending order of their end
	served uint64       // work of completed flows, in whole units of work
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

// resourceUnit converts a rate in work per second to fixed point per µs; a rate above 0 stays
// above 0.
func resourceUnit(perSecond float64) uint64 {
	if perSecond <= 0 {
		return 0
	}
	return max(uint64(perSecond/1e6*(1<<workBits)), 1)
}

// reset prepares an idle resource of so many units with a rate each, in work per second.
func (r *shared) reset(perSecond float64, units int32) {
	r.unit, r.units = resourceUnit(perSecond), uint64(max(units, 1))
	r.v, r.at, r.served, r.flows = 0, 0, 0, r.flows[:0]
}

// setRate computes the rate of each flow after a change in their number.
func (r *shared) setRate() {
	r.rate = r.unit
	n := uint64(len(r.flows))
	if n > r.units {
		r.rate = max(r.unit*r.units/n, 1)
	}
}

// advance serves the flows up to now.
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
	f := append(r.flows, flow{r.v + uint64(size)<<workBits, uint64(size), id})
	for i := len(f) - 1; i > 0 && f[i-1].before(&f[i]); i-- {
		f[i-1], f[i] = f[i], f[i-1]
	}
	r.flows = f
	r.setRate()
}

// next returns when the first flow ends, if nothing changes.
func (r *shared) next() simcore.Time {
	if len(r.flows) == 0 {
		return simcore.Never
	}
	left := int64(r.flows[len(r.flows)-1].tag - r.v)
	if left <= 0 {
		return r.at
	}
	return r.at + simcore.Time((uint64(left)+r.rate-1)/r.rate)
}

// ended removes a flow that has ended by the last advance and returns its attempt, None if
// there is none.
func (r *shared) ended() int32 {
	last := len(r.flows) - 1
	if last < 0 || int64(r.flows[last].tag-r.v) > 0 {
		return simcore.None
	}
	f := r.flows[last]
	r.served += f.size
	r.flows = r.flows[:last]
	r.setRate()
	return f.id
}

// remove removes the attempt's flow and reports whether there was one.
func (r *shared) remove(now simcore.Time, id int32) bool {
	i := slices.IndexFunc(r.flows, func(f flow) bool { return f.id == id })
	if i < 0 {
		return false
	}
	r.advance(now)
	r.flows = slices.Delete(r.flows, i, i+1)
	r.setRate()
	return true
}

// before orders flows by their end, then by attempt.
func (f *flow) before(o *flow) bool {
	return int64(f.tag-o.tag) < 0 || f.tag == o.tag && f.id < o.id
}

// left returns the remaining share of the attempt's flow, from 0 to 1; 0 if it has none.
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
