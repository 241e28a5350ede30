package stats

import (
	"math"
	"strings"
	"testing"
)

// What rounds to zero has no sign, everything else has its own.
func TestFiguresWithoutNegativeZero(t *testing.T) {
	for _, c := range []struct {
		v             float64
		decimals      int
		fixed, signed string
	}{
		{0, 1, "0.0", "0.0"}, {math.Copysign(0, -1), 0, "0", "0"}, {-0.04, 1, "0.0", "0.0"}, {0.04, 1, "0.0", "0.0"},
		{-0.06, 1, "-0.1", "-0.1"}, {0.06, 1, "0.1", "+0.1"}, {-10, 0, "-10", "-10"}, {10, 0, "10", "+10"}, {-0.0004, 3, "0.000", "0.000"},
	} {
		if got := Fixed(c.v, c.decimals); got != c.fixed {
			t.Errorf("Fixed(%g, %d) = %q, want %q", c.v, c.decimals, got, c.fixed)
		}
		if got := Signed(c.v, c.decimals); got != c.signed {
			t.Errorf("Signed(%g, %d) = %q, want %q", c.v, c.decimals, got, c.signed)
		}
	}
	if got := Percent(-0.0004); got != "0.0 %" {
		t.Errorf("Percent(-0.0004) = %q", got)
	}
	if got := Figure(-1e-9); strings.HasPrefix(got, "-") {
		t.Errorf("Figure(-1e-9) = %q", got)
	}
}
