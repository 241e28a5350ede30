package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Three schedulers on the default set, as text, as JSON and into a folder.
func TestCompare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cmp")
	args := []string{"compare", "--dataset", "default", "--schedulers", "fifo,coupling:threshold=3,beta=0.5,fair", "--replications", "2", "--quiet"}
	out, _ := must(t, 0, append(args, "--out", dir)...)
	for _, want := range []string{"88 jobs on 20 nodes", "coupling:threshold=3,beta=0.5", "against fifo", "makespan"} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
	for _, name := range []string{"summary.json", "metrics.csv", "plots/fifo.svg", "plots/fair.svg"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	out, _ = must(t, 0, append(args, "--json")...)
	m := object(t, out)
	if m["baseline"] != "fifo" || len(m["schedulers"].([]any)) != 3 {
		t.Errorf("baseline %v, %d schedulers", m["baseline"], len(m["schedulers"].([]any)))
	}
}

func TestCompareUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"fifo, native, fair":         {"--schedulers", "nope"},
		"numbers from 0 to 1":        {"--schedulers", "fair:slowstart=7"},
		"allowed: all, makespan":     {"--metric", "nope"},
		"--replications: \"0\"":      {"--replications", "0"},
		`"nope" is unknown; allowed`: {"--dataset", "nope"},
	} {
		if _, stderr := must(t, 2, append([]string{"compare"}, args...)...); !strings.Contains(stderr, want) {
			t.Errorf("%v: %q, want %q", args, stderr, want)
		}
	}
}

// Times of one table are all in one unit: 590 s beside 612 s are 9.83 and 10.2
// minutes.
func TestOneUnitInATable(t *testing.T) {
	show := amountsLike(612)
	if got := show(590, "s") + ", " + show(612, "s") + ", " + show(0.5, "share"); got != "9.83 min, 10.2 min, 50 %" {
		t.Error(got)
	}
}

// One minus sign in all of the output: that of scripts.
func TestNumbersOfTheTerminal(t *testing.T) {
	for got, want := range map[string]string{number(-12.3): "-12.3", number(-5e5): "-500k", duration(-90): "-90 s", amountsLike(100)(-7, "s"): "-7 s", amount(-0.2, "share"): "-20 %"} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
