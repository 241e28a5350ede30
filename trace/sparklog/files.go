package sparklog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/fileio"
)

// Names that Spark gives (EventLogFileWriters.scala, CompactedEventLogFileWriter).
const (
	rollingPrefix = "eventlog_v2_"
	partPrefix    = "events_"
	inProgress    = ".inprogress"
	compacted     = ".compact"
)

// IsRolling reports whether a folder is named as a rolling log is.
func IsRolling(dir string) bool { return strings.HasPrefix(filepath.Base(dir), rollingPrefix) }

// Open reads the log of one application: a file, packed or not, or the folder
// of a rolling log. It fails where no line is an event, and where unpacking
// fails other than by the text's end.
func Open(path string) (*App, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	r := NewReader()
	files := []string{path}
	if info.IsDir() {
		if files, err = r.listParts(path); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if err := r.readFile(f); err != nil {
			return nil, err
		}
	}
	a := r.App()
	if a == nil {
		return nil, fmt.Errorf("%s: no event of a Spark application", path)
	}
	a.nameBy(path)
	return a, nil
}

// nameBy gives an application whose start is not in the log the id that its
// file has.
func (a *App) nameBy(path string) {
	if a.ID != "" {
		return
	}
	name := strings.TrimPrefix(filepath.Base(path), rollingPrefix)
	name = strings.TrimSuffix(strings.TrimSuffix(name, inProgress), compacted)
	for _, ext := range []string{".gz", ".zst", ".zstd", ".lz4", ".snappy", ".lzf"} {
		name = strings.TrimSuffix(name, ext)
	}
	a.ID = name
}

func (r *Reader) readFile(path string) error {
	f, err := fileio.OpenBounded(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := fileio.OpenText(f)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		r.name, r.line = path, 0
		r.note(Missing, "logs whose packed text is cut off: read as far as it goes")
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := r.Read(text, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// part is one file of a rolling log.
type part struct {
	path    string
	index   int64
	compact bool
}

// listParts lists the files of a rolling log.
func (r *Reader) listParts(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	files := r.Parts(names)
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no part of a rolling event log (%sN_…); allowed: a log as Spark writes it", dir, partPrefix)
	}
	return files, nil
}

// Parts picks the parts of one rolling log from the files of its folder, in the
// order in which they are to be read, and notes what is missing. A compacted part
// stands for itself and all before it (RollingEventLogFilesFileReader).
func (r *Reader) Parts(names []string) []string {
	var all []part
	for _, name := range names {
		p := part{path: name, compact: strings.HasSuffix(name, compacted)}
		rest, ok := strings.CutPrefix(filepath.Base(name), partPrefix)
		if !ok {
			continue
		}
		number, _, _ := strings.Cut(rest, "_")
		var err error
		if p.index, err = strconv.ParseInt(number, 10, 64); err != nil {
			continue
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b part) int { return cmp.Compare(a.index, b.index) })
	from := int64(-1)
	for _, p := range all {
		if p.compact {
			from = p.index
		}
	}
	var files []string
	last := int64(-1)
	for _, p := range all {
		if p.index < from || p.index == from && !p.compact {
			continue
		}
		r.name, r.line = p.path, 0
		if p.index == last {
			r.note(Dropped, "parts of a rolling log that are there twice, as packed and as unpacked files")
			continue
		}
		if p.compact {
			r.note(Missing, "events that Spark compacted away: those of jobs that had ended")
		} else if last >= 0 && p.index > last+1 || last < 0 && p.index > 1 {
			r.note(Missing, "parts of a rolling log before this one")
		}
		last = p.index
		files = append(files, p.path)
	}
	return files
}
