package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"schedtune/internal/study"
)

// The folder holds the queue file of the size found, and in its summary what --json
// prints; without a limit that of --protect holds, which is said.
func TestSize(t *testing.T) {
	out := filepath.Join(t.TempDir(), "smaller")
	args := append([]string{"size"}, small("--budget", "20", "--check", "2", "--nodes", "2,4")...)
	text, _ := must(t, 0, append(args, "--out", out)...)
	doc, _ := must(t, 0, append(args, "--json")...)
	m := object(t, doc)
	tuned, _ := m["tuned"].(map[string]any)
	if m["schema"] != "schedtune/size/v1" || m["present_nodes"] != 4.0 || tuned == nil {
		t.Fatalf("%v", m)
	}
	for _, want := range []string{fmt.Sprintf("with a tuned file: %v nodes keep the limits", tuned["nodes"]), "queue.root.batch.mean-completion <= present + 5 %", fmt.Sprintf("the queue file for %v nodes", tuned["nodes"])} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	files := folder(t, out)
	if files["summary.json"] != doc || !strings.Contains(files[study.FileConfig], "yarn.scheduler.capacity.root.queues") {
		t.Errorf("the folder has %q, and --json printed %q", files["summary.json"], doc)
	}
}

// A long reason stands short in the table, cut at a word, and whole below it, once; a
// short one in the table alone.
func TestSizeFailures(t *testing.T) {
	const long = "trace/: job job_1 of queue root.a waits for ever: its application master asks for 8192 MiB and no node of the cluster is as large"
	var b strings.Builder
	printSize(&b, &study.Report{Present: 4, Steps: []study.Step{{Nodes: 3, Failed: long}, {Nodes: 2, Failed: long}, {Nodes: 1, Failed: "the workload does not run on it"}}})
	table, below, _ := strings.Cut(b.String(), "\n\n3 nodes: ")
	for _, line := range strings.Split(table, "\n") {
		if len(line) > 100 || strings.HasSuffix(line, " ") {
			t.Errorf("%q", line)
		}
	}
	if strings.Count(table, "job job_1 of queue root.a waits for ever: its…\n") != 2 || !strings.Contains(table, "the workload does not run on it") {
		t.Error(table)
	}
	if text := strings.ReplaceAll(below, "\n", " "); !strings.HasPrefix(text, long+"  judged on") {
		t.Error(below)
	}
}
