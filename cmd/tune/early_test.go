package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

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

// A signal ends a worker that waits for a line of its input.
func TestInterruptedWorker(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	items, _ := must(t, cli.ExitOK, append([]string{"plan"}, small("--params", "capacity", "--budget", "20", "--out",
		out)...)...)
	in, hold := io.Pipe()
	defer hold.Close()
	done := make(chan int)
	go func() {
		done <- execute([]string{"worker", "--study", out + ".partial/study.bin"}, in, io.Discard, io.Discard)
	}()
	if _, err := io.WriteString(hold, items); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-done:
		if code != cli.ExitInterrupted {
			t.Errorf("exit %d, want %d", code, cli.ExitInterrupted)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the signal ends nothing")
	}
}

// An interrupted run removes the logs that it began.
func TestInterruptedLogs(t *testing.T) {
	dir := t.TempDir()
	begun := func(string) bool { left, err := os.ReadDir(dir); return err == nil && len(left) > 0 }
	code, _ := signalled(t, syscall.SIGTERM, begun, "simulate", "--dataset", "coshh-facebook", "--scheduler", "native",
		"--heartbeat-log", filepath.Join(dir, "log"), "--event-trace", filepath.Join(dir, "events"))
	if code != cli.ExitInterrupted || begun("") {
		t.Errorf("exit %d, files left: %v; want %d and none", code, begun(""), cli.ExitInterrupted)
	}
}
