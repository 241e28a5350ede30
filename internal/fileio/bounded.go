package fileio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Common sizes, in bytes.
const (
	Small = 16 << 20  // models, calibrations, certificates, lists of rates
	Table = 128 << 20 // tables and documents of a recorded run
	Large = 1 << 30   // saved models, which hold every job they were made from
)

// openWait is how long a pipe may have no writer, and idleWait how long one with
// a writer may say nothing.
var (
	openWait = 5 * time.Second
	idleWait = 5 * time.Minute
)

// Open opens a file for reading. A pipe that nobody writes to is given up after
// five seconds, one that says nothing for five minutes too. Errors say what is
// allowed; they unwrap to those of package os.
func OpenBounded(path string) (*BoundedFile, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is a folder: must be a file")}
	case info.Mode()&fs.ModeSocket != 0:
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is a socket: must be a file")}
	case info.Mode()&fs.ModeNamedPipe == 0:
		f, err := os.Open(path)
		return &BoundedFile{File: f}, err
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path) // returns when there is a writer
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return &BoundedFile{File: o.f, pipe: true}, o.err
	case <-time.After(openWait):
		go func() {
			if o := <-done; o.f != nil {
				o.f.Close()
			}
		}()
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("is a pipe that nobody has written to for %s",
			openWait)}
	}
}

// File is a file opened for reading.
type BoundedFile struct {
	*os.File
	pipe bool
}

// Read reads as os.File does; a pipe has a limit of time.
func (f *BoundedFile) Read(p []byte) (int, error) {
	if f.pipe {
		_ = f.SetReadDeadline(time.Now().Add(idleWait)) // a pipe without deadlines has no limit
	}
	n, err := f.File.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = &fs.PathError{Op: "read", Path: f.Name(), Err: fmt.Errorf("is a pipe from which nothing came for %s", idleWait)}
	}
	return n, err
}

// SizeError is more input than is allowed.
type SizeError struct{ Most int64 }

func (e *SizeError) Error() string {
	if e.Most < 1<<20 {
		return fmt.Sprintf("is larger than %d KiB", e.Most>>10)
	}
	return fmt.Sprintf("is larger than %d MiB", e.Most>>20)
}

// ReadFile reads a file of at most so many bytes. Errors name the file.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := OpenBounded(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := ReadAll(f, most)
	var size *SizeError
	if errors.As(err, &size) {
		err = &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, err
}

// ReadAll reads at most so many bytes; more are a SizeError.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	return io.ReadAll(Reader(r, most))
}

// Reader passes at most so many bytes on, and then fails with a SizeError.
func Reader(r io.Reader, most int64) io.Reader { return &reader{r, most, most} }

type reader struct {
	r          io.Reader
	left, most int64
}

func (r *reader) Read(p []byte) (int, error) {
	if int64(len(p)) > r.left+1 {
		p = p[:r.left+1]
	}
	n, err := r.r.Read(p)
	if int64(n) > r.left {
		n, err = int(r.left), &SizeError{r.most}
	}
	r.left -= int64(n)
	return n, err
}

// LongLine is the error of a scanner whose line limit was reached, with the limit
// in it; others stay as they are.
func LongLine(err error, most int) error {
	if errors.Is(err, bufio.ErrTooLong) || errors.Is(err, bufio.ErrBufferFull) {
		return fmt.Errorf("the line is longer than %d MiB", most>>20)
	}
	return err
}

// Exists reports whether a path can be looked at.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
