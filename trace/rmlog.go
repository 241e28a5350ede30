package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"regexp"
	"schedtune/trace/internal/history"
	"slices"
	"strconv"
	"strings"
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
	notes  *notes
	apps   map[string]*rmApp
	order  []string
	shift  Millis          // summary time less audit time, of the first application that has both
	millis bool            // the audit lines have milliseconds
	zoned  bool            // the first has the offset of its zone
	first  Millis          // of the audit lines; Unknown: none yet
	broken int             // lines
	sizes  map[string]Node // by address, as they registered
	nodes  []nodeEntry
}

// rmApp is one application under construction.
type rmApp struct {
	job        Job
	submitted  Millis // audit time of the submission
	finished   Millis // audit time of the end
	summary    bool
	containers map[string]int  // id to index in job.Tasks
	freed      map[string]held // containers that were released and whose allocation has not been read
	assigned   map[string]held // containers of which a line about their node came before that of the audit log
	masters    map[string]bool // application attempts whose master is known
	allocated  int             // containers by the summary
}

// held is what a line says of a container beside its allocation.
type held struct {
	at          Millis
	size        Size
	user, queue string
	host        string
}

func newRMLog(n *notes) *rmLog {
	return &rmLog{notes: n, apps: map[string]*rmApp{}, sizes: map[string]Node{}, first: Unknown}
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

// read takes the lines of one file, and reports whether it names an application.
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
	l.notes.addCount(l.broken, Dropped, "lines of the ResourceManager's log that are cut off or cannot be parsed")
	l.jobs(t)
	l.machines(t)
}

// line applies one line, or a list of them in JSON, and reports whether it was of use.
func (l *rmLog) line(text []byte) (found bool, err error) {
	var list []json.RawMessage
	if len(text) > 0 && text[0] == '[' && json.Unmarshal(text, &list) == nil {
		for i := 0; i < len(list) && err == nil; i++ {
			var ok bool
			ok, err = l.line(list[i])
			found = found || ok
		}
		return found, err
	}
	text, whole := unwrapLine(text)
	if !whole {
		l.broken++
		return false, nil
	}
	if i := bytes.Index(text, []byte("appId=application_")); i >= 0 {
		return true, l.summaryLine(string(text[i:]))
	}
	op := bytes.Index(text, []byte("OPERATION="))
	i := bytes.LastIndex(text[:max(op, 0)], []byte("USER="))
	if i < 0 {
		l.nodeLine(text)
		return false, nil
	}
	return true, l.auditLine(text[:i], string(text[i:]))
}

func (l *rmLog) app(id string) *rmApp {
	a, ok := l.apps[id]
	if !ok {
		a = &rmApp{job: NewJob(id), submitted: Unknown, finished: Unknown, containers: map[string]int{},
			freed: map[string]held{}, assigned: map[string]held{}, masters: map[string]bool{}}
		l.apps[id] = a
		l.order = append(l.order, id)
	}
	return a
}

var (
	applicationID = regexp.MustCompile(`^application_\d+_\d{4,}$`)
	containerID   = regexp.MustCompile(`^container_(e\d+_)?\d+_\d{4,}_\d{2,}_\d{6,}$`)
)

// Separators of pairs other than the tab that Hadoop writes (as rsyslog and others escape
// it, or blanks), and the decimals and the offset of a time.
var (
	escapedTabs = strings.NewReplacer("#011", "\t", `\t`, "\t")
	decimals    = regexp.MustCompile(`:\d\d[,.]\d`)
	offset      = regexp.MustCompile(`:\d\d([,.]\d+)?([+-]\d\d:?\d\d\b|Z)(\D|\d\D|\d\d[^:])*$`) // of the last time
	blankTabs   = regexp.MustCompile(`\s+([A-Z]+=)`)
)

