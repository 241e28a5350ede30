package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"schedtune/internal/fileio"
)

// writeFile writes a file through a temporary one beside it, so that it is never incomplete,
// not even after a power failure. For a link, the target is written. A device or a named
// pipe is written directly.
func writeFile(path string, write func(io.Writer) error) error {
	target := path
	if at, err := filepath.EvalSymlinks(path); err == nil {
		target = at
	}
	if is, err := os.Stat(path); err == nil && !is.Mode().IsRegular() {
		return writeThrough(path, write)
	}
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return unwritable(path, err)
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// writeThrough writes to a device or a pipe.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		return unwritable(path, err)
	}
	return nil
}

// unwritable returns an error that names the requested file, not the temporary one.
func unwritable(path string, err error) error {
	return &fileio.FileError{File: path, Reason: "cannot be written: " + fileio.Cause(err), Err: err}
}

func writeBytes(path string, data []byte) error {
	return writeFile(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}
