package timeofday

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// leastPart is the least length, in hours, of a part of the day that is proposed.
const leastPart = 3

// propose proposes two switch times from a rhythm: the two parts of the day between
// which the mean hourly demand of the queues differs most, that is whose sum of
// squares within is least (a circle cut in two). It returns nil without a rhythm.
func (r *Rhythm) propose() []Switch {
	if r.Daily > Level {
		return nil
	}
	profiles := r.compared()
	best, from, to := -1.0, 0, 0
	for a := range hours {
		for length := leastPart; length <= hours-leastPart; length++ {
			b := (a + length) % hours
			if a > b { // the same cut again
				continue
			}
			if s := between(profiles, a, b); s > best+1e-12 {
				best, from, to = s, a, b
			}
		}
	}
	// The part with more of the rhythm's leading queue comes first.
	if first, second := means(profiles[0], from, to); second > first {
		from, to = to, from
	}
	return []Switch{{Everyday, from * 60, 0}, {Everyday, to * 60, 1}}
}

// compared are the profiles of the queues that have a rhythm, the clearest first, each
// in parts of its deviation over the day.
func (r *Rhythm) compared() (profiles [][hours]float64) {
	queues := slices.DeleteFunc(slices.Clone(r.Queues), func(q QueueRhythm) bool { return q.P > Level })
	lead := 0
	for i := range queues {
		if queues[i].Coherence > queues[lead].Coherence {
			lead = i
		}
	}
	for _, q := range slices.Concat(queues[lead:lead+1], queues[:lead], queues[lead+1:]) {
		mean, sd := stat.MeanStdDev(q.Profile[:], nil)
		if sd == 0 {
			continue
		}
		for h := range q.Profile { // a copy of the queue's
			q.Profile[h] = (q.Profile[h] - mean) / sd
		}
		profiles = append(profiles, q.Profile)
	}
	return profiles
}

// inFirst reports whether an hour is in the part from a to b, which may pass midnight.
func inFirst(h, a, b int) bool {
	if a < b {
		return a <= h && h < b
	}
	return h >= a || h < b
}

// means are those of a profile in both parts.
func means(p [hours]float64, a, b int) (first, second float64) {
	n := 0.0
	for h, v := range p {
		if inFirst(h, a, b) {
			first, n = first+v, n+1
		} else {
			second += v
		}
	}
	return first / n, second / (hours - n)
}

// between is the sum of squares between both parts, over all profiles.
func between(profiles [][hours]float64, a, b int) float64 {
	n := float64((b - a + hours) % hours)
	sum := 0.0
	for _, p := range profiles {
		first, second := means(p, a, b)
		sum += n * (hours - n) / hours * (first - second) * (first - second)
	}
	return sum
}
