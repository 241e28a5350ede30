package text

import "testing"

// From kitten to sitting it takes three steps: k to s, e to i, and g at the end.
func TestDistance(t *testing.T) {
	for _, x := range []struct {
		a, b string
		want int
	}{{"kitten", "sitting", 3}, {"", "abc", 3}, {"abc", "", 3}, {"seed", "seed", 0}, {"flaw", "lawn", 2}} {
		if got := Distance(x.a, x.b); got != x.want {
			t.Errorf("%q, %q: %d, want %d", x.a, x.b, got, x.want)
		}
	}
}
