package trace

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"schedtune/internal/fileio"
)

// readConf reads the properties that matter from a job's _conf.xml.
func readConf(r io.Reader, name string) (*confProps, error) {
	in, err := newInput(r, name)
	if err != nil {
		return nil, err
	}
	var p confProps
	head, err := io.ReadAll(io.LimitReader(in, mostConf))
	if err != nil {
		return nil, &Error{File: name, Err: err}
	}
	if plainConf(head, p.setters()) {
		return &p, nil
	}
	return xmlConf(io.MultiReader(bytes.NewReader(head), in), name) // which tells what it is, or what is wrong with it
}

// xmlConf reads a configuration in any form that XML allows.
func xmlConf(r io.Reader, name string) (*confProps, error) {
	var p confProps
	set := p.setters()
	dec := xml.NewDecoder(r)
	depth := 0
	for {
		tok, err := dec.Token()
		if err == io.EOF && depth == 0 {
			return &p, nil
		}
		if err != nil {
			line, _ := dec.InputPos()
			return nil, &Error{File: name, Line: int64(line), Err: err}
		}
		switch el := tok.(type) {
		case xml.StartElement:
			if el.Name.Local != "property" {
				depth++
				continue
			}
			var prop struct {
				Name  string `xml:"name"`
				Value string `xml:"value"`
			}
			if err := dec.DecodeElement(&prop, &el); err != nil {
				line, _ := dec.InputPos()
				return nil, &Error{File: name, Line: int64(line), Err: fmt.Errorf("property: %w", err)}
			}
			if dst := set[strings.TrimSpace(prop.Name)]; dst != nil {
				*dst = text(strings.TrimSpace(prop.Value))
			}
		case xml.EndElement:
			depth--
		}
	}
}

// mostConf is how much of a configuration is held; the rest of longer ones is streamed.
const mostConf = 16 << 20

// plainConf reads a configuration as Hadoop writes it: properties whose elements hold
// text alone. It reports false for all else, among it comments, attributes and faults.
func plainConf(b []byte, set map[string]*text) bool {
	if len(b) == mostConf || !utf8.Valid(b) {
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
		if !s.take("<property>") || !s.property(set) {
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
func (s *confScan) property(set map[string]*text) bool {
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
	dst := set[string(bytes.TrimSpace(name))]
	if dst == nil {
		return true
	}
	*dst = text(bytes.TrimSpace(value))
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

// setters returns the fields by the property names in their tags.
func (p *confProps) setters() map[string]*text {
	v := reflect.ValueOf(p).Elem()
	set := make(map[string]*text, v.NumField())
	for i := range v.NumField() {
		set[v.Type().Field(i).Tag.Get("json")] = v.Field(i).Addr().Interface().(*text)
	}
	return set
}

// confBeside reads the configuration of a job from the folder of its history
// file; absent is no error.
func confBeside(dir, jobID string) (*confProps, error) {
	paths, _ := filepath.Glob(filepath.Join(dir, "*_"+jobID+"_conf.xml")) // of Hadoop 0.18 to 0.20
	for _, ext := range []string{"", ".gz", ".zst"} {
		paths = append(paths, filepath.Join(dir, jobID+"_conf.xml"+ext))
	}
	for _, path := range paths {
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
