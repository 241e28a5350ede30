package text

import (
	"math"
	"strings"
	"testing"
	"time"
)

// What rounds to zero has no sign, everything else has its own.
func TestFiguresWithoutNegativeZero(t *testing.T) {
	for _, c := range []struct {
		v             float64
		decimals      int
		fixed, signed string
	}{
		{0, 1, "0.0", "0.0"}, {math.Copysign(0, -1), 0, "0", "0"}, {-0.04, 1, "0.0", "0.0"}, {0.04, 1, "0.0", "0.0"},
		{-0.06, 1, "-0.1", "-0.1"}, {0.06, 1, "0.1", "+0.1"}, {-10, 0, "-10", "-10"}, {10, 0, "10", "+10"},
		{-0.0004, 3, "0.000", "0.000"},
	} {
		if got := Fixed(c.v, c.decimals); got != c.fixed {
			t.Errorf("Fixed(%g, %d) = %q, want %q", c.v, c.decimals, got, c.fixed)
		}
		if got := Signed(c.v, c.decimals); got != c.signed {
			t.Errorf("Signed(%g, %d) = %q, want %q", c.v, c.decimals, got, c.signed)
		}
	}
	if got := SignedPercent(-0.0004); got != "0.0 %" {
		t.Errorf("Percent(-0.0004) = %q", got)
	}
	if got := Figure(-1e-9); strings.HasPrefix(got, "-") {
		t.Errorf("Figure(-1e-9) = %q", got)
	}
}

// A time is told in minutes, from an hour on in hours and minutes, and rounded before it is parted.
func TestMinutes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 min", 29 * time.Second: "0 min", 59*time.Minute + 29*time.Second: "59 min", 59*time.Minute +
			30*time.Second: "1 h 0 min",
		64 * time.Minute: "1 h 4 min", 25*time.Hour + 10*time.Second: "25 h 0 min",
	} {
		if got := Minutes(d); got != want {
			t.Errorf("Minutes(%v) = %q, want %q", d, got, want)
		}
	}
}
