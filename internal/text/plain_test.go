package text

import "testing"

// Times have no more digits than a prediction supports.
func TestClock(t *testing.T) {
	for s, want := range map[float64]string{0: "0s", 9.876: "9.88s", 24.951: "25s", 24.94: "24.9s", 348.09: "5m48s",
		1731.38: "28m51s"} {
		if got := Clock(&s); got != want {
			t.Errorf("Clock(%v): got %q, want %q", s, got, want)
		}
	}
	if got := Clock(nil); got != "never" {
		t.Errorf("Clock(nil): got %q, want never", got)
	}
}
