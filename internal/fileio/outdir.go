package fileio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Dir writes a folder of results so that nobody ever sees half of
// one, and so that nothing is lost that this program did not write: files go
// into DIR.partial, which is renamed to DIR at the end.
//
// The folder under way holds a record of who works on it and of every file
// that was begun in it; the finished one holds the SHA-256 of its files. What
// neither names belongs to somebody else, and a folder with such a thing in it
// is refused, neither moved nor removed. One process at a time works on a
// folder: the record is locked, and the system gives the lock back when the
// process dies.

// Marker is the file every folder of ours has; it names a schema of this
// program.
const Marker = "summary.json"

// Applied is the record of a change that was made to a cluster. A folder with it
// holds the rollback and is never replaced.
const Applied = "applied.json"

// Sums is the list of a finished folder's files with their SHA-256, in the form
// sha256sum -c reads.
const Sums = "SHA256SUMS"

// tmpName is a file that is being written.
const tmpName = ".schedtune.tmp"

// previous is where the folder that is being replaced stands for the moment
// between two renames.
const previous = ".previous"

// Dir is an output folder under way. Its methods are not for several goroutines
// at a time.
type Dir struct {
	final, partial string
	rec            *record
	made           bool            // the folder under way did not exist before
	mine           map[string]bool // files this call created
	drop           map[string]bool // files that are not for the finished folder
}

