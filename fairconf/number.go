package fairconf

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"schedtune/yarnconf"
)

// trim is Java's String.trim: blanks are all characters up to U+0020.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// parseInt is Java's Integer.parseInt.
func parseInt(s string) (int, bool) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil && digits(s)
}

// parseLong is Java's Long.parseLong.
func parseLong(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && digits(s)
}

func digits(s string) bool { return strings.Trim(strings.TrimLeft(s, "+-"), "0123456789") == "" }

// parseFloat is Java's Float.parseFloat and Double.parseDouble, but for
// hexadecimal figures.
func parseFloat(s string, bits int) (float64, bool) {
	t := trim(s)
	switch u := strings.TrimLeft(t, "+-"); {
	case len(t)-len(u) > 1:
		return 0, false
	case u == "NaN":
		return math.NaN(), true
	case u == "Infinity":
		return math.Inf(1 - 2*strings.Count(t, "-")), true
	}
	if n := len(t); n > 1 && strings.ContainsRune("fFdD", rune(t[n-1])) {
		t = t[:n-1]
	}
	if strings.Trim(t, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(t, bits)
	if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
		return f, true
	}
	return f, err == nil
}

// javaMin is Math.min for floats: NaN if either is.
func javaMin(a, b float32) float32 {
	if a != a || b != b {
		return float32(math.NaN())
	}
	return min(a, b)
}

// clamp01 cuts at 0 and 1 as Math.max(Math.min(f, 1), 0) does.
func clamp01(f float32) float32 {
	if f != f {
		return f
	}
	return max(min(f, 1), 0)
}

// truncate32 is Java's conversion of a double to an int.
func truncate32(f float64) int64 {
	return max(min(yarnconf.Truncate(f), math.MaxInt32), math.MinInt32)
}

// whitespace of Java's regular expressions.
const ws = `[ \t\n\x0b\f\r]*`

var (
	oldMemory   = regexp.MustCompile(`^(-?[0-9]+)(\.[0-9]*)?` + ws + `mb`)
	oldVCores   = regexp.MustCompile(`^(-?[0-9]+)(\.[0-9]*)?` + ws + `vcores`)
	oldSpaced   = regexp.MustCompile(`-?[0-9]+(?:\.[0-9]*)?` + ws + `[a-z]+` + ws)
	percentOnly = regexp.MustCompile(`^(-?([0-9]+)(\.[0-9]*)?)` + ws + `%` + ws + `$`)
	percentOf   = map[string]*regexp.Regexp{
		"memory": regexp.MustCompile(`^(-?([0-9]+)(\.[0-9]*)?)` + ws + `%` + ws + `memory$`),
		"cpu":    regexp.MustCompile(`^(-?([0-9]+)(\.[0-9]*)?)` + ws + `%` + ws + `cpu$`),
	}
)
