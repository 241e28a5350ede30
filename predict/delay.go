package predict

import "math"

// Under-utilisation by delay scheduling (Tan, Meng, Zhang, Coupling, INFOCOM
// 2013, section II-B, equation 2).
//
// With exponential map times of rate mu, s map slots with local data and a
// wait of T seconds before a remote launch, the timer is reset as long as one
// of the s slots comes free within T; the probability that all N maps are
// launched on those slots is
//
//	p_s = (1 - exp(-s mu T))^N                                           (2)

// AllLocalProbability returns p_s of equation 2: slots map slots with local
// data (s), mapTime the mean map time in seconds (1/mu), wait the delay in
// seconds (T), maps the number of maps (N). mapTime must be positive for a
// meaningful answer; without maps it is 1.
func AllLocalProbability(slots int, mapTime, wait float64, maps int) float64 {
	if maps <= 0 {
		return 1
	}
	q := math.Exp(-float64(slots) * wait / mapTime)
	return math.Exp(float64(maps) * math.Log1p(-q)) // log1p keeps small q exact
}
