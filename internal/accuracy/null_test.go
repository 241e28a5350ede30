package accuracy

import (
	"os"
	"testing"
)

// Seeds: the rule was designed with one and is judged with the other.
const (
	designSeed = 20261
	judgeSeed  = 77003
)

// tally counts advice over generated pairs of periods.
func tally(t *testing.T, seed uint64, pairs int, objective string, hardBefore, hardAfter bool) map[Advice]int {
	t.Helper()
	was, now := queueFile(t, hardBefore), queueFile(t, hardAfter)
	got := map[Advice]int{}
	covered := 0
	for i := range uint64(pairs) {
		b, a, ch := newWorld(seed, i).pairOf(t, was, now)
		r, err := compare(t.Context(), b, a, ch, ChangeOptions{Objective: objective, Seed: 1, Replications: 5})
		if err != nil {
			t.Fatalf("pair %d: %v", i, err)
		}
		got[r.Advice]++
		if r.Gain != nil && r.Gain.Low <= 0 && r.Gain.High >= 0 {
			covered++
		}
		if r.Gain != nil && testing.Verbose() {
			t.Logf("pair %d: gain %+.3f [%+.3f, %+.3f] %s, %d and %d jobs", i, r.Gain.Mean, r.Gain.Low, r.Gain.High, r.Advice,
				r.Before.Compared, r.After.Compared)
		}
	}
	t.Logf("%s, seed %d, %d pairs: %v; %d intervals hold zero", objective, seed, pairs, got, covered)
	return got
}

// Without an effect, under other loads and latencies that the comparison does not
// know, at most one pair in twenty is kept, and one in twenty rolled back (the
// interval leaves 5 % on each side). SCHEDTUNE_LONG=1 judges 200 pairs by
// objective.
func TestNoEffect(t *testing.T) {
	t.Parallel()
	pairs, most := 6, 2 // more than 2 of 6 at 5 %: probability 0.002
	objectives := []string{"mean-completion"}
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		pairs, most = 200, 16 // more than 16 of 200 at 5 %: probability 0.02
		objectives = []string{"mean-completion", "p95-completion", "mean-wait", "makespan"}
	}
	for _, o := range objectives {
		t.Run(o, func(t *testing.T) {
			got := tally(t, judgeSeed, pairs, o, false, false)
			if got[Keep] > most || got[RollBack] > most {
				t.Errorf("%s: %d kept and %d rolled back of %d pairs without an effect: must be %d each", o, got[Keep],
					got[RollBack], pairs, most)
			}
		})
	}
}
