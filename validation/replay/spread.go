package replay

import (
	"math"

	"schedtune/internal/rng"
	"schedtune/internal/stats"
)

// Spread says where recorded makespans lie among those of the replications. A
// few recorded runs are a few draws: where the distribution has a long tail or
// two peaks, their mean may be far from the predicted mean although every one
// of them was predicted.
type Spread struct {
	Recorded []float64 `json:"makespans_recorded_s"` // by recorded run
	// Rank is by recorded run the share of replications with a shorter makespan,
	// equal ones by half: evenly spread over 0 to 1 if the prediction is right.
	Rank []float64 `json:"recorded_ranks"`
	// Chance is how often the mean of as many replications as runs were recorded
	// is at least as far from the predicted mean as the recorded mean.
	Chance float64 `json:"chance_of_error"`
}

const (
	purposeChance = 1
	chanceDraws   = 10000
)

// spreadOf compares recorded makespans with those of replications, which must
// be sorted.
func spreadOf(recorded, spans []float64, seed uint64) Spread {
	s := Spread{Recorded: recorded}
	for _, x := range recorded {
		s.Rank = append(s.Rank, stats.Rank(spans, x))
	}
	centre := stats.Mean(spans)
	off := math.Abs(stats.Mean(recorded)-centre) - 1e-9
	key := rng.NewKey(seed, purposeChance)
	for draw := range uint64(chanceDraws) {
		k, sum := key.At(draw), 0.0
		for i := range recorded {
			sum += spans[k.IntN(uint64(i), len(spans))]
		}
		if math.Abs(sum/float64(len(recorded))-centre) >= off {
			s.Chance += 1.0 / chanceDraws
		}
	}
	return s
}
