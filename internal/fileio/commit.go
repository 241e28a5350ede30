package fileio

import (
	"maps"
	"slices"

	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Commit puts the folder in its place; an older one of ours is replaced. On an
// error the folder under way stays, complete, and so does the older one.
func (d *Dir) Commit() error {
	var names []string
	err := waitFinished(filepath.Join(d.final, recordName))
	if err == nil {
		names, err = d.finish()
	}
	if err == nil {
		err = d.replace()
	}
	if err != nil {
		return fmt.Errorf("%w; the result is kept in %s", err, d.partial)
	}
	err = errors.Join(removeFiles(d.final, names), removeOurs(filepath.Join(d.final, previous)))
	return errors.Join(err, d.rec.remove(filepath.Join(d.final, recordName)))
}

// finishing is how long a process may take to clear up after its folder is in
// its place.
const finishing = 10 * time.Second

// waitFinished waits for a process that has just put an older folder into its
// place and still removes what that one replaced: it holds the lock of the record
// in it. No other can begin meanwhile, since this process has the folder under
// way.
func waitFinished(path string) error {
	for end := time.Now().Add(finishing); ; time.Sleep(2 * time.Millisecond) {
		f, err := os.Open(path)
		if err != nil {
			return nil // no record: it has ended
		}
		held, err := TryLock(f)
		f.Close()
		if !held || err != nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: another process has been removing files there for %v", filepath.Dir(path), finishing)
		}
	}
}

// finish checks both folders again, writes the list of files and brings all to
// the disk. It returns what is to be removed after the folder is in its place.
func (d *Dir) finish() (drop []string, err error) {
	if err := d.checkFinal(); err != nil {
		return nil, err
	}
	if err := d.checkPartial(); err != nil {
		return nil, err
	}
	if err := d.rec.file(Sums); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Path(Sums), cause(err))
	}
	var keep []string
	for _, name := range d.rec.names() {
		switch {
		case d.drop[name]:
			drop = append(drop, name)
		case name != Sums:
			keep = append(keep, name)
		}
	}
	if err := removeEmpty(d.Path(tmpName)); err != nil {
		return nil, err
	}
	sums, err := sumFiles(d.partial, keep)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(d.Path(Sums), sums, 0o666); err != nil {
		return nil, err
	}
	return drop, syncFile(d.Path(Sums))
}

// replace swaps the folders: the older one goes into the new one, and the new
// one takes its name.
func (d *Dir) replace() error {
	old := filepath.Join(d.partial, previous)
	err := os.Rename(d.final, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(d.partial, d.final); err != nil {
		_ = os.Rename(old, d.final) // put the older one back; Open tries again if that fails
		return err
	}
	_ = syncFile(filepath.Dir(d.final)) // some file systems do not sync folders
	return nil
}

// removeOurs removes a folder of ours, file by file as it lists them. What it
// does not list stays, with the folder.
func removeOurs(dir string) error {
	if removeEmpty(dir) == nil { // empty, or nothing
		return nil
	}
	names, err := listed(dir)
	if err != nil {
		return err
	}
	if err := removeOurs(filepath.Join(dir, previous)); err != nil {
		return err
	}
	if err := removeFiles(dir, append(slices.Sorted(maps.Keys(names)), Sums, recordName, tmpName)); err != nil {
		return err
	}
	if err := removeEmpty(dir); err != nil {
		return fmt.Errorf("%s: it still has files that this program did not write", dir)
	}
	return nil
}

// removeFiles removes files and the folders below dir that this empties.
func removeFiles(dir string, names []string) error {
	var errs []error
	for _, name := range names {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		for p = filepath.Dir(p); p != dir && os.Remove(p) == nil; p = filepath.Dir(p) {
		}
	}
	return errors.Join(errs...)
}

// removeEmpty removes a file, or a folder that is empty, or nothing.
func removeEmpty(dir string) error {
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
