package replay

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/testdata"
)

// damage changes a text at random: a cell, a row, a byte, or its end.
func damage(r *rand.Rand, text []byte) []byte {
	lines := bytes.SplitAfter(slices.Clone(text), []byte("\n"))
	i := r.IntN(len(lines))
	switch r.IntN(8) {
	case 0: // a row goes
		lines = slices.Delete(lines, i, i+1)
	case 1: // a row comes twice, later
		lines = slices.Insert(lines, r.IntN(len(lines)+1), lines[i])
	case 2: // cut
		return text[:r.IntN(len(text)+1)]
	case 3: // a byte
		if len(text) > 0 {
			out := slices.Clone(text)
			out[r.IntN(len(out))] = byte(r.UintN(256))
			return out
		}
	case 4: // two rows change places
		k := r.IntN(len(lines))
		lines[i], lines[k] = lines[k], lines[i]
	default: // a cell
		cells := bytes.Split(lines[i], []byte(","))
		bad := []string{"", "0", "-1", "1e300", "NaN", "Infinity", "9223372036854775807", "-9223372036854775808", "no such", "job_1_0002", "container_1_0001_01_000009", "n9", "attempt_1_0001_m_999999_0", "task_1_0001_m_999999", "AM", "MAP", "REDUCE", "\x1b[31m"}
		k := r.IntN(len(cells))
		cells[k] = []byte(bad[r.IntN(len(bad))])
		if k == len(cells)-1 {
			cells[k] = append(cells[k], '\n')
		}
		lines[i] = bytes.Join(cells, []byte(","))
	}
	return bytes.Join(lines, nil)
}

// A damaged run folder costs an error and no panic. SCHEDTUNE_LONG=1 damages
// recorded runs too, and more.
func TestDamagedFolders(t *testing.T) {
	rounds, dirs := 400, []string{smallRun(t, "n1", 3000, nil)}
	if os.Getenv("SCHEDTUNE_LONG") != "" {
		rounds = 5000
		dirs = append(dirs, testdata.Shared(t, "traces/minimr/run-01-A-ss005"))
	}
	const seed = 11
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, dir := range dirs {
		files := map[string][]byte{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if data, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil && !strings.HasSuffix(e.Name(), ".gz") {
				files[e.Name()] = data
			}
		}
		names := slices.Sorted(maps.Keys(files))
		out := filepath.Join(t.TempDir(), "run")
		for range rounds {
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(out, 0o777); err != nil {
				t.Fatal(err)
			}
			var what []string
			changed := maps.Clone(files)
			for range 1 + r.IntN(3) {
				name := names[r.IntN(len(names))]
				changed[name] = damage(r, changed[name])
				what = append(what, name)
			}
			for name, data := range changed {
				if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if text := panicOf(func() { _, _ = Check(out, Options{Seed: 1, Replications: 1}) }); text != "" {
				t.Fatalf("%v damaged: %s", what, text)
			}
		}
	}
}

// panicOf returns what a call panicked with, with the place.
func panicOf(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("%v\n%s", v, debug.Stack())
		}
	}()
	f()
	return ""
}
