package trace

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// logTime reads the time nearest to the end of a line's beginning: log4j's comes behind
// those of collectors. It is 2006-01-02 15:04:05 with a T, slashes, a year of two digits
// or decimals in whatever layout, or 02 Jan 2006 15:04:05 (DATE); an offset behind it counts.
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

var (
	clockForm = regexp.MustCompile(`^(?:(?:\d\d)?\d\d[-/]\d\d[-/]\d\d|\d\d[- /][A-Z][a-z]{2}[- /]\d{4})[ T:]` +
		`\d\d:\d\d:\d\d(?:[,.]\d+)?(?:[+-]\d\d:?\d\d\b)?`)
	plainClock = strings.NewReplacer("/", "-", "T", " ")
)

// clockAt reads the time at the beginning of a text.
func clockAt(b []byte) (Millis, bool) {
	text, layout := plainClock.Replace(string(clockForm.Find(b))), "2006-01-02 15:04:05"
	switch {
	case len(text) > 11 && text[3] >= 'A':
		layout = "02" + text[2:3] + "Jan" + text[6:7] + "2006" + text[11:12] + "15:04:05"
	case len(text) > 2 && text[2] == '-':
		layout = layout[2:]
	}
	if at := strings.LastIndexAny(text, "+-"); at > len(layout)-1 {
		text, layout = text[:at+3]+text[len(text)-2:], layout+"-0700"
	}
	at, err := time.Parse(layout, text)
	return Millis(at.UnixMilli()), err == nil
}
