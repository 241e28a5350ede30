package replay

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"schedtune/internal/fileio"
	"schedtune/validation/testdata"
)

// kinds of recorded scenarios, in the order in which one builds on another.
var kinds = []string{"single", "queues", "users", "locality", "admission", "reservation", "dominant", "fair",
	"priority", "modes", "refresh", "nodes", "preemption", "mix", "conf",
	"async", "async-preempt", "labels", "labels-async", "labels-preempt", "multinode", "multinode-async", "autoqueue",
	"flexible", "lazy", "underutilized", "conf-modern",
	"3.5.0/async", "3.5.0/async-preempt", "3.5.0/labels", "3.5.0/labels-async", "3.5.0/labels-preempt", "3.5.0/multinode",
	"3.5.0/multinode-async", "3.5.0/autoqueue", "3.5.0/flexible", "3.5.0/conf-modern"}

// TestRecorded holds the scheduler against the recorded scenarios of the reference
// material: every fourth, and all with SCHEDTUNE_LONG.
func TestRecorded(t *testing.T) {
	for _, k := range kinds {
		t.Run(k, func(t *testing.T) {
			t.Parallel()
			scenarios, steps, bad := 0, 0, 0
			path := testdata.Shared(t, "yarn-oracle", k+".jsonl.gz")
			err := read(path, some(t, path, testdata.Cases(4)), func(s *Scenario) error {
				scenarios++
				d, n := Play(s)
				steps += n
				if d != nil {
					bad++
					if bad <= 8 {
						t.Errorf("%v", d)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d scenarios, %d steps agree, %d scenarios differ", scenarios, steps, bad)
		})
	}
}

// some are the lines of n of every four scenarios of a file: those of the others need not be parsed.
func some(t *testing.T, path string, n int) io.Reader {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := fileio.OpenText(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	scenario := -1
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(`{"scenario"`)) {
			scenario++
		}
		if scenario%4 < n {
			kept.Write(line)
		}
	}
	return &kept
}

// TestSelection holds the schedulers against the committed selection, so that a plain
// clone is judged too: as recorded, and without the beats that Pending calls idle.
func TestSelection(t *testing.T) {
	eachRecorded(t, func(t *testing.T, s *Scenario) {
		for _, play := range []struct {
			how string
			opt Options
		}{{"as recorded", Options{}}, {"without idle beats", Options{SkipIdle: true}}} {
			if d, _ := PlayWith(s, play.opt); d != nil {
				t.Errorf("%s: %v", play.how, d)
				return
			}
		}
	})
}

// eachRecorded calls f with every scenario of the committed selection, or of
// the whole reference material with -long, several files at a time.
func eachRecorded(t *testing.T, f func(*testing.T, *Scenario)) {
	paths, err := filepath.Glob("../testdata/*.jsonl.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded scenarios: %v", err)
	}
	if *long {
		for _, k := range kinds {
			paths = append(paths, testdata.Shared(t, "yarn-oracle", k+".jsonl.gz"))
		}
	}
	for _, p := range paths {
		t.Run(filepath.Base(p), func(t *testing.T) {
			t.Parallel()
			err := ReadFile(p, func(s *Scenario) error {
				f(t, s)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

var long = flag.Bool("long", os.Getenv("SCHEDTUNE_LONG") != "", "play the whole reference material")
