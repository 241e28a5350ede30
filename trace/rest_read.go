package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/trace/internal/history"
)

// restReader collects the answers by the ids in them.
type restReader struct {
	notes    *notes
	jobs     byID[Job]
	tasks    byID[Task] // attached to the jobs at the end
	attempts byID[Attempt]
	nodes    map[string]int
	uber     map[string]bool // ids of jobs that the notes tell of
	guessed  map[string]bool // ids of applications whose number of containers nothing tells
	t        *Trace
	hosts    fileio.Strings
	log      nodeLog
	in       *input              // nil where no jobs are wanted
	passed   map[uint64]struct{} // hashes of ids of applications that are handed on as they are read
}

// byID are things by their ids, in order of first mention.
type byID[T any] struct {
	at    map[string]*T
	order []string
}

// set puts a thing in the place of an id.
func (l *byID[T]) set(id string, v T) *T {
	if l.at == nil {
		l.at = map[string]*T{}
	}
	if l.at[id] == nil {
		l.order = append(l.order, id)
	}
	l.at[id] = &v
	return &v
}

func newRESTReader(t *Trace, n *notes) *restReader {
	return &restReader{notes: n, nodes: map[string]int{}, uber: map[string]bool{}, guessed: map[string]bool{}, t: t,
		hosts: fileio.Strings{}, passed: map[uint64]struct{}{},
		log: nodeLog{t: t}}
}

// appsBegin is how the list of a ResourceManager begins, which may be too long to be held.
var appsBegin = regexp.MustCompile(`\A\s*\{\s*"apps"\s*:\s*\{\s*"app"\s*:\s*\[`)

func readREST(in *input, t *Trace, n *notes) error {
	r := newRESTReader(t, n)
	r.in = in
	head, err := in.peek(256)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(fileio.JSON(in))
	if appsBegin.Match(head) {
		if err := r.list(dec); err != nil {
			return err
		}
	}
	if err := decodeEach(in, dec, false, func(d *restDoc, _ int64) error { return r.doc(d) }); err != nil {
		return err
	}
	t.finishNodes()
	return r.finish(in.name)
}

