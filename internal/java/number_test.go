package java

import (
	"math"
	"testing"
)

// TestParseFloat: what Float.parseFloat of Java takes and refuses.
func TestParseFloat(t *testing.T) {
	for s, want := range map[string]float64{
		"1": 1, " .5 ": 0.5, "5.": 5, "-1e-2": -0.01, "3f": 3, "3D": 3, "1e400": math.Inf(1), "-1e400": math.Inf(-1),
		"1e-400":   0,
		"Infinity": math.Inf(1), "+Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		if got, err := ParseFloat(s, 64); err != nil || got != want {
			t.Errorf("ParseFloat %q: %g %v, want %g", s, got, err, want)
		}
	}
	for _, s := range []string{"NaN", "-NaN"} {
		if got, err := ParseFloat(s, 64); err != nil || got == got {
			t.Errorf("ParseFloat %q: %g %v", s, got, err)
		}
	}
	for _, s := range []string{"", " ", "f", "1ff", "nan", "inf", "Inf", "infinity", "1_0", "--1", "-+1", "++Infinity",
		"1 2", "e5", "0x1"} {
		if got, err := ParseFloat(s, 64); err == nil {
			t.Errorf("ParseFloat %q: accepted as %g", s, got)
		}
	}
}
