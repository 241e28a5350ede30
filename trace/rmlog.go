package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/trace/runlog"
)

// This file reads the ResourceManager's audit log and its application summary
// log, which may be one file. The audit log's pairs "AM Allocated Container"
// and "AM Released Container" give every container of every application with
// its size; the summary gives the application's times and charges
// (Hadoop, RMAuditLogger and RMAppManager.ApplicationSummary).
//
// Audit lines carry local time without a zone. It is read as UTC, and where an
// application has a summary too (which counts from the epoch) its audit times are
// shifted by the whole quarters of an hour between the two; those without one by
// the shift of the application before. What the lines say of an application does
// not depend on whether its summary comes before or behind them.

// rmLog collects applications while the lines pass.
type rmLog struct {
	notes *notes
	apps  map[string]*rmApp
	order []string
	shift Millis          // summary time less audit time, of the first application that has both
	sizes map[string]Node // by address, as they registered
	nodes []nodeEntry
}

// rmApp is one application under construction.
type rmApp struct {
	job        Job
	submitted  Millis // audit time of the submission
	finished   Millis // audit time of the end
	summary    bool
	containers map[string]int    // id to index in job.Tasks
	freed      map[string]Millis // when containers were released whose allocation has not been read
	masters    map[string]bool   // application attempts whose master is known
	allocated  int               // containers by the summary
}

func newRMLog(n *notes) *rmLog {
	return &rmLog{notes: n, apps: map[string]*rmApp{}, sizes: map[string]Node{}}
}

func readRMLog(in *input, t *Trace, n *notes) error {
	l := newRMLog(n)
	found, err := l.read(in)
	if err != nil {
		return err
	}
	if !found {
		return &Error{File: in.name, Err: errors.New("no audit or summary lines of a ResourceManager")}
	}
	l.finish(t)
	return nil
}

// read takes the lines of one file, and reports whether it tells of an application.
func (l *rmLog) read(in *input) (found bool, err error) {
	err = in.eachLine(func(text []byte, _ int64) error {
		ok, err := l.line(text)
		found = found || ok
		return err
	})
	return found, err
}

// finish moves applications and machines into the trace.
func (l *rmLog) finish(t *Trace) {
	l.jobs(t)
	l.machines(t)
}

// line applies one line and reports whether it was of use.
func (l *rmLog) line(text []byte) (bool, error) {
	if i := bytes.Index(text, []byte("appId=application_")); i >= 0 {
		return true, l.summaryLine(string(text[i:]))
	}
	i := bytes.Index(text, []byte("USER="))
	if i < 0 || !bytes.Contains(text, []byte("OPERATION=")) {
		l.nodeLine(text)
		return false, nil
	}
	return true, l.auditLine(text[:i], string(text[i:]))
}

func (l *rmLog) app(id string) *rmApp {
	a, ok := l.apps[id]
	if !ok {
		a = &rmApp{job: NewJob(id), submitted: Unknown, finished: Unknown, containers: map[string]int{},
			freed: map[string]Millis{}, masters: map[string]bool{}}
		l.apps[id] = a
		l.order = append(l.order, id)
	}
	return a
}

// auditLine applies tab-separated KEY=VALUE pairs.
func (l *rmLog) auditLine(prefix []byte, body string) error {
	v := map[string]string{}
	for _, pair := range strings.Split(body, "\t") {
		if k, x, ok := strings.Cut(pair, "="); ok {
			v[k] = strings.TrimSpace(x)
		}
	}
	id := v["APPID"]
	if id == "" {
		return nil
	}
	op := v["OPERATION"]
	at, err := logTime(prefix)
	if err != nil {
		return jobErr(id, "%w", err)
	}
	a := l.app(id)
	switch {
	case op == "Submit Application Request" && v["RESULT"] == "SUCCESS":
		a.submitted = at
		if !a.summary {
			a.job.User, a.job.Queue = v["USER"], v["QUEUENAME"]
		}
	case op == "AM Allocated Container":
		return a.allocate(v, at)
	case op == "AM Released Container":
		return a.release(v["CONTAINERID"], at)
	case strings.HasPrefix(op, "Application Finished - "):
		a.finished = at
		if r := parseResult(strings.TrimPrefix(op, "Application Finished - ")); a.job.Result == Unfinished {
			a.job.Result = r
		}
	}
	return nil
}

