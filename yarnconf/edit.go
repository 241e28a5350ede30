package yarnconf

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Change sets or removes one property.
type Change struct {
	Key   string // full property name
	Value string // new value; not used with Unset
	Unset bool   // remove the property, all its duplicates included
}

// Edit returns a document with the changes made and every other byte as it
// was. Setting a property to the value it has changes nothing. A new property
// goes below its nearest relatives, in their layout. Of several changes of one
// key the last counts. Errors: an empty key, characters that XML can't hold, or
// a property that can only be changed in an included file.
func (d *Document) Edit(changes []Change) (*Document, error) {
	r, sets := d.root, slices.ContainsFunc(changes, func(c Change) bool { return !c.Unset })
	if sets && r.end > 0 && r.end == r.innerStart { // <configuration/> has no room for properties
		open := strings.TrimRight(string(d.data[r.start:r.innerStart]), "/> \t\r\n") + ">" + (&editor{doc: d}).newline(r.start)
		opened, err := d.with(slices.Concat(d.data[:r.start], []byte(open+"</configuration>"), d.data[r.end:]))
		if err != nil {
			return nil, err
		}
		return opened.Edit(changes)
	}
	e := &editor{doc: d}
	for _, c := range lastOfEach(changes) {
		if err := e.change(c); err != nil {
			return nil, err
		}
	}
	data := e.apply()
	if bytes.Equal(data, d.data) {
		return d, nil
	}
	out, err := d.with(data)
	if err != nil {
		return nil, err
	}
	return out, e.verify(out, changes)
}

// with returns the document with other content.
func (d *Document) with(data []byte) (*Document, error) {
	out, err := parse(d.name, data, d.include)
	if err != nil {
		return nil, fmt.Errorf("an edit broke the file: %w", err)
	}
	return out.WithSite(d.site).ForHadoop(d.hadoop), nil
}

func lastOfEach(changes []Change) []Change {
	last := make(map[string]int, len(changes))
	for i, c := range changes {
		last[c.Key] = i
	}
	out := make([]Change, 0, len(last))
	for i, c := range changes {
		if last[c.Key] == i {
			out = append(out, c)
		}
	}
	return out
}

// splice replaces a byte range. Insertions have start = end; several at one
// place keep the order in which they were made.
type splice struct {
	start, end int
	text       string
}

type editor struct {
	doc     *Document
	splices []splice
}

func (e *editor) change(c Change) error {
	if err := validChange(c); err != nil {
		return Problem{File: e.doc.name, Key: c.Key, Reason: err.Error()}
	}
	if c.Unset {
		return e.unset(c.Key)
	}
	return e.set(c.Key, c.Value)
}

func validChange(c Change) error {
	// Blanks inside a name are allowed: a queue may be called "ad hoc".
	if c.Key == "" || c.Key != strings.TrimSpace(c.Key) || strings.ContainsAny(c.Key, "\t\r\n") {
		return fmt.Errorf("%q is no property name", c.Key)
	}
	if strings.TrimSpace(c.Value) == "" && !c.Unset {
		return fmt.Errorf("an empty value means not set: remove the property instead")
	}
	for _, s := range []string{c.Key, c.Value} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is not UTF-8", s)
		}
		for _, r := range s {
			if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
				return fmt.Errorf("%q holds the control character %U", s, r)
			}
		}
	}
	return nil
}

func (e *editor) set(key, value string) error {
	i, ok := e.doc.index[key]
	if !ok {
		if i, ok = e.empty(key); !ok {
			e.insert(key, value)
			return nil
		}
	}
	p := e.doc.props[i]
	switch {
	case strings.TrimSpace(p.Value) == strings.TrimSpace(value):
		return nil
	case p.included && p.Final:
		return Problem{File: p.File, Line: p.Line, Key: key, Reason: "final in an included file: must be changed there"}
	case p.included:
		e.append(key, value)
		return nil
	}
	e.replace(p, value)
	return nil
}

