package tune

import (
	"crypto/sha256"
	"slices"
)

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

// generation holds points that were measured on common instances.
type generation struct {
	points []Point
	scores []Score
	block  int        // of shared seeds, or ownBlock
	on     []instance // what they were measured on
}

// memory holds what is remembered of the search.
type memory struct {
	given   []*trial     // the current configuration and the caller's candidates
	recent  []*trial     // each generation's best, the latest last
	history []generation // for the front and the importance of parameters
}

// remember puts a generation's best at the end of the recent ones, each of
// which is there once.
func (m *memory) remember(t *trial) {
	m.recent = append(slices.DeleteFunc(m.recent, func(r *trial) bool { return r == t }), t)
	if len(m.recent) > maxRecent {
		m.recent = slices.Clone(m.recent[1:])
	}
}

// forget keeps the memory of a long study bounded.
func (c *course) forget() {
	c.history = lastOf(c.history, maxHistory)
	if len(c.byKey) <= maxTrials {
		return
	}
	keep := map[settingsKey]*trial{}
	for _, t := range slices.Concat(c.given, c.recent, []*trial{c.incumbent, c.best}) {
		keep[keyOf(t.settings)] = t
	}
	for k, t := range c.byKey {
		if t.gen > c.gen-2*frontEpoch {
			keep[k] = t
		}
	}
	c.byKey = keep
}

// lastOf keeps the last n elements, moving them only now and then.
func lastOf[T any](list []T, n int) []T {
	if len(list) < 2*n {
		return list
	}
	return slices.Clone(list[len(list)-n:])
}
