// Package accept holds the files that a study writes against Hadoop's own Capacity
// Scheduler.
package accept

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"schedtune/validation/conformance/replay"
	"schedtune/validation/testdata"
)

// TestAccepted: random files that the original loads are present files; random and
// extreme settings of the space that a study of each searches with --params '*' become a
// tuned file, the request of the scheduler-conf API and the rollback, written as --out
// writes them. The original must load the tuned file at its start and in a refresh of the
// present one, must read the request as the change that the files make, must come back to
// the present figures with the rollback, and must report the capacities, maxima, limits
// and states that the evaluation here has.
//
// Needs SCHEDTUNE_RM or SCHEDTUNE_LONG, a JDK 17 and Maven. ACCEPT_FILES is how many files of
// each kind and version (10), ACCEPT_SEED the first seed, ACCEPT_KINDS and ACCEPT_HADOOP what
// and by which versions, ACCEPT_KEEP a folder for the scenarios.
func TestAccepted(t *testing.T) {
	judge := judgeOf(t)
	files, seed := 10, 7_310_000
	number(t, "ACCEPT_FILES", &files)
	number(t, "ACCEPT_SEED", &seed)
	for _, version := range words("ACCEPT_HADOOP", "3.4.1 3.5.0 3.3.6") {
		t.Run(version, func(t *testing.T) {
			n, kinds := files, words("ACCEPT_KINDS", "conf conf-forms vectors first-use partitions modes combined")
			if version == "3.3.6" { // which has neither vectors nor the placement rules of 3.4
				n, kinds = (files+3)/4, words("ACCEPT_KINDS", "conf partitions modes combined")
			}
			t.Logf("%d files of each kind, seeds from %d", n, seed)
			j := &trial{judge: judge, version: version, dir: folder(t, version)}
			for _, kind := range kinds {
				j.draw(t, kind, seed, n)
			}
			j.ask(t)
		})
	}
}

// TestRecordedFiles: what TestAccepted asks of the files themselves, of configurations
// that recordings hold: no point of a space is a file that our rules refuse, that a refresh
// would refuse, that tune check finds an error in, or that request and rollback do not fit.
// One of sixty, with SCHEDTUNE_LONG=15 all; ACCEPT_MORE names further recordings.
func TestRecordedFiles(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.jsonl.gz")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d recordings, error %v", len(paths), err)
	}
	every := max(1, 60/testdata.Cases(4))
	var chosen []*replay.Scenario
	n := 0
	for _, path := range append(paths, words("ACCEPT_MORE", "")...) {
		err := replay.ReadFile(path, func(s *replay.Scenario) error {
			if s.Rejected != nil || s.Of == "fair" {
				return nil
			}
			if n++; n%every == 0 {
				chosen = append(chosen, s)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	j, mu := &trial{}, sync.Mutex{}
	t.Run("files", func(t *testing.T) {
		for _, s := range chosen {
			t.Run(s.Scenario, func(t *testing.T) {
				t.Parallel()
				one := &trial{}
				one.present(t, s)
				mu.Lock()
				defer mu.Unlock()
				j.presents, j.refused, j.still = j.presents+one.presents, j.refused+one.refused, j.still+one.still
				j.points, j.unrefreshed = j.points+one.points, j.unrefreshed+one.unrefreshed
			})
		}
	})
	t.Logf("%d present files (%d that our rules refuse, %d without anything to move, %d that no refresh takes), %d "+
		"tuned ones", j.presents, j.refused, j.still, j.unrefreshed, j.points)
	if j.points < 600 {
		t.Error("too few files were tuned for this to say anything")
	}
}

func number(t *testing.T, name string, n *int) {
	t.Helper()
	if text := os.Getenv(name); text != "" {
		v, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s=%q: allowed: a number", name, text)
		}
		*n = v
	}
}

func words(name, otherwise string) []string {
	if v := os.Getenv(name); v != "" {
		otherwise = v
	}
	return strings.Fields(otherwise)
}

func folder(t *testing.T, version string) string {
	t.Helper()
	keep := os.Getenv("ACCEPT_KEEP")
	if keep == "" {
		return t.TempDir()
	}
	dir := filepath.Join(keep, version)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// judgeOf is the recorder's command, where it can run.
func judgeOf(t *testing.T) string {
	t.Helper()
	if os.Getenv("SCHEDTUNE_RM") == "" && os.Getenv("SCHEDTUNE_LONG") == "" {
		t.Skip("set SCHEDTUNE_RM=1 to have Hadoop's own scheduler load tuned files (JDK 17 and Maven needed)")
	}
	for _, tool := range []string{"java", "javac", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	path, err := filepath.Abs(filepath.Join("..", "judge", "run"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// readAlike compares the changes that the original reads in a request with those that
// stand beside it; "" if they are the same or it was not read.
func readAlike(raw string) string {
	var st struct {
		Conf  map[string]string
		Unset []string
		Out   struct{ Changes map[string]*string }
	}
	if err := json.Unmarshal([]byte(raw), &st); err != nil {
		return err.Error()
	}
	if st.Out.Changes == nil {
		return ""
	}
	got, want := map[string]string{}, maps.Clone(st.Conf)
	for k, v := range st.Out.Changes {
		if got[k] = "(unset)"; v != nil {
			got[k] = *v
		}
	}
	for _, k := range st.Unset {
		want[k] = "(unset)"
	}
	if !maps.Equal(got, want) {
		return fmt.Sprintf("the request is read as %v", got)
	}
	return ""
}

func sameShape(want, got map[string]replay.Shape) string {
	for _, q := range slices.Sorted(maps.Keys(want)) {
		a, err := json.Marshal(want[q])
		if err != nil {
			return err.Error()
		}
		b, err := json.Marshal(got[q])
		if err != nil {
			return err.Error()
		}
		if !bytes.Equal(a, b) {
			return fmt.Sprintf("%s was\n  %s and is\n  %s", q, a, b)
		}
	}
	return ""
}
