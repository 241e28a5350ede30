package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"schedtune/internal/fileio"
	"schedtune/trace/tezlog"
)

// Options says how a source is read.
type Options struct {
	// Format names the format; empty finds it from the content.
	Format string
	// NamesOnly reads a folder of .jhist files by their names alone.
	NamesOnly bool
	// SkipBroken passes over the files of a folder that cannot be read, with a
	// note, instead of failing with all their errors.
	SkipBroken bool
	// TezContainer is the size of the containers of Tez applications of which nothing tells
	// it, MiB; 0 = from what the ResourceManager charged, else Tez's default.
	TezContainer int64
	// Stdin is what "-" stands for; nil = the process's standard input.
	Stdin io.Reader

	// Each, if not nil, receives the jobs, of a large SWIM or SWF file and of a ResourceManager's list in
	// parts as they are read; the trace that Open returns has none then. Nothing may be kept of a part's
	// Jobs, which know of their workflows only what the part tells.
	Each func(part *Trace) error

	// logs takes the files of ResourceManagers' logs, which are read together at the
	// end; nil = each is read by itself.
	logs *rmLogs
	// tez takes the histories of Tez, of which several files tell of one application.
	tez *tezlog.Reader
}

// format is one row of the table of formats.
type format struct {
	name string
	read func(in *input, t *Trace, n *notes) error
}

// formats lists what can be read from a single stream.
var formats = []format{
	{"rumen", readRumen},         // Rumen job trace
	{"jhist", readJhist},         // MapReduce job history, Avro-Json or Avro-Binary
	{"hadoop-1", readHadoop1},    // job history of the JobTracker, Hadoop 0.18 to 1.x
	{"sls", readSLS},             // jobs of Hadoop's Scheduler Load Simulator
	{"synth", readSynth},         // synthetic generator of the Scheduler Load Simulator
	{"swim", readSWIM},           // SWIM: bytes of each job, tab-separated
	{"swf", readSWF},             // Standard Workload Format of the Parallel Workloads Archive
	{"native", readNative},       // this program's own format
	{"inventory", readInventory}, // machines: SLS nodes file or Rumen topology, for a folder of traces
	{"rm-log", readRMLog},        // ResourceManager audit log and application summary log
	{sparkFormat, readSpark},     // Spark event log, also packed and rolling
	{tezFormat, readTez},         // history of Tez applications and of Hive's queries
	{"rest", readREST},           // answers of the ResourceManager's and the JobHistoryServer's web services
}

// errUnknownFormat is what detect returns, so that a folder's other files can
// be passed over.
var errUnknownFormat = errors.New("unknown format")

// foreignError is that of a file with the name of a history that is another program's.
type foreignError struct{ schema string }

func (e *foreignError) Error() string {
	return "not a MapReduce history: its schema is " + e.schema
}

var errNothing = errors.New("the file is empty")

// Formats returns the names of the formats that Read knows.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// OpenFormats returns the names that Options.Format may have for Open: those of
// Formats, and that of the folder of a recorded run.
func OpenFormats() []string { return append(Formats(), runFormat) }

// Open reads a trace from a file, a folder, or "-" for o.Stdin. Files may be
// packed with gzip or zstd. The format is found from the content.
func Open(path string, o Options) (*Trace, error) {
	t, n, err := gather(path, o)
	if err != nil {
		return nil, err
	}
	return t, t.close(path, n, o)
}

// gather reads a file, a folder or standard input, and leaves the trace to be closed.
func gather(path string, o Options) (*Trace, *notes, error) {
	if path == "-" {
		o.logs = nil // it cannot be read later
		var r io.Reader = os.Stdin
		if o.Stdin != nil {
			r = o.Stdin
		}
		return gatherStream(r, "stdin", o)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, fileio.OpenError(path, err, "a trace file, a folder of them, or - for standard input")
	}
	if !info.IsDir() {
		return gatherFrom(path, o, func(o Options, t *Trace, n *notes) error { return readFile(path, o, t, n) })
	}
	o.Each = nil // an application may be in several files
	t, n, err := gatherFrom(filepath.Clean(path), o, func(o Options, t *Trace, n *notes) error {
		return readDir(path, o, t, n)
	})
	if err == nil {
		keepOne(n, t)
	}
	return t, n, err
}

