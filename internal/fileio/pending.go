package fileio

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Pending is a file that is written beside its place, so that it is never incomplete, not even
// after a power failure. For a link, the target is written. A device or a named pipe is written
// directly.
type Pending struct {
	*os.File
	path, target string // target is empty for a device or a pipe
}

// Begin begins a file.
func Begin(path string) (*Pending, error) {
	p := &Pending{path: path, target: path}
	var err error
	if is, fault := os.Stat(path); fault == nil && !is.Mode().IsRegular() {
		p.target = ""
		p.File, err = os.OpenFile(path, os.O_WRONLY, 0)
	} else {
		if at, err := filepath.EvalSymlinks(path); err == nil {
			p.target = at
		}
		beside := fmt.Sprintf(".%s.%d", filepath.Base(p.target), rand.Uint64()) // os.CreateTemp ignores the umask
		p.File, err = os.OpenFile(filepath.Join(filepath.Dir(p.target), beside), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return nil, unwritable(path, err)
	}
	return p, nil
}

// End puts the file in its place, or removes it after an error.
func (p *Pending) End(err error) error {
	if p.target == "" {
		if err = errors.Join(err, p.Close()); err != nil {
			return unwritable(p.path, err)
		}
		return nil
	}
	if old, fault := os.Stat(p.target); err == nil && fault == nil {
		err = p.Chmod(old.Mode().Perm())
	}
	err = errors.Join(err, p.Sync(), p.Close())
	if err == nil {
		err = os.Rename(p.Name(), p.target)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.path, errors.Join(err, os.Remove(p.Name())))
	}
	return nil
}

// WriteFile writes a file as a Pending one.
func WriteFile(path string, write func(io.Writer) error) error {
	p, err := Begin(path)
	if err != nil {
		return err
	}
	return p.End(write(p))
}

// unwritable returns an error that names the requested file, not the temporary one.
func unwritable(path string, err error) error {
	return &FileError{File: path, Reason: "cannot be written: " + Cause(err), Err: err}
}

// WriteBytes is WriteFile of what is held.
func WriteBytes(path string, data []byte) error {
	return WriteFile(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}
