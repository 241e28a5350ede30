package trace

import (
	"bytes"
	"cmp"
	_ "embed"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"schedtune/internal/fileio"
	"schedtune/simcore"
	"schedtune/trace/internal/history"
)

// jobConf are properties of a job's configuration by name.
type jobConf map[string]text

//go:embed jobconf.txt
var confKeys string

var isConfKey = history.Words(confKeys)

// ConfKey reports whether a property of a job's configuration matters to a simulation. The
// others may hold passwords.
func ConfKey(name string) bool { return isConfKey[name] }

// first returns the first of the properties that says something.
func (c jobConf) first(names ...string) text {
	for _, name := range names {
		if c[name] != "" {
			return c[name]
		}
	}
	return ""
}

// apply puts the properties into a job, leaving alone what they do not say. Those of resource
// types (Hadoop 3) go before the others, with memory under either of its two names
// (TaskAttemptImpl, YARNRunner), the names of Hadoop 2 before those of Hadoop 1.
func (c jobConf) apply(j *Job) {
	for kind, to := range map[string]*Size{"map": &j.MapSize, "reduce": &j.ReduceSize} {
		at := "mapreduce." + kind
		setSize(to, c.first(at+".resource.memory-mb", at+".resource.memory", at+".memory.mb", "mapred.job."+kind+".memory.mb"),
			c.first(at+".resource.vcores", at+".cpu.vcores"))
	}
	const am = "yarn.app.mapreduce.am.resource."
	setSize(&j.AMSize, c.first(am+"memory-mb", am+"memory", am+"mb"), c.first(am+"vcores", am+"cpu-vcores"))
	slowstart := c.first("mapreduce.job.reduce.slowstart.completedmaps", "mapred.reduce.slowstart.completed.maps")
	if v, err := strconv.ParseFloat(string(slowstart), 64); err == nil && v >= 0 && v <= 1 {
		j.Slowstart = v
	}
	label := func(of string) string { return string(c["mapreduce."+of+"node-label-expression"]) }
	j.setLabels(simcore.JobLabels{App: label("job."), Master: label("job.am."), Map: label("map."),
		Reduce: label("reduce.")})
	priority := string(c["mapreduce.job.priority"])
	if v, set := parsePriority(priority); set && !j.PrioritySet { // else the history records a change
		j.Priority, j.PrioritySet = v, true
	} else if strings.EqualFold(priority, "NORMAL") && !j.PrioritySet {
		j.Priority, j.PrioritySet = normalPriority, true
	}
	if q := c.first("mapreduce.job.queuename", "mapred.job.queue.name"); j.Queue == "" && q != "" {
		j.Queue, j.Asked = string(q), true
	}
	j.Workflow = cmp.Or(string(c.first("oozie.job.id", "hive.session.id", "mapreduce.workflow.id", "hive.query.id",
		"pig.script.id", "cascading.flow.id")), runTag(string(c["mapreduce.job.tags"])), j.Workflow)
}

// unmodelled notes what a job asks for that no simulation does.
func (c jobConf) unmodelled(n *notes) {
	for _, kind := range []string{"map", "reduce"} {
		if v, err := strconv.Atoi(string(c["mapreduce.job.running."+kind+".limit"])); err == nil && v > 0 {
			n.add(Dropped, "limits on the tasks of a job that run at a time (mapreduce.job.running.*.limit)")
		}
	}
}

func setSize(s *Size, memory, cores text) {
	if v, ok := resource(memory, 1<<20); ok && v >= 1<<20 {
		s.MiB = int64(v / (1 << 20))
	}
	if v, ok := resource(cores, 1); ok && v >= 1 {
		s.VCores = int64(v)
	}
}

