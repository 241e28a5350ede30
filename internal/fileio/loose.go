package fileio

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Scalar is a text that sources of JSON also write as a number, a truth value or null.
type Scalar string

// UnmarshalJSON accepts any scalar; null is the empty text.
func (t *Scalar) UnmarshalJSON(b []byte) error {
	*t = ""
	switch {
	case len(b) == 0 || string(b) == "null":
		return nil
	case b[0] == '{' || b[0] == '[':
		return fmt.Errorf("%s where a string or a number is expected", shortened(b))
	case b[0] != '"':
		*t = Scalar(b)
		return nil
	}
	if text := string(b[1 : len(b)-1]); utf8.ValidString(text) && !strings.Contains(text, `\`) {
		*t = Scalar(text)
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// Number is a whole number that sources of JSON also write as a string or with decimals; one
// that is absent or null is not OK.
type Number struct {
	V  int64
	OK bool
}

// UnmarshalJSON accepts 12, 12.0, "12", "" and null.
func (n *Number) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if s == "null" || s == "" {
		return nil
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || !(f >= -1<<62 && f <= 1<<62) {
			return fmt.Errorf("%s where a number is expected", shortened(b))
		}
		v = int64(f)
	}
	*n = Number{v, true}
	return nil
}

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, n.V, 10), nil }

// Or returns the number, or def where it is absent or negative.
func (n Number) Or(def int64) int64 {
	if !n.OK || n.V < 0 {
		return def
	}
	return n.V
}

func shortened(b []byte) string {
	if len(b) > 40 {
		return string(b[:37]) + "..."
	}
	return string(b)
}