// logTime reads the time at the start of a line.
func logTime(line []byte) (Millis, error) {
	at, err := runlog.LineTime(string(line[:min(len(line), runlog.StampLength)]))
	return Millis(at), err
}

func (a *rmApp) allocate(v map[string]string, at Millis) error {
	id := v["CONTAINERID"]
	if _, again := a.containers[id]; again {
		return nil // the same line in two files
	}
	kind := Container
	if attempt := id[:max(0, strings.LastIndexByte(id, '_'))]; !a.masters[attempt] &&
		(a.submitted.Known() || trailingNumber(id) == 1) {
		// The first container of an application attempt is its master's. Its
		// number may be above 1: a reservation that was given up took that.
		kind, a.masters[attempt] = AM, true
	}
	t := NewTask(kind, trailingNumber(id))
	c := NewAttempt(0)
	c.Container, c.Size, c.Start, c.Allocated = id, parseResource(v["RESOURCE"]), at, at
	t.Attempts = []Attempt{c}
	a.containers[id] = len(a.job.Tasks)
	a.job.Tasks = append(a.job.Tasks, t)
	a.job.User, a.job.Queue = cmp.Or(a.job.User, v["USER"]), cmp.Or(a.job.Queue, v["QUEUENAME"])
	if at, ok := a.freed[id]; ok {
		delete(a.freed, id)
		return a.release(id, at)
	}
	return nil
}

func (a *rmApp) release(id string, at Millis) error {
	k, ok := a.containers[id]
	if !ok {
		a.freed[id] = at
		return nil
	}
	t := &a.job.Tasks[k]
	c := &t.Attempts[0]
	if c.Released.Known() {
		return nil // the same line in two files
	}
	c.Finish, c.Released, c.Result = at, at, Succeeded
	t.Start, t.Finish, t.Result = c.Start, at, Succeeded
	return checkSpan(a.job.ID, c.Container, c.Allocated, at)
}

// resourcePattern reads "<memory:256, vCores:1>", with more resources after.
var resourcePattern = regexp.MustCompile(`memory:(\d+).*?vCores:(\d+)`)

func parseResource(s string) Size {
	m := resourcePattern.FindStringSubmatch(s)
	if m == nil {
		return Size{}
	}
	mib, _ := strconv.ParseInt(m[1], 10, 64)
	cores, _ := strconv.ParseInt(m[2], 10, 64)
	return Size{mib, cores}
}

// summaryLine applies comma-separated key=value pairs, commas in values
// escaped with a backslash.
func (l *rmLog) summaryLine(body string) error {
	v := splitSummary(body)
	id := v["appId"]
	a := l.app(id)
	a.summary = true
	j := &a.job
	j.Name, j.User, j.Queue, j.Type = v["name"], v["user"], v["queue"], v["applicationType"]
	if r := parseResult(v["finalStatus"]); r != Unfinished {
		j.Result = r
	}
	var err error
	num := func(key string) int64 {
		s := v[key]
		if s == "" {
			return Unknown
		}
		x, e := strconv.ParseInt(s, 10, 64)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("%s is %q where a number is expected", key, clip(s)))
		}
		return x
	}
	submit := num("submitTime")
	if submit <= 0 {
		submit = num("startTime")
	}
	j.Submit, j.Finish = Millis(submit), Millis(num("finishTime"))
	if launch := num("launchTime"); launch != 0 {
		j.Launch, j.MasterLaunch = Millis(launch), Millis(max(Unknown, launch))
	}
	j.setLabels(simcore.JobLabels{App: v["applicationNodeLabel"]})
	j.MemorySeconds, j.VCoreSeconds = num("memorySeconds"), num("vcoreSeconds")
	a.allocated = int(num("totalAllocatedContainers"))
	if err != nil {
		return jobErr(id, "%w", err)
	}
	return checkSpan(id, "application", j.Submit, j.Finish)
}

// summaryField is KEY=VALUE, with any character of the value behind a backslash.
var summaryField = regexp.MustCompile(`([^=,]+)=((?:\\.|[^,\\])*)`)

func splitSummary(s string) map[string]string {
	v := map[string]string{}
	for _, m := range slices.Backward(summaryField.FindAllStringSubmatch(s, -1)) { // of two the first counts
		v[m[1]] = strings.TrimSpace(backslash.ReplaceAllString(m[2], "$1"))
	}
	return v
}

