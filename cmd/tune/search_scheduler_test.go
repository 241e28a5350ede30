package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A study of a scheduler's parameters writes what it prints, as text and as JSON, and leaves the
// result of another command alone.
func TestSchedulerOut(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	args := func(scheduler string) []string {
		return []string{"--scheduler", scheduler, "--dataset", "coupling-two-greps", "--budget", "20", "--quiet", "--out",
			out}
	}
	code, stdout, stderr := command(t, args("delay")...)
	if files := folder(t, out); code != 0 || files["summary.txt"] != stdout ||
		!strings.Contains(files["summary.json"], "schedtune/tune-scheduler/v2") {
		t.Errorf("exit %d, %s: got %v, want summary.txt with %q and summary.json", code, stderr, files, stdout)
	}
	if code, _, stderr := command(t, args("fifo")...); code != 1 || !strings.Contains(stderr, "another command") {
		t.Errorf("another scheduler: exit %d, %q, want 1 and the folder named", code, stderr)
	}
}
