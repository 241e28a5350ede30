package yarn

import "math"

// Ramp is what an application master knows when it decides how many reduces to
// ask for. Its two rules are those of RMContainerAllocator (Hadoop 3.4.1),
// scheduleReduces and preemptReducesIfNeeded, with Java's integer divisions.
type Ramp struct {
	Headroom    Resource // what the ResourceManager says the job may still get
	Map, Reduce Resource // container sizes

	TotalMaps, DoneMaps      int32
	WaitMaps, RunMaps        int32 // asked for; in containers, as far as the AM knows
	AskedReduces, RunReduces int32
	PendingReduces           int32 // not asked for yet
	CPU                      bool  // the ResourceManager schedules vcores too
}

// rampLimit is the default of yarn.app.mapreduce.am.job.reduce.rampup.limit and .preemption.limit.
const rampLimit = 0.5

// Change returns how many more reduces to ask for once slowstart is met, or,
// negative, how many asks to withdraw. With all maps assigned that is all that
// are left; before, reduces get the share of finished maps (at most the ramp-up
// limit) of what the job may hold, and what maps leave over.
func (r *Ramp) Change() int32 {
	if r.WaitMaps == 0 {
		return r.PendingReduces
	}
	share := min(float32(r.DoneMaps)/float32(r.TotalMaps), rampLimit)
	total := r.limit()
	forReds := scaled(total, float64(share))
	forMaps := minus(total, forReds)
	maps := int64(r.WaitMaps + r.RunMaps)
	if r.fit(forMaps, r.Map) >= maps {
		forReds = plus(forReds, minus(forMaps, times(r.Map, maps)))
	}
	n := r.fit(minus(forReds, times(r.Reduce, int64(r.AskedReduces+r.RunReduces))), r.Reduce)
	return int32(max(min(n, int64(r.PendingReduces)), -int64(r.AskedReduces)))
}

// Starved reports whether maps wait, none runs and the headroom, less the
// reduces asked for, does not hold one map.
func (r *Ramp) Starved() bool {
	return r.RunMaps == 0 && r.WaitMaps > 0 && r.fit(minus(r.Headroom, times(r.Reduce, int64(r.AskedReduces))), r.Map) <= 0
}

// Kills returns how many running reduces a starved master kills.
func (r *Ramp) Kills() int64 {
	forOne := r.ceil(r.Map, r.Reduce)
	byLimit := r.ceil(scaled(r.limit(), rampLimit), r.Reduce)
	forAll := r.ceil(times(r.Map, int64(r.WaitMaps)), r.Reduce)
	return min(max(forOne, byLimit), forAll)
}

// limit is what the job may hold: headroom and what it holds.
func (r *Ramp) limit() Resource {
	return plus(r.Headroom, plus(times(r.Map, int64(r.RunMaps)), times(r.Reduce, int64(r.RunReduces))))
}

// fit is how many containers of a size a (possibly negative) space holds,
// rounded towards zero as Java divides.
func (r *Ramp) fit(space, size Resource) int64 {
	n := quotient(space.Memory, size.Memory)
	if r.CPU {
		n = min(n, quotient(space.VCores, size.VCores))
	}
	return n
}

// ceil is how many containers of a size cover a space.
func (r *Ramp) ceil(space, size Resource) int64 {
	n := ceilDiv(space.Memory, size.Memory)
	if r.CPU {
		n = max(n, ceilDiv(space.VCores, size.VCores))
	}
	return n
}

// quotient is a / b; a size of nothing fits any number of times.
func quotient(a, b int64) int64 {
	if b == 0 {
		return math.MaxInt32
	}
	return a / b
}

// ceilDiv is a / b rounded up, 0 for b 0.
func ceilDiv(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return (a + b - 1) / b
}

// times is n times a resource.
func times(r Resource, n int64) Resource { return Resource{r.Memory * n, r.VCores * n} }

// scaled is a resource times f, each component rounded towards zero.
func scaled(r Resource, f float64) Resource {
	return Resource{int64(float64(r.Memory) * f), int64(float64(r.VCores) * f)}
}

// plus is the sum of two resources.
func plus(a, b Resource) Resource { return Resource{a.Memory + b.Memory, a.VCores + b.VCores} }

// minus is their difference, which may be negative.
func minus(a, b Resource) Resource { return Resource{a.Memory - b.Memory, a.VCores - b.VCores} }
