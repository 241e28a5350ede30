package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"schedtune/internal/text"
	"schedtune/tune"
)

// percentSign is the sign with a space that does not break.
const percentSign = "\u00a0%"

// drawSection draws the figures of a section in both widths, of which report.css shows one: a scaled
// chart would have unreadable text on a phone, and the page has no script to draw it anew. The ids of
// the two drawings have different prefixes, since a page must not have an id twice.
func drawSection(figs []figure) template.HTML {
	if len(figs) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<div class="figures">`)
	for _, f := range figs {
		fmt.Fprintf(&b, "<figure id=\"fig-%s\"><figcaption>%s</figcaption>\n"+
			`<div class="wide">%s</div><div class="narrow">%s</div></figure>`+"\n", template.HTMLEscapeString(f.ID),
			template.HTMLEscapeString(f.Caption), f.draw(wide).Render(f.ID+"-w"), f.draw(narrow).Render(f.ID+"-n"))
	}
	b.WriteString("</div>")
	return template.HTML(b.String())
}

// unitNumber prints a figure with its unit; NaN is a dash.
func unitNumber(v float64, unit string) string {
	if math.IsNaN(v) {
		return "–"
	}
	return noBreak(text.Amount(v, unit))
}

// noBreak sets minus signs and spaces that do not break.
func noBreak(figure string) string {
	return strings.NewReplacer("-", "−", " %", percentSign).Replace(figure)
}

// pairText prints before and after, and once if they are equal.
func pairText(before, after float64, unit string) string {
	if math.IsNaN(before) || math.IsNaN(after) {
		return text.Arrow(unitNumber(before, unit), unitNumber(after, unit))
	}
	return noBreak(text.Arrow(text.Pair(before, after, unit)))
}

// percentText prints a share as a percentage.
func percentText(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return text.Number(math.Round(v*1000)/10) + percentSign
}

// changeOf prints a relative change with its sign; NaN is left out. The sign tells the direction of
// the metric, not whether it is good: colour and words tell that.
func changeOf(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	v = math.Round(v*1000) / 10
	s := text.Number(v)
	if v > 0 {
		s = "+" + s
	}
	return s + percentSign
}

// intervalText prints the ends of an interval; both are 0 where none was computed, as for a single run.
func intervalText(low, high float64) string {
	if math.IsNaN(low) || math.IsNaN(high) || low == 0 && high == 0 {
		return ""
	}
	return changeOf(low) + " to " + changeOf(high)
}

// scaledText prints a figure in the unit of time of another, so that the figures of
// a row have one unit.
func scaledText(v, of float64, unit string) string {
	if unit != "s" || math.IsNaN(v) || math.IsNaN(of) {
		return unitNumber(v, unit)
	}
	scale, name := text.TimeUnit(math.Abs(of))
	return text.Number(v/scale) + name
}

// spanText prints an interval in the unit of time of another figure.
func spanText(iv tune.Interval, of float64, unit string) string {
	low, high := scaledText(iv.Low, of, unit), scaledText(iv.High, of, unit)
	return strings.Replace(text.Arrow(low, high), "→", "to", 1)
}

// beyondText tells how far a mean is from its limit.
func beyondText(iv tune.Interval) string {
	side := "below"
	if iv.Mean > 0 {
		side = "beyond"
	}
	return percentText(math.Abs(iv.Mean)) + " " + side + " (" + changeOf(iv.Low) + " to " + changeOf(iv.High) + ")"
}

// deltaText prints the relative difference of two figures.
func deltaText(before, after float64) string {
	if before == 0 || before == after {
		return ""
	}
	return changeOf(after/before - 1)
}

// diffHTML marks added and removed lines of a unified diff; the signs stay, so
// that colour is not the only difference.
func diffHTML(diff string) template.HTML {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimRight(diff, "\n"), "\n") {
		format := "%s\n"
		switch {
		case strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++"):
			format = "<ins>%s</ins>\n"
		case strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---"):
			format = "<del>%s</del>\n"
		}
		fmt.Fprintf(&b, format, template.HTMLEscapeString(line))
	}
	return template.HTML(b.String())
}
