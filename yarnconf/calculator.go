package yarnconf

import (
	"cmp"
	"math"
)

// Resource is an amount of memory and cores, as YARN counts them.
type Resource struct {
	Memory int64 `json:"memory_mib,omitempty"` // MiB
	VCores int64 `json:"vcores,omitempty"`
}

// IsNone reports whether both components are zero.
func (r Resource) IsNone() bool { return r == Resource{} }

// Add returns r + s.
func (r Resource) Add(s Resource) Resource {
	return Resource{r.Memory + s.Memory, r.VCores + s.VCores}
}

// Sub returns r - s; components may become negative.
func (r Resource) Sub(s Resource) Resource {
	return Resource{r.Memory - s.Memory, r.VCores - s.VCores}
}

// SubFloor returns r - s with negative components replaced by zero.
func (r Resource) SubFloor(s Resource) Resource { return r.Sub(s).Floor() }

// Floor returns r with negative components replaced by zero.
func (r Resource) Floor() Resource {
	return Resource{max(r.Memory, 0), max(r.VCores, 0)}
}

// Times returns r times a whole number.
func (r Resource) Times(n int64) Resource { return Resource{r.Memory * n, r.VCores * n} }

// Scale returns the components times f, rounded towards zero.
func (r Resource) Scale(f float64) Resource {
	return Resource{Truncate(float64(r.Memory) * f), Truncate(float64(r.VCores) * f)}
}

// FitsIn reports whether each component of r is at most that of s.
func (r Resource) FitsIn(s Resource) bool { return r.Memory <= s.Memory && r.VCores <= s.VCores }

// MinEach returns the smaller of each component of r and s.
func (r Resource) MinEach(s Resource) Resource {
	return Resource{min(r.Memory, s.Memory), min(r.VCores, s.VCores)}
}

// MaxEach returns the larger of each component of r and s.
func (r Resource) MaxEach(s Resource) Resource {
	return Resource{max(r.Memory, s.Memory), max(r.VCores, s.VCores)}
}

// Truncate is Java's conversion of a double to a long: towards zero, NaN to
// zero, saturating.
func Truncate(f float64) int64 {
	if f > -(1<<62) && f < 1<<62 {
		return int64(f) // the common case, short enough to be inlined
	}
	return saturate(f)
}

func saturate(f float64) int64 {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// Calculator is the arithmetic a scheduler compares and rounds resources with.
// The zero value is Hadoop's DefaultResourceCalculator (memory only); with
// Dominant set it is the DominantResourceCalculator (largest share first).
// Methods that produce a rounded resource report one core for any memory under
// the default calculator, as the original does.
type Calculator struct {
	Dominant bool // largest share of memory and cores counts, not memory alone
}

// memoryOnly is what rounding by a step makes of memory where it alone counts: nothing of a step of 0.
func memoryOnly(m, step int64) Resource {
	if step == 0 {
		m = 0
	}
	return Resource{m, min(max(m, 0), 1)}
}

// Compare orders a and b: by memory, or by dominant share of the cluster and
// then by the other share.
func (c Calculator) Compare(cluster, a, b Resource) int {
	if !c.Dominant {
		return cmp.Compare(a.Memory, b.Memory)
	}
	return compareDominant(cluster, a, b)
}

func compareDominant(cluster, a, b Resource) int {
	if a == b {
		return 0
	}
	if cluster.IsNone() {
		return compareParts(a, b)
	}
	if cluster.Memory > 0 && cluster.VCores > 0 {
		switch {
		case a.below(b):
			return -1
		case b.below(a):
			return 1
		}
	}
	return compareShares(cluster, a, b)
}

// below reports whether r is at most b in both parts, and both are small enough
// that their shares of a cluster are then ordered likewise without divisions:
// quotients of different integers below 2^50 by one divisor differ in more than
// the rounding of 2^-53. The two must not be equal.
func (r Resource) below(b Resource) bool {
	return r.Memory <= b.Memory && r.VCores <= b.VCores && b.Memory < 1<<50 && b.VCores < 1<<50 && r.Memory > -1<<50 &&
		r.VCores > -1<<50
}

func compareShares(cluster, a, b Resource) int {
	a1, a2 := sharesOf(cluster, a)
	b1, b2 := sharesOf(cluster, b)
	return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2))
}

func compareParts(a, b Resource) int {
	greater := a.Memory > b.Memory || a.VCores > b.VCores
	less := a.Memory < b.Memory || a.VCores < b.VCores
	switch {
	case greater && less:
		return 0
	case greater:
		return 1
	}
	return -1
}

// sharesOf returns the dominant and the other share.
func sharesOf(cluster, r Resource) (dom, sub float64) {
	m, v := share(cluster.Memory, r.Memory), share(cluster.VCores, r.VCores)
	if v > m {
		return v, m
	}
	return m, v
}

func share(of, part int64) float64 {
	if of == 0 {
		return math.Inf(1)
	}
	return float64(part) / float64(of)
}

// Min returns the smaller of a and b by Compare, a when equal.
func (c Calculator) Min(cluster, a, b Resource) Resource {
	if c.Compare(cluster, a, b) <= 0 {
		return a
	}
	return b
}

// Max returns the larger of a and b by Compare, a when equal.
func (c Calculator) Max(cluster, a, b Resource) Resource {
	if c.Compare(cluster, a, b) >= 0 {
		return a
	}
	return b
}

