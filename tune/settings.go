package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
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
func (s Settings) Equal(o Settings) bool {
	if len(s) != len(o) {
		return false
	}
	for i := range s {
		if s[i] != o[i] {
			return false
		}
	}
	return true
}

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
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeString(&b, e.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := writeString(&b, e.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// writeString writes a JSON string; almost all are plain.
func writeString(b *bytes.Buffer, s string) error {
	if plainText(s) {
		b.WriteByte('"')
		b.WriteString(s)
		b.WriteByte('"')
		return nil
	}
	t, err := json.Marshal(s)
	b.Write(t)
	return err
}

// plainText reports whether a string needs no escapes.
func plainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// UnmarshalJSON reads an object of strings or numbers and keeps its order.
func (s *Settings) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("tune: settings: want a JSON object")
	}
	out := Settings{}
	for d.More() {
		e, err := readSetting(d)
		if err != nil {
			return err
		}
		if _, dup := out.Get(e.Name); dup {
			return fmt.Errorf("tune: settings: %s appears twice", e.Name)
		}
		out = append(out, e)
	}
	*s = out
	return nil
}

func readSetting(d *json.Decoder) (Setting, error) {
	k, err := d.Token()
	if err != nil {
		return Setting{}, fmt.Errorf("tune: settings: %w", err)
	}
	v, err := d.Token()
	if err != nil {
		return Setting{}, fmt.Errorf("tune: settings: %w", err)
	}
	name, _ := k.(string)
	switch v := v.(type) {
	case string:
		return Setting{name, v}, nil
	case json.Number:
		return Setting{name, v.String()}, nil
	}
	return Setting{}, fmt.Errorf("tune: settings: %s: want a string or a number", name)
}
