package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"schedtune/internal/cli"
)

// A study that is interrupted before the current configuration has a result ends
// as interrupted, says so, and leaves no folder behind.
func TestInterruptedEarly(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := newRootCmd(&env{Name: "tune", Stdout: &stdout, Stderr: &stderr})
	root.SetArgs([]string{"--objective", "makespan", "--out", out})
	err := root.ExecuteContext(ctx)
	if !errors.Is(err, cli.ErrInterrupted) {
		t.Errorf("error %v, want that of an interruption", err)
	}
	for _, name := range []string{out, out + ".partial"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}
