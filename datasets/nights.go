package datasets

import (
	"math"

	"schedtune/internal/rng"
)

// The nights are the nightly batch of the default cluster; nights.md has the recipe.

const (
	nightCount  = 4
	nightSpread = 0.2 // of the logarithm of a stream's sizes, between nights
	nightsSeed  = 21
	// purposeNight is that of the draws of the factors, besides those of default.go.
	purposeNight = 5
)

func nightsSet() *Set {
	b := newWorkloadBuilder()
	for i, f := range flows("nights.csv") {
		stream := func(purpose uint64) rng.Key { return rng.NewKey(nightsSeed, purpose).At(uint64(i)) }
		for n := range uint64(nightCount) {
			size := math.Exp(nightSpread * stream(purposeNight).Norm(n))
			b.addFlow(&f, 24*3600*float64(n), size, stream(purposeArrival).At(n), stream(purposeSize).At(n))
		}
	}
	return b.defaultSet()
}

// flows reads a list of streams.
func flows(name string) (out []flow) {
	for _, r := range list(name) {
		n := make([]float64, len(r))
		for i := 3; i < len(r); i++ {
			n[i] = number(r[i])
		}
		out = append(out, flow{r[0], r[1], r[2], int(n[3]), n[4], n[5], int(n[6]), [2]int{int(n[7]), int(n[8])},
			[2]int{int(n[9]), int(n[10])}, n[11], n[12], n[13], n[14]})
	}
	return out
}
