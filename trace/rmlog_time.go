package trace

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// logTime reads the time nearest to the end of a line's beginning: log4j's comes behind
// those of collectors. It is 2006-01-02 15:04:05 with a T, slashes, a year of two digits
// or decimals in whatever layout.
func logTime(prefix []byte) (Millis, error) {
	if at, ok := clockAt(prefix); ok && bytes.Count(prefix, []byte(":")) < 4 { // there is no other
		return at, nil
	}
	for i := len(prefix) - len("06-01-02 15:04:05"); i >= 0; i-- {
		if i > 0 && isDigit(prefix[i-1]) {
			continue
		}
		if at, ok := clockAt(prefix[i:]); ok {
			return at, nil
		}
	}
	return 0, fmt.Errorf("the line begins with %q: must be a time such as 2006-01-02 15:04:05,000",
		clip(string(prefix)))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// clockAt reads the time at the beginning of a text.
func clockAt(b []byte) (Millis, bool) {
	var v [7]int // year to second, milliseconds
	at, year := 0, 4
	if len(b) > 2 && !isDigit(b[2]) {
		year = 2
	}
	for i, digits := range [...]int{year, 2, 2, 2, 2, 2} {
		if len(b) < at+digits {
			return 0, false
		}
		for range digits {
			if !isDigit(b[at]) {
				return 0, false
			}
			v[i] = 10*v[i] + int(b[at]-'0')
			at++
		}
		if i < 5 && (at == len(b) || !strings.ContainsRune([...]string{"-/", "-/", " T", ":", ":"}[i], rune(b[at]))) {
			return 0, false
		}
		if i < 5 {
			at++
		}
	}
	if at < len(b) && (b[at] == ',' || b[at] == '.') {
		for scale := 100; at+1 < len(b) && isDigit(b[at+1]); scale /= 10 {
			at++
			v[6] += scale * int(b[at]-'0')
		}
	}
	if year == 2 {
		v[0] += 2000
	}
	t := time.Date(v[0], time.Month(v[1]), v[2], v[3], v[4], v[5], v[6]*1e6, time.UTC)
	return Millis(t.UnixMilli()), t.Day() == v[2] && t.Hour() == v[3] && t.Minute() == v[4]
}
