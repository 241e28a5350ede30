package text

import "testing"

// A sentence is broken at blanks, by letters and not by bytes; a long word is left whole.
func TestWrap(t *testing.T) {
	for _, x := range []struct {
		text  string
		width int
		want  string
	}{{"ab cd ef", 5, "ab cd\nef"}, {" ab  cd ", 5, "ab cd"}, {"äö üß ef", 5, "äö üß\nef"},
		{"a longword b", 4, "a\nlongword\nb"}, {"", 4, ""}} {
		if got := Wrap(x.text, x.width); got != x.want {
			t.Errorf("%q in %d: %q, want %q", x.text, x.width, got, x.want)
		}
	}
}
