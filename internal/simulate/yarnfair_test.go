package simulate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/scenario"
)

func writeAllocations(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fair-scheduler.xml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func loadFair(path string) (*Runner, error) {
	return Load(scenario.Files{Dataset: "default-1"}, "", Options{Scheduler: Fair, Allocations: path,
		Jitter: Replications()})
}

// The embedded data set runs under equal weights and under a file; twice the
// same seed gives the same outcome, and a queue held to one application at a
// time makes the run longer.
func TestYARNFair(t *testing.T) {
	makespan := func(path string) float64 {
		s, err := loadFair(path)
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.Run(t.Context(), Item{Slowstart: -1, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Run(t.Context(), Item{Slowstart: -1, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := Value(first, "makespan"), Value(again, "makespan"); a != b {
			t.Errorf("the same seed gives makespans of %g and %g", a, b)
		}
		return Value(first, "makespan")
	}
	equal := makespan("")
	one := makespan(writeAllocations(t, "<allocations><queueMaxAppsDefault>1</queueMaxAppsDefault></allocations>"))
	if one < 1.5*equal {
		t.Errorf("makespan %g s with one application a queue, %g s without limit", one, equal)
	}
}

// A wrong file is refused before any run, with file and place; what the scheduler refuses of each application is
// counted with its limit.
func TestYARNFairRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"<allocations>\n<queue name='a'><weight>heavy</weight></queue></allocations>": "fair-scheduler.xml:2: queue " +
			"root.a: weight",
		"<allocations><queuePlacementPolicy><rule name='reject'/></queuePlacementPolicy></allocations>": "no placement " +
			"rule accepts queue",
		"<allocations><queueMaxResourcesDefault>0 mb, 0 vcores</queueMaxResourcesDefault></allocations>": "may use 0 MiB " +
			"and 0 vcores",
		"<allocations><queue " +
			"name='root'><maxContainerAllocation>memory-mb=100,vcores=1</maxContainerAllocation></queue></allocations>": "application master of",
	} {
		t.Run(text, func(t *testing.T) {
			r, err := loadFair(writeAllocations(t, text))
			got := fmt.Sprint(err)
			if err == nil {
				res, err := r.Run(t.Context(), Item{Slowstart: -1, Seed: 7})
				if err != nil || len(res.Refused) != len(r.Work.Jobs) {
					t.Fatalf("got error %v, want all applications refused", err)
				}
				got = fmt.Sprint(res.Refused)
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %q", text, got, want)
			}
		})
	}
}
