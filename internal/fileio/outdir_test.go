package fileio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := OpenOutput(path, "test")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func write(t *testing.T, d *Dir, name, text string) {
	t.Helper()
	if err := d.WriteFile(name, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Nothing is at the final place before Commit, all of it afterwards, and no
// folder is left beside it.
func TestAppearsAsAWhole(t *testing.T) {
	parent := t.TempDir()
	final := filepath.Join(parent, "out")
	d := open(t, final)
	write(t, d, Marker, "1")
	write(t, d, "plots/a.svg", "a")
	if _, err := os.Stat(final); !os.IsNotExist(err) {
		t.Fatalf("%s is there before Commit (%v)", final, err)
	}
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(final, "plots", "a.svg")); got != "a" {
		t.Errorf("plots/a.svg holds %q", got)
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("%d entries beside the folder, want the folder alone", len(entries))
	}
}

// ours is what the marker of every folder of this program holds.
const ours = `{"schema": "schedtune/test/v1"}`

// A second run replaces the first: no file of the first stays.
func TestReplacesOurs(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	for _, name := range []string{"first", "second"} {
		d := open(t, final)
		write(t, d, Marker, ours+name)
		write(t, d, name, name)
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, filepath.Join(final, Marker)); got != ours+"second" {
		t.Errorf("%s holds %q", Marker, got)
	}
	if _, err := os.Stat(filepath.Join(final, "first")); !os.IsNotExist(err) {
		t.Errorf("a file of the first run is still there (%v)", err)
	}
}

// What a killed run left can be continued; Reset starts afresh; Discard leaves
// nothing.
func TestPartialFolder(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	d := open(t, final)
	write(t, d, "trials.jsonl", "half")
	d.Close()
	d = open(t, final)
	if got := read(t, d.Path("trials.jsonl")); got != "half" {
		t.Errorf("the earlier log holds %q", got)
	}
	if err := d.Reset(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.Path("trials.jsonl")); !os.IsNotExist(err) {
		t.Errorf("the log is there after Reset (%v)", err)
	}
	d.made = true // as in the call that began it
	if err := d.Discard(); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(final)); len(entries) != 0 {
		t.Errorf("%d entries are left after Discard", len(entries))
	}
}

// Folders and files of others are refused and left as they are.
func TestNotOurs(t *testing.T) {
	parent := t.TempDir()
	file, folder := filepath.Join(parent, "file"), filepath.Join(parent, "folder")
	if err := os.WriteFile(file, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{{file, "is a file"}, {folder, "is not empty"},
		{filepath.Join(file, "below"), "can't be"}} {
		if _, err := OpenOutput(c.path, "test"); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "use ") {
			t.Errorf("Open(%s) = %v, want %q and what is allowed", c.path, err, c.want)
		}
	}
	if got := read(t, filepath.Join(folder, "notes.txt")); got != "theirs" {
		t.Errorf("notes.txt holds %q", got)
	}
}

// The working directory is not replaced under the shell that is in it.
func TestWorkingDirectory(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	if err := os.MkdirAll(filepath.Join(final, "below"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ here, path string }{{final, "."}, {final, final}, {filepath.Join(final, "below"), ".."}} {
		t.Chdir(c.here)
		if _, err := OpenOutput(c.path, "test"); err == nil || !strings.Contains(err.Error(), "working directory") {
			t.Errorf("%s in %s: %v, want it refused", c.path, c.here, err)
		}
	}
	t.Chdir(final)
	if err := open(t, "study").Discard(); err != nil { // the way out
		t.Error(err)
	}
}

// A folder that is there already keeps its mode, with setgid, through every result.
func TestKeepsMode(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	mode := os.ModeDir | os.ModeSetgid | 0o750
	if err := os.Mkdir(final, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(final, mode); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d := open(t, final)
		write(t, d, Marker, ours)
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(final); err != nil || info.Mode() != mode {
			t.Errorf("mode %v (%v), want %v", info.Mode(), err, mode)
		}
	}
}

// A mount point is refused before anything is computed.
func TestMountPoint(t *testing.T) {
	if !mounted("/proc") {
		t.Skip("mount points are not known here")
	}
	if _, err := OpenOutput("/proc", "test"); err == nil || !strings.Contains(err.Error(), "/proc/study") {
		t.Errorf("%v, want it refused with the way out", err)
	}
}

// A summary.json of another program does not make a folder ours, and a folder
// with the record of an applied change is kept.
func TestKept(t *testing.T) {
	for _, c := range []struct{ summary, other, want string }{
		{`{"total": 3}`, "notes.txt", "was not written by this program"},
		{ours, Applied, "rollback"},
	} {
		final := filepath.Join(t.TempDir(), "out")
		if err := os.Mkdir(final, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{Marker: c.summary, c.other: "x"} {
			if err := os.WriteFile(filepath.Join(final, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := OpenOutput(final, "test"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.other, err)
		}
	}
}
