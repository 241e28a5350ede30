package timeofday

import (
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat"

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

// Rhythm is what a workload's demand does with the time of day and of the week.
type Rhythm struct {
	Queues []QueueRhythm `json:"queues"`
	// Daily is the p-value of a daily rhythm of any queue, Weekend that of weekends
	// unlike workdays; 1 where there are too few days to tell.
	Daily   float64 `json:"daily_p"`
	Weekend float64 `json:"weekend_p"`
	Days    int     `json:"days"` // the tests saw
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
	// Weekend is the same on Saturdays and Sundays; nil where none was seen.
	Weekend *[hours]float64 `json:"weekend_profile"`
}

// Purposes of the permutations.
const (
	drawShift  = 0x7368696674
	drawLabels = 0x6c6162656c
)

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

// findRhythm tests whether the demand by queue has a daily rhythm on the given days,
// and whether weekends are unlike workdays.
//
// Daily: of each day the discrete Fourier coefficients of the logarithm of the hourly
// demand at 24 hours and three harmonics are added up; if they have the same phase
// every day the sum is long (the periodogram of the joined days at these
// frequencies). The null distribution comes from turning every day by a number of
// hours of its own, drawn evenly: that keeps what a day looks like, bursts and hours
// that resemble their neighbours, and takes away only where it stands on the clock.
// All queues turn together, and each is compared with the largest figure of all of
// them (P. Westfall and S. Young, "Resampling-based multiple testing", 1993).
//
// Weekend: the squared distance between the mean profiles of weekends and of workdays,
// against the same with the labels dealt anew.
func (c Clock) findRhythm(w *simcore.Workload, days []Day, seed uint64) *Rhythm {
	r := &Rhythm{Daily: 1, Weekend: 1, Days: len(days), Queues: []QueueRhythm{}}
	all := c.demands(w, days)
	if len(days) < 3 || len(all) == 0 {
		return r
	}
	spectra := make([][][harmonics]complex128, len(all))
	for q := range all {
		spectra[q] = spectrum(all[q].x)
		k := QueueRhythm{Queue: w.Queues[all[q].queue], Coherence: coherence(spectra[q], nil), P: 1,
			Profile: all[q].profile(days, false)}
		if p := all[q].profile(days, true); weekends(days) > 0 {
			k.Weekend = &p
		}
		r.Queues = append(r.Queues, k)
	}
	r.daily(spectra, rng.NewKey(seed, drawShift))
	r.weekend(all, days, rng.NewKey(seed, drawLabels))
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

// weekend fills the p-value of weekends unlike workdays.
func (r *Rhythm) weekend(all []series, days []Day, key rng.Key) {
	label := make([]bool, len(days))
	for d := range days {
		label[d] = days[d].weekend()
	}
	if n := weekends(days); n < 2 || len(days)-n < 3 {
		return
	}
	variance := variances(all)
	found, beyond := apart(all, label, variance), 0
	for i := range uint64(permutations) {
		k := key.At(i)
		for d := len(label) - 1; d > 0; d-- { // Fisher and Yates
			o := k.IntN(uint64(d), d+1)
			label[d], label[o] = label[o], label[d]
		}
		if apart(all, label, variance) >= found-1e-12 {
			beyond++
		}
	}
	r.Weekend = float64(1+beyond) / (permutations + 1)
}

// variances are those of the queues' demand over all hours.
func variances(all []series) []float64 {
	out := make([]float64, len(all))
	for q := range all {
		var flat []float64
		for d := range all[q].x {
			flat = append(flat, all[q].x[d][:]...)
		}
		out[q] = max(stat.Variance(flat, nil), 1e-12)
	}
	return out
}

// apart is the squared distance between the mean profiles of two kinds of days, each
// queue in parts of its variance.
func apart(all []series, label []bool, variance []float64) float64 {
	total := 0.0
	for q := range all {
		sum, n := [2][hours]float64{}, [2]float64{}
		for d := range label {
			k := 0
			if label[d] {
				k = 1
			}
			n[k]++
			for h, v := range all[q].x[d] {
				sum[k][h] += v
			}
		}
		for h := range hours {
			diff := sum[0][h]/n[0] - sum[1][h]/n[1]
			total += diff * diff / variance[q]
		}
	}
	return total
}

func weekends(days []Day) int {
	n := 0
	for i := range days {
		if days[i].weekend() {
			n++
		}
	}
	return n
}

// profile is the mean demand by hour on weekends or on all other days, in parts of
// the mean hour of all.
func (s *series) profile(days []Day, weekend bool) (out [hours]float64) {
	n, mean := 0.0, s.mean()
	for d := range days {
		if days[d].weekend() != weekend {
			continue
		}
		n++
		for h, v := range s.raw[d] {
			out[h] += v / mean
		}
	}
	for h := range out {
		out[h] /= max(n, 1)
	}
	return out
}