// Fits reports whether a fits in b: by memory, or in every component.
func (c Calculator) Fits(a, b Resource) bool {
	if !c.Dominant {
		return a.Memory <= b.Memory
	}
	return a.FitsIn(b)
}

// AboveZero reports whether any component that counts is positive.
func (c Calculator) AboveZero(r Resource) bool {
	return r.Memory > 0 || c.Dominant && r.VCores > 0
}

// Divide returns a/b as a float32: memory over memory, or largest share over
// largest share of the cluster.
func (c Calculator) Divide(cluster, a, b Resource) float32 {
	if !c.Dominant {
		return safeDivide(a.Memory, b.Memory)
	}
	return float32(a.LargestShare(cluster) / b.LargestShare(cluster))
}

// LargestShare is the largest finite share of a cluster, at least 0. The original
// leaves out a component when either operand's share is infinite, which
// happens only for a cluster without that component.
func (r Resource) LargestShare(cluster Resource) float64 {
	best := 0.0
	if cluster.Memory != 0 {
		best = max(best, float64(r.Memory)/float64(cluster.Memory))
	}
	if cluster.VCores != 0 {
		best = max(best, float64(r.VCores)/float64(cluster.VCores))
	}
	return best
}

func safeDivide(a, b int64) float32 {
	if a == 0 && b == 0 {
		return 0
	}
	return float32(a) / float32(b)
}

// Ratio returns the memory ratio, or the largest ratio of any component.
func (c Calculator) Ratio(a, b Resource) float32 {
	m := safeDivide(a.Memory, b.Memory)
	if !c.Dominant {
		return m
	}
	return javaMax(javaMax(0, m), safeDivide(a.VCores, b.VCores))
}

// javaMax is Math.max: NaN if either operand is.
func javaMax(a, b float32) float32 {
	if a != a || b != b {
		return float32(math.NaN())
	}
	return max(a, b)
}

// roundUp rounds one component; without a step it stays.
func roundUp(a, step int64) int64 {
	if step == 0 {
		return a
	}
	return (a + (step - 1)) / step * step
}

func roundDown(a, step int64) int64 {
	if step == 0 {
		return a
	}
	return a / step * step
}

// RoundUp rounds up to multiples of step.
func (c Calculator) RoundUp(r, step Resource) Resource {
	if !c.Dominant {
		return memoryOnly(roundUp(r.Memory, step.Memory), step.Memory)
	}
	return Resource{roundUp(r.Memory, step.Memory), roundUp(r.VCores, step.VCores)}
}

// RoundDown rounds towards zero to multiples of step.
func (c Calculator) RoundDown(r, step Resource) Resource {
	if !c.Dominant {
		return memoryOnly(roundDown(r.Memory, step.Memory), step.Memory)
	}
	return Resource{roundDown(r.Memory, step.Memory), roundDown(r.VCores, step.VCores)}
}

// ScaleUp returns r times by, rounded up to multiples of step.
func (c Calculator) ScaleUp(r Resource, by float64, step Resource) Resource {
	if !c.Dominant {
		return memoryOnly(roundUp(Truncate(float64(r.Memory)*by+0.5), step.Memory), step.Memory)
	}
	return Resource{
		roundUp(ceil32(float64(r.Memory)*by), step.Memory),
		roundUp(ceil32(float64(r.VCores)*by), step.VCores),
	}
}

// ceil32 rounds up after a detour through float32, as the original does.
func ceil32(f float64) int64 { return Truncate(math.Ceil(float64(float32(f)))) }

// ScaleDown returns r times by, rounded down to multiples of step.
func (c Calculator) ScaleDown(r Resource, by float64, step Resource) Resource {
	if !c.Dominant {
		return memoryOnly(roundDown(Truncate(float64(r.Memory)*by), step.Memory), step.Memory)
	}
	return Resource{
		roundDown(Truncate(float64(r.Memory)*by), step.Memory),
		roundDown(Truncate(float64(r.VCores)*by), step.VCores),
	}
}

// DivideCeil returns r divided by a float32, rounded up; zero when by is zero.
func (c Calculator) DivideCeil(r Resource, by float32) Resource {
	if !c.Dominant {
		return memoryOnly(divideCeil(r.Memory, by), 1)
	}
	return Resource{divideCeil(r.Memory, by), divideCeil(r.VCores, by)}
}

func divideCeil(a int64, by float32) int64 {
	if by == 0 {
		return 0
	}
	return Truncate(math.Ceil(float64(float32(a) / by)))
}

// DivideCeilInt is DivideCeil for a whole divisor.
func (c Calculator) DivideCeilInt(r Resource, by int64) Resource {
	if by == 0 {
		return Resource{}
	}
	if !c.Dominant {
		return memoryOnly((r.Memory+by-1)/by, 1)
	}
	return Resource{(r.Memory + by - 1) / by, (r.VCores + by - 1) / by}
}

// Normalize raises an ask to the minimum, rounds it up to the step and cuts it
// at the maximum.
func (c Calculator) Normalize(r, least, most, step Resource) Resource {
	step.Memory = cmp.Or(step.Memory, least.Memory)
	m := memoryOnly(min(roundUp(max(r.Memory, least.Memory), step.Memory), most.Memory), step.Memory)
	if !c.Dominant {
		return m
	}
	return Resource{m.Memory, min(roundUp(max(r.VCores, least.VCores), step.VCores), most.VCores)}
}
