package fileio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeString writes a file by WriteFile.
func writeString(t *testing.T, path, text string) {
	t.Helper()
	if err := WriteBytes(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// A file is there as a whole or as it was; a link stays a link.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	writeString(t, file, "one")
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	writeString(t, link, "two")
	if is, err := os.Lstat(link); err != nil || is.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", is.Mode(), err)
	}
	fault := errors.New("fault")
	err := WriteFile(file, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return fault
	})
	if !errors.Is(err, fault) || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v; want the fault with the file's name", err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "two" {
		t.Errorf("the file holds %q, %v; want what was written before the fault", got, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("%d files are left, want 2", len(left))
	}
}

// A file keeps its mode when it is written again.
func TestWriteFileKeepsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, mode := range []os.FileMode{0o600, 0o640} {
		if err := errors.Join(os.WriteFile(path, nil, mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		writeString(t, path, "text")
		if is, err := os.Stat(path); err != nil || is.Mode().Perm() != mode {
			t.Errorf("got %v, %v, want %v", is.Mode(), err, mode)
		}
	}
}

// A folder that is not there is named by the file's own name alone.
func TestWriteFileInNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "x.csv")
	err := WriteBytes(path, nil)
	if want := path + ": cannot be written: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// What is no regular file is written and not replaced by one.
func TestWriteDevice(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/proc/self/fd/%d", w.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("no names of open files on this system")
	}
	writeString(t, path, "text")
	_ = w.Close()
	if got, err := io.ReadAll(r); err != nil || string(got) != "text" {
		t.Errorf("the pipe has %q, %v", got, err)
	}
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no full device on this system")
	}
	if err := WriteBytes(full, []byte("text")); err == nil || !strings.Contains(err.Error(), full) {
		t.Errorf("error %v; want one that names %s", err, full)
	}
	if is, err := os.Stat(full); err != nil || is.Mode().IsRegular() {
		t.Errorf("%s is a regular file now", full)
	}
}
