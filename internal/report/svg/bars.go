package svg

import (
	"math"
	"schedtune/internal/text"
)

// Bars is a chart of horizontal bars: one group per category, one bar per
// series, with whiskers where an interval is given.
type Bars struct {
	Title, Desc string
	X           Axis
	Categories  []string
	Series      []BarSeries
	Width       int // in CSS pixels, 0 = 640; the height follows from the bars
}

// BarSeries is one bar per category. Low and High are the ends of intervals
// and may be nil; NaN leaves a bar out.
type BarSeries struct {
	Name      string
	Values    []float64
	Low, High []float64
}

const (
	barHeight = 14.0
	barGap    = 10.0
	// labelHeight is a line of a name above its bars.
	labelHeight = 16.0
)

// Render draws the chart for use inside a page that has Style's variables.
func (b *Bars) Render(idPrefix string) []byte {
	group := barHeight*float64(max(1, len(b.Series))) + barGap
	p := newPlot(b.Width, int(48+group*float64(len(b.Categories))), 640, 0)
	longest := 0.0
	for _, c := range b.Categories {
		longest = max(longest, textWidth(c))
	}
	p.left = min(p.w*0.45, 18+longest)
	crowded := longest > p.left-8 // names that do not fit beside the bars stand above them, whole
	if crowded {
		p.left = 12
		for _, c := range b.Categories {
			p.h += labelHeight * float64(len(lines(c, p.w-p.left-8)))
		}
	}
	var entries []legendEntry
	for i, s := range b.Series {
		if s.Name != "" && len(b.Series) > 1 {
			entries = append(entries, legendEntry{name: s.Name, colour: colour(0, i), area: true})
		}
	}
	p.room(entries, p.w-p.right-8)
	p.x0, p.x1 = b.span()
	p.right = b.valueRoom()
	p.open(idPrefix, b.Title, b.Desc)
	p.barAxis(&b.X)
	next := p.top
	for i, name := range b.Categories {
		top := next + barGap/2
		if crowded {
			for _, line := range lines(name, p.w-p.left-8) {
				p.text("tick", p.left, top+labelHeight-5, "", line)
				top += labelHeight
			}
		} else {
			p.text("tick", p.left-6, top+(group-barGap)/2+4, "end", name)
		}
		next = top - barGap/2 + group
		for k := range b.Series {
			p.bar(&b.Series[k], i, top+barHeight*float64(k), colour(0, k), name, &b.X)
		}
	}
	p.legend(entries, 8)
	p.buf.WriteString("</svg>\n")
	return p.buf.Bytes()
}

// File draws the chart as a file of its own.
func (b *Bars) File() []byte { return standalone(b.Render("c")) }

// valueRoom is the room for the value beside the longest bar.
func (b *Bars) valueRoom() float64 {
	room := 56.0
	for _, s := range b.Series {
		for _, v := range s.Values {
			if !math.IsNaN(v) {
				room = max(room, 8+textWidth(b.X.value(v)))
			}
		}
	}
	return room
}

// value is a number as it stands beside its bar.
func (a *Axis) value(v float64) string {
	switch {
	case a.Seconds:
		return text.Duration(v)
	case a.Percent:
		return text.Number(math.Round(v*1000)/10) + " %" // as precise as the texts beside charts
	}
	return text.Number(v)
}

// lines breaks a name to a width, after dots and hyphens where it has some.
func lines(s string, width float64) []string {
	var out []string
	for textWidth(s) > width {
		cut, hard := 0, 0
		for i, r := range s {
			if i > 0 && textWidth(s[:i]) > width {
				break
			}
			hard = i
			if r == '.' || r == '-' || r == ' ' {
				cut = i + 1
			}
		}
		if cut == 0 {
			cut = max(hard, 1)
		}
		out = append(out, s[:cut])
		s = s[cut:]
	}
	return append(out, s)
}

// span covers zero, all values and all intervals.
func (b *Bars) span() (lo, hi float64) {
	if b.X.Min < b.X.Max {
		return b.X.Min, b.X.Max
	}
	for _, s := range b.Series {
		for _, list := range [][]float64{s.Values, s.Low, s.High} {
			for _, v := range list {
				if !math.IsNaN(v) && !math.IsInf(v, 0) {
					lo, hi = min(lo, v), max(hi, v)
				}
			}
		}
	}
	if lo == hi {
		hi = lo + 1
	}
	return lo, hi
}

func (p *plot) barAxis(a *Axis) {
	base := p.h - p.bottom
	for _, t := range ticks(p.x0, p.x1, a, max(2, int((p.w-p.left-p.right)/80))) {
		at := p.px(t.at)
		p.draw(`<path class="grid" d="M%v %vV%v"/>`, at, p.top, base)
		p.text("tick", at, base+16, "middle", t.text)
	}
	p.draw(`<path class="axis" d="M%v %vV%v"/>`+"\n", p.px(max(0, p.x0)), p.top, base)
	p.xLabel(a.Label)
}

// bar draws one bar with its value and its whisker.
func (p *plot) bar(s *BarSeries, i int, y float64, col int, label string, a *Axis) {
	if i >= len(s.Values) || math.IsNaN(s.Values[i]) {
		return
	}
	from, to, text := p.px(max(p.x0, min(0, p.x1))), p.px(s.Values[i]), a.value(s.Values[i])
	if s.Name != "" {
		label += ", " + s.Name
	}
	p.draw(`<rect class="as f%d" x="%v" y="%v" width="%v" height="%v"><title>%v: %v</title></rect>`,
		col, min(from, to), y, math.Abs(to-from), barHeight-2, label, text)
	end := max(from, to)
	if i < len(s.Low) && i < len(s.High) && !math.IsNaN(s.Low[i]) && !math.IsNaN(s.High[i]) {
		p.draw(`<path class="whisker" d="M%v %vH%v"/>`, p.px(s.Low[i]), y+barHeight/2-1, p.px(s.High[i]))
		end = max(end, p.px(s.High[i]))
	}
	p.text("tick", end+4, y+barHeight-4, "", text)
}
