package timeofday

import (
	"context"
	"os"
	"testing"
	"time"

	"schedtune/internal/simulate"
	"schedtune/internal/study"
	"schedtune/simcore"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Seeds: the rule was designed with one and is judged with the other.
const (
	designSeed = 20263
	judgeSeed  = 90117
)

// known is the simulator as its own judge: generated histories are run by it.
var known tune.ModelError

// request asks for the gain on the days held out, with the queues protected.
func request(switches []Switch, budget int) Request {
	return Request{Zone: time.UTC, Begins: begins, Switches: switches, Objective: "mean-completion",
		Constraints: []string{study.Protection(5)},
		Params:      []string{yarnconf.MaximumCapacity, yarnconf.Capacity, yarnconf.UserFactor, yarnconf.OrderingPolicy},
		Budget:      budget, Replications: 2, Seed: 1, Workers: 2}
}

// dayAndNight are the switch times that the worlds are made with.
func dayAndNight() []Switch { return []Switch{{Everyday, 8 * 60, 0}, {Everyday, 20 * 60, 1}} }

// TestPlantedWorld: what the worlds are made for is so. Two files, 63 by day and 100 at
// night, serve the jobs better than every single maximum that keeps batch within 5 % of
// the present 100; and in a calm world they gain next to nothing.
func TestPlantedWorld(t *testing.T) {
	t.Parallel()
	for _, kind := range []rhythm{planted, calm} {
		w := newWorld(judgeSeed, 1, kind, 8)
		c := w.inputsOf(queueFile(t, "100"))
		r, err := simulate.New(c, simulate.Options{Jitter: simulate.Replications()})
		if err != nil {
			t.Fatal(err)
		}
		measure := func(it simulate.Item) (all, batch float64) {
			it.Slowstart, it.Seed = -1, 5
			res, err := r.Run(t.Context(), it)
			if err != nil {
				t.Fatal(err)
			}

			return simulate.Value(res, "mean-completion"), simulate.Value(res, "queue.batch.mean-completion")
		}
		most := func(v string) []yarnconf.Change {
			return []yarnconf.Change{{Key: yarnconf.Key("root.batch", yarnconf.MaximumCapacity), Value: v}}
		}
		now, nowBatch := measure(simulate.Item{})
		best := now
		for _, v := range []string{"50", "57", "63", "70", "80", "90", "95"} {
			all, batch := measure(simulate.Item{Changes: most(v)})
			t.Logf("kind %d, maximum %s all day: mean completion %.0f s, %.3f of the present; batch %.3f", kind, v, all,
				all/now, batch/nowBatch)
			if batch <= 1.05*nowBatch {
				best = min(best, all)
			}
		}
		s, err := NewSchedule(time.UTC, dayAndNight())
		if err != nil {
			t.Fatal(err)
		}
		it := simulate.Item{}
		it.Changes, it.Refresh = s.Refresh(monday, [][]yarnconf.Change{most("63"), most("100")})
		all, batch := measure(it)
		t.Logf("kind %d, 63 by day and 100 at night: %.0f s, %.3f of the present, %.3f of the best single; batch %.3f", kind,
			all, all/now, all/best, batch/nowBatch)
		switch {
		case batch > 1.05*nowBatch:
			t.Errorf("kind %d: batch gets %.1f %% worse with two files; want at most 5", kind, 100*(batch/nowBatch-1))
		case kind == planted && all > 0.95*best:
			t.Errorf("two files bring %.3f of the best single; want 0.95 at most", all/best)
		case kind == calm && all < 0.99*best:
			t.Errorf("two files bring %.3f of the best single in a calm world; want 0.99 at least", all/best)
		}
	}
}

// TestSwitchTakesEffect: what a refresh brings holds from its instant on, for containers to
// come: those that run stay.
func TestSwitchTakesEffect(t *testing.T) {
	w := newWorld(judgeSeed, 2, planted, 2)
	c := w.inputsOf(queueFile(t, "100"))
	r, err := simulate.New(c, simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	half := []yarnconf.Change{{Key: yarnconf.Key("root.batch", yarnconf.MaximumCapacity), Value: "50"}}
	// From 21:00 to 23:00 of the first day batch may have half of the cluster. Tasks
	// last ten minutes, so that at 22:30 it has no more than 16 containers, and 32 at
	// 20:50 and at 23:50.
	at := func(after simcore.Time) (simcore.Time, []yarnconf.Change) {
		switch {
		case after < 21*simcore.Hour:
			return 21 * simcore.Hour, half
		case after < 23*simcore.Hour:
			return 23 * simcore.Hour, nil
		}
		return simcore.Never, nil
	}
	held, seen := 0, map[simcore.Time]int{}
	marks := []simcore.Time{21*simcore.Hour - 10*simcore.Minute, 22*simcore.Hour + 30*simcore.Minute, 23*simcore.Hour +
		50*simcore.Minute}
	_, err = r.Run(t.Context(), simulate.Item{Slowstart: -1, Seed: 3, Refresh: at, Watch: func(ch simulate.Change) {
		for _, m := range marks {
			if _, ok := seen[m]; !ok && ch.At > m {
				seen[m] = held
			}
		}
		if c.Work.Jobs[ch.Job].Queue == 1 {
			held += ch.Delta
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := [3]int{seen[marks[0]], seen[marks[1]], seen[marks[2]]}; got != [3]int{32, 16, 32} {
		t.Errorf("batch holds %v containers before, while and after its maximum is 50 %%; want 32, 16, 32", got)
	}
}

// find runs the whole procedure on a world.
func find(t *testing.T, w *world, switches []Switch, budget int) *Report {
	t.Helper()
	r, _, err := findCase(context.Background(), w.inputsOf(queueFile(t, "100")), request(switches, budget), known)
	if err != nil {
		t.Fatal(err)
	}
	g := r.Gain
	if g == nil {
		g = &Gain{}
	}
	t.Logf("%s | rhythm p %.4f, switches %v | over %s %.3f [%.3f, %.3f] recommended %v", r.Verdict,
		r.Rhythm.Daily, r.Switches, g.Over, g.Mean, g.Low, g.High, r.Recommended)
	return r
}

// TestPlantedRhythmIsFound: with the times to be found, two files are recommended, and
// the switch times are those of the world within two hours.
func TestPlantedRhythmIsFound(t *testing.T) {
	t.Parallel()
	worlds, days, budget, least := 1, 12, 240, 1
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		worlds, days, budget, least = 10, 28, 500, 9
	}
	found := 0
	for i := range uint64(worlds) {
		r := find(t, newWorld(judgeSeed, 100+i, planted, days), nil, budget)
		if r.Recommended {
			found++
		}
	}
	t.Logf("%d of %d planted worlds: two files recommended", found, worlds)
	if found < least {
		t.Errorf("%d of %d found; want %d", found, worlds, least)
	}
}

// TestNothingIsClaimed: without a rhythm, with one that moves from day to day, and with
// one by which nothing can be gained, the gain of two files must not be claimed in more
// than 5 %. The switch times are given, so that the interval alone decides.
func TestNothingIsClaimed(t *testing.T) {
	t.Parallel()
	worlds, days, budget, most := 1, 10, 80, 0
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		worlds, days, budget, most = 20, 21, 300, 3 // more than 3 of 20 at 5 %: probability 0.016
	}
	for _, kind := range []rhythm{flat, drift, calm} {
		claimed := 0
		for i := range uint64(worlds) {
			if find(t, newWorld(judgeSeed, 1000*uint64(kind)+i, kind, days), dayAndNight(), budget).Recommended {
				claimed++
			}
		}
		t.Logf("kind %d: %d of %d claimed", kind, claimed, worlds)
		if claimed > most {
			t.Errorf("kind %d: %d of %d worlds claimed: must be %d", kind, claimed, worlds, most)
		}
	}
}
