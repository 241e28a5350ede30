package timeofday

import (
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"

	"schedtune/internal/rng"
	"schedtune/internal/study"
	"schedtune/simcore"
)

// Hours of a day, and harmonics of 24 hours that the test looks at: periods of 24,
// 12, 8 and 6 hours.
const (
	hours     = 24
	harmonics = 4
)

// Permutations of the tests, and the level at which a rhythm counts as one.
const (
	permutations = 1999
	Level        = 0.05
)

// Rhythm is what a workload's demand does with the time of day.
type Rhythm struct {
	Queues []QueueRhythm `json:"queues"`
	// Daily is the p-value of a daily rhythm of any queue; 1 where there are too few days
	// to tell.
	Daily float64 `json:"daily_p"`
	Days  int     `json:"days"` // the tests saw
}

// QueueRhythm is that of one queue.
type QueueRhythm struct {
	Queue string `json:"queue"`
	// Coherence is the part, 0 to 1, of the demand's power at 24 hours and its first
	// harmonics that has the same phase every day.
	Coherence float64 `json:"coherence"`
	// P is the p-value of it, for all queues together.
	P float64 `json:"p"`
	// Profile is the mean demand by hour of the day in parts of the mean hour.
	Profile [hours]float64 `json:"profile"`
}

// drawShift is the purpose of the permutations.
const drawShift = 0x7368696674

// series is the demand of one queue: by day and hour, memory-seconds submitted.
type series struct {
	queue int32
	raw   [][hours]float64
	x     [][hours]float64 // log(1 + demand / mean)
}

// demands sums up what is submitted by queue, day and hour.
func (c Clock) demands(w *simcore.Workload, days []Day) []series {
	out := make([]series, len(w.Queues))
	for q := range out {
		out[q] = series{int32(q), make([][hours]float64, len(days)), make([][hours]float64, len(days))}
	}
	for d := range days {
		for i := days[d].First; i < days[d].Last; i++ {
			j := &w.Jobs[i]
			out[j.Queue].raw[d][c.At(j.Submit).Hour()] += study.Work(w, j)
		}
	}
	out = slices.DeleteFunc(out, func(s series) bool { return s.mean() == 0 })
	for k := range out {
		mean := out[k].mean()
		for d := range days {
			for h := range hours {
				out[k].x[d][h] = math.Log1p(out[k].raw[d][h] / mean)
			}
		}
	}
	return out
}

func (s *series) mean() float64 {
	sum := 0.0
	for d := range s.raw {
		for _, v := range s.raw[d] {
			sum += v
		}
	}
	return sum / float64(max(1, len(s.raw)*hours))
}

// findRhythm tests whether the demand by queue has a daily rhythm on the given days:
// of each day the discrete Fourier coefficients of the logarithm of the hourly
// demand at 24 hours and three harmonics are added up; if they have the same phase
// every day the sum is long (the periodogram of the joined days at these
// frequencies). The null distribution comes from turning every day by a number of
// hours of its own, drawn evenly: that keeps what a day looks like, bursts and hours
// that resemble their neighbours, and takes away only where it stands on the clock.
// All queues turn together, and each is compared with the largest figure of all of
// them (P. Westfall and S. Young, "Resampling-based multiple testing", 1993).
func (c Clock) findRhythm(w *simcore.Workload, days []Day, seed uint64) *Rhythm {
	r := &Rhythm{Daily: 1, Days: len(days), Queues: []QueueRhythm{}}
	all := c.demands(w, days)
	if len(days) < 3 || len(all) == 0 {
		return r
	}
	spectra := make([][][harmonics]complex128, len(all))
	for q := range all {
		spectra[q] = spectrum(all[q].x)
		r.Queues = append(r.Queues, QueueRhythm{Queue: w.Queues[all[q].queue], Coherence: coherence(spectra[q], nil), P: 1,
			Profile: all[q].profile()})
	}
	r.daily(spectra, rng.NewKey(seed, drawShift))
	return r
}

// spectrum are the coefficients of each day at the harmonics.
func spectrum(x [][hours]float64) [][harmonics]complex128 {
	fft := fourier.NewFFT(hours)
	out := make([][harmonics]complex128, len(x))
	var coefficients []complex128
	for d := range x {
		coefficients = fft.Coefficients(coefficients, x[d][:])
		copy(out[d][:], coefficients[1:])
	}
	return out
}

// roots are the 24th roots of unity, by hours turned.
var roots = func() (r [hours]complex128) {
	for h := range r {
		r[h] = cmplx.Rect(1, -2*math.Pi*float64(h)/hours)
	}
	return r
}()

// coherence is the power of the days' sum over that of the days, which is 1 if all
// are in phase; turned by hours, if given.
func coherence(s [][harmonics]complex128, turn []int) float64 {
	sum, power := [harmonics]complex128{}, 0.0
	for d := range s {
		for k, v := range s[d] {
			power += real(v)*real(v) + imag(v)*imag(v)
			if turn != nil {
				v *= roots[(k+1)*turn[d]%hours]
			}
			sum[k] += v
		}
	}
	total := 0.0
	for _, v := range sum {
		total += real(v)*real(v) + imag(v)*imag(v)
	}
	if power == 0 {
		return 0
	}
	return total / (power * float64(len(s)))
}

// daily fills the p-values of the daily rhythm.
func (r *Rhythm) daily(spectra [][][harmonics]complex128, key rng.Key) {
	beyond := make([]int, len(spectra))
	turn := make([]int, r.Days)
	for i := range uint64(permutations) {
		k := key.At(i)
		for d := range turn {
			turn[d] = k.IntN(uint64(d), hours)
		}
		most := 0.0
		for q := range spectra {
			most = max(most, coherence(spectra[q], turn))
		}
		for q := range spectra {
			if most >= r.Queues[q].Coherence-1e-12 {
				beyond[q]++
			}
		}
	}
	for q := range spectra {
		r.Queues[q].P = float64(1+beyond[q]) / (permutations + 1)
		r.Daily = min(r.Daily, r.Queues[q].P)
	}
}

// profile is the mean demand by hour in parts of the mean hour of all.
func (s *series) profile() (out [hours]float64) {
	scale := s.mean() * float64(len(s.raw))
	for d := range s.raw {
		for h, v := range s.raw[d] {
			out[h] += v / scale
		}
	}
	return out
}
