package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recorded run and its replay are drawn side by side; names of no form, and
// what cannot be replayed container by container, are refused.
func TestReplayTracks(t *testing.T) {
	const folder = "../internal/testdata/runs/mapreduce"
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	must(t, 0, "replay", folder, "--replications", "1", "--perfetto", path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"recorded: queue ", "replayed: queue "} {
		if !bytes.Contains(b, []byte(label)) {
			t.Errorf("no group %q", label)
		}
	}
	for _, c := range []struct{ from, to, want string }{
		{folder, "r.txt", "--perfetto: "},
		{"-", "x.json", "one folder of a recorded MapReduce run"},
	} {
		if _, log := must(t, 2, "replay", c.from, "--perfetto", filepath.Join(dir, c.to)); !strings.Contains(log, c.want) {
			t.Errorf("replay %s into %s: error %q, want %q", c.from, c.to, log, c.want)
		}
	}
}
