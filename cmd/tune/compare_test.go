package main

import (
	"strings"
	"testing"
)

// Three schedulers on the default set, as text and as JSON.
func TestCompare(t *testing.T) {
	args := []string{"compare", "--dataset", "default-1", "--schedulers", "fifo,coupling:threshold=3,beta=0.5,fair",
		"--replications", "2", "--quiet"}
	out, _ := must(t, 0, args...)
	for _, want := range []string{"88 jobs on 20 nodes", "coupling:threshold=3,beta=0.5", "against fifo", "makespan"} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
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
