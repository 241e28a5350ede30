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
	c := jobConf{}
	if plainConf(data, c) {
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

// plainConf reads a configuration as Hadoop writes it: properties whose elements hold
// text alone. It reports false for all else, among it comments, attributes and faults.
func plainConf(b []byte, c jobConf) bool {
	if !utf8.Valid(b) {
		return false
	}
	s := confScan{b}
	s.blank()
	if bytes.HasPrefix(s.b, []byte("<?xml")) {
		head, rest, ok := bytes.Cut(s.b, []byte("?>"))
		if !ok || bytes.Contains(head, []byte("encoding")) && !bytes.Contains(bytes.ToUpper(head), []byte(`"UTF-8"`)) {
			return false
		}
		s.b = rest
		s.blank()
	}
	if !s.take("<configuration>") {
		return false
	}
	for s.blank(); !s.take("</configuration>"); s.blank() {
		if !s.take("<property>") || !s.property(c) {
			return false
		}
	}
	s.blank()
	return len(s.b) == 0
}

// confScan is what is left of a configuration.
type confScan struct{ b []byte }

func (s *confScan) blank() { s.b = bytes.TrimLeft(s.b, " \t\r\n") }

func (s *confScan) take(tag string) bool {
	if len(s.b) < len(tag) || string(s.b[:len(tag)]) != tag {
		return false
	}
	s.b = s.b[len(tag):]
	return true
}

// element reads a named element that holds text alone.
func (s *confScan) element(name string) ([]byte, bool) {
	if s.blank(); s.take("<" + name + "/>") {
		return nil, true
	}
	if !s.take("<" + name + ">") {
		return nil, false
	}
	end := max(bytes.IndexByte(s.b, '<'), 0)
	body := s.b[:end]
	s.b = s.b[end:]
	return body, s.take("</"+name+">") && plainText(body)
}

// property reads the elements of one to its end.
func (s *confScan) property(c jobConf) bool {
	name, ok := s.element("name")
	value, has := s.element("value")
	if !ok || !has || bytes.IndexByte(name, '&') >= 0 {
		return false
	}
	for s.blank(); !s.take("</property>"); s.blank() {
		_, source := s.element("source")
		_, final := s.element("final")
		if !source && !final {
			return false
		}
	}
	key := string(bytes.TrimSpace(name))
	if !ConfKey(key) {
		return true
	}
	c[key] = text(bytes.TrimSpace(value))
	return !bytes.ContainsAny(value, "&\r")
}

// plainText reports whether a text holds nothing that XML does not allow, or might not.
func plainText(b []byte) bool {
	for i, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xEF { // U+FFFE and its like begin so
			return false
		}
		if c == '&' && !entity.Match(b[i:min(i+12, len(b))]) || c == ']' && bytes.HasPrefix(b[i:], []byte("]]>")) {
			return false
		}
	}
	return true
}

// entity is one that every XML has, or a character that is no control character.
var entity = regexp.MustCompile(`^&(amp|lt|gt|quot|apos|#9|#10|#13|#3[2-9]|#[4-9]\d|#[1-9]\d\d);`)

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
