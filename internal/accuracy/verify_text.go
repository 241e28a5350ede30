package accuracy

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"text/template"

	"schedtune/internal/text"
)

//go:embed verify.tmpl
var verifyText string

// mostRows bounds the tables for people.
const verifyMostRows = 10

var verifyTemplate = template.Must(template.New("verify").Funcs(template.FuncMap{
	"row":     func(name string, a, b any) string { return fmt.Sprintf("%-44s %12v %12v", name, a, b) },
	"gain":    (*Gain).text,
	"promise": (*Promise).text,
	"held":    heldText,
	"deref":   func(b *bool) bool { return *b },
	"signed":  text.SignedPercent,
	"more":    func(list any) int { return reflect.ValueOf(list).Len() - verifyMostRows },
	"hours":   func(s Side) string { return text.PlainDuration(s.Hours * 3600) },
	"known": func(s Side, v float64) string { // nothing is known of a period without jobs
		if s.Compared == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", v)
	},
	"before": func(d Difference) string {
		if d.Before == nil {
			return "-"
		}
		return text.SignedPercent(*d.Before)
	},
}).Parse(verifyText))

// Print writes the report for people: the advice first.
func (r *ChangeReport) Print(w io.Writer) error { return verifyTemplate.Execute(w, r) }

// Headline is the advice with its reason in one line.
func (r *ChangeReport) Headline() string {
	s := string(r.Advice)
	if r.WaitHours != nil {
		s += fmt.Sprintf(": %s more hours tell", strings.TrimSuffix(fmt.Sprintf("%.1f", *r.WaitHours), ".0"))
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
