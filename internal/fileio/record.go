package fileio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	names "schedtune/internal/text"
)

// recordName is the record of a folder under way.
const recordName = ".schedtune"

// maxRecord bounds a record in bytes.
const maxRecord = 64 << 20

// recordSchema is the first member of each line about a process.
const recordSchema = names.SchemaFolder

// record is who works on a folder and what was begun in it: one JSON object a
// line, appended before the thing it reports is done.
type record struct {
	f     *os.File // nil after close
	path  string
	files map[string]bool
	kind  string // command of the run that began the folder; "" if new
}

// recordLine is a process that opened the folder, or a file that it began.
type recordLine struct {
	Schema string `json:"schema,omitempty"`
	Kind   string `json:"command,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Start  string `json:"start,omitempty"`
	File   string `json:"file,omitempty"`
}

// valid reports whether a line is one that this program writes: the first is
// about a process, and a process always names its command.
func (l recordLine) valid(first bool) bool {
	if l.Schema == recordSchema {
		return l.Kind != "" && l.File == ""
	}
	return !first && filepath.IsLocal(filepath.FromSlash(l.File))
}

// errGone is a record whose folder was moved or removed while it was opened.
var errGone = errors.New("the folder is gone")

// openRecord opens or creates a record and locks it. Errors: another process
// has the lock (which one, since when); errGone; the record is not one.
func openRecord(path string) (*record, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	r := &record{f: f, path: path}
	held, err := TryLock(f)
	lines, rerr := readRecord(f, path)
	switch {
	case err != nil:
		err = fmt.Errorf("can't be locked (%w)", cause(err))
	case held:
		err = inUse(lines)
	case !sameFile(f, path):
		err = errGone
	default:
		err = rerr
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if r.files = begun(lines); len(lines) > 0 {
		r.kind = lines[0].Kind
	}
	return r, r.mend()
}

// inUse says which process has the folder.
func inUse(lines []recordLine) error {
	who := "another process"
	for _, l := range lines {
		if l.PID != 0 {
			who = fmt.Sprintf("process %d (%s, since %s)", l.PID, l.Kind, l.Start)
		}
	}
	return fmt.Errorf("in use by %s; wait for its end, or use another folder", who)
}

// sameFile reports whether path still names the open file.
func sameFile(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// readRecord reads the lines of a record; a torn last one is left out. Errors: a
// line is not this program's.
func readRecord(f io.Reader, path string) ([]recordLine, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return nil, err
	}
	begin := []byte(`{"schema":"` + recordSchema)
	if k := min(len(begin), len(data)); len(data) > maxRecord || !bytes.Equal(data[:k], begin[:k]) {
		return nil, fmt.Errorf("%s: was not written by this program; move the folder away, or use another one for the "+
			"results", path)
	}
	var lines []recordLine
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		if !whole {
			return lines, nil
		}
		data = rest
		var l recordLine
		if err := json.Unmarshal(line, &l); err != nil || !l.valid(n == 1) {
			return nil, fmt.Errorf("%s:%d: was not written by this program; move the folder away, or use another one for the "+
				"results", path, n)
		}
		lines = append(lines, l)
	}
}

// begun are the files that the lines of a record name.
func begun(lines []recordLine) map[string]bool {
	names := map[string]bool{}
	for _, l := range lines {
		if l.File != "" {
			names[l.File] = true
		}
	}
	return names
}

// recorded returns the files that a record names; none if there is no record.
func recorded(path string) (map[string]bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return begun(nil), nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := readRecord(f, path)
	return begun(lines), err
}

// mend cuts a torn last line off, so that the next begins a new one.
func (r *record) mend() error {
	data, err := os.ReadFile(r.path)
	if whole := bytes.LastIndexByte(data, '\n') + 1; err == nil && whole < len(data) {
		err = r.f.Truncate(int64(whole))
	}
	return err
}

// add appends a line, whole or not at all.
func (r *record) add(l recordLine) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err = r.f.Write(append(text, '\n')); err != nil {
		return errors.Join(err, r.mend())
	}
	return nil
}

// file notes a file that is about to be written.
func (r *record) file(name string) error {
	if r.files[name] {
		return nil
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q: must be a plain file name inside the folder", name)
	}
	if r.f == nil {
		return fs.ErrClosed
	}
	if err := r.add(recordLine{File: name}); err != nil {
		return err
	}
	r.files[name] = true
	return nil
}

func (r *record) names() []string { return slices.Sorted(maps.Keys(r.files)) }

// close gives the lock back.
func (r *record) close() error {
	if r == nil || r.f == nil {
		return nil
	}
	f := r.f
	r.f = nil
	return f.Close()
}

// remove removes the record at its place, then gives the lock back.
func (r *record) remove(path string) error {
	if r.f == nil {
		return nil
	}
	return errors.Join(os.Remove(path), r.close())
}
