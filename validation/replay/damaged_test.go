package replay

import (
	"os"
	"testing"

	"schedtune/validation/testdata"
)

// A damaged run folder costs an error and no panic. SCHEDTUNE_LONG damages
// recorded runs too, and more.
func TestDamagedFolders(t *testing.T) {
	rounds, dirs := testdata.Cases(500), []string{smallRun(t, "n1", 3000, nil)}
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		dirs = append(dirs, testdata.Shared(t, "traces/minimr/run-01-A-ss005"))
	}
	for _, dir := range dirs {
		testdata.DamagedFolders(t, dir, 11, rounds, func(dir string) error {
			_, err := checkOne(t, dir, Options{Seed: 1, Replications: 1})
			return err
		})
	}
}