// Open prepares the folder beside path. kind is the command it is for, such as
// "tune". What an earlier, killed run of the same command left is kept, so that
// its log can be resumed. Errors: path exists and is not one of ours or can't be
// written; another process works on it; it holds an unfinished run of another
// command; something in it is not ours.
func OpenOutput(path, kind string) (*Dir, error) {
	full, err := filepath.Abs(path) // "." has no name to put ".partial" after
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if to, err := filepath.EvalSymlinks(full); err == nil {
		full = to // a link to a folder stays a link
	}
	if err := exchangeable(path, full); err != nil {
		return nil, err
	}
	d := &Dir{final: full, partial: full + ".partial", mine: map[string]bool{}, drop: map[string]bool{}}
	if err := lasting(d.checkFinal); err != nil {
		return nil, err
	}
	if err := d.begin(path, kind); err != nil {
		return nil, err
	}
	if err := d.putBack(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// exchangeable returns an error for an existing folder that no other can take the place of.
func exchangeable(path, full string) error {
	here, err := os.Getwd()
	if rel, fault := filepath.Rel(full, here); err == nil && fault == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("%s: is or contains the working directory, and would be replaced; use a folder in it, "+
			"such as %s", path, filepath.Join(path, "study"))
	}
	if mounted(full) {
		return fmt.Errorf("%s: is a mount point and cannot be replaced by a new folder; use a folder in it, such as %s",
			path, filepath.Join(path, "study"))
	}
	return nil
}

// lasting returns the error of a look at a folder that another process may be replacing or
// removing meanwhile, so that a fault counts only if it lasts.
func lasting(look func() error) (err error) {
	for range 6 {
		if err = look(); err == nil {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// begin makes or enters the folder under way and takes its lock.
func (d *Dir) begin(path, kind string) error {
	for range 10 { // another process may finish or give up between two steps
		made, err := mkdir(d.partial)
		if err != nil {
			return fmt.Errorf("%s: can't be written (%w), where results are kept until complete; use a folder in a place "+
				"where you may write, such as %s", d.partial, cause(err), filepath.Join(path, "study"))
		}
		if _, err := os.Stat(d.final); made && err == nil {
			err := alike(d.partial, d.final)
			if err != nil {
				_ = removeEmpty(d.partial) // another process may have it by now
			}
			switch {
			case errors.Is(err, fs.ErrNotExist): // another process is exchanging the folder
				continue
			case err != nil:
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		if !made {
			if err := lasting(d.checkUnlocked); err != nil {
				return err
			}
		}
		d.rec, err = openRecord(filepath.Join(d.partial, recordName))
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errGone):
			continue
		case err != nil && made:
			_ = removeEmpty(d.partial) // another process may have it by now
			return fmt.Errorf("%s: %w", d.partial, err)
		case err != nil:
			return fmt.Errorf("%s: %w", d.partial, err)
		}
		if err := d.checkPartial(); err != nil { // a file of ours is always in the record first
			return errors.Join(err, d.rec.close())
		}
		d.made = made || d.rec.kind == ""
		if d.rec.kind != "" && d.rec.kind != kind {
			err := fmt.Errorf("%s: holds an unfinished run of %s; finish it by that command, remove it, or use another folder",
				d.partial, d.rec.kind)
			return errors.Join(err, d.rec.close())
		}
		if err := d.rec.add(recordLine{Schema: recordSchema, Kind: kind, PID: os.Getpid(),
			Start: time.Now().UTC().Format(time.RFC3339)}); err != nil {
			return errors.Join(fmt.Errorf("%s: can't be written (%w)", d.partial, cause(err)), d.Discard())
		}
		return nil
	}
	return fmt.Errorf("%s: is created and removed by other processes; use a folder of one process at a time", d.partial)
}

// mkdir makes a folder and its parents and says whether it is new.
func mkdir(path string) (made bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return false, err
	}
	err = os.Mkdir(path, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// putBack undoes the first half of a Commit that was killed.
func (d *Dir) putBack() error {
	old := filepath.Join(d.partial, previous)
	if _, err := os.Lstat(old); err != nil {
		return nil
	}
	if _, err := os.Lstat(d.final); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(old, d.final)
	}
	return fmt.Errorf("both %s and %s exist; the second is from an earlier run: remove or rename one", d.final, old)
}

// Partial returns the path of the folder under way.
func (d *Dir) Partial() string { return d.partial }

// Path returns the place of a file inside the folder under way, for reading.
func (d *Dir) Path(name string) string { return filepath.Join(d.partial, filepath.FromSlash(name)) }

// Earlier reads a file of the folder that Commit will replace.
func (d *Dir) Earlier(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(d.final, filepath.FromSlash(name)))
}

// Create returns the place of a file that the caller is about to write, and
// makes its parents.
func (d *Dir) Create(name string) (string, error) {
	p := d.Path(name)
	if _, err := os.Lstat(p); errors.Is(err, fs.ErrNotExist) {
		d.mine[name] = true
	}
	if err := d.rec.file(name); err != nil {
		return "", fmt.Errorf("%s: %w", p, cause(err))
	}
	return p, os.MkdirAll(filepath.Dir(p), 0o777)
}

// WriteFile writes one file (with its parents) into the folder under way. A run
// that is killed meanwhile leaves no half of it.
func (d *Dir) WriteFile(name string, data []byte) error {
	return d.write(OutputFile{Name: name, Data: data})
}

func (d *Dir) write(file OutputFile) error {
	p, err := d.Create(file.Name)
	if err != nil {
		return err
	}
	tmp := d.Path(tmpName)
	f, err := os.Create(tmp)
	if err == nil {
		w := bufio.NewWriterSize(f, 1<<16)
		if file.Write == nil {
			_, err = w.Write(file.Data)
		} else {
			err = file.Write(w)
		}
		err = errors.Join(err, w.Flush(), f.Close())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: can't be written (%w)", p, cause(err)), removeEmpty(tmp))
	}
	return os.Rename(tmp, p)
}

// OutputFile is a file of a folder.
type OutputFile struct {
	Name  string // with slashes
	Data  []byte
	Write func(io.Writer) error // if not nil, writes the data, which may be too large to be held
}

// WriteAll writes files in their order.
func (d *Dir) WriteAll(files []OutputFile) error {
	for _, f := range files {
		if err := d.write(f); err != nil {
			return err
		}
	}
	return nil
}

// Publish is WriteAll and Commit of a folder with these files alone: what an earlier run
// of the same command left in the folder under way is removed first.
func (d *Dir) Publish(files []OutputFile) error {
	if err := d.Reset(); err != nil {
		return err
	}
	if err := d.WriteAll(files); err != nil {
		return err
	}
	return d.Commit()
}

// Drop leaves a file out of the finished folder. Until then it stays, so that a
// Commit that fails can be repeated.
func (d *Dir) Drop(name string) { d.drop[name] = true }

// Reset removes the files an earlier run of the same command left.
func (d *Dir) Reset() error { return removeFiles(d.partial, d.rec.names()) }

// Discard removes what this call created: the folder under way if it was new,
// else the files in it that were not there before. After Commit and Close it does
// nothing.
func (d *Dir) Discard() error {
	if d.rec.f == nil {
		return nil
	}
	if d.made || len(d.rec.names()) == 0 { // or a process ended before it wrote anything
		err := errors.Join(removeFiles(d.partial, append(d.rec.names(), tmpName)), d.rec.remove(d.rec.path))
		_ = removeEmpty(d.partial) // another process may have it by now
		return err
	}
	return errors.Join(removeFiles(d.partial, append(slices.Sorted(maps.Keys(d.mine)), tmpName)), d.Close())
}

// Close gives the folder under way back as it is, to be taken up by the next
// call. After Commit and Discard it does nothing.
func (d *Dir) Close() error { return d.rec.close() }

func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
