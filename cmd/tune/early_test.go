package main

import (
	"bytes"
	"context"
	"errors"
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

// A signal ends commands that wait for their standard input.
func TestInterruptedReading(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	must(t, cli.ExitOK, append([]string{"plan"}, small("--params", "capacity", "--budget", "20", "--out", out)...)...)
	inputs := []string{"--config", "testdata/small.xml", "--cluster", "testdata/four.yaml", "--trace", "-"}
	for name, args := range map[string][]string{
		"size": append([]string{"size"}, inputs...), "timetable": append([]string{"timetable", "--zone", "UTC"}, inputs...),
		"worker": {"worker", "--study", out + ".partial/study.bin"}, "collect": {"collect", "--out", out},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			r, hold, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer hold.Close()
			c := process(ctx, args...)
			c.Stdin = r
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			r.Close()
			time.Sleep(500 * time.Millisecond) // to where it reads; it is the same before
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait() // the code tells
			if code := c.ProcessState.ExitCode(); code != cli.ExitInterrupted {
				t.Errorf("exit %d, want %d", code, cli.ExitInterrupted)
			}
		})
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
