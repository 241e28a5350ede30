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
	args := []string{"compare", "--dataset", "default-1", "--schedulers", "fifo,coupling:threshold=3,beta=0.5,fair",
		"--replications", "2", "--quiet"}
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
		"fifo, native, fair":             {"--schedulers", "nope"},
		"a number from 0 to 1":           {"--schedulers", "fair:slowstart=7"},
		"must be all or one of makespan": {"--metric", "nope"},
		`--replications "0"`:             {"--replications", "0"},
		`"nope": must be one of`:         {"--dataset", "nope"},
	} {
		if _, stderr := must(t, 2, append([]string{"compare"}, args...)...); !strings.Contains(stderr, want) {
			t.Errorf("%v: %q, want %q", args, stderr, want)
		}
	}
}