// empty finds a property that is written with an empty value, which is its
// natural place once it gets one.
func (e *editor) empty(key string) (int, bool) {
	for i := len(e.doc.props) - 1; i >= 0; i-- {
		p := e.doc.props[i]
		if p.Name == key && !p.included && p.value.start >= 0 {
			return i, true
		}
	}
	return 0, false
}

// replace writes a new value in the place of the old one and keeps the white
// space around it.
func (e *editor) replace(p property, value string) {
	v := p.value
	if v.innerStart == v.innerEnd && !p.attribute && v.end == v.innerStart { // <value/>
		e.splices = append(e.splices, splice{v.start, v.end, "<value>" + escape(value) + "</value>"})
		return
	}
	inner := e.doc.data[v.innerStart:v.innerEnd]
	lead, trail := leadingSpace(inner), 0
	if t := bytes.TrimRight(inner, " \t\r\n"); len(t) > 0 {
		trail = len(inner) - len(t)
	}
	e.splices = append(e.splices, splice{v.innerStart + lead, v.innerEnd - trail, escape(value)})
}

// escape writes text so that it can be in an element or an attribute.
func escape(s string) string {
	if !strings.ContainsAny(s, "<>&\"'\t\r\n") {
		return s
	}
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}

func (e *editor) unset(key string) error {
	for _, p := range e.doc.props {
		if p.Name != key {
			continue
		}
		if p.included {
			return Problem{File: p.File, Line: p.Line, Key: key, Reason: "set in an included file: must be changed there"}
		}
		e.splices = append(e.splices, e.removal(p.at))
	}
	return nil
}

// removal is the element and, where it has its lines for itself, those lines
// with one of two blank lines around them.
func (e *editor) removal(at span) splice {
	data := e.doc.data
	start, end := at.start-len(indentOf(data, at.start)), len(data)-len(bytes.TrimLeft(data[at.end:], " \t\r"))
	ownLines := (start == 0 || data[start-1] == '\n') && end < len(data) && data[end] == '\n'
	if !ownLines {
		return splice{at.start, at.end, ""}
	}
	end++
	if before := blankLineBefore(data, start); before < start && (blankLineAt(data, end) || e.rootEndsAt(end)) {
		start = before
	}
	return splice{start, end, ""}
}

// blankLineBefore returns the start of the blank line that ends at a line's
// start, or that start itself if there is none.
func blankLineBefore(data []byte, start int) int {
	if start == 0 {
		return start
	}
	above := bytes.TrimRight(data[:start-1], " \t\r") // without the newline before
	if bytes.HasSuffix(above, []byte("\n")) {
		return len(above)
	}
	return start
}

// rootEndsAt reports whether only blanks stand between an offset and the end of
// the root element.
func (e *editor) rootEndsAt(i int) bool {
	return i <= e.doc.root.innerEnd && len(bytes.TrimSpace(e.doc.data[i:e.doc.root.innerEnd])) == 0
}

func blankLineAt(data []byte, i int) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data[i:], " \t\r"), []byte("\n"))
}

// apply makes all splices at once.
func (e *editor) apply() []byte {
	sort.SliceStable(e.splices, func(i, j int) bool { return e.splices[i].start < e.splices[j].start })
	var out bytes.Buffer
	at := 0
	for _, s := range e.splices {
		if s.start < at { // two removals that share a blank line
			s.start = at
		}
		out.Write(e.doc.data[at:s.start])
		out.WriteString(s.text)
		at = max(s.end, s.start)
	}
	out.Write(e.doc.data[at:])
	return out.Bytes()
}

// verify makes sure that the edited file says what was asked.
func (e *editor) verify(out *Document, changes []Change) error {
	for _, c := range lastOfEach(changes) {
		if _, ok := out.index[c.Key]; c.Unset && ok || !c.Unset && out.Value(c.Key) != strings.TrimSpace(c.Value) {
			return Problem{File: e.doc.name, Key: c.Key, Reason: fmt.Sprintf("the change to %q did not take effect", c.Value)}
		}
	}
	return nil
}
