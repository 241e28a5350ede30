package timeofday

import (
	"fmt"
	"math"
	"os"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// arrivals draws days of a bag of jobs in two queues by hourly rates; turned rotates
// each day by hours of its own.
func arrivals(key rng.Key, days int, rate func(day, hour int) float64, turned bool) *simcore.Workload {
	w := &simcore.Workload{Name: "arrivals", Queues: []string{"root.a", "root.b"}, Users: []string{"u"}}
	for d := range days {
		k := key.At(uint64(d))
		shift := 0
		if turned {
			shift = k.IntN(99, 24)
		}
		for h := range 24 {
			// A burst now and then fills some hours, of any four, as in real traces.
			r := rate(d, (h+shift)%24) * math.Exp(0.8*k.Norm(uint64((h+k.IntN(98, 4))/4)))
			for n := range int(r) {
				j := simcore.Job{ID: fmt.Sprint(d, h, n), Queue: int32(n % 2), Maps: 1, FirstTask: int32(len(w.Tasks.Duration)),
					MapAsk: simcore.Vec{1024, 1},
					Submit: simcore.Time(d*24+h)*simcore.Hour + simcore.Time(n)*simcore.Second}
				w.Tasks.Duration = append(w.Tasks.Duration, simcore.Seconds(20*math.Exp(k.At(5).Norm(uint64(h*1000+n)))))
				w.Jobs = append(w.Jobs, j)
			}
		}
	}
	return w
}

// rhythmOf tests all days of arrivals.
func rhythmOf(w *simcore.Workload, seed uint64) *Rhythm {
	c := Clock{monday}
	return c.findRhythm(w, c.days(w), seed)
}

// TestRhythmLevel: of histories without a rhythm, flat ones and ones whose days have a
// shape that starts at any hour, the test finds a daily rhythm in 5 %: of 24 in 5
// at most, of 400 in 36 (probabilities 0.001 at 5 %). With one it finds it in all.
func TestRhythmLevel(t *testing.T) {
	histories, most := 24, 5
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		histories, most = 400, 36
	}
	day := func(_, h int) float64 {
		if h >= 8 && h < 20 {
			return 8
		}
		return 2
	}
	for _, c := range []struct {
		name        string
		rate        func(day, hour int) float64
		turned      bool
		least, most int
	}{
		{"flat", func(int, int) float64 { return 4 }, false, 0, most},
		{"turned", day, true, 0, most},
		{"daily", day, false, histories - 1, histories},
	} {
		t.Run(c.name, func(t *testing.T) {
			daily, n := 0, histories
			for i := range n {
				r := rhythmOf(arrivals(rng.NewKey(judgeSeed, uint64(i)), 14, c.rate, c.turned), 1)
				if r.Daily <= Level {
					daily++
				}
			}
			t.Logf("%s, seed %d: daily rhythm in %d of %d", c.name, judgeSeed, daily, n)
			if daily < c.least || daily > c.most {
				t.Errorf("%s: daily rhythm in %d; want %d to %d", c.name, daily, c.least, c.most)
			}
		})
	}
}

// TestProposal: the switch times are those at which the demand changes, with and without days of rest.
func TestProposal(t *testing.T) {
	rate := func(d, h int) float64 {
		if h >= 7 && h < 19 && d%7 < 5 {
			return 12
		}
		return 2
	}
	r := rhythmOf(arrivals(rng.NewKey(judgeSeed, 7), 28, rate, false), 1)
	got := r.propose()
	if len(got) != 2 || got[0].Days != Everyday || abs(got[0].Minute-7*60) > 60 || abs(got[1].Minute-19*60) > 60 {
		t.Errorf("proposed %v with p %.4f; want 07:00 and 19:00 to an hour", got, r.Daily)
	}
	all := func(_, h int) float64 {
		if h >= 22 || h < 6 {
			return 12
		}
		return 2
	}
	r = rhythmOf(arrivals(rng.NewKey(judgeSeed, 8), 28, all, false), 1)
	got = r.propose()
	if len(got) != 2 || got[0].Days != Everyday || abs(got[0].Minute-22*60) > 60 || abs(got[1].Minute-6*60) > 60 {
		t.Errorf("proposed %v; want 22:00 and 06:00 to an hour, every day", got)
	}
}

func abs(x int) int { return max(x, -x) }

// TestDays: whole days only, every other one held out, whatever the zone.
func TestDays(t *testing.T) {
	w := arrivals(rng.NewKey(1, 1), 6, func(int, int) float64 { return 20 }, false)
	c := Clock{monday}
	days := c.days(w)
	if len(days) != 6 {
		t.Fatalf("%d days; want 6", len(days))
	}
	jobs := 0
	for i, d := range days {
		if d.HeldOut != (i%2 == 1) || d.To-d.From != 24*simcore.Hour || d.First >= d.Last {
			t.Errorf("day %d: %+v", i, d)
		}
		jobs += d.Last - d.First
		for k := d.First; k < d.Last; k++ {
			if at := w.Jobs[k].Submit; at < d.From || at >= d.To {
				t.Errorf("day %d has a job at %v", i, at)
			}
		}
	}
	if jobs != len(w.Jobs) {
		t.Errorf("%d of %d jobs in days", jobs, len(w.Jobs))
	}
	// In Tokyo the trace begins at 09:00: the first and the last day are not whole.
	tokyo := Clock{monday.In(mustZone(t, "Asia/Tokyo"))}
	if n := len(tokyo.days(w)); n != 5 {
		t.Errorf("%d whole days in Tokyo; want 5", n)
	}
}

// TestDaySpan: a day with the six hours before it, of which only the day counts.
func TestDaySpan(t *testing.T) {
	w := arrivals(rng.NewKey(1, 1), 3, func(int, int) float64 { return 2 }, false)
	d := (Clock{monday}).days(w)[1]
	s := daySpan(w, &d)
	if s.begin < d.From-lead || s.begin >= d.From {
		t.Errorf("begins at %v for a day from %v", s.begin, d.From)
	}
	if n := s.to[0] - s.from[0]; n != d.Last-d.First {
		t.Errorf("%d jobs count; want %d", n, d.Last-d.First)
	}
	if first := s.work.Jobs[s.from[0]].Submit + s.begin; first != w.Jobs[d.First].Submit {
		t.Errorf("the first job that counts is at %v; want %v", first, w.Jobs[d.First].Submit)
	}
}