// list reads an answer that begins as appsBegin, one application at a time.
func (r *restReader) list(dec *json.Decoder) error {
	for at, depth := 0, 0; at < 5 || depth > 0; at++ {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return r.in.fail(dec.InputOffset(), describe(err))
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if at == 4 { // after {"apps": {"app": [
			if err := decodeEach(r.in, dec, true, func(a *restApp, _ int64) error { return r.app(a) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *restReader) doc(d *restDoc) error {
	d, at := d.inner()
	switch {
	case d.Apps != nil:
		return eachOf(*d.Apps, r.app)
	case d.App != nil:
		return r.app(d.App)
	case d.Nodes != nil:
		r.inventory(*d.Nodes, at)
	case d.Jobs != nil:
		return eachOf(*d.Jobs, r.job)
	case d.Job != nil:
		return r.job(d.Job)
	case d.Tasks != nil:
		return eachOf(*d.Tasks, r.task)
	case d.Attempts != nil:
		return eachOf(*d.Attempts, r.attempt)
	case d.Conf != nil:
		r.conf(d.Conf)
	}
	return nil
}

func eachOf[T any](list []T, f func(*T) error) (first error) {
	for i := range list {
		first = cmp.Or(first, f(&list[i]))
	}
	return first
}

// entry returns the job of an id, making it if it is new.
func (r *restReader) entry(id string) *Job {
	if j := r.jobs.at[id]; j != nil {
		return j
	}
	return r.jobs.set(id, NewJob(id))
}

func (r *restReader) app(a *restApp) error {
	id := string(a.ID)
	if id == "" {
		return errors.New("an application without an id")
	}
	hash := hashOf(id)
	if _, passed := r.passed[hash]; passed {
		return nil // nothing about it changes after its end
	}
	j := r.jobs.at[id]
	if j == nil {
		fresh := NewJob(id)
		j = &fresh
	}
	j.User, j.Name, j.Queue, j.Type = string(a.User), string(a.Name), string(a.Queue), string(a.Type)
	j.Result = parseResult(string(a.FinalStatus))
	j.Priority, j.PrioritySet = int(a.Priority.Or(0)), a.Priority.OK // as the ResourceManager decided it
	j.Submit, j.Launch, j.Finish = millis(a.Started), zeroUnknown(millis(a.Launched)), zeroUnknown(millis(a.Finished))
	j.MasterLaunch, j.Workflow = j.Launch, runTag(string(a.Tags))
	j.setLabels(simcore.JobLabels{App: string(a.Label), Master: string(a.AMLabel)})
	j.MemorySeconds, j.VCoreSeconds = a.MemSeconds.Or(Unknown), a.CoreSeconds.Or(Unknown)
	j.Tasks = nil
	delete(r.guessed, id)
	if a.State == "RUNNING" && !j.Finish.Known() {
		j.Tasks, r.guessed[id] = a.containers(j)
	}
	err := checkSpan(id, "application", j.Submit, j.Finish)
	if r.in.opt.Each != nil && j.Finish.Known() && slices.Contains(finalStates, string(a.State)) {
		delete(r.jobs.at, id)
		r.passed[hash] = struct{}{}
		r.add(j)
		return cmp.Or(err, r.in.pass(r.t, r.notes))
	}
	if r.jobs.at[id] == nil {
		r.jobs.set(id, *j)
	}
	return err
}

// finalStates are those of an application that has ended.
var finalStates = []string{"FINISHED", "FAILED", "KILLED"}

// inventory adds the machines of an answer. Where it is dated, it tells who came and
// went.
func (r *restReader) inventory(list []RMNode, at num) {
	states := map[int]string{}
	for x := range history.Pointers(list) {
		node := Node{Name: string(x.Host), Rack: string(x.Rack), Size: x.Size(), Label: x.Label()}
		if i, ok := r.nodes[string(x.ID)]; ok {
			if node.MiB > 0 {
				r.t.Nodes[i].Size = node.Size
			}
			states[i] = string(x.State)
			continue
		}
		if slices.ContainsFunc(r.t.Nodes, func(o Node) bool { return o.Name == node.Name }) {
			node.Name = string(x.ID) // several NodeManagers of one host
		}
		r.nodes[string(x.ID)] = len(r.t.Nodes)
		states[len(r.t.Nodes)] = string(x.State)
		r.t.Nodes = append(r.t.Nodes, node)
	}
	if at.OK {
		r.log.poll(millis(at), states)
	}
}

func (r *restReader) job(a *restJob) error {
	id := string(a.ID)
	if id == "" {
		return errors.New("a job without an id")
	}
	j := r.entry(id)
	j.User, j.Name, j.Queue, j.Type = string(a.User), string(a.Name), string(a.Queue), "MAPREDUCE"
	j.Result = parseResult(string(a.State))
	j.Submit, j.Launch, j.Finish = millis(a.Submit), millis(a.Start), zeroUnknown(millis(a.Finish))
	j.Maps, j.Reduces = int(a.Maps.Or(Unknown)), int(a.Reduces.Or(Unknown))
	if a.Uber == "true" && !r.uber[id] {
		r.uber[id] = true
		r.notes.add(Assumed, uberNote)
	}
	if a.AvgMap.OK {
		j.MapTime, j.ShuffleTime = millis(a.AvgMap), millis(a.AvgShuffle)
		j.ReduceTime = Millis(a.AvgReduce.Or(0) + a.AvgMerge.Or(0))
	}
	return checkSpan(id, "job", j.Submit, j.Finish)
}

func (r *restReader) task(x *restTask) error {
	id := string(x.ID)
	job := jobOf(id)
	if job == "" {
		return fmt.Errorf("task id %q is not of the form task_<time>_<job>_<m|r>_<number>", clip(id))
	}
	t := NewTask(parseKind(string(x.Type)), trailingNumber(id))
	t.Result, t.Start, t.Finish = parseResult(string(x.State)), millis(x.Start), zeroUnknown(millis(x.Finish))
	r.tasks.set(id, t)
	return checkSpan(job, id, t.Start, t.Finish)
}

func (r *restReader) attempt(x *restAttempt) error {
	id := string(x.ID)
	a := NewAttempt(trailingNumber(id))
	a.Result, a.Start, a.Finish = parseResult(string(x.State)), millis(x.Start), zeroUnknown(millis(x.Finish))
	a.Container, a.Host = string(x.Container), r.hosts.Get(restHost(string(x.Rack), string(x.Node)))
	a.ShuffleEnd, a.SortEnd = millis(x.Shuffle), millis(x.Merge)
	err := checkAttempt(jobOf(id), id, &a, r.notes)
	r.attempts.set(id, a)
	return err
}

// restHost joins rack and host, without the port of the node's web page.
func restHost(rack, node string) string {
	if i := strings.LastIndexByte(node, ':'); i >= 0 {
		node = node[:i]
	}
	return onRack(rack, node)
}

var jobAnywhere = regexp.MustCompile(`job_\d+_\d+`)

// conf applies a configuration; its path names the job.
func (r *restReader) conf(c *restConf) {
	id := jobAnywhere.FindString(string(c.Path))
	if id == "" {
		r.notes.add(Dropped, "configuration files whose path names no job")
		return
	}
	p := jobConf{}
	for _, x := range c.Property {
		p[string(x.Name)] = x.Value
	}
	p.apply(r.entry(id))
	p.unmodelled(r.notes)
}

// finish joins attempts, tasks and jobs.
func (r *restReader) finish(file string) error {
	for _, id := range r.attempts.order {
		t := r.tasks.at[taskOf(id)]
		if t == nil {
			return &Error{File: file, Key: jobOf(id), Err: fmt.Errorf("attempt %s: none of the downloaded tasks has it", id)}
		}
		t.Attempts = append(t.Attempts, *r.attempts.at[id])
	}
	for _, id := range r.tasks.order {
		j, t := r.entry(jobOf(id)), r.tasks.at[id]
		if len(t.Attempts) == 0 && t.Start.Known() && t.Finish.Known() {
			a := NewAttempt(0)
			a.Start, a.Finish, a.Result = t.Start, t.Finish, t.Result
			t.Attempts = []Attempt{a}
		}
		j.Tasks = append(j.Tasks, *t)
	}
	for _, id := range r.jobs.order {
		if j := r.jobs.at[id]; j != nil {
			r.add(j)
		}
	}
	return nil
}

// add adds a job of which all is read.
func (r *restReader) add(j *Job) {
	if r.guessed[j.ID] {
		r.notes.add(Assumed, "running applications whose number of containers is not reported: one for each vcore that "+
			"they hold or were charged")
	}
	if j.Type == "TEZ" && len(j.Tasks) == 0 {
		j.tezSession(r.notes)
	} else if j.Maps < 0 && len(j.Tasks) == 0 {
		coarse(j, 0, r.notes)
	} else if len(j.Tasks) == 0 && j.MapTime.Known() {
		r.notes.add(Assumed, "all tasks of a job take its average times")
	}
	r.t.Jobs = append(r.t.Jobs, *j)
}
