package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean replaces what a terminal would obey, in text that may hold words of
// files and servers: control characters other than newline and tab, and the
// marks that turn the direction of writing, become \x1b or \u202e.
func clean(text string) string {
	if !strings.ContainsFunc(text, obeyed) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !obeyed(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// obeyed reports whether a terminal acts on a character instead of showing it.
func obeyed(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// cleaner is standard output on a terminal. What is cut within a character waits
// for the rest.
type cleaner struct {
	w    io.Writer
	rest []byte
}

func (c *cleaner) Write(p []byte) (int, error) {
	text := append(bytes.Clone(c.rest), p...)
	cut := len(text)
	for k := 1; k < utf8.UTFMax && k <= len(text); k++ {
		if b := text[len(text)-k]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-k:]) {
				cut = len(text) - k
			}
			break
		}
	}
	c.rest = bytes.Clone(text[cut:])
	if _, err := io.WriteString(c.w, clean(string(text[:cut]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