// Read reads one stream; name is used in errors.
func Read(r io.Reader, name string, o Options) (*Trace, error) {
	t, n, err := gatherStream(r, name, o)
	if err != nil {
		return nil, err
	}
	return t, t.close(name, n, o)
}

func gatherStream(r io.Reader, name string, o Options) (*Trace, *notes, error) {
	return gatherFrom(name, o, func(o Options, t *Trace, n *notes) error { return readInto(r, name, o, t, n) })
}

// gatherFrom reads a source by a function, and adds the applications of Tez in it where no reading
// around it takes them.
func gatherFrom(name string, o Options, read func(Options, *Trace, *notes) error) (*Trace, *notes, error) {
	t, n, own := &Trace{Name: baseName(name)}, &notes{}, o.tez == nil
	if own {
		o.tez = tezlog.NewReader()
	}
	err := read(o, t, n)
	if own {
		addTez(o.tez, t, n)
	}
	return t, n, err
}

// close finishes what was read of a path.
func (t *Trace) close(path string, n *notes, o Options) error {
	if len(t.Jobs) == 0 && !n.passed {
		return &Error{File: path, Err: t.noJobs()}
	}
	err := t.finish(n, o)
	var e *Error
	if errors.As(err, &e) {
		e.File = path
	}
	return err
}

// readInto appends one stream to a trace.
func readInto(r io.Reader, name string, o Options, t *Trace, n *notes) error {
	in, err := newInput(r, name)
	if err != nil {
		return err
	}
	in.opt = o
	kind := o.Format
	var head []byte
	if kind == "" || kind == "rm-log" {
		if head, err = in.peek(1 << 16); err != nil {
			return err
		}
	}
	if kind == "" {
		if kind, err = detect(head); err != nil {
			return &Error{File: name, Line: firstLine(head, err), Err: err}
		}
	}
	if kind == "rm-log" && o.logs != nil {
		o.logs.add(name, head)
		return nil
	}
	if kind == tezFormat && o.tez != nil {
		if err = o.tez.Read(in.r, name); err == nil {
			t.sawFormat(kind)
		}
		return err
	}
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == kind })
	if i < 0 {
		return fmt.Errorf("unknown trace format %q: must be one of %s", kind, strings.Join(Formats(), ", "))
	}
	was := t.Format
	if kind != "inventory" { // which says nothing about the jobs
		t.sawFormat(kind)
	}
	if err = formats[i].read(in, t, n); err != nil {
		t.Format = was
	}
	return err
}

// sawFormat notes that jobs come from a format.
func (t *Trace) sawFormat(name string) {
	if t.Format = cmp.Or(t.Format, name); t.Format != name {
		t.Format = "mixed"
	}
}

// firstLine is the line of the first character that is no blank, at which a file of
// unknown format is recognised as such; 0 of other errors.
func firstLine(head []byte, err error) int64 {
	if !errors.Is(err, errUnknownFormat) {
		return 0
	}
	blank := len(head) - len(bytes.TrimLeft(head, " \t\r\n"))
	return int64(1 + bytes.Count(head[:blank], []byte("\n")))
}

// detect names the format of a text from its beginning.
func detect(head []byte) (string, error) {
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	if len(trimmed) == 0 {
		return "", errNothing
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		return detectJSON(trimmed)
	}
	for _, rule := range textRules {
		if rule.pattern.Match(head) {
			return rule.format, nil
		}
	}
	return "", unknownFormat("", head)
}

// detectJSON looks at the keys of the first object, as far as they are in the
// head of the file.
func detectJSON(head []byte) (string, error) {
	if tezEntity.Match(head) {
		return tezFormat, nil
	}
	if envelope.Match(head) {
		return "rm-log", nil
	}
	keys := topKeys(head)
	for _, rule := range jsonRules {
		if slices.ContainsFunc(rule.keys, func(k string) bool { return keys[k] }) {
			return rule.format, nil
		}
	}
	return "", unknownFormat(" JSON", head)
}

func unknownFormat(what string, head []byte) error {
	for _, rule := range otherRules {
		if rule.pattern.Match(head) {
			return fmt.Errorf("%w%s: this is %s; must be one of %s", errUnknownFormat, what, rule.is,
				strings.Join(Formats(), ", "))
		}
	}
	return fmt.Errorf("%w%s: must be one of %s", errUnknownFormat, what, strings.Join(Formats(), ", "))
}

