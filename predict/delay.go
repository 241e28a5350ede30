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

// AllLocalProbability returns the probability that delay scheduling launches all maps of a
// job where its input lies, however many slots elsewhere are free (Coupling, equation 2):
//
//	p_s = (1 - exp(-s mu T))^N
//
// slots is the number of map slots with local data (s), mapTime the mean map time in
// seconds (1/mu), above 0, wait the delay in seconds (T), maps the number of maps (N);
// without maps it is 1.
func AllLocalProbability(slots int, mapTime, wait float64, maps int) float64 {
	if maps <= 0 {
		return 1
	}
	q := math.Exp(-float64(slots) * wait / mapTime)
	return math.Exp(float64(maps) * math.Log1p(-q)) // log1p keeps small q exact
}
