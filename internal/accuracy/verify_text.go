package accuracy

import (
	"fmt"
	"math"
	"strings"

	"schedtune/internal/text"
)

// Headline is the advice with its reason in one line.
func (r *ChangeReport) Headline() string {
	s := string(r.Advice)
	if r.WaitHours != nil {
		s += fmt.Sprintf(" %s more hours", strings.TrimSuffix(fmt.Sprintf("%.1f", *r.WaitHours), ".0"))
	}
	return s + ": " + r.Reason
}

func (g *Gain) text() string {
	a, b := -100*g.Low, -100*g.High
	return fmt.Sprintf("%s (%.0f %% interval %s to %s)", text.SignedPercent(-g.Mean), 100*g.Level,
		endText(math.Min(a, b)), endText(math.Max(a, b)))
}

// endText is the end of an interval in percent; beyond known it tells no more than
// its direction.
func endText(v float64) string {
	const known = 1000
	switch {
	case v >= known:
		return fmt.Sprintf("+%d or more", known)
	case v <= -known:
		return fmt.Sprintf("%d or less", -known)
	}
	return text.Signed(v, 1)
}

func (p *Promise) text() string {
	return (&Gain{Mean: p.Gain, Low: p.Low, High: p.High, Level: p.Level}).text()
}

func heldText(held *bool) string {
	switch {
	case held == nil:
		return ""
	case *held:
		return "(the intervals overlap)"
	}
	return "(the intervals do not overlap)"
}
