package fileio

import (
	"bytes"
	"fmt"
	"io"
)

// maxDepth bounds the nesting of JSON and YAML; no format read here has ten.
const maxDepth = 100

// maxValue bounds one string or number of a JSON stream, in bytes.
const maxValue = 16 << 20

// JSON passes a stream of JSON documents on and fails at nesting deeper than 100
// and at a string or number of more than 16 MiB. What is no JSON passes, for the
// decoder to complain about.
func JSON(r io.Reader) io.Reader { return &jsonReader{r: r, line: 1} }

type jsonReader struct {
	r        io.Reader
	line     int64
	depth    int
	length   int // of the value so far
	inString bool
	escaped  bool
	err      error
}

func (j *jsonReader) Read(p []byte) (int, error) {
	if j.err != nil {
		return 0, j.err
	}
	n, err := j.r.Read(p)
	if j.scan(p[:n]); j.err != nil {
		return 0, j.err
	}
	return n, err
}

// scan follows the text.
func (j *jsonReader) scan(p []byte) {
	for i := 0; i < len(p) && j.err == nil; {
		if j.inString {
			i += j.string(p[i:])
			continue
		}
		c := p[i]
		i++
		j.length++
		switch c {
		case '"':
			j.inString, j.length = true, 0
		case '[', '{':
			if j.depth++; j.depth > maxDepth {
				j.err = fmt.Errorf("line %d: nested deeper than %d levels", j.line, maxDepth)
			}
			j.length = 0
		case ']', '}':
			j.depth = max(j.depth-1, 0)
			j.length = 0
		case '\n':
			j.line++
			j.length = 0
		case ',', ':', ' ', '\t', '\r':
			j.length = 0
		default:
			j.check()
		}
	}
}

// string passes over text inside quotes and returns how much.
func (j *jsonReader) string(p []byte) int {
	if j.escaped {
		j.escaped = false
		j.length++
		return 1
	}
	k := 0
	for k < len(p) && p[k] != '"' && p[k] != '\\' {
		k++
	}
	if k == len(p) {
		j.length += len(p)
		j.check()
		return len(p)
	}
	j.length += k + 1
	j.check()
	if p[k] == '\\' {
		j.escaped = true
	} else {
		j.inString, j.length = false, 0
	}
	return k + 1
}

func (j *jsonReader) check() {
	if j.length > maxValue {
		j.err = fmt.Errorf("line %d: a value longer than %d MiB", j.line, maxValue>>20)
	}
}

// YAMLDepth returns the line at which a YAML text nests deeper than 100 by
// brackets, by dashes or by indentation; 0 if nowhere. Brackets in quotes count too.
func YAMLDepth(text []byte) (line int) {
	depth := 0
	for n := 1; len(text) > 0; n++ {
		row, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		lead, begun := 0, false
		for i, c := range row {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(depth-1, 0)
			}
			if !begun {
				begun = c != ' ' && c != '-' && c != '?' && c != ':' && c != '\t'
				lead = i
			}
		}
		if depth > maxDepth || lead > 4*maxDepth {
			return n
		}
	}
	return 0
}
