package text

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// ascii replaces the minus sign of charts by that of ASCII.
func ascii(figure string) string { return strings.ReplaceAll(figure, "−", "-") }

// Plain formats a value as Number does, with an ASCII minus sign, for terminals and scripts.
func Plain(v float64) string { return ascii(Number(v)) }

// PlainDuration formats seconds as Duration does, with an ASCII minus sign.
func PlainDuration(s float64) string { return ascii(Duration(s)) }

// Amount formats a figure of a unit (s, share, jobs/h; others without a unit).
func Amount(v float64, unit string) string {
	switch unit {
	case "s":
		return PlainDuration(v)
	case "share":
		return Plain(v*100) + " %"
	case "h", "jobs/h":
		return Plain(v) + " " + unit
	}
	return Plain(v)
}

// Pair formats two figures of a quantity: times in one unit unless the smaller is less than 1 of it.
func Pair(before, after float64, unit string) (b, a string) {
	if scale, name := TimeUnit(max(before, after)); unit == "s" && min(before, after) >= scale {
		return Plain(before/scale) + name, Plain(after/scale) + name
	}
	return Amount(before, unit), Amount(after, unit)
}

// Arrow joins two figures, one if they are equal, without the unit of the first where the second has it.
func Arrow(before, after string) string {
	if before == after {
		return after
	}
	if i := strings.IndexByte(before, ' '); i > 0 && strings.HasSuffix(after, before[i:]) {
		before = before[:i]
	}
	return before + " → " + after
}

// Clock formats seconds as a time: to 10 ms below ten seconds, to 100 ms below a minute, else
// to the second. nil is never.
func Clock(s *float64) string {
	if s == nil {
		return "never"
	}
	unit := time.Second
	switch {
	case *s < 10:
		unit = 10 * time.Millisecond
	case *s < 60:
		unit = 100 * time.Millisecond
	}
	return time.Duration(*s * float64(time.Second)).Round(unit).String()
}

// Or returns the value of a text that may be missing.
func Or(s *string, missing string) string {
	if s == nil {
		return missing
	}
	return *s
}

// OneLine joins the words of a text by single blanks.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

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
