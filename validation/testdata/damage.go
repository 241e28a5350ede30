package testdata

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
)

// DamagedFolders gives a function copies of a folder in which one to three files
// are damaged at random; the function may find faults but must not panic. Files
// in folders below and packed ones stay away. It returns how often check reported
// an error.
func DamagedFolders(t *testing.T, dir string, seed uint64, rounds int, check func(dir string) error) (errors int) {
	t.Helper()
	t.Logf("%s, seed %d", dir, seed)
	r := rand.New(rand.NewPCG(seed, 1))
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
	for round := range rounds {
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
		err, text := panicOf(func() error { return check(out) })
		if text != "" {
			t.Fatalf("round %d, %v damaged: %s", round, what, text)
		}
		if err != nil {
			errors++
		}
	}
	return errors
}

// panicOf returns the error of a call, or what it panicked with and where.
func panicOf(f func() error) (err error, text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("%v\n%s", v, debug.Stack())
		}
	}()
	return f(), ""
}

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
		bad := []string{"", "0", "-1", "1e300", "NaN", "Infinity", "9223372036854775807", "-9223372036854775808", "no such",
			"job_1_0002", "container_1_0001_01_000009", "n9", "attempt_1_0001_m_999999_0", "task_1_0001_m_999999", "AM", "MAP",
			"REDUCE", "\x1b[31m"}
		k := r.IntN(len(cells))
		cells[k] = []byte(bad[r.IntN(len(bad))])
		if k == len(cells)-1 {
			cells[k] = append(cells[k], '\n')
		}
		lines[i] = bytes.Join(cells, []byte(","))
	}
	return bytes.Join(lines, nil)
}
