package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// jsonDecoder reads flat objects, one per line.
type jsonDecoder struct {
	index map[string]int // column, or special code
	names csvDecoder     // for interning
}

// header takes the columns from the first object, in its order of keys.
func (d *jsonDecoder) header(r *Reader, line []byte) error {
	d.index = map[string]int{}
	d.names.names = map[string]string{}
	return eachKey(line, func(key, _ []byte, _ bool) error {
		name := string(key)
		code := r.special(name)
		if code == 0 {
			code = len(r.columns)
			if _, twice := d.index[name]; twice {
				return fmt.Errorf("key %q stands twice", clip(name))
			}
			r.columns = append(r.columns, name)
		}
		d.index[name] = code
		return nil
	})
}

func decodeJSON(r *Reader, line []byte, row *Row) error {
	d := &r.json
	row.reset()
	return eachKey(line, func(key, value []byte, text bool) error {
		code, ok := d.index[string(key)]
		if !ok {
			if code = r.special(string(key)); code == 0 {
				return nil // a key that the first object does not have
			}
		}
		switch {
		case string(value) == "null" && !text:
			value = nil
		case string(value) == "true" && code >= 0:
			value = []byte("1")
		case string(value) == "false" && code >= 0:
			value = []byte("0")
		}
		if err := r.field(&d.names, code, value); err != nil {
			return fmt.Errorf("key %q: %w", clip(string(key)), err)
		}
		return nil
	})
}

// eachKey scans a flat JSON object and calls f with every key and value; a
// text's quotes are removed. Objects and arrays as values are errors. The
// slices are parts of the line unless escapes had to be resolved.
func eachKey(line []byte, f func(key, value []byte, text bool) error) error {
	s := scanner{line, 0}
	if err := s.expect('{'); err != nil {
		return err
	}
	if s.accept('}') {
		return s.end()
	}
	for {
		key, err := s.text()
		if err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		value, text, err := s.value()
		if err != nil {
			return err
		}
		if err := f(key, value, text); err != nil {
			return err
		}
		if s.accept('}') {
			return s.end()
		}
		if err := s.expect(','); err != nil {
			return err
		}
	}
}

// scanner walks over one line of JSON.
type scanner struct {
	b  []byte
	at int
}

func (s *scanner) space() {
	for s.at < len(s.b) && (s.b[s.at] == ' ' || s.b[s.at] == '\t' || s.b[s.at] == '\r') {
		s.at++
	}
}

func (s *scanner) accept(c byte) bool {
	s.space()
	if s.at < len(s.b) && s.b[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) expect(c byte) error {
	if s.accept(c) {
		return nil
	}
	if s.at >= len(s.b) {
		return fmt.Errorf("the object ends where %q is expected", c)
	}
	return fmt.Errorf("position %d: %q where %q is expected", s.at+1, s.b[s.at], c)
}

func (s *scanner) end() error {
	if s.space(); s.at < len(s.b) {
		return fmt.Errorf("position %d: text after the object", s.at+1)
	}
	return nil
}

// text reads a quoted string.
func (s *scanner) text() ([]byte, error) {
	if err := s.expect('"'); err != nil {
		return nil, err
	}
	from := s.at
	for ; s.at < len(s.b); s.at++ {
		switch s.b[s.at] {
		case '"':
			raw := s.b[from:s.at]
			s.at++
			if bytes.IndexByte(raw, '\\') < 0 {
				return raw, nil
			}
			var out string
			if err := json.Unmarshal(s.b[from-1:s.at], &out); err != nil {
				return nil, fmt.Errorf("position %d: %w", from, err)
			}
			return []byte(out), nil
		case '\\':
			s.at++
		}
	}
	return nil, fmt.Errorf("position %d: a text has no end", from)
}

// value reads a text, a number, true, false or null.
func (s *scanner) value() (v []byte, text bool, err error) {
	s.space()
	if s.at < len(s.b) && s.b[s.at] == '"' {
		v, err = s.text()
		return v, true, err
	}
	from := s.at
	for s.at < len(s.b) && !bytes.ContainsRune([]byte(",} \t\r"), rune(s.b[s.at])) {
		s.at++
	}
	v = s.b[from:s.at]
	if len(v) == 0 || v[0] == '{' || v[0] == '[' {
		return nil, false, fmt.Errorf("position %d: must be a number, a text, true, false or null", from+1)
	}
	switch string(v) {
	case "true", "false", "null":
		return v, false, nil
	}
	if x, err := strconv.ParseFloat(string(v), 64); err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, false, fmt.Errorf("position %d: %q is no number", from+1, clip(string(v)))
	}
	return v, false, nil
}