// auditLine applies tab-separated KEY=VALUE pairs.
func (l *rmLog) auditLine(prefix []byte, body string) error {
	if !strings.Contains(body, "\t") {
		body = blankTabs.ReplaceAllString(escapedTabs.Replace(body), "\t$1")
	}
	v := map[string]string{}
	for _, pair := range strings.Split(body, "\t") {
		if k, x, ok := strings.Cut(pair, "="); ok {
			v[k] = strings.TrimSpace(x)
		}
	}
	id, op := v["APPID"], v["OPERATION"]
	if id == "" {
		if strings.HasPrefix(op, "AM ") || strings.HasPrefix(op, "Application Finished") {
			l.notes.add(Dropped, "audit lines of applications without an id")
		}
		return nil
	}
	at, err := logTime(prefix)
	if err != nil {
		return jobErr(id, "%w", err)
	}
	c, r := v["CONTAINERID"], v["RESOURCE"]
	if !applicationID.MatchString(id) || op == "AM Allocated Container" && !containerID.MatchString(c) ||
		c != "" && r != "" && parseResource(r) == (Size{}) {
		l.broken++
		return nil
	}
	l.millis = l.millis || decimals.Match(prefix)
	l.zoned = l.zoned || !l.first.Known() && offset.Match(prefix)
	l.first = l.first.Or(at)
	a := l.app(id)
	switch {
	case op == "Submit Application Request" && v["RESULT"] == "SUCCESS":
		a.submitted = at
		if !a.summary {
			a.job.User, a.job.Queue = cmp.Or(v["USER"], a.job.User), cmp.Or(v["QUEUENAME"], a.job.Queue)
		}
	case op == "AM Allocated Container":
		return a.allocate(v, at)
	case op == "AM Released Container":
		return a.release(v, at)
	case strings.HasPrefix(op, "Application Finished - "):
		a.finished = at
		if r := parseResult(strings.TrimPrefix(op, "Application Finished - ")); a.job.Result == Unfinished {
			a.job.Result = r
		}
	}
	return nil
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
	if at, ok := a.assigned[id]; ok {
		delete(a.assigned, id)
		a.placed(id, at)
	}
	if f, ok := a.freed[id]; ok {
		delete(a.freed, id)
		return a.free(id, f.at)
	}
	return nil
}

func (a *rmApp) release(v map[string]string, at Millis) error {
	id := v["CONTAINERID"]
	if _, ok := a.containers[id]; !ok {
		a.freed[id] = held{at: at, size: parseResource(v["RESOURCE"]), user: v["USER"], queue: v["QUEUENAME"]}
		return nil
	}
	return a.free(id, at)
}

// fromBefore adds the containers that were held when the log begins.
func (a *rmApp) fromBefore(first Millis) {
	for _, id := range slices.Sorted(maps.Keys(a.freed)) {
		f := a.freed[id]
		kind := Container
		if trailingNumber(id) == 1 {
			kind = AM
		}
		t := NewTask(kind, trailingNumber(id))
		c := NewAttempt(0)
		c.Container, c.Size, c.Result = id, f.size, Succeeded
		c.Start, c.Finish, c.Released = min(first, f.at), f.at, f.at
		t.Start, t.Finish, t.Result, t.Attempts = c.Start, c.Finish, Succeeded, []Attempt{c}
		a.job.Tasks = append(a.job.Tasks, t)
		a.job.User, a.job.Queue = cmp.Or(a.job.User, f.user), cmp.Or(a.job.Queue, f.queue)
	}
}

// free ends a container.
func (a *rmApp) free(id string, at Millis) error {
	t := &a.job.Tasks[a.containers[id]]
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

// jobs moves the applications into the trace.
func (l *rmLog) jobs(t *Trace) {
	zoned, audited := l.zoned, false
	for _, id := range l.order {
		a := l.apps[id]
		audited = audited || a.audited()
		if by, ok := a.zone(); ok {
			l.shift, zoned = by, true
			break
		}
	}
	if audited && !l.millis {
		l.notes.add(Assumed, "times of the log are whole seconds")
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
		a.fromBefore(l.first)
		a.moveBy(by)
		l.count(a)
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
	for t := range history.Pointers(a.job.Tasks) {
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
		coarse(j, a.allocated, l.notes)
		return
	}
	j.Maps, j.Reduces = 0, 0
	for t := range history.Pointers(j.Tasks) {
		if t.Kind == Container {
			j.Maps++
		}
	}
	l.notes.add(Assumed, "containers of the log as independent tasks: it does not tell maps from reduces")
	j.AMSize, j.MapSize = commonSize(j.Tasks, AM), commonSize(j.Tasks, Container)
}
