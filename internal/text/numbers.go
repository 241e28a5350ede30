// Package text formats text for people: columns, numbers, percentages, the nearest of
// several words, the program's version. CPU times of benchmarks are here too.
package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number prints a value for people: three or four significant digits, with
// thousands as k and millions as M.
func Number(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	case a >= 1e9 || a > 0 && a < 1e-3:
		return Minus(strconv.FormatFloat(v, 'g', 3, 64))
	case a >= 1e6:
		return Minus(trim(v/1e6, 2)) + "M"
	case a >= 1e4:
		return Minus(trim(v/1e3, 1)) + "k"
	case a >= 100:
		return Minus(trim(v, 0))
	case a >= 10:
		return Minus(trim(v, 1))
	case a >= 1:
		return Minus(trim(v, 2))
	}
	return Minus(trim(v, 3))
}

// trim prints with at most d decimals and no trailing zeros.
func trim(v float64, d int) string {
	p := math.Pow10(d)
	v = math.Round(v*p) / p
	if v == 0 {
		v = 0
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Minus sets the typographic sign.
func Minus(s string) string {
	if len(s) > 0 && s[0] == '-' {
		return "−" + s[1:]
	}
	return s
}

// Duration prints seconds as s, min, h or d.
func Duration(s float64) string {
	if math.IsNaN(s) {
		return "–"
	}
	scale, name := TimeUnit(math.Abs(s))
	if scale == 1 {
		return Number(s) + name
	}
	return Minus(trim(s/scale, 1)) + name
}

// TimeUnit returns the seconds and the name of a unit in which a span of
// seconds is readable.
func TimeUnit(span float64) (float64, string) {
	switch {
	case span >= 3*86400:
		return 86400, " d"
	case span >= 3*3600:
		return 3600, " h"
	case span >= 600:
		return 60, " min"
	}
	return 1, " s"
}

// Figure prints four significant digits without an exponent, and no negative zero.
func Figure(v float64) string {
	switch a := max(v, -v); {
	case a >= 1000:
		return Fixed(v, 0)
	case a >= 100:
		return Fixed(v, 1)
	case a >= 10:
		return Fixed(v, 2)
	}
	return Fixed(v, 3)
}

// Fixed prints a value with so many decimals. What rounds to zero has no sign.
func Fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if digits, ok := strings.CutPrefix(text, "-"); ok && strings.Trim(digits, "0.") == "" {
		return digits
	}
	return text
}

// Signed is Fixed with the sign of a change: what grows has a plus, what rounds to
// zero has no sign.
func Signed(v float64, decimals int) string {
	text := Fixed(v, decimals)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

// Percent is a part as a change in percent with one decimal and its sign.
func SignedPercent(part float64) string { return fmt.Sprintf("%s %%", Signed(100*part, 1)) }

// PercentFigure is a number of percent with two digits; beyond 1000 it tells no more than its direction.
func PercentFigure(v float64) string {
	const known = 1000
	switch {
	case v >= known:
		return fmt.Sprintf("%d or more", known)
	case v <= -known:
		return fmt.Sprintf("%d or less", -known)
	case math.Abs(v) >= 9.95:
		return Fixed(v, 0)
	}
	return Fixed(v, 1)
}

// PercentSpan is an interval of changes in percent, from its lower end; what grows has a plus.
func PercentSpan(a, b float64) string {
	end := func(v float64) string {
		if s := PercentFigure(v); v <= 0 || strings.HasSuffix(s, "more") || s == "0.0" {
			return s
		}
		return "+" + PercentFigure(v)
	}
	return end(min(a, b)) + " to " + end(max(a, b))
}

// ManyTimes is the part from which on a multiple of the whole says more than a percentage.
const ManyTimes = 2

// Excess is by what part a value is larger than another, in percent or as a multiple.
func Excess(part float64) string {
	if part >= ManyTimes {
		return fmt.Sprintf("%.3g times", 1+part)
	}
	return Fixed(100*part, 1) + " %"
}

// Minutes prints a time to the minute, from an hour on as hours and minutes.
func Minutes(d time.Duration) string {
	m := int64(d.Round(time.Minute) / time.Minute)
	if m < 60 {
		return fmt.Sprintf("%d min", m)
	}
	return fmt.Sprintf("%d h %d min", m/60, m%60)
}

// Counted is a number with its noun.
func Count(n int, noun string) string { return CountAs(n, noun, noun+"s") }

// CountedAs is Counted of a noun whose plural is no noun with an s behind it.
func CountAs(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Num is a number whose unknown value (NaN) is null in JSON.
type Num float64

// MarshalJSON writes null for NaN and infinities.
func (n Num) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// UnmarshalJSON reads null as NaN.
func (n *Num) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*n = Num(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

func Nums(v []float64) []Num {
	out := make([]Num, len(v))
	for i, x := range v {
		out[i] = Num(x)
	}
	return out
}

func Floats(v []Num) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// Percent prints a share; a dash where it is unknown.
func Percent(n Num) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n))
}

// Three prints a number with three digits; a dash where it is unknown.
func Three(n Num) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(n))
}

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
