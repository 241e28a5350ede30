package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wrap breaks a sentence into lines of at most width columns, the last without a newline.
// A wider word has its own line; a percent sign stays with its number.
func Wrap(sentence string, width int) string {
	words := strings.ReplaceAll(strings.Join(strings.Fields(sentence), " "), " %", "\x00%")
	return strings.ReplaceAll(strings.TrimSuffix(wrap(words, width, ""), "\n"), "\x00", " ")
}

// wrap breaks paragraphs into lines of a width, each behind an indent. Lines that begin
// with a blank stay as they are.
func wrap(text string, width int, indent string) string {
	var b, line strings.Builder
	flush := func() {
		if line.Len() > 0 {
			b.WriteString(indent + line.String() + "\n")
			line.Reset()
		}
	}
	for _, in := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if in == "" || in[0] == ' ' || in[0] == '\t' {
			flush()
			b.WriteString(in + "\n")
			continue
		}
		for _, word := range strings.Fields(in) {
			if n := utf8.RuneCountInString(indent) + utf8.RuneCountInString(line.String()); line.Len() > 0 &&
				n+1+utf8.RuneCountInString(word) > width {
				flush()
			}
			if line.Len() > 0 {
				line.WriteByte(' ')
			}
			line.WriteString(word)
		}
	}
	flush()
	return b.String()
}

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
