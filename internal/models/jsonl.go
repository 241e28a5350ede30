package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// jsonDecoder reads flat objects, one per line.
type jsonDecoder struct {
	keys   []string // with a meaning of their own, then the columns
	member map[string]json.RawMessage
}

// header takes the columns from the first object, in its order of keys.
func (d *jsonDecoder) header(r *Reader, line []byte) error {
	d.member = map[string]json.RawMessage{}
	d.keys = slices.Clone(r.specials[:])
	dec := json.NewDecoder(bytes.NewReader(line))
	for _, err := dec.Token(); dec.More() && err == nil; { // the first is the brace
		var key json.Token
		if key, err = dec.Token(); err != nil {
			return err
		}
		var value json.RawMessage
		if err = dec.Decode(&value); err != nil {
			return err
		}
		name, _ := key.(string)
		if r.special(name) != 0 {
			continue
		}
		if slices.Contains(r.columns, name) {
			return fmt.Errorf("key %.40q stands twice", name)
		}
		r.columns = append(r.columns, name)
	}
	d.keys = append(d.keys, r.columns...)
	return nil
}

func decodeJSON(r *Reader, line []byte, row *Row) error {
	d := &r.json
	row.reset()
	clear(d.member)
	if line[0] != '{' {
		return errors.New("must be one flat object")
	}
	if err := json.Unmarshal(line, &d.member); err != nil {
		return err
	}
	for i, key := range d.keys {
		value, ok := d.member[key]
		if !ok {
			continue
		}
		code := i - len(r.specials)
		if code < 0 {
			code = -1 - i
		}
		text, err := plain(value, code >= 0)
		if err == nil {
			err = r.field(code, text)
		}
		if err != nil {
			return fmt.Errorf("key %.40q: %w", key, err)
		}
	}
	return nil
}

// plain returns the text of a value as a field of a table has it; of a number's column true is
// 1 and false 0.
func plain(value json.RawMessage, number bool) (string, error) {
	switch {
	case value[0] == '"':
		var s string
		err := json.Unmarshal(value, &s)
		return s, err
	case value[0] == '{' || value[0] == '[':
		return "", errors.New("must be a number, a text, true, false or null")
	case value[0] == 'n':
		return "", nil
	case value[0] == 't' && number:
		return "1", nil
	case value[0] == 'f' && number:
		return "0", nil
	}
	return string(value), nil
}
