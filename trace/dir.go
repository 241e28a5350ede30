package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/parallel"
	"schedtune/trace/runlog"
	"schedtune/trace/sparklog"
	"schedtune/trace/tezlog"
)

// readDir reads a folder: a recorded run if its tables are there, else every
// trace file in it and below, in order of path, as one trace. Files of no
// known format are passed over with a note.
func readDir(path string, o Options, t *Trace, n *notes) error {
	if sparklog.IsRolling(filepath.Clean(path)) {
		return addRolling(path, t, n)
	}
	switch o.recorded(path) {
	case runlog.None:
		return readFiles(path, o, t, n)
	case runlog.Spark, runlog.Tez:
		return readProgramRunFolder(path, o, t, n)
	}
	t.Format = runFormat
	return readRunFolder(path, t, n)
}

// recorded tells what run a folder is, where the options let it be one.
func (o Options) recorded(dir string) runlog.Kind {
	if o.NamesOnly || o.Format != "" && o.Format != runFormat {
		return runlog.None
	}
	return runlog.KindOf(dir)
}

// mostErrors is how many broken files are named.
const mostErrors = 10

// sideBySide is how many files are read before they are joined in their order.
const sideBySide = 64

// readFiles walks a folder and reports all broken files together. Job histories are read
// by as many goroutines as there are processors.
func readFiles(root string, o Options, t *Trace, n *notes) error {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real // a link to the folder is the folder
	}
	found, err := o.find(root)
	if err != nil {
		return err
	}
	logs := o.logs // read with those of other folders, or here
	if logs == nil {
		o.logs = &rmLogs{}
	}
	var broken []error
	for paths := range slices.Chunk(found, sideBySide) {
		ahead := make([]partRead, len(paths))
		parallel.Each(runtime.GOMAXPROCS(0), len(paths), func(i int) {
			if isJhist(paths[i]) && !o.NamesOnly && (o.Format == "" || o.Format == "jhist") {
				ahead[i].done, ahead[i].err = true, addOne(paths[i], o, &ahead[i].t, &ahead[i].n)
			}
		})
		for i, path := range paths {
			err := ahead[i].err
			if ahead[i].done {
				ahead[i].join(t, n)
			} else {
				err = addOne(path, o, t, n)
			}
			if err != nil {
				broken = append(broken, err)
			}
		}
	}
	if logs == nil {
		o.logs.read(t, n)
		broken = append(broken, o.logs.errs...)
	}
	return o.errBroken(root, broken, len(found), n)
}

// find lists files and rolling folders, in order of path.
func (o Options) find(root string) (found []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != root && strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case path != root && strings.HasPrefix(d.Name(), "."):
		case !d.IsDir():
			found = append(found, path)
		case sparklog.IsRolling(path) && !o.NamesOnly:
			found = append(found, path)
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}

// partRead is a job history read beside others, which tells nothing of any other. Its
// notes name no first place, so they add up as if it had been read in turn.
type partRead struct {
	t    Trace
	n    notes
	err  error
	done bool
}

// join adds what was read to the trace.
func (p *partRead) join(t *Trace, n *notes) {
	n.merge(p.n.list)
	if p.t.Format != "" {
		t.sawFormat(p.t.Format)
	}
	t.Jobs = append(t.Jobs, p.t.Jobs...)
}

// errBroken joins the errors of files, or notes them with their share of so many files, 0 if that is
// not known.
func (o Options) errBroken(root string, broken []error, files int, n *notes) error {
	if len(broken) == 0 {
		return nil
	}
	if o.SkipBroken {
		share := ""
		if files > 0 {
			share = fmt.Sprintf(", %.2g %% of the %d in the folder", 100*float64(len(broken))/float64(files), files)
		}
		n.addCount(len(broken), Dropped, "files that cannot be read%s; the first: %v", share, broken[0])
		return nil
	}
	if more := len(broken) - mostErrors; more > 0 {
		broken = append(broken[:mostErrors], fmt.Errorf("%s: %d more files cannot be read", root, more))
	}
	return errors.Join(broken...)
}

// addOne adds a file of a folder, or a rolling log; of a broken one it keeps nothing.
// Configurations and summaries of jobs are read with their histories.
func addOne(path string, o Options, t *Trace, n *notes) (err error) {
	base := filepath.Base(path)
	if strings.HasSuffix(baseName(base), "_conf.xml") || strings.HasSuffix(base, ".summary") {
		return nil
	}
	jobs := len(t.Jobs)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir() && sparklog.IsRolling(path) && !o.NamesOnly:
		err = addRolling(path, t, n)
	case err == nil && !info.Mode().IsRegular():
		n.add(Dropped, "links to folders and special files below the folder")
	case o.NamesOnly:
		err = addByName(path, t, n)
	default:
		err = addFile(path, o, t, n)
	}
	if err != nil {
		t.Jobs = t.Jobs[:jobs]
	}
	return err
}

// addByName adds the job that a history file's name describes.
func addByName(path string, t *Trace, n *notes) error {
	if !isJhist(path) {
		n.add(Dropped, "files that are not history files")
		return nil
	}
	j, err := parseJhistName(path)
	if err != nil {
		return err
	}
	namesOnlyTimes(&j, n)
	t.Format = "jhist-names"
	t.Jobs = append(t.Jobs, j)
	return nil
}

// addFile adds one file of a folder.
func addFile(path string, o Options, t *Trace, n *notes) error {
	if isJhist(path) && o.Format == "" {
		o.Format = "jhist" // the name says so, whatever is wrong with the content
	}
	err := readFile(path, o, t, n)
	var foreign *foreignError
	switch {
	case errors.As(err, &foreign):
		n.addFirst(1, Dropped, filepath.Base(path), "files that are %v", foreign)
	case errors.Is(err, errUnknownFormat):
		n.addFirst(1, Dropped, filepath.Base(path), "files of no known trace format")
	case unreadable(path, err) || errors.Is(err, tezlog.ErrHeader):
		n.addFirst(1, Missing, path, notYet)
	case errors.Is(err, errNothing) && !isJhist(path):
		n.addFirst(1, Dropped, filepath.Base(path), "empty files, as marks of folders and of finished writing")
	default:
		return err
	}
	return nil
}

// readFile appends a file to a trace; a history file takes its configuration along.
func readFile(path string, o Options, t *Trace, n *notes) error {
	before := len(t.Jobs)
	f, err := fileio.OpenBounded(path)
	if err != nil {
		return fileio.OpenError(path, err, "")
	}
	defer f.Close()
	var head [4]byte
	if k, _ := f.ReadAt(head[:], 0); o.Format == "" && zipHead.Match(head[:k]) {
		return readZip(path, o, t, n)
	}
	if err := readInto(f, path, o, t, n); err != nil || !isJhist(path) && !jobAnywhere.MatchString(filepath.Base(path)) {
		return err
	}
	return addConf(path, t.Jobs[before:], n)
}

// addConf applies the configuration beside a history file.
func addConf(path string, jobs []Job, n *notes) error {
	for i := range jobs {
		p, err := confBeside(filepath.Dir(path), jobs[i].ID)
		if err != nil {
			return err
		}
		if p != nil {
			p.apply(&jobs[i])
			p.unmodelled(n)
		}
	}
	return nil
}
