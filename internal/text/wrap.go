package text

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a sentence into lines of at most width columns, the last without a newline.
// A wider word has its own line; a percent sign stays with its number.
func Wrap(sentence string, width int) string {
	words := strings.ReplaceAll(strings.Join(strings.Fields(sentence), " "), " %", "\x00%")
	return strings.ReplaceAll(strings.TrimSuffix(Paragraphs(words, width, ""), "\n"), "\x00", " ")
}

// Paragraphs breaks paragraphs into lines of a width, each behind an indent. Lines that begin
// with a blank stay as they are.
func Paragraphs(text string, width int, indent string) string {
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
