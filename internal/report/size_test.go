package report

import (
	"strings"
	"testing"

	"schedtune/internal/study"
)

// A long reason is cut at a word in the table and printed in full below it, once.
func TestSizeFailures(t *testing.T) {
	const long = "trace/: job job_1 of queue root.a waits for ever: its application master asks for 8192 MiB and no " +
		"node of the cluster is as large"
	var b strings.Builder
	PrintSize(&b, &study.Report{Present: 4, Steps: []study.Step{{Nodes: 3, Failed: long}, {Nodes: 2, Failed: long},
		{Nodes: 1, Failed: "the workload does not run on it"}}})
	table, below, _ := strings.Cut(b.String(), "\n\n3 nodes: ")
	for _, line := range strings.Split(table, "\n") {
		if len(line) > 100 || strings.HasSuffix(line, " ") {
			t.Errorf("got line %q, want at most 100 columns and no blank at its end", line)
		}
	}
	if strings.Count(table, "job job_1 of queue root.a waits for ever: its…\n") != 2 ||
		!strings.Contains(table, "the workload does not run on it") {
		t.Errorf("got table %s, want two shortened reasons", table)
	}
	if text := strings.ReplaceAll(below, "\n", " "); !strings.HasPrefix(text, long+"  evaluated on") {
		t.Errorf("got %s, want the reason in full", below)
	}
}
