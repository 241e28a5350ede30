package tune

import "crypto/sha256"

// A study of a million runs must not hold a million configurations. What the
// rest of the search cannot ask for any more is dropped; a configuration that
// comes back after that is a new trial.

// Limits of what a study holds in memory.
const (
	maxTrials  = 1 << 15 // configurations, before old ones are dropped
	maxHistory = 1000    // generations the importance is estimated from
	maxRecent  = 4 * maxContenders
)

// settingsKey identifies settings.
type settingsKey [16]byte

func keyOf(s Settings) settingsKey {
	sum := sha256.Sum256([]byte(s.Key()))
	return settingsKey(sum[:16])
}

// remember puts a generation's best at the end of the recent ones, each of
// which stands there once.
func (d *driver) remember(t *trial) {
	list := d.recent[:0]
	for _, r := range d.recent {
		if r != t {
			list = append(list, r)
		}
	}
	d.recent = append(list, t)
	if len(d.recent) > maxRecent {
		d.recent = append([]*trial(nil), d.recent[1:]...)
	}
}

// forget keeps the memory of a long study bounded.
func (d *driver) forget() {
	d.history = lastOf(d.history, maxHistory)
	if len(d.byKey) <= maxTrials {
		return
	}
	keep := map[settingsKey]*trial{}
	hold := func(ts ...*trial) {
		for _, t := range ts {
			keep[keyOf(t.settings)] = t
		}
	}
	hold(d.given...)
	hold(d.recent...)
	hold(d.incumbent, d.best)
	for k, t := range d.byKey {
		if t.gen > d.gen-2*frontEpoch {
			keep[k] = t
		}
	}
	d.byKey = keep
}

// lastOf keeps the last n elements, moving them only now and then.
func lastOf[T any](list []T, n int) []T {
	if len(list) < 2*n {
		return list
	}
	return append([]T(nil), list[len(list)-n:]...)
}
