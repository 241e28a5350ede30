package sparkreplay

import (
	"os"
	"strings"
	"testing"

	"schedtune/validation/replay"
	"schedtune/validation/testdata"
)

// A damaged run folder costs an error that names a file of it, and no panic.
// SCHEDTUNE_LONG damages recorded runs too, and more.
func TestDamagedFolders(t *testing.T) {
	rounds, dirs := testdata.Cases(500), []string{testdata.Run(t, "spark")}
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		dirs = append(dirs, testdata.Shared(t, "traces/minispark/run-H-mixed"))
	}
	for _, dir := range dirs {
		n := testdata.DamagedFolders(t, dir, 20, rounds, func(dir string) error {
			_, err := Check(t.Context(), []string{dir}, replay.Options{Seed: 1, Replications: 1})
			if err != nil && !strings.Contains(err.Error(), dir) {
				t.Errorf("%v does not name a file", err)
			}
			return err
		})
		t.Logf("%d of %d end in an error", n, rounds)
	}
}
