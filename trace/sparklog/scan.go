package sparklog

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// scan walks over one JSON value without building it: the reader takes the few
// members it needs and passes over the rest, which is most of a log's text. It
// checks that strings end and that brackets match, not more: Spark wrote the
// text, and faults of storage break one of the two.
type scan struct {
	b     []byte
	i     int
	value int // place of the value of the last key
	err   error
}

var (
	errCut    = errors.New("the line ends inside a JSON value")
	errSyntax = errors.New("not valid JSON")
	errType   = errors.New("a JSON value of another type than Spark writes there")
)

func (s *scan) fail(err error) {
	if s.err == nil {
		s.err = err
	}
	s.i = len(s.b)
}

// blank passes over white space and returns the next byte, 0 at the end.
func (s *scan) blank() byte {
	for s.i < len(s.b) {
		c := s.b[s.i]
		if c > ' ' || c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
		s.i++
	}
	return 0
}

// object enters an object and returns its first key, as member does; false also for null
// (which is passed over) and for a fault.
func (s *scan) object() ([]byte, bool) {
	if !s.enter('{') {
		return nil, false
	}
	return s.member()
}

// enter steps behind an opening bracket; false for null (which is passed over) or a fault.
func (s *scan) enter(open byte) bool {
	switch c := s.blank(); c {
	case open:
		s.i++
		return true
	case 'n':
		s.skip()
	case 0:
		s.fail(errCut)
	default:
		s.fail(errType)
	}
	return false
}

// member returns the next key of the object entered, and leaves the scanner at
// its value; false at the object's end, which is passed over. The value of the key before
// is passed over where nobody has read it.
func (s *scan) member() ([]byte, bool) {
	if s.i == s.value {
		s.skip()
	}
	if !s.element('}') {
		return nil, false
	}
	k := s.raw()
	if s.blank() != ':' {
		s.unexpected()
		return nil, false
	}
	if s.i++; s.i < len(s.b) && s.b[s.i] <= ' ' {
		s.blank()
	}
	s.value = s.i
	return k, true
}

// texts reads an object and returns the texts of the members named, in the order of the
// names; empty where there is none.
func (s *scan) texts(names ...string) []string {
	out := make([]string, len(names))
	for k, ok := s.object(); ok; k, ok = s.member() {
		if i := place(names, k); i >= 0 {
			out[i] = s.text()
		}
	}
	return out
}

// place returns where a name is in a list, -1 where it does not.
func place(names []string, name []byte) int {
	for i := range names {
		if names[i] == string(name) { // slices.Index would copy the name
			return i
		}
	}
	return -1
}

// element steps to the next element; false at the closing bracket, which is
// passed over.
func (s *scan) element(end byte) bool {
	c := s.blank()
	if c == ',' {
		s.i++
		c = s.blank()
	}
	switch c {
	case end:
		s.i++
		return false
	case 0:
		s.fail(errCut)
		return false
	}
	return true
}

// unexpected notes that another byte is expected, or any.
func (s *scan) unexpected() {
	if s.i >= len(s.b) {
		s.fail(errCut)
	} else {
		s.fail(errSyntax)
	}
}

// raw returns the text between the quotes of a string, with its escapes.
func (s *scan) raw() []byte {
	if s.blank() != '"' {
		s.unexpected()
		return nil
	}
	from := s.i + 1
	at := from
	for {
		n := bytes.IndexByte(s.b[at:], '"')
		if n < 0 {
			s.fail(errCut)
			return nil
		}
		at += n
		back := at
		for back > from && s.b[back-1] == '\\' {
			back--
		}
		if (at-back)%2 == 0 {
			break
		}
		at++
	}
	s.i = at + 1
	return s.b[from:at]
}

// text returns a string value, or a number or boolean as its text; empty for
// null. Bytes that are no UTF-8 are replaced.
func (s *scan) text() string {
	switch s.blank() {
	case '"':
	case '{', '[':
		s.fail(errType)
		return ""
	default:
		from := s.i
		s.skip()
		if v := string(bytes.TrimSpace(s.b[from:s.i])); v != "null" {
			return v
		}
		return ""
	}
	from := s.i
	t := s.raw()
	if bytes.IndexByte(t, '\\') < 0 && utf8.Valid(t) {
		return string(t)
	}
	var v string
	if s.err == nil && json.Unmarshal(s.b[from:s.i], &v) != nil {
		s.fail(errSyntax)
	}
	return v
}

// int returns a whole number, also one in quotes or written as a float; def
// for null and for the empty string.
func (s *scan) int(def int64) int64 {
	c := s.blank()
	if c == '"' {
		t := s.raw()
		return s.number(string(t), def)
	}
	i, neg := s.i, false
	if c == '-' {
		neg = true
		i++
	}
	v, digits := int64(0), 0
	for ; i < len(s.b) && digits < 18; i++ {
		d := s.b[i] - '0'
		if d > 9 {
			break
		}
		v = v*10 + int64(d)
		digits++
	}
	if digits > 0 && i < len(s.b) && (s.b[i] == ',' || s.b[i] == '}' || s.b[i] == ']') {
		s.i = i
		if neg {
			return -v
		}
		return v
	}
	from := s.i
	if c == '{' || c == '[' {
		s.fail(errType)
		return def
	}
	s.skip()
	return s.number(string(bytes.TrimSpace(s.b[from:s.i])), def)
}

// number parses what the fast path does not.
func (s *scan) number(t string, def int64) int64 {
	if s.err != nil || t == "" || t == "null" {
		return def
	}
	if v, err := strconv.ParseInt(t, 10, 64); err == nil {
		return v
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil || !(f > -1<<62 && f < 1<<62) {
		s.fail(errType)
		return def
	}
	return int64(f)
}

// float returns a number.
func (s *scan) float() float64 {
	t := s.text()
	if t == "" {
		return 0
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil {
		s.fail(errType)
	}
	return f
}

// bool returns a boolean; anything but true is false.
func (s *scan) bool() bool {
	s.blank()
	is := bytes.HasPrefix(s.b[s.i:], []byte("true"))
	s.skip()
	return is
}

// plain[c] says that a byte neither opens nor closes anything.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = true
	}
	for _, c := range `"{}[]` {
		t[c] = false
	}
	return t
}()

// skip passes over one value.
func (s *scan) skip() {
	switch s.blank() {
	case '"':
		s.raw()
	case '{', '[':
		s.skipNested()
	case 0:
		s.fail(errCut)
	default: // a number or a word
		from := s.i
		for s.i < len(s.b) {
			c := s.b[s.i]
			if c == ',' || c == '}' || c == ']' {
				break
			}
			s.i++
		}
		if s.i == from {
			s.fail(errSyntax)
		}
	}
}

// skipNested passes over an object or an array. Depth is counted, not stacked.
func (s *scan) skipNested() {
	b, i, depth := s.b, s.i, 0
	for i < len(b) {
		c := b[i]
		if plain[c] {
			i++
			continue
		}
		switch c {
		case '"':
			i++
			for i < len(b) && b[i] != '"' {
				if b[i] == '\\' {
					i++
				}
				i++
			}
			i++
		case '{', '[':
			depth++
			i++
		default:
			depth--
			i++
			if depth == 0 {
				s.i = i
				return
			}
		}
	}
	s.fail(errCut)
}
