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
	for _, want := range []string{fmt.Sprintf("tuned configuration: %v nodes meet the limits", tuned["nodes"]),
		"queue.root.batch.mean-completion <= present + 5 %", fmt.Sprintf("the configuration for %v nodes", tuned["nodes"])} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	files := folder(t, out)
	if files["summary.json"] != doc || !strings.Contains(files[study.FileConfig], "yarn.scheduler.capacity.root.queues") {
		t.Errorf("the folder has %q, and --json printed %q", files["summary.json"], doc)
	}
}
