// Package outdir writes a folder of results so that nobody ever sees half of
// one: files go into DIR.partial, which is renamed to DIR at the end. A folder
// that this program did not write is never touched.
package outdir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Marker is the file that tells our folders from others: all of ours name a
// schema of this program in it.
const Marker = "summary.json"

// Applied is the record of a change that was made to a cluster. A folder with it
// holds the way back and is never replaced.
const Applied = "applied.json"

// Dir is an output folder under way.
type Dir struct {
	final, partial string
}

// Open prepares the folder beside path. A partial folder that an earlier,
// killed run left is kept, so that its log can be resumed; Reset empties it.
// Errors: path exists and is not one of ours, or can't be written.
func Open(path string) (*Dir, error) {
	full, err := filepath.Abs(path) // "." has no name to put ".partial" after
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d := &Dir{final: full, partial: full + ".partial"}
	if err := d.ours(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(d.partial, 0o777); err != nil {
		return nil, fmt.Errorf("%s: can't be written (%w); allowed: a folder in a place where you may write", path, cause(err))
	}
	return d, nil
}

func (d *Dir) ours() error {
	info, err := os.Stat(d.final)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: can't be read (%w); allowed: a new folder or one written by this program", d.final, cause(err))
	case !info.IsDir():
		return fmt.Errorf("%s: is a file; allowed: a new folder or one written by this program", d.final)
	}
	entries, err := os.ReadDir(d.final)
	if err != nil {
		return fmt.Errorf("%s: can't be read (%w); allowed: a new folder or one written by this program", d.final, cause(err))
	}
	if len(entries) == 0 {
		return nil
	}
	if text, err := os.ReadFile(filepath.Join(d.final, Marker)); err != nil || !bytes.Contains(text, []byte(`"schedtune/`)) {
		return fmt.Errorf("%s: is not empty and was not written by this program; allowed: a new folder", d.final)
	}
	if _, err := os.Stat(filepath.Join(d.final, Applied)); err == nil {
		return fmt.Errorf("%s: holds the way back from a change that was applied (%s); allowed: a new folder", d.final, Applied)
	}
	return nil
}

// Path returns the place of a file inside the folder under way.
func (d *Dir) Path(name string) string { return filepath.Join(d.partial, filepath.FromSlash(name)) }

// Earlier reads a file of the folder that Commit will replace.
func (d *Dir) Earlier(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(d.final, filepath.FromSlash(name)))
}

// Reset empties the folder under way.
func (d *Dir) Reset() error {
	if err := os.RemoveAll(d.partial); err != nil {
		return err
	}
	return os.MkdirAll(d.partial, 0o777)
}

// WriteFile writes one file (with its parents) into the folder under way.
func (d *Dir) WriteFile(name string, data []byte) error {
	p := d.Path(name)
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		return err
	}
	return os.WriteFile(p, data, 0o666)
}

// Commit puts the folder in its place; an older one of ours is replaced.
func (d *Dir) Commit() error {
	old := d.final + ".old"
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	err := os.Rename(d.final, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(d.partial, d.final); err != nil {
		_ = os.Rename(old, d.final) // put the older one back
		return err
	}
	return os.RemoveAll(old)
}

// Discard removes the folder under way.
func (d *Dir) Discard() error { return os.RemoveAll(d.partial) }

func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
