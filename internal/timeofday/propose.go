package timeofday

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// leastPart is the least length, in hours, of a part of the day that is proposed.
const leastPart = 3

// propose proposes two switch times from a rhythm: the two parts of the day between
// which the mean hourly demand of the queues differs most, that is whose sum of
// squares within is least (a circle cut in two). Where weekends are unlike workdays the
// parts are those of workdays, and weekends stay with the part that they resemble; with
// the first part at no time: a weekend like a working day is one. It returns nil
// without a rhythm.
func (r *Rhythm) propose() []Switch {
	if r.Daily > Level {
		return nil
	}
	profiles, weekend := r.compared()
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
	days := Everyday
	if r.Weekend <= Level && weekend != nil && likeSecond(profiles, weekend, from, to) {
		days = Workdays
	}
	return []Switch{{days, from * 60, 0}, {days, to * 60, 1}}
}

// compared are the profiles of the queues that have a rhythm, the clearest first, each
// in parts of its deviation over the day, and those of weekends on the same scale.
func (r *Rhythm) compared() (profiles, weekend [][hours]float64) {
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
		scaled := func(x *[hours]float64) (out [hours]float64) {
			for h := range x {
				out[h] = (x[h] - mean) / sd
			}
			return out
		}
		profiles = append(profiles, scaled(&q.Profile))
		if q.Weekend != nil {
			weekend = append(weekend, scaled(q.Weekend))
		}
	}
	return profiles, weekend
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

// likeSecond reports whether the first part's hours on weekends are nearer to the
// second part of workdays than to the first.
func likeSecond(profiles, weekend [][hours]float64, a, b int) bool {
	toFirst, toSecond := 0.0, 0.0
	for i := range weekend {
		first, second := means(profiles[i], a, b)
		now, _ := means(weekend[i], a, b)
		toFirst += (now - first) * (now - first)
		toSecond += (now - second) * (now - second)
	}
	return toSecond < toFirst
}
