package trace

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
)

var (
	// ownText is where what is read of a line begins.
	ownText = regexp.MustCompile(`USER=[^"]*OPERATION=|appId=application_|Assigned container container_|` +
		`Node Transitioned|NodeManager from node`)
	// quoted is a string with escapes, or the beginning of one that is cut off.
	quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*("|$)`)
)

// unwrapLine takes a line of the log out of the string in which a collector of logs keeps it: of a
// JSON object, also a nested one, or of key="value" pairs. Where the line has no time of its own, it is that of the
// collector. It reports whether the line is whole.
func unwrapLine(text []byte) (line []byte, whole bool) {
	if bytes.IndexByte(text, '"') < 0 {
		return text, true
	}
	at := ownText.FindIndex(text)
	if at == nil {
		text = bytes.TrimRight(text, " \t\r,")
		return text, text[0] != '{' || text[len(text)-1] == '}'
	}
	for _, q := range quoted.FindAllIndex(text, -1) {
		if q[0] > at[0] || q[1] < at[1] {
			continue
		}
		var inner string
		own := bytes.ReplaceAll(text[q[0]:q[1]], []byte("\t"), []byte(`\t`))
		if own[len(own)-1] != '"' || json.Unmarshal(own, &inner) != nil {
			return nil, false
		}
		line, whole = unwrapLine([]byte(inner))
		if at = ownText.FindIndex(line); at != nil {
			if _, err := logTime(line[:at[0]]); err != nil {
				line = slices.Concat(text[q[1]:], text[:q[0]], []byte(" "), line)
			}
		}
		return line, whole
	}
	return text, true
}
