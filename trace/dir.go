package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/internal/parallel"
	"schedtune/trace/runlog"
	"schedtune/trace/sparklog"
)

// gatherDir reads a folder: a recorded run if its tables are there, else every
// trace file in it and below, in order of path, as one trace. Files of no
// known format are passed over with a note.
func gatherDir(path string, o Options) (*Trace, *notes, error) {
	t := &Trace{Name: baseName(filepath.Clean(path))}
	n := &notes{}
	var err error
	if sparklog.IsRolling(filepath.Clean(path)) {
		err = addRolling(path, t, n)
	} else if kind := o.recorded(path); kind == runlog.Spark {
		err = readSparkRunFolder(path, o, t, n)
	} else if kind != runlog.None {
		t.Format = runFormat
		err = readRunFolder(path, t, n)
	} else {
		err = readFiles(path, o, t, n)
	}
	if err != nil {
		return nil, nil, err
	}
	keepOne(n, t)
	return t, n, nil
}

// recorded tells what run a folder is, where the options let it be one.
func (o Options) recorded(dir string) runlog.Kind {
	if o.NamesOnly || o.Format != "" && o.Format != runFormat {
		return runlog.None
	}
	return runlog.KindOf(dir)
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
	logs := o.logs // read with those of other folders, or here
	if logs == nil {
		o.logs = &rmLogs{}
	}
	var found []string // files and rolling folders, in order of path
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
			found = append(found, path)
			return fs.SkipDir
		}
		if !d.IsDir() {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	o.eachFile(found, func(path string, ahead *partRead) {
		var err error
		switch {
		case ahead != nil:
			err = ahead.join(t, n)
		case sparklog.IsRolling(path) && isDir(path) && !o.NamesOnly:
			err = addRolling(path, t, n)
		default:
			err = addOne(path, o, t, n)
		}
		if err != nil {
			broken = append(broken, err)
		}
	})
	if logs == nil {
		o.logs.read(t, n)
		broken = append(broken, o.logs.errs...)
	}
	return o.errBroken(root, broken, n)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// partRead is a job history read beside others, which tells nothing of any other. Its
// notes name no first place, so they add up as if it had been read in turn.
type partRead struct {
	t      Trace
	n      notes
	err    error
	failed *parallel.Panic
	done   chan struct{}
}

// read reads it; a panic is kept for join.
func (p *partRead) read(add func() error) {
	defer close(p.done)
	defer func() {
		if v := recover(); v != nil {
			p.failed = parallel.Caught(v)
		}
	}()
	p.err = add()
}

// join adds what was read to the trace.
func (p *partRead) join(t *Trace, n *notes) error {
	if <-p.done; p.failed != nil {
		panic(p.failed)
	}
	n.merge(p.n.list)
	if p.t.Format != "" {
		t.sawFormat(p.t.Format)
	}
	t.Jobs = append(t.Jobs, p.t.Jobs...)
	return p.err
}

// eachFile calls f with each path in turn. Job histories are read by as many at a time as
// there are processors, some ahead of their turn, and come as ahead.
func (o Options) eachFile(paths []string, f func(path string, ahead *partRead)) {
	workers := runtime.GOMAXPROCS(0)
	reading := make([]*partRead, len(paths))
	free := make(chan struct{}, workers)
	next := 0
	for i, path := range paths {
		for ; next < len(paths) && next <= i+4*workers; next++ {
			if o.NamesOnly || o.Format != "" && o.Format != "jhist" || !isJhist(paths[next]) {
				continue
			}
			p := &partRead{done: make(chan struct{})}
			reading[next] = p
			go func(path string) {
				free <- struct{}{}
				p.read(func() error { return addOne(path, o, &p.t, &p.n) })
				<-free
			}(paths[next])
		}
		f(path, reading[i])
		reading[i] = nil
	}
}

// errBroken joins the errors of files, or notes them.
func (o Options) errBroken(root string, broken []error, n *notes) error {
	if len(broken) == 0 {
		return nil
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

// hadoopID is the id of one job for all time: it has the instant at which the
// ResourceManager came up.
var hadoopID = regexp.MustCompile(`^(?:job|application)_\d+_\d+$`)

// key is the same for all sources of a job: a MapReduce job job_X_Y is the
// ResourceManager's application_X_Y. Empty where the id may be another job's too.
func (j *Job) key() string {
	if hadoopID.MatchString(j.ID) {
		return jobOf(j.ID)
	}
	if j.Spark != nil {
		return j.ID
	}
	return ""
}

// madeIDs are formats whose ids a simulator or the reader gives: equal ones need not
// be one job.
var madeIDs = map[string]bool{"sls": true, "synth": true, "swim": true, "swf": true}

// dropJobs takes jobs out of the traces.
func dropJobs(gone map[*Job]bool, ts []*Trace) {
	for _, t := range ts {
		kept := t.Jobs[:0]
		for i := range t.Jobs {
			if !gone[&t.Jobs[i]] {
				kept = append(kept, t.Jobs[i])
			}
		}
		t.Jobs = kept
	}
}

// keepOne keeps of each application one job, from whichever trace: of those that several
// sources tell of the most detailed, which takes from the others what it lacks.
func keepOne(n *notes, ts ...*Trace) {
	oneAttempt(n, ts...)
	best := map[string]*Job{}
	each := func(f func(key string, j *Job)) {
		for _, t := range ts {
			if madeIDs[t.Format] {
				continue
			}
			for i := range t.Jobs {
				if key := t.Jobs[i].key(); key != "" {
					f(key, &t.Jobs[i])
				}
			}
		}
	}
	each(func(key string, j *Job) {
		if b, ok := best[key]; !ok || j.tellsMore(b) {
			best[key] = j
		}
	})
	gone := map[*Job]bool{}
	dropped, derived, again := 0, 0, 0
	each(func(key string, j *Job) {
		b := best[key]
		if b == j {
			return
		}
		gone[j] = true
		switch {
		case b.complete(j):
		case b.ID == j.ID && b.rank() == j.rank():
			again++
		default:
			dropped++
		}
		if j.rank() == 0 && j.MapTime.Known() {
			derived++
		}
	})
	n.less(derived, Assumed, derivedNote)
	dropJobs(gone, ts)
	n.addCount(dropped, Dropped, "applications that another source tells more of")
	n.addCount(again, Dropped, "applications that are there once more, in another file")
}

// tellsMore reports whether a job stands for its application rather than another of
// the same key. Of two of equal detail it is the one that ended, and of these the one
// with more attempts of tasks: histories of running jobs and of earlier masters are
// parts of the last. Else the first stays.
func (j *Job) tellsMore(b *Job) bool {
	if x, y := j.rank(), b.rank(); x != y {
		return x > y
	}
	if x, y := j.Result != Unfinished, b.Result != Unfinished; x != y {
		return x
	}
	return j.attempts() > b.attempts()
}

func (j *Job) attempts() (n int) {
	for i := range j.Tasks {
		n += len(j.Tasks[i].Attempts)
	}
	return n
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
	f, err := fileio.OpenBounded(path)
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
		return addConf(path, t.Jobs[before:], n)
	}
	return nil
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
