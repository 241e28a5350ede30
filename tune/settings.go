package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Setting is one parameter's name and its value as it would be written to a
// configuration file.
type Setting struct {
	Name, Value string // of a Param; text that it allows
}

// Settings are the values of all parameters of a space, in the space's order.
// As JSON they are one object whose members keep that order.
type Settings []Setting

// Get returns the value of a name, and whether it is there.
func (s Settings) Get(name string) (string, bool) {
	for _, e := range s {
		if e.Name == name {
			return e.Value, true
		}
	}
	return "", false
}

// Equal reports whether two settings hold the same names and values in the
// same order.
func (s Settings) Equal(o Settings) bool { return slices.Equal(s, o) }

// Key is a text that is equal for equal settings only.
func (s Settings) Key() string {
	var b []byte
	for _, e := range s {
		b = append(strconv.AppendInt(b, int64(len(e.Name)), 10), ':')
		b = append(append(b, e.Name...), '=')
		b = append(strconv.AppendInt(b, int64(len(e.Value)), 10), ':')
		b = append(append(b, e.Value...), ';')
	}
	return string(b)
}

// MarshalJSON writes one object in the order of the settings.
func (s Settings) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, e := range s {
		name, err1 := json.Marshal(e.Name)
		value, err2 := json.Marshal(e.Value)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads an object of strings or numbers and keeps its order.
func (s *Settings) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("tune: settings: must be a JSON object")
	}
	out := Settings{}
	for d.More() {
		k, err1 := d.Token()
		v, err2 := d.Token()
		if err := errors.Join(err1, err2); err != nil {
			return fmt.Errorf("tune: settings: %w", err)
		}
		name, _ := k.(string)
		value, ok := v.(string)
		if n, is := v.(json.Number); is {
			value, ok = n.String(), true
		}
		if !ok {
			return fmt.Errorf("tune: settings: %s: must be a string or a number", name)
		}
		if _, dup := out.Get(name); dup {
			return fmt.Errorf("tune: settings: %s: appears twice", name)
		}
		out = append(out, Setting{name, value})
	}
	*s = out
	return nil
}
