package text

import (
	"fmt"
	"strings"
	"testing"
)

// Columns stand as a tabwriter puts them; no line ends in blanks, however the text is cut
// into writes.
func TestColumns(t *testing.T) {
	var b strings.Builder
	tw := New(&b)
	fmt.Fprint(tw, "a\tbb\t\n  long name\t\t\n\nx\ty z\t12\n")
	if err := tw.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "a            bb\n  long name\n\nx  y z  12\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	text := "a  b   \n  \n c d  e\n"
	for cut := range len(text) {
		var b strings.Builder
		w := &trimmer{w: &b}
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if want := "a  b\n\n c d  e\n"; b.String() != want {
			t.Errorf("cut at %d: %q, want %q", cut, b.String(), want)
		}
	}
}

// A column is a letter, not a byte.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		text       string
		n          int
		begin, end string
	}{{"root.größe", 10, "root.größe", "root.größe"}, {"root.größe", 6, "root.…", "…größe"}, {"ab", 1, "…", "…"},
		{"", 0, "", ""}} {
		t.Run(c.text, func(t *testing.T) {
			if b, e := Begin(c.text, c.n), End(c.text, c.n); b != c.begin || e != c.end {
				t.Errorf("%q in %d columns: %q and %q, want %q and %q", c.text, c.n, b, e, c.begin, c.end)
			}
		})
	}
	if got := Begin("x", -4); got != "…" { // a bar that leaves no room
		t.Errorf("%q", got)
	}
}
