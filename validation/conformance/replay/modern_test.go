package replay

import (
	"path/filepath"
	"testing"

	"schedtune/internal/testdata"
)

// TestFlexible holds queue mode without legacy rules against the records of
// both versions.
func TestFlexible(t *testing.T) { playModern(t, "flexible") }

// TestFirstUse holds queues made on first use and placement rules against the
// records of both versions.
func TestFirstUse(t *testing.T) { playModern(t, "autoqueue") }

// playModern plays a kind of both versions.
func playModern(t *testing.T, kind string) {
	for _, dir := range []string{"", "3.5.0"} {
		n, steps, bad := 0, 0, 0
		err := ReadFile(testdata.Shared(t, filepath.Join("yarn-oracle", dir, kind+".jsonl.gz")), func(s *Scenario) error {
			n++
			d, k := Play(s)
			steps += k
			if d != nil {
				bad++
				if bad <= 4 {
					t.Errorf("%v", d)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %s: %d scenarios, %d steps agree, %d scenarios differ", kind, dir, n, steps, bad)
	}
}

// TestModernConfigurations holds what loads, what is refused and the effective
// figures against the records of both versions.
func TestModernConfigurations(t *testing.T) {
	for _, dir := range []string{"", "3.5.0"} {
		t.Run(dir, func(t *testing.T) {
			n, bad := 0, 0
			err := ReadFile(testdata.Shared(t, filepath.Join("yarn-oracle", dir, "conf-modern.jsonl.gz")),
				func(s *Scenario) error {
					n++
					if d, _ := Play(s); d != nil {
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
			t.Logf("%s: %d configurations, %d differ", dir, n, bad)
		})
	}
}