// resourceUnits are those of a quantity of a resource (UnitsConversionUtil).
var resourceUnits = map[string]float64{"m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50}

// resource reads AMOUNT or AMOUNT UNIT; usual is the unit of an amount without one.
func resource(t text, usual float64) (float64, bool) {
	s := strings.TrimSpace(string(t))
	amount := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	v, err := strconv.ParseInt(amount, 10, 64)
	if unit := strings.TrimSpace(s[len(amount):]); unit != "" {
		known := false
		if usual, known = resourceUnits[unit]; !known {
			return 0, false
		}
	}
	return float64(v) * usual, err == nil
}

// readConf reads the properties that matter from a job's _conf.xml.
func readConf(r io.Reader, name string) (jobConf, error) {
	in, err := newInput(r, name)
	if err != nil {
		return nil, err
	}
	data, err := fileio.ReadAll(in.r, mostConf)
	if err != nil {
		return nil, &Error{File: name, Err: err}
	}
	if c := (jobConf{}); plainConf(data, c) {
		return c, nil
	}
	return xmlConf(data, name) // which tells what it is, or what is wrong with it
}

// xmlConf reads a configuration in any form that XML allows.
func xmlConf(data []byte, name string) (jobConf, error) {
	var doc struct {
		Property []struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		} `xml:"property"`
	}
	dec := fileio.NewDecoder(data)
	if err := dec.Decode(&doc); err != nil && err != io.EOF {
		line, _ := dec.InputPos()
		return nil, &Error{File: name, Line: int64(line), Err: err}
	}
	c := jobConf{}
	for _, p := range doc.Property {
		if name := strings.TrimSpace(p.Name); ConfKey(name) {
			c[name] = text(strings.TrimSpace(p.Value))
		}
	}
	return c, nil
}

// mostConf bounds a configuration, bytes.
const mostConf = 64 << 20

// plainHead is what comes before the first property of a configuration that Hadoop writes.
var plainHead = regexp.MustCompile(`^\s*(<\?xml version="1\.[01]"( encoding="(?i:utf-8)")?` +
	`( standalone="(yes|no)")?\s*\?>)?\s*<configuration>\s*$`)

// plainConf reads a configuration as Hadoop writes it, some ten times as fast as XML is read:
// properties whose elements hold text alone. It reports false for all else, among it comments,
// attributes, escapes in what counts, and files that are cut off.
func plainConf(b []byte, c jobConf) bool {
	body, whole := bytes.CutSuffix(bytes.TrimSpace(b), []byte("</configuration>"))
	head, list, some := bytes.Cut(body, []byte("<property>"))
	if !whole || !some || !plainHead.Match(head) || !utf8.Valid(b) || bytes.Contains(list, []byte("<!")) ||
		bytes.Contains(list, []byte("<?")) {
		return false
	}
	element := func(b []byte, begin, end string) (body, rest []byte, ok bool) {
		b, begun := bytes.CutPrefix(bytes.TrimSpace(b), []byte(begin))
		body, rest, ok = bytes.Cut(b, []byte(end))
		return bytes.TrimSpace(body), rest, begun && ok && bytes.IndexByte(body, '<') < 0
	}
	for property := range bytes.SplitSeq(list, []byte("<property>")) {
		inner, ends := bytes.CutSuffix(bytes.TrimSpace(property), []byte("</property>"))
		name, rest, named := element(inner, "<name>", "</name>")
		if !ends || !named || bytes.IndexByte(name, '&') >= 0 || bytes.Contains(rest, []byte("</property>")) {
			return false
		}
		if !ConfKey(string(name)) {
			continue
		}
		value, rest, said := element(rest, "<value>", "</value>")
		if !said || bytes.ContainsAny(value, "&\r") || bytes.Contains(rest, []byte("<value")) ||
			bytes.Contains(rest, []byte("<name")) {
			return false
		}
		c[string(name)] = text(value)
	}
	return true
}

// confBeside reads the configuration of a job from the folder of its history
// file; absent is no error.
func confBeside(dir, jobID string) (jobConf, error) {
	paths, _ := filepath.Glob(filepath.Join(dir, "*_"+jobID+"_conf.xml")) // of Hadoop 0.18 to 0.20
	own := filepath.Join(dir, jobID+"_conf.xml")
	for _, path := range append(paths, own, own+".gz", own+".zst") {
		f, err := fileio.OpenBounded(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readConf(f, path)
	}
	return nil, nil
}
