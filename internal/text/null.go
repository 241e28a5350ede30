package text

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// WithNulls encodes a value as JSON, with null in place of 0 in the fields of these names if they are
// unknown.
func WithNulls(v any, unknown bool, names ...string) ([]byte, error) {
	data, err := json.Marshal(v)
	if !unknown {
		return data, err
	}
	for _, name := range names {
		for _, end := range []string{",", "}"} {
			field := `"` + name + `":`
			data = bytes.ReplaceAll(data, []byte(field+"0"+end), []byte(field+"null"+end))
		}
	}
	return data, err
}

// Known is an amount of which 0 means that it is not known: null in JSON.
type Known float64

// MarshalJSON writes null for 0.
func (k Known) MarshalJSON() ([]byte, error) {
	if k == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(k), 'g', -1, 64), nil
}
