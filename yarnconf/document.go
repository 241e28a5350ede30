package yarnconf

import (
	"maps"
	"slices"

	"fmt"
	"path/filepath"
	"strings"

	"schedtune/internal/fileio"
)

// maxFile bounds the size of a configuration file: Hadoop's own files have
// kilobytes, and ten thousand queues with ten settings each have 15 MiB.
const maxFile = 64 << 20

// Document is a Hadoop configuration file kept byte for byte: what is not
// edited comes back as it was, with its comments, order, white space, unknown
// properties and XInclude elements. A Document never changes; Edit returns a
// new one. It may be used from several goroutines.
type Document struct {
	name     string
	data     []byte
	props    []property // in file order; those of included files stand where they are included
	index    map[string]int
	root     span // <configuration> … </configuration>; inner is its content
	warnings []Problem
	include  func(href string) (string, []byte, error)
	site     *Document // yarn-site.xml behind this file; may be nil
	hadoop   Version
	places   func() map[string]int // index of the first property below every path; nil: there are none
}

// span is a byte range of an element and of its content.
type span struct{ start, end, innerStart, innerEnd int }

// property is one <property> as it is in the file.
type property struct {
	Property
	at        span // the element; of no use if included
	value     span // the value element, or the value attribute; start < 0: none
	name      span
	attribute bool // written as attributes
	included  bool
}

// Property is one setting of a file.
type Property struct {
	Name  string // in full
	Value string // as written, entities resolved, not trimmed
	Final bool   // later files and later properties may not override it
	File  string // the file it is in
	Line  int    // the line of its value (of its element where it has none), from 1
}

// Parse reads a configuration file; name is for messages only. XInclude
// elements are kept but not followed: see Load.
func Parse(name string, data []byte) (*Document, error) {
	return parse(name, data, nil)
}

// Load reads a configuration file and the files it includes (XInclude, relative
// to the file). Properties of included files are read but never written.
func Load(path string) (*Document, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	return parse(path, data, func(href string) (string, []byte, error) {
		p := href
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		data, err := readFile(p)
		return p, data, err
	})
}

// readFile reads a configuration file of at most 64 MiB. Errors are Problems.
func readFile(path string) ([]byte, error) {
	data, err := fileio.ReadFile(path, maxFile)
	if err != nil {
		return nil, Problem{File: path, Reason: fileio.Cause(err), Err: err}
	}
	return data, nil
}

// Name returns the file name given to Parse or Load.
func (d *Document) Name() string { return d.name }

// Bytes returns a copy of the file as it is to be written.
func (d *Document) Bytes() []byte { return append([]byte(nil), d.data...) }

// Warnings returns what is odd but no error: duplicate properties, properties
// without a name, includes that were not followed. Ordered by line.
func (d *Document) Warnings() []Problem { return append([]Problem(nil), d.warnings...) }

// Properties returns all properties in the order in which Hadoop reads them,
// overridden ones too.
func (d *Document) Properties() []Property {
	out := make([]Property, len(d.props))
	for i, p := range d.props {
		out[i] = p.Property
	}
	return out
}

// Lookup returns the property that is in force under a name: the last one, or
// the first that is final. An empty value counts as not set, as in Hadoop.
func (d *Document) Lookup(key string) (Property, bool) {
	i, ok := d.index[key]
	switch {
	case ok:
		return d.props[i].Property, true
	case d.site != nil:
		return d.site.Lookup(key)
	}
	return Property{}, false
}

// WithSite returns the document with another file behind it, such as
// yarn-site.xml with the minimum allocation: its properties count where this
// file sets none, as in the ResourceManager. They are never written.
func (d *Document) WithSite(site *Document) *Document {
	out := *d
	out.site = site
	return &out
}

// HasSite reports whether settings of yarn-site.xml are there.
func (d *Document) HasSite() bool {
	return slices.ContainsFunc(d.Keys(), func(key string) bool { return !strings.HasPrefix(key, Prefix) })
}

// ForHadoop returns the document as one for a version of Hadoop: it is
// evaluated and checked by that version's rules.
func (d *Document) ForHadoop(v Version) *Document {
	out := *d
	out.hadoop = v
	return &out
}

// Hadoop is the version the document is for.
func (d *Document) Hadoop() Version { return d.hadoop }

// Get returns a property's value in force as written, blanks included: some of
// Hadoop's settings trim and some do not. A Document is a Props.
func (d *Document) Get(key string) (string, bool) {
	p, ok := d.Lookup(key)
	return p.Value, ok
}

// Value returns a property's value in force without blanks around it, empty if
// it is not set.
func (d *Document) Value(key string) string {
	p, _ := d.Lookup(key)
	return strings.TrimSpace(p.Value)
}

// Line returns the line of a property in force, 0 if it is not set.
func (d *Document) Line(key string) int {
	p, _ := d.Lookup(key)
	return p.Line
}

// Map returns every property in force, values as written.
func (d *Document) Map() Map {
	m := make(Map, len(d.index))
	for _, k := range d.Keys() {
		m[k], _ = d.Get(k)
	}
	return m
}

// Keys returns the names of the properties in force in alphabetical order,
// those of the file behind included.
func (d *Document) Keys() []string {
	if d.site != nil {
		return mergedKeys(d.ownKeys(), d.site.Keys())
	}
	return d.ownKeys()
}

// ownKeys returns the names that this file sets, in alphabetical order.
func (d *Document) ownKeys() []string { return slices.Sorted(maps.Keys(d.index)) }

// buildIndex finds the property in force for each name and warns of the
// others.
func (d *Document) buildIndex() {
	d.index = make(map[string]int, len(d.props))
	for i, p := range d.props {
		if p.Value == "" {
			continue
		}
		j, ok := d.index[p.Name]
		if ok {
			d.warnDuplicate(d.props[j], p)
			if d.props[j].Final {
				continue
			}
		}
		d.index[p.Name] = i
	}
}

func (d *Document) warnDuplicate(first, second property) {
	effect := "this one counts"
	if first.Final {
		effect = fmt.Sprintf("line %d counts because it is final", first.Line)
	}
	d.warnings = append(d.warnings, Problem{Rule: "set-twice", Severity: Warning, File: second.File, Line: second.Line,
		Key: second.Name, Reason: fmt.Sprintf("set twice, first at line %d; %s", first.Line, effect)})
}
