package sparklog

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
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

// databricksPart is the name of an older part of a log as Databricks delivers it: its last
// part is called eventlog.
var databricksPart = regexp.MustCompile(`^eventlog-\d{4}-\d\d-\d\d--\d\d-\d\d`)

// RollingName reports whether a folder is named as a rolling log is.
func RollingName(dir string) bool { return strings.HasPrefix(filepath.Base(dir), rollingPrefix) }

// IsRolling reports whether a folder is named as a rolling log is, or holds the parts of one
// as Databricks names them.
func IsRolling(dir string) bool {
	if RollingName(dir) {
		return true
	}
	older, _ := filepath.Glob(filepath.Join(dir, "eventlog-*--*"))
	return slices.ContainsFunc(older, func(name string) bool { return databricksPart.MatchString(filepath.Base(name)) })
}

// Open reads the log of one application: a file, packed or not, or the folder
// of a rolling log. It fails where no line is an event, and where unpacking
// fails other than by the text's end.
func Open(path string) (*App, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileio.OpenError(path, err, "")
	}
	r := NewReader()
	files := []string{path}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fileio.OpenError(path, err, "")
		}
		files = nil
		for _, e := range entries {
			if !e.IsDir() {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
		if files = r.Parts(files); len(files) == 0 {
			return nil, &fileio.FileError{File: path, Reason: "no part of a rolling event log (" + partPrefix + "N_…)"}
		}
	}
	for _, f := range files {
		if err := r.readFile(f); err != nil {
			return nil, fileio.OpenError(f, err, "")
		}
	}
	a := r.App()
	if a == nil {
		return nil, &fileio.FileError{File: path, Reason: "no event of a Spark application"}
	}
	if a.ID = cmp.Or(a.ID, a.Conf["spark.app.id"]); a.ID == "" { // its start is not in the log
		a.ID = strings.TrimPrefix(filepath.Base(path), rollingPrefix)
		for _, ext := range []string{inProgress, compacted, ".gz", ".zst", ".zstd", ".lz4", ".snappy"} {
			a.ID = strings.TrimSuffix(a.ID, ext)
		}
	}
	return a, nil
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
		return err
	}
	return r.Read(text, path)
}

// part is one file of a rolling log.
type part struct {
	path    string
	index   int64
	compact bool
}

// Parts picks the parts of one rolling log from the files of its folder, in the
// order in which they are to be read, and notes what is missing. A compacted part
// stands for itself and all before it (RollingEventLogFilesFileReader).
func (r *Reader) Parts(names []string) (files []string) {
	var all []part
	from := int64(-1)
	for _, name := range slices.Sorted(slices.Values(names)) {
		if base := filepath.Base(name); base == "eventlog" || databricksPart.MatchString(base) {
			files = append(files, name)
		}
	}
	if len(files) > 0 { // eventlog comes before eventlog-…, and has the last events
		if filepath.Base(files[0]) == "eventlog" {
			files = append(files[1:], files[0])
		}
		return files
	}
	for _, name := range names {
		rest, ok := strings.CutPrefix(filepath.Base(name), partPrefix)
		number, _, _ := strings.Cut(rest, "_")
		index, err := strconv.ParseInt(number, 10, 64)
		if !ok || err != nil {
			continue
		}
		p := part{name, index, strings.HasSuffix(name, compacted)}
		if p.compact {
			from = max(from, index)
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b part) int { return cmp.Compare(a.index, b.index) })
	last := int64(-1)
	for _, p := range all {
		if p.index < from || p.index == from && !p.compact {
			continue
		}
		r.name, r.line = p.path, 0
		if p.index == last {
			r.note(Dropped, "duplicate parts of a rolling log, packed and unpacked (one of them counts)")
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
