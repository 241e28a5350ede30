package fileio

import (
	"slices"

	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// checkFinal refuses a final place that is neither free nor a folder of ours
// with nothing else in it.
func (d *Dir) checkFinal() error {
	const allowed = "use a new folder or one written by this program"
	info, err := os.Lstat(d.final)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: can't be read (%w); %s", d.final, cause(err), allowed)
	case !info.IsDir():
		return fmt.Errorf("%s: is a file; %s", d.final, allowed)
	}
	entries, err := os.ReadDir(d.final)
	if err != nil {
		return fmt.Errorf("%s: can't be read (%w); %s", d.final, cause(err), allowed)
	}
	if len(entries) == 0 {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(d.final, Marker))
	if err != nil || !bytes.Contains(text, []byte(`"schedtune/`)) {
		return fmt.Errorf("%s: is not empty and was not written by this program; use a new folder", d.final)
	}
	if _, err := os.Lstat(filepath.Join(d.final, Applied)); err == nil {
		return fmt.Errorf("%s: holds the rollback of a change that was applied (%s); rename it, or use a new folder", d.final,
			Applied)
	}
	names, err := listed(d.final)
	if err != nil {
		return err
	}
	return foreign(d.final, names, previous)
}

// checkUnlocked refuses a folder under way that has no record and is not empty,
// before anything is written into it.
func (d *Dir) checkUnlocked() error {
	info, err := os.Lstat(d.partial)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return fmt.Errorf("%s: is not a folder, but the results are written there first; move it away, or use "+
			"another folder", d.partial)
	}
	entries, err := os.ReadDir(d.partial)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: can't be read (%w)", d.partial, cause(err))
	}
	if _, err := os.Lstat(filepath.Join(d.partial, recordName)); err == nil || len(entries) == 0 {
		return nil
	}
	return foreign(d.partial, nil, "")
}

// checkPartial refuses a folder under way with anything in it that neither an
// earlier run nor this one began.
func (d *Dir) checkPartial() error {
	names, err := recorded(filepath.Join(d.partial, recordName))
	if err != nil {
		return err
	}
	return foreign(d.partial, names, previous)
}

// ownNames are files of this package.
var ownNames = map[string]bool{Sums: true, recordName: true, tmpName: true}

// foreign returns an error that names the first thing in a folder that is
// neither listed nor the record itself.
func foreign(dir string, names map[string]bool, except string) error {
	parents := map[string]bool{".": true}
	for name := range names {
		for p := filepath.Dir(filepath.FromSlash(name)); !parents[p]; p = filepath.Dir(p) {
			parents[p] = true
		}
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process has just finished with it
		}
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path) // path lies below dir
		name := filepath.ToSlash(rel)
		switch {
		case e.IsDir() && name == except:
			return fs.SkipDir
		case e.IsDir() && parents[rel], e.Type().IsRegular() && (names[name] || ownNames[name]):
			return nil
		}
		return fmt.Errorf("%s: was not written there by this program; move it away, or use another folder for the results",
			path)
	})
}

// listed returns what a finished folder lists as its own. A folder whose Commit
// was killed at its end has the record still, which counts too. Errors: the list
// is missing or unreadable, or a listed file was changed.
func listed(dir string) (map[string]bool, error) {
	names, err := recorded(filepath.Join(dir, recordName))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, Sums)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: has no readable %s, so files of this program cannot be told from others; use a "+
			"new folder", dir, Sums)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		sum, name, ok := strings.Cut(line, "  ")
		if !ok || !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%s:%d: must be a hash and a file name; use a new folder", path, i+1)
		}
		names[name] = true
		got, err := sumFile(filepath.Join(dir, filepath.FromSlash(name)), false)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if got != sum {
			return nil, fmt.Errorf("%s: was changed after this program had written it; move the file away, or use a new folder",
				filepath.Join(dir, name))
		}
	}
	return names, nil
}

// sumFiles returns the lines of Sums for files that exist, and syncs them.
func sumFiles(dir string, names []string) ([]byte, error) {
	var b bytes.Buffer
	slices.Sort(names)
	for _, name := range names {
		sum, err := sumFile(filepath.Join(dir, filepath.FromSlash(name)), true)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, name)
	}
	return b.Bytes(), nil
}

// sumFile hashes a file and, asked to, brings it to the disk first.
func sumFile(path string, sync bool) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
