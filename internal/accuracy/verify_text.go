package accuracy

import (
	"fmt"
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
	return fmt.Sprintf("%s (%.0f %% interval %s)", text.SignedPercent(-g.Mean), 100*g.Level,
		text.PercentSpan(-100*g.Low, -100*g.High))
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
