package trace

import (
	"bytes"
	"cmp"
	"math"
	"path/filepath"
	"slices"

	"schedtune/internal/fileio"
)

// Logs of a ResourceManager are cut into files by size or by day, audit lines and
// summaries lie in files of their own, and each of a pair of ResourceManagers writes
// its own: what they tell of an application is put together only when all are read.

// rmLogs are the ResourceManagers' logs among the files of one reading.
type rmLogs struct {
	files []rmFile
	// errs are those of files that were passed over since they cannot be read.
	errs []error
}

// rmFile is one of them.
type rmFile struct {
	path  string
	first Millis // time of its first line that has one
}

// add notes a file, of which head is the beginning.
func (l *rmLogs) add(path string, head []byte) {
	f := rmFile{path, math.MaxInt64}
	for line := range bytes.Lines(head) {
		if at, err := logTime(line); err == nil {
			f.first = at
			break
		}
	}
	l.files = append(l.files, f)
}

// read reads the files in the order of their first lines, whatever their names are,
// and adds their applications to the trace. A file that cannot be read counts for
// nothing: the others are then read again without it.
func (l *rmLogs) read(t *Trace, n *notes) {
	slices.SortFunc(l.files, func(a, b rmFile) int {
		return cmp.Or(cmp.Compare(a.first, b.first),
			cmp.Compare(a.path, b.path))
	})
	files := l.files
	for len(files) > 0 {
		log := newRMLog(n)
		var idle []string
		bad := slices.IndexFunc(files, func(f rmFile) bool {
			found, err := log.readFile(f.path)
			if err != nil {
				l.errs = append(l.errs, err)
			} else if !found {
				idle = append(idle, f.path)
			}
			return err != nil
		})
		if bad >= 0 {
			files = slices.Delete(slices.Clone(files), bad, bad+1)
			continue
		}
		for _, path := range idle {
			n.addFirst(1, Dropped, filepath.Base(path), "logs without audit or summary lines of a ResourceManager")
		}
		t.sawFormat("rm-log")
		log.finish(t)
		return
	}
}

// readFile takes the lines of a file, and reports whether it names an application or
// of a node.
func (l *rmLog) readFile(path string) (bool, error) {
	f, err := fileio.OpenBounded(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	in, err := newInput(f, path)
	if err != nil {
		return false, err
	}
	nodes := len(l.nodes) + len(l.sizes)
	found, err := l.read(in)
	return found || len(l.nodes)+len(l.sizes) > nodes, err
}
