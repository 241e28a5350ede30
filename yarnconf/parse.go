package yarnconf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"schedtune/internal/fileio"
)

// scanner reads a configuration file with encoding/xml and notes the byte
// offsets of every property, so that edits can be spliced into the original.
type scanner struct {
	doc   *Document
	data  []byte
	dec   *xml.Decoder
	start int // offset of the token read last
	end   int
	lines []int // offsets of line starts
	depth int   // of includes
	inner int   // of <configuration> elements
}

const maxIncludeDepth = 10

// maxNesting bounds <configuration> in <configuration>: Hadoop reads it, nobody writes it.
const maxNesting = 100

func parse(name string, data []byte, include func(string) (string, []byte, error)) (*Document, error) {
	d := &Document{name: name, data: append([]byte(nil), asXML(data)...), include: include}
	if err := scanInto(d, name, d.data, 0); err != nil {
		return nil, err
	}
	d.buildIndex()
	props := d.props
	d.places = sync.OnceValue(func() map[string]int { return firstBelow(props) })
	return d, nil
}

// scanInto appends the properties of one file to the document.
func scanInto(d *Document, name string, data []byte, depth int) error {
	if len(data) > maxFile {
		return Problem{File: name, Reason: fmt.Sprintf("larger than %d MiB", maxFile>>20)}
	}
	if fileio.UTF16(data) {
		return Problem{File: name, Line: 1, Reason: "the file is UTF-16: must be " + fileio.Encodings}
	}
	s := &scanner{doc: d, data: data, depth: depth, lines: lineStarts(data)}
	s.dec = fileio.NewDecoder(data)
	return s.file(name)
}

func lineStarts(data []byte) []int {
	starts := []int{0}
	for i, c := range data {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns the line of an offset, from 1.
func (s *scanner) line(offset int) int {
	i, found := slices.BinarySearch(s.lines, offset)
	if !found {
		i--
	}
	return i + 1
}

// next reads one token and notes its byte range. The decoder reuses the
// buffers of text tokens, so callers keep no token.
func (s *scanner) next() (xml.Token, error) {
	s.start = int(s.dec.InputOffset())
	t, err := s.dec.Token()
	s.end = int(s.dec.InputOffset())
	return t, err
}

func (s *scanner) fail(name string, offset int, err error) error {
	var se *xml.SyntaxError
	p := Problem{File: name, Line: s.line(offset), Reason: err.Error()}
	switch {
	case errors.As(err, &se):
		p.Line, p.Reason = se.Line, "XML: "+se.Msg
		if strings.Contains(se.Msg, "unexpected EOF") {
			p.Line, p.Reason = s.line(len(bytes.TrimRight(s.data, "\r\n"))), "XML: the file ends in the middle"
		}
	case errors.Is(err, io.EOF):
		p.Reason = "the file has no <configuration>"
	}
	if s.inner == 0 { // outside of the root element
		if kind := kindOf(s.data); kind != "" {
			p.Line, p.Reason = 1, kind
		}
	}
	return p
}

// kindOf names what is often given in place of an XML file; empty if it is none of these.
func kindOf(data []byte) string {
	text := bytes.TrimSpace(data)
	switch {
	case len(text) == 0:
	case bytes.HasPrefix(data, []byte("\x1f\x8b")), bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return "the file is packed: unpack it first"
	case text[0] == '{' || text[0] == '[':
		return "the file is JSON without the classification capacity-scheduler of EMR: what a ResourceManager answers to GET " +
			"/ws/v1/cluster/scheduler-conf comes as XML with the header Accept: application/xml"
	}
	return ""
}

var keyValue = regexp.MustCompile(`^(#.*\s+)*[A-Za-z][\w.-]*\.[\w.-]+ *[=:]`)

// file reads up to the root element, its content and what follows it.
func (s *scanner) file(name string) error {
	for {
		t, err := s.next()
		if err != nil {
			return s.fail(name, s.end, err)
		}
		el, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		if el.Name.Local != "configuration" {
			hint := ""
			if el.Name.Local == "allocations" {
				hint = "; this is an allocation file of the Fair Scheduler: tune simulate and tune compare read it with " +
					"--allocations"
			}
			return Problem{File: name, Line: s.line(s.start),
				Reason: fmt.Sprintf("the root element is <%s>: must be <configuration>%s", el.Name.Local, hint)}
		}
		root := span{start: s.start, innerStart: s.end}
		if err := s.configuration(name); err != nil {
			return err
		}
		root.innerEnd, root.end = s.start, s.end
		if s.depth == 0 {
			s.doc.root = root
		}
		return s.tail(name)
	}
}

// tail makes sure that nothing but comments and white space follows the root:
// Hadoop's parser refuses a second root element.
func (s *scanner) tail(name string) error {
	for {
		t, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.fail(name, s.end, err)
		}
		text, isText := t.(xml.CharData)
		_, isElement := t.(xml.StartElement)
		if isElement || isText && len(bytes.TrimSpace(text)) > 0 {
			return Problem{File: name, Line: s.line(s.start), Reason: "text or elements after </configuration>"}
		}
	}
}

// configuration reads the content of a <configuration>, which may be nested,
// up to its end.
func (s *scanner) configuration(name string) error {
	if s.inner++; s.inner > maxNesting {
		return Problem{File: name, Line: s.line(s.start),
			Reason: fmt.Sprintf("<configuration> elements are nested more than %d deep", maxNesting)}
	}
	defer func() { s.inner-- }()
	for {
		t, err := s.next()
		if err != nil {
			return s.fail(name, s.end, err)
		}
		switch el := t.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if err := s.child(name, el); err != nil {
				return err
			}
		}
	}
}

