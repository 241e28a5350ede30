package main

import (
	"os"
	"strings"
	"testing"
)

// A log that can't be written ends the run: this one of nine years has 560
// million heartbeats.
func TestUnwritableLog(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no full device on this system")
	}
	code, out, log := call("", "simulate", "--dataset", "coshh-facebook", "--scheduler", "native", "--heartbeat-log", full)
	if code != 1 || out != "" || !strings.Contains(log, full) {
		t.Errorf("exit code %d, output %q, log %q; want 1 and the name of the file", code, out, log)
	}
}