const isNodes = "a list of nodes; give it with --cluster"

// otherRules recognise files that belong to other options.
var otherRules = []struct {
	is      string
	pattern *regexp.Regexp
}{
	{"a log of Tez's application master; its history is in history.txt.* or in app_data and dag_data",
		regexp.MustCompile(`\[HISTORY\]\[DAG:`)},
	{isNodes, regexp.MustCompile(`\A\s*\{\s*"nodes"\s*:|(?m:^nodes:)|\Anode,`)},
	{"what yarn application -list prints, which has no times; ask the ResourceManager for /ws/v1/cluster/apps",
		regexp.MustCompile(`(?m)^Total number of applications \(|^\s*Application-Id\t`)},
	{"what yarn logs prints, the output of containers; the ResourceManager's own log tells when they ran",
		regexp.MustCompile(`\A\s*Container: container_`)},
	{"a tar archive; unpack it", regexp.MustCompile(`\A(?s:.{257})ustar`)},
	{"an error that a web service answered", regexp.MustCompile(`\A\s*\{\s*"RemoteException"\s*:`)},
	{"what a web service answers in XML; ask it for JSON (Accept: application/json)",
		regexp.MustCompile(
			`\A\s*(<\?xml[^>]*>\s*)?<(apps|app|nodes|jobs|job|tasks|taskAttempts|conf|clusterMetrics|scheduler|clusterInfo)[ />]`)},
	{"a page of HTML, such as that of a login", regexp.MustCompile(`(?i)\A\s*(<!doctype html|<html)`)},
	{"a configuration; give it with --config", regexp.MustCompile(
		`\A\s*(<\?xml[^>]*>\s*)?(<!--(?s:.*?)-->\s*)*(<\?xml-[^>]*>\s*)?(<!--(?s:.*?)-->\s*)*<configuration`)},
}

// envelope is an audit line in the JSON of a collector of logs.
var envelope = regexp.MustCompile(`USER=[^"]*OPERATION=|appId=application_\d+_\d+,name=`)

// auditLine is one of a ResourceManager about applications.
var auditLine = regexp.MustCompile(`appId=application_\d|USER=.*OPERATION=`)

// tezEntity is in the head of a history of Tez, whatever lists and objects it is in.
var tezEntity = regexp.MustCompile(`"entity[tT]ype"\s*:\s*"TEZ_`)

// textRules recognise formats that are not JSON, in order of trial.
var textRules = []struct {
	format  string
	pattern *regexp.Regexp
}{
	{tezFormat, regexp.MustCompile(`(?s)\ASEQ\x06(.{1,200}ProtoMessageWritable|.{0,120}\z)`)},
	{"jhist", regexp.MustCompile(`\AAvro-(Json|Binary)\s*\n`)},
	{"swim", regexp.MustCompile(`\A\S+\t\d+\t\d+\t\d+\t\d+\t\d+`)},
	{"swf", regexp.MustCompile(`\A(;.*\n|\s*\n)*(\s*-?[\d.]+([ \t]+-?[\d.eE+]+){17}\s*(\n|\z)|;.*\z)`)},
	{"rm-log", auditLine},
	{"hadoop-1", hadoop1Head},
	{"rm-log", regexp.MustCompile(`(?m)^(\d\d){1,2}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d([,.]\d+)? +[A-Z]+ `)}, // audit lines may come later
}

// jsonRules name the keys that only one format has, in order of trial.
var jsonRules = []struct {
	format string
	keys   []string
}{
	{"rumen", []string{"jobID", "mapTasks"}},
	{"native", []string{"schema"}},
	{"sls", []string{"am.type", "job.tasks", "num.nodes", "job.start.ms"}},
	{"synth", []string{"workloads"}},
	{sparkFormat, []string{"Event"}},
	{"inventory", []string{"rack", "children"}},
	{"rest", []string{"apps", "app", "jobs", "job", "tasks", "taskAttempts", "conf", "clusterMetrics", "scheduler",
		"clusterInfo", "t_ms"}},
}

// topKeys collects the keys of the first object's first level.
func topKeys(head []byte) map[string]bool {
	keys := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(head))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return keys
	}
	for dec.More() {
		key, _ := dec.Token()
		name, ok := key.(string)
		if !ok {
			break
		}
		keys[name] = true
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
	}
	return keys
}