func (s *scanner) child(name string, el xml.StartElement) error {
	switch el.Name.Local {
	case "property":
		return s.property(name, el)
	case "configuration":
		return s.configuration(name)
	case "include":
		return s.includeElement(name, el)
	}
	s.warn(name, s.start, fmt.Sprintf("element <%s> is ignored by Hadoop", el.Name.Local))
	return s.skip(name)
}

// skip reads to the end of the element just begun.
func (s *scanner) skip(name string) error {
	err := s.dec.Skip()
	s.end = int(s.dec.InputOffset())
	if err != nil {
		return s.fail(name, s.end, err)
	}
	return nil
}

func (s *scanner) warn(name string, offset int, reason string) {
	s.doc.warnings = append(s.doc.warnings, Problem{Rule: "ignored", Severity: Warning, File: name, Line: s.line(offset),
		Reason: reason})
}

// property reads one <property>, in the element or the attribute form.
func (s *scanner) property(name string, el xml.StartElement) error {
	p := property{at: span{start: s.start, innerStart: s.end}, value: span{start: -1}, name: span{start: -1}}
	p.File, p.included, p.Line = name, s.depth > 0, s.line(s.start)
	s.attributes(&p, el)
	for {
		t, err := s.next()
		if err != nil {
			return s.fail(name, s.end, err)
		}
		switch el := t.(type) {
		case xml.StartElement:
			if err := s.field(name, &p, el); err != nil {
				return err
			}
			continue
		case xml.EndElement:
		default:
			continue
		}
		break
	}
	p.at.innerEnd, p.at.end = s.start, s.end
	if p.Name == "" {
		s.warn(name, p.at.start, "a property without a name is ignored")
		return nil
	}
	s.doc.props = append(s.doc.props, p)
	return nil
}

// field reads one element inside a property.
func (s *scanner) field(name string, p *property, el xml.StartElement) error {
	at := span{start: s.start, innerStart: s.end}
	text, err := s.text(name)
	if err != nil {
		return err
	}
	at.innerEnd, at.end = s.start, s.end
	switch el.Name.Local {
	case "name":
		if text != "" {
			p.Name, p.name = strings.TrimSpace(text), at
		}
	case "value":
		p.Value, p.value, p.attribute = text, at, false
		p.Line = s.line(at.innerStart + leadingSpace(s.data[at.innerStart:at.innerEnd]))
	case "final":
		p.Final = text == "true"
	case "include":
		return s.includeElement(name, el)
	}
	return nil
}

func leadingSpace(b []byte) int {
	t := bytes.TrimLeft(b, " \t\r\n")
	if len(t) == 0 {
		return 0
	}
	return len(b) - len(t)
}

// text collects the character data up to the end of the element just begun.
func (s *scanner) text(name string) (string, error) {
	var b strings.Builder
	for depth := 1; ; {
		t, err := s.next()
		if err != nil {
			return "", s.fail(name, s.end, err)
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			depth++
		case xml.EndElement:
			if depth--; depth == 0 {
				return b.String(), nil
			}
		}
	}
}

// includeElement follows an XInclude if the document was loaded from a place
// that includes can be looked up from.
func (s *scanner) includeElement(name string, el xml.StartElement) error {
	at, href := s.start, ""
	for _, a := range el.Attr {
		if a.Name.Local == "href" {
			href = a.Value
		}
	}
	// A fallback inside is Hadoop's business when the file is missing.
	if err := s.skip(name); err != nil {
		return err
	}
	switch {
	case s.doc.include == nil || strings.Contains(href, "://"):
		s.warn(name, at, fmt.Sprintf("the include of %q was not followed: its settings are not known here", href))
		return nil
	case s.depth >= maxIncludeDepth:
		return Problem{File: name, Line: s.line(at), Reason: fmt.Sprintf("includes more than %d deep: must not include "+
			"each other", maxIncludeDepth)}
	}
	file, data, err := s.doc.include(href)
	if err != nil {
		s.warn(name, at, fmt.Sprintf("the include of %q can't be read: its settings are not known here", href))
		return nil
	}
	return scanInto(s.doc, file, data, s.depth+1)
}
