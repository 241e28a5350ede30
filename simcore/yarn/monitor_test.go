package yarn

import (
	"math"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// readings are those of n rounds a second apart, on the grid of whole seconds.
func readings(m *monitor, n int) []int64 {
	var out []int64
	for i := range n {
		now := simcore.Time(i) * simcore.Second
		out = append(out, int64(now/simcore.Millisecond)+m.reading(now))
	}
	return out
}

// With recorded kills a container whose wait of five rounds is over at a round
// without one waits for the next round, and no longer; where one is recorded it
// is killed.
func TestRecordedKills(t *testing.T) {
	m := monitor{kills: []simcore.Time{7*simcore.Second + 3*simcore.Millisecond, 13 * simcore.Second, 18 * simcore.Second}}
	at := readings(&m, 40)
	due := func(marked, round int) bool { return at[marked]+5000 <= at[round] }
	for _, c := range []struct {
		marked, round int
		want          bool
	}{
		{1, 6, false}, {2, 7, true}, {1, 7, true}, {8, 13, true}, {13, 18, true}, {20, 25, false}, {20, 26, true},
		{30, 35, false}, {30, 36, true},
	} {
		if got := due(c.marked, c.round); got != c.want {
			t.Errorf("marked in round %d, due in round %d: %v, want %v (%d, %d ms)", c.marked, c.round, got, c.want,
				at[c.marked], at[c.round])
		}
	}
}

// Drawn readings are 0, 1 or 2 ms late in the parts of lateReading, so that a kill
// is late with the chance that an earlier draw is the larger; without jitter the
// clock is on the grid.
func TestDrawnReadings(t *testing.T) {
	const n = 20_000
	m := monitor{jitter: true, key: rng.NewKey(7, drawMonitor)}
	at := readings(&m, n)
	count := [3]float64{}
	late := 0.0
	for i := range at {
		count[at[i]-int64(i)*1000]++
		if i >= 5 && at[i]-at[i-5] < 5000 {
			late++
		}
	}
	want := [3]float64{lateReading[0], lateReading[1] - lateReading[0], 1 - lateReading[1]}
	for k := range want {
		if sd := math.Sqrt(want[k] * (1 - want[k]) / n); math.Abs(count[k]/n-want[k]) > 5*sd {
			t.Errorf("%d ms late: %.4f of the readings, want %.4f", k, count[k]/n, want[k])
		}
	}
	chance := want[1]*want[0] + want[2]*(want[0]+want[1])
	if got := late / (n - 5); math.Abs(got-chance) > 0.02 {
		t.Errorf("late: %.4f, want %.4f", got, chance)
	}
	still := monitor{}
	if r := still.reading(simcore.Second); r != 0 {
		t.Errorf("without jitter the clock is %d ms off", r)
	}
}
