package svg

import (
	"math"
	"schedtune/internal/text"
)

// Bars is a chart of horizontal bars of parts, such as changes, with whiskers where an interval is given.
type Bars struct {
	Title, Desc string
	Label       string // of the axis
	Bars        []Bar
	Signed      bool // values are changes: what grows has a plus
	Width       int  // in CSS pixels; the height follows from the bars
}

// Bar is one bar. Low and High are the ends of its interval, NaN without one; NaN as Value leaves the bar out.
type Bar struct {
	Name             string
	Value, Low, High float64
}

const (
	barHeight = 14.0
	barGap    = 10.0
	// labelHeight is a line of a name above its bars.
	labelHeight = 16.0
)

// Render draws the chart for use inside a page that has Style's variables.
func (b *Bars) Render(idPrefix string) []byte {
	const group = barHeight + barGap
	p := newPlot(b.Width, int(48+group*float64(len(b.Bars))))
	longest := 0.0
	for _, x := range b.Bars {
		longest = max(longest, textWidth(x.Name))
	}
	p.left = min(p.w*0.45, 18+longest)
	crowded := longest > p.left-8 // names that do not fit beside the bars stand above them, whole
	if crowded {
		p.left = 12
		for _, x := range b.Bars {
			p.h += labelHeight * float64(len(lines(x.Name, p.w-p.left-8)))
		}
	}
	p.x0, p.x1 = b.span()
	p.right = b.valueRoom()
	p.open(idPrefix, b.Title, b.Desc)
	p.barAxis(b.Label)
	next := p.top
	for i := range b.Bars {
		x, top := &b.Bars[i], next+barGap/2
		if crowded {
			for _, line := range lines(x.Name, p.w-p.left-8) {
				p.text("tick", p.left, top+labelHeight-5, "", line)
				top += labelHeight
			}
		} else {
			p.text("tick", p.left-6, top+(group-barGap)/2+4, "end", x.Name)
		}
		next = top - barGap/2 + group
		p.bar(x, top, b.value(x.Value))
	}
	p.buf.WriteString("</svg>\n")
	return p.buf.Bytes()
}

// File draws the chart as a file of its own.
func (b *Bars) File() []byte { return standalone(b.Render("c")) }

// valueRoom is the room for the value beside the longest bar.
func (b *Bars) valueRoom() float64 {
	room := 56.0
	for _, x := range b.Bars {
		if !math.IsNaN(x.Value) {
			room = max(room, 8+textWidth(b.value(x.Value)))
		}
	}
	return room
}

// value is a number as it stands beside its bar, as precise as the texts beside charts.
func (b *Bars) value(v float64) string {
	v = math.Round(v * 1000)
	sign := ""
	if b.Signed && v > 0 {
		sign = "+"
	}
	return sign + text.Number(v/10) + " %"
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
	for _, x := range b.Bars {
		for _, v := range []float64{x.Value, x.Low, x.High} {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if lo == hi {
		hi = lo + 1
	}
	return lo, hi
}

func (p *plot) barAxis(label string) {
	base := p.h - p.bottom
	for _, t := range ticks(p.x0, p.x1, &Axis{Percent: true}, max(2, int((p.w-p.left-p.right)/80))) {
		at := p.px(t.at)
		p.draw(`<path class="grid" d="M%v %vV%v"/>`, at, p.top, base)
		p.text("tick", at, base+16, "middle", t.text)
	}
	p.draw(`<path class="axis" d="M%v %vV%v"/>`+"\n", p.px(max(0, p.x0)), p.top, base)
	p.xLabel(label)
}

// bar draws one bar with its value as text and its whisker.
func (p *plot) bar(b *Bar, y float64, value string) {
	if math.IsNaN(b.Value) {
		return
	}
	from, to := p.px(max(p.x0, min(0, p.x1))), p.px(b.Value)
	p.draw(`<rect class="as f1" x="%v" y="%v" width="%v" height="%v"><title>%v: %v</title></rect>`,
		min(from, to), y, math.Abs(to-from), barHeight-2, b.Name, value)
	end := max(from, to)
	if !math.IsNaN(b.Low) && !math.IsNaN(b.High) {
		p.draw(`<path class="whisker" d="M%v %vH%v"/>`, p.px(b.Low), y+barHeight/2-1, p.px(b.High))
		end = max(end, p.px(b.High))
	}
	p.text("tick", end+4, y+barHeight-4, "", value)
}
