package replay

import (
	"testing"

	"schedtune/internal/testdata"
)

// kinds of recorded scenarios, in the order in which one builds on another.
var kinds = []string{"single", "queues", "users", "locality", "admission", "reservation", "dominant", "fair", "priority", "modes", "refresh", "nodes", "preemption", "mix", "conf"}

// TestRecorded holds the scheduler against every recorded scenario of the
// reference material.
func TestRecorded(t *testing.T) {
	for _, k := range kinds {
		t.Run(k, func(t *testing.T) {
			t.Parallel()
			scenarios, steps, bad := 0, 0, 0
			err := ReadFile(testdata.Shared(t, "yarn-oracle", k+".jsonl.gz"), func(s *Scenario) error {
				scenarios++
				d, n := Play(s)
				steps += n
				if d != nil {
					bad++
					if bad <= 8 {
						t.Errorf("%v", d)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d scenarios, %d steps agree, %d scenarios differ", scenarios, steps, bad)
		})
	}
}
