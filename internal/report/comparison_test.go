package report

import (
	"testing"

	"schedtune/internal/text"
)

// Times of one table are all in one unit: 590 s beside 612 s are 9.83 and 10.2
// minutes.
func TestOneUnitInATable(t *testing.T) {
	show := amountsLike(612)
	if got := show(590, "s") + ", " + show(612, "s") + ", " + show(0.5, "share"); got != "9.83 min, 10.2 min, 50 %" {
		t.Errorf("got %s, want one unit for times", got)
	}
}

// Terminals and scripts get the ASCII minus sign.
func TestNumbersOfTheTerminal(t *testing.T) {
	for got, want := range map[string]string{text.Plain(-12.3): "-12.3", text.Plain(-5e5): "-500k",
		text.PlainDuration(-90): "-90 s", amountsLike(100)(-7, "s"): "-7 s", text.Amount(-0.2, "share"): "-20 %"} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
