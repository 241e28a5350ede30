package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"schedtune/internal/fileio"
)

// pending is a file that is written beside its place, so that it is never incomplete, not even
// after a power failure. For a link, the target is written. A device or a named pipe is written
// directly.
type pending struct {
	*os.File
	path, target string // target is empty for a device or a pipe
}

// create begins a file.
func create(path string) (*pending, error) {
	p := &pending{path: path, target: path}
	var err error
	if is, fault := os.Stat(path); fault == nil && !is.Mode().IsRegular() {
		p.target = ""
		p.File, err = os.OpenFile(path, os.O_WRONLY, 0)
	} else {
		if at, err := filepath.EvalSymlinks(path); err == nil {
			p.target = at
		}
		p.File, err = os.CreateTemp(filepath.Dir(p.target), "."+filepath.Base(p.target)+".*")
	}
	if err != nil {
		return nil, unwritable(path, err)
	}
	return p, nil
}

// end puts the file in its place, or removes it after an error.
func (p *pending) end(err error) error {
	if p.target == "" {
		if err = errors.Join(err, p.Close()); err != nil {
			return unwritable(p.path, err)
		}
		return nil
	}
	err = errors.Join(err, p.Chmod(0o644), p.Sync(), p.Close())
	if err == nil {
		err = os.Rename(p.Name(), p.target)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.path, errors.Join(err, os.Remove(p.Name())))
	}
	return nil
}

// writeFile writes a file as pending does.
func writeFile(path string, write func(io.Writer) error) error {
	p, err := create(path)
	if err != nil {
		return err
	}
	return p.end(write(p))
}

// unwritable returns an error that names the requested file, not the temporary one.
func unwritable(path string, err error) error {
	return &fileio.FileError{File: path, Reason: "cannot be written: " + fileio.Cause(err), Err: err}
}

func writeBytes(path string, data []byte) error {
	return writeFile(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}
