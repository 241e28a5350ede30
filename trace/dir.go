package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"schedtune/internal/bounded"
	"schedtune/internal/recorded"
	"schedtune/trace/sparklog"
)

// openDir reads a folder: a recorded run if its tables are there, else every
// trace file in it and below, in order of path, as one trace. Files of no
// known format are passed over with a note.
func openDir(path string, o Options) (*Trace, error) {
	t := &Trace{Name: baseName(filepath.Clean(path))}
	var n notes
	var err error
	if sparklog.IsRolling(filepath.Clean(path)) {
		err = addRolling(path, t, &n)
	} else if kind := o.recorded(path); kind == recorded.Spark {
		err = readSparkRunFolder(path, o, t, &n)
	} else if kind != recorded.None {
		t.Format = runFormat
		err = readRunFolder(path, t, &n)
	} else {
		err = readFiles(path, o, t, &n)
	}
	if err != nil {
		return nil, err
	}
	t.oneAttempt(&n)
	if t.Format == "mixed" || t.Format == "rest" {
		t.dedupe(&n)
	}
	if err := t.finish(&n); err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.File = path
		}
		return nil, err
	}
	return t, nil
}

// recorded tells what run a folder is, where the options let it be one.
func (o Options) recorded(dir string) recorded.Kind {
	if o.NamesOnly || o.Format != "" && o.Format != runFormat {
		return recorded.None
	}
	return recorded.KindOf(dir)
}

// addOne adds a file of a folder; of a broken one it keeps nothing. Configurations and
// summaries of jobs are read with their histories.
func addOne(path string, o Options, t *Trace, n *notes) (err error) {
	base := filepath.Base(path)
	if strings.HasSuffix(baseName(base), "_conf.xml") || strings.HasSuffix(base, ".summary") {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		n.add(Dropped, "links to folders and special files below the folder")
		return nil
	}
	jobs := len(t.Jobs)
	if o.NamesOnly {
		err = addByName(path, t, n)
	} else {
		err = addFile(path, o, t, n)
	}
	if err != nil {
		t.Jobs = t.Jobs[:jobs]
	}
	return err
}

// mostErrors is how many broken files are named.
const mostErrors = 10

// readFiles walks a folder and reports all broken files together.
func readFiles(root string, o Options, t *Trace, n *notes) error {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real // a link to the folder is the folder
	}
	var broken []error
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if path != root && strings.HasPrefix(base, ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() && sparklog.IsRolling(path) && !o.NamesOnly {
			if err := addRolling(path, t, n); err != nil {
				broken = append(broken, err)
			}
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		if err := addOne(path, o, t, n); err != nil {
			broken = append(broken, err)
		}
		return nil
	})
	if err != nil || len(broken) == 0 {
		return err
	}
	if o.SkipBroken {
		n.addCount(len(broken), Dropped, "files that cannot be read; the first: %v", broken[0])
		return nil
	}
	if more := len(broken) - mostErrors; more > 0 {
		broken = append(broken[:mostErrors], fmt.Errorf("%s: %d more files cannot be read", root, more))
	}
	return errors.Join(broken...)
}

// key is the same for all sources of a job: a MapReduce job job_X_Y is the
// ResourceManager's application_X_Y.
func (j *Job) key() string {
	if key := jobOf(j.ID); key != "" {
		return key
	}
	return j.ID
}

// dedupe keeps one job of those that several sources tell of. The most detailed stays,
// and takes from the others what it lacks.
func (t *Trace) dedupe(n *notes) {
	best := map[string]int{}
	for i := range t.Jobs {
		key := t.Jobs[i].key()
		if k, ok := best[key]; !ok || t.Jobs[i].rank() > t.Jobs[k].rank() {
			best[key] = i
		}
	}
	dropped, derived := 0, 0
	for i := range t.Jobs {
		j := &t.Jobs[i]
		k := best[j.key()]
		if k == i {
			continue
		}
		if !t.Jobs[k].complete(j) {
			dropped++
		}
		if j.rank() == 0 && j.MapTime.Known() {
			derived++
		}
	}
	n.less(derived, Assumed, derivedNote)
	kept := t.Jobs[:0]
	for i := range t.Jobs {
		if best[t.Jobs[i].key()] == i {
			kept = append(kept, t.Jobs[i])
		}
	}
	n.addCount(dropped, Dropped, "applications that another source tells more of")
	t.Jobs = kept
}

// rank is detail, with the ResourceManager's list, of which no more than averages follow,
// behind any history.
func (j *Job) rank() int {
	if d := j.detail(); d > 1 || jobOf(j.ID) == j.ID {
		return 1 + d
	}
	return 0
}

// completeByRM takes what the ResourceManager tells of a MapReduce job: priority and
// label as it decided them, when its master was launched, and its charges. False: rm is
// another history's word.
func (j *Job) completeByRM(rm *Job) bool {
	if jobOf(j.ID) != j.ID || jobOf(rm.ID) == rm.ID || rm.Spark != nil {
		return false
	}
	if j.Labels == nil {
		j.Labels = rm.Labels
	}
	if rm.PrioritySet {
		j.Priority, j.PrioritySet = rm.Priority, true
	}
	if !j.MasterLaunch.Known() {
		j.MasterLaunch = rm.MasterLaunch
	}
	j.MemorySeconds, j.VCoreSeconds = max(j.MemorySeconds, rm.MemorySeconds), max(j.VCoreSeconds, rm.VCoreSeconds)
	return true
}

// detail ranks how much is known of a job: stages or maps and reduces,
// containers, or figures alone.
func (j *Job) detail() int {
	d := 0
	if j.Spark != nil {
		return 3
	}
	for i := range j.Tasks {
		switch j.Tasks[i].Kind {
		case Map, Reduce:
			return 3
		case Container, AM:
			d = 2
		}
	}
	if d == 0 && j.MapTime.Known() {
		d = 1
	}
	return d
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

// addFile adds one file; a history file takes its configuration along.
func addFile(path string, o Options, t *Trace, n *notes) error {
	before := len(t.Jobs)
	f, err := bounded.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if isJhist(path) && o.Format == "" {
		o.Format = "jhist" // the name says so, whatever is wrong with the content
	}
	err = readInto(f, path, o, t, n)
	if errors.Is(err, errUnknownFormat) {
		n.addFirst(1, Dropped, filepath.Base(path), "files of no known trace format")
		return nil
	}
	if unreadable(path, err) {
		n.addFirst(1, Missing, path, "event logs of applications that have just begun: nothing to read yet")
		return nil
	}
	if err != nil {
		return err
	}
	if isJhist(path) {
		return addConf(path, t.Jobs[before:])
	}
	return nil
}

// addConf applies the configuration beside a history file.
func addConf(path string, jobs []Job) error {
	for i := range jobs {
		p, err := confBeside(filepath.Dir(path), jobs[i].ID)
		if err != nil {
			return err
		}
		if p != nil {
			p.apply(&jobs[i])
		}
	}
	return nil
}