var backslash = regexp.MustCompile(`\\(.)`)

// jobs moves the applications into the trace.
func (l *rmLog) jobs(t *Trace) {
	zoned, audited := false, false
	for _, id := range l.order {
		a := l.apps[id]
		audited = audited || a.audited()
		if by, ok := a.zone(); ok {
			l.shift, zoned = by, true
			break
		}
	}
	if !zoned && audited {
		l.notes.add(Assumed, "times of the audit log are UTC; the log does not say")
	}
	by := l.shift
	for _, id := range l.order {
		a := l.apps[id]
		if own, ok := a.zone(); ok {
			by = own
		}
		a.moveBy(by)
		l.count(a)
		l.notes.addCount(len(a.freed), Dropped, "containers that were allocated before the log begins")
		if a.job.Submit.Known() || len(a.job.Tasks) > 0 {
			t.Jobs = append(t.Jobs, a.job)
		}
	}
}

// audited reports whether the audit log tells a time of the application.
func (a *rmApp) audited() bool {
	return a.submitted.Known() || a.finished.Known() || len(a.containers) > 0
}

// zone is the summary's time less that of the audit log, where both tell when the
// application was submitted.
func (a *rmApp) zone() (Millis, bool) {
	const quarter = 15 * 60 * 1000
	if !a.summary || !a.submitted.Known() || a.job.Submit <= 0 {
		return 0, false
	}
	return Millis(math.Round(float64(a.job.Submit-a.submitted)/quarter)) * quarter, true
}

// moveBy shifts what came from the audit log, and takes from it what no summary tells.
func (a *rmApp) moveBy(by Millis) {
	list := []*Millis{&a.submitted, &a.finished}
	for t := range pointers(a.job.Tasks) {
		c := &t.Attempts[0]
		list = append(list, &t.Start, &t.Finish, &c.Start, &c.Finish, &c.Allocated, &c.Released)
	}
	for _, m := range list {
		if m.Known() {
			*m += by
		}
	}
	if !a.summary {
		a.job.Submit, a.job.Finish = a.submitted, a.finished
	}
}

// count sets the number of containers; where the log has only a summary the
// containers are derived from what was charged.
func (l *rmLog) count(a *rmApp) {
	j := &a.job
	if len(j.Tasks) == 0 {
		coarse(j, a.allocated-1, l.notes)
		return
	}
	j.Maps, j.Reduces = 0, 0
	for t := range pointers(j.Tasks) {
		if t.Kind == Container {
			j.Maps++
		}
	}
	l.notes.add(Assumed, "containers of the log as independent tasks: it does not tell maps from reduces")
	j.AMSize, j.MapSize = commonSize(j.Tasks, AM), commonSize(j.Tasks, Container)
}

// nodeLine takes a line about a node: its registration, with its size, or a change of
// its state.
func (l *rmLog) nodeLine(text []byte) {
	if !bytes.Contains(text, []byte("RMNodeImpl")) && !bytes.Contains(text, []byte("registered with capability")) {
		return
	}
	at, err := logTime(text)
	if err != nil {
		return
	}
	line := string(text)
	if m := capabilityLine.FindStringSubmatch(line); m != nil {
		l.sizes[m[3]] = Node{Name: m[1], Size: parseResource(m[2])}
		return
	}
	if node, from, to, ok := runlog.NodeTurn(line); ok {
		l.nodes = append(l.nodes, nodeEntry{at, node, from, to})
	}
}

// machines are the nodes that registered while the log was written, if they are all
// that it names: a cluster of some of its nodes would be another one.
func (l *rmLog) machines(t *Trace) {
	at := map[string]int{}
	hosts := map[string]bool{}
	for _, e := range l.nodes {
		if _, ok := l.sizes[e.node]; !ok {
			l.notes.add(Dropped, "changes of nodes: the log does not tell the size of %s, which registered before it begins",
				e.node)
			t.Nodes = nil
			return
		}
		i, ok := at[e.node]
		if !ok {
			n := l.sizes[e.node]
			if hosts[n.Name] {
				n.Name = e.node // several NodeManagers of one host
			}
			hosts[n.Name] = true
			i = len(t.Nodes)
			at[e.node] = i
			t.Nodes = append(t.Nodes, n)
		}
		t.Nodes[i].Stays.Log(toTime(e.at+l.shift), e.from, e.to)
	}
	t.finishNodes()
}
