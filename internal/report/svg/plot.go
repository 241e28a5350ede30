package svg

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// plot is a chart under construction: the frame in pixels and the range of
// the data.
type plot struct {
	buf                      bytes.Buffer
	w, h                     float64
	left, right, top, bottom float64 // margins
	x0, x1, y0, y1           float64 // data range
	logX                     bool
	legendTop                float64
}

func newPlot(w, h int) *plot {
	return &plot{w: float64(w), h: float64(h), left: 52, right: 12, top: 8, bottom: 40}
}

func (p *plot) setRange(c *Chart, series []Series) {
	p.logX = c.X.Log
	p.room(legendNames(c), p.w-p.left-p.right)
	xs, ys := span{c.X, math.Inf(1), math.Inf(-1)}, span{c.Y, math.Inf(1), math.Inf(-1)}
	for _, s := range series {
		for _, q := range s.Points {
			xs.add(q.X)
			ys.add(q.Y)
		}
	}
	for _, m := range c.Marks {
		if m.Vertical {
			xs.add(m.At)
		} else {
			ys.add(m.At)
		}
	}
	p.x0, p.x1 = xs.bounds(false)
	p.y0, p.y1 = ys.bounds(true)
	longest := 0
	for _, t := range p.yTicks(&c.Y) {
		longest = max(longest, len([]rune(t.text)))
	}
	p.left = 14 + 7*float64(longest)
	if c.Y.Label != "" {
		p.left += 16
	}
}

func (p *plot) yTicks(y *Axis) []tick {
	return ticks(p.y0, p.y1, y, max(2, int((p.h-p.top-p.bottom)/36)))
}

// span is the range of finite values seen.
type span struct {
	Axis
	lo, hi float64
}

func (s *span) add(v float64) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) && (!s.Log || v > 0) {
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	}
}

// bounds returns a range that is never empty; fromZero lets it begin at zero.
func (s *span) bounds(fromZero bool) (lo, hi float64) {
	lo, hi = s.lo, s.hi
	switch {
	case s.Min < s.Max:
		return s.Min, s.Max
	case lo > hi && s.Log:
		return 0.1, 1
	case lo > hi:
		return 0, 1
	case s.Log && lo == hi:
		return lo / 2, hi * 2
	case s.Log:
		return lo, hi
	}
	if fromZero {
		lo = min(lo, 0)
	}
	switch {
	case lo == hi:
		hi++
	case fromZero:
		hi += (hi - lo) * 0.05
	}
	return lo, hi
}

func (p *plot) px(x float64) float64 {
	return p.left + frac(x, p.x0, p.x1, p.logX)*(p.w-p.left-p.right)
}

func (p *plot) py(y float64) float64 {
	return p.h - p.bottom - frac(y, p.y0, p.y1, false)*(p.h-p.top-p.bottom)
}

// frac is the place of v between lo and hi, cut to a little beyond them.
func frac(v, lo, hi float64, log bool) float64 {
	if log {
		v, lo, hi = math.Log10(max(v, 1e-300)), math.Log10(lo), math.Log10(hi)
	}
	return max(-0.02, min(1.02, (v-lo)/(hi-lo)))
}

// draw writes a part of the picture: numbers as coordinates, texts escaped.
func (p *plot) draw(format string, args ...any) {
	for i, a := range args {
		switch v := a.(type) {
		case float64:
			args[i] = num(v)
		case string:
			args[i] = esc(v)
		}
	}
	fmt.Fprintf(&p.buf, format, args...)
}

func (p *plot) open(id, title, desc string) {
	p.draw(`<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-labelledby="%[1]v-t %[1]v-d" `+
		`viewBox="0 0 %[2]v %[3]v" width="%[2]v" height="%[3]v">`, id, p.w, p.h)
	p.draw(`<title id="%[1]v-t">%[2]v</title><desc id="%[1]v-d">%[3]v</desc>`+"\n", id, title, desc)
}

// text writes a text of a class with an anchor, "" = start.
func (p *plot) text(class string, x, y float64, anchor, text string) {
	if anchor != "" {
		anchor = ` text-anchor="` + anchor + `"`
	}
	p.draw(`<text class="`+class+`" x="%v" y="%v"`+anchor+">%v</text>\n", x, y, text)
}

// xLabel writes the label of the x axis.
func (p *plot) xLabel(label string) {
	if label != "" {
		p.text("label", (p.left+p.w-p.right)/2, p.h-p.bottom+32, "middle", label)
	}
}

func (p *plot) axes(x, y *Axis) {
	xt := ticks(p.x0, p.x1, x, max(2, int((p.w-p.left-p.right)/70)))
	for _, t := range p.yTicks(y) {
		at := p.py(t.at)
		p.draw(`<path class="grid" d="M%v %vH%v"/>`, p.left, at, p.w-p.right)
		p.text("tick", p.left-6, at+4, "end", t.text)
	}
	base := p.h - p.bottom
	for _, t := range xt {
		at, anchor := p.px(t.at), "middle"
		p.draw(`<path class="axis" d="M%v %vv4"/>`, at, base)
		if at > p.w-p.right-16 {
			at, anchor = p.w-2, "end"
		}
		p.text("tick", at, base+16, anchor, t.text)
	}
	p.draw(`<path class="axis" d="M%v %vH%v"/>`+"\n", p.left, base, p.w-p.right)
	p.xLabel(x.Label)
	if y.Label != "" {
		p.draw(`<text class="label" transform="translate(12 %v) rotate(-90)" text-anchor="middle">%v</text>`+"\n",
			(p.top+base)/2, y.Label)
	}
}

// series draws one curve; a stack's areas lie over one another.
func (p *plot) series(s *Series, col int, stacked bool) {
	if len(s.Points) == 0 {
		return
	}
	line := p.path(s.Points, s.Shape != Line)
	switch {
	case s.Shape == Dots:
		p.dots(s, col)
	case line == "":
	case s.Shape == Area:
		base, class := p.py(max(0, p.y0)), "a"
		if stacked && !s.Faint {
			class = "as"
		}
		p.draw(`<path class="%v f%d" d="M%v %vL%vL%v %vZ"><title>%v</title></path>`+"\n", class, col,
			p.px(s.Points[0].X), base, strings.TrimPrefix(line, "M"), p.px(s.Points[len(s.Points)-1].X), base, s.Name)
	default:
		p.draw(`<path class="l s%d" d="%v"><title>%v</title></path>`+"\n", col, line, s.Name)
	}
}

// path writes the points as a path; NaN lifts the pen.
func (p *plot) path(pts []Point, step bool) string {
	var b strings.Builder
	pen := false
	for _, q := range pts {
		if math.IsNaN(q.Y) || math.IsNaN(q.X) || p.logX && q.X <= 0 {
			pen = false
			continue
		}
		x, y := num(p.px(q.X)), num(p.py(q.Y))
		switch {
		case !pen:
			b.WriteString("M" + x + " " + y)
			pen = true
		case step:
			b.WriteString("H" + x + "V" + y)
		default:
			b.WriteString("L" + x + " " + y)
		}
	}
	return b.String()
}

func (p *plot) dots(s *Series, col int) {
	radius := "2"
	if len(s.Points) <= 40 {
		radius = "4"
	}
	p.draw(`<g class="d f%d"><title>%v</title>`, col, s.Name)
	for _, q := range s.Points {
		if !math.IsNaN(q.X) && !math.IsNaN(q.Y) {
			p.draw(`<circle cx="%v" cy="%v" r="%v"/>`, p.px(q.X), p.py(q.Y), radius)
		}
	}
	p.buf.WriteString("</g>\n")
}

// marks draws the lines across the chart, their labels apart from one another.
func (p *plot) marks(ms []Mark) {
	var level []Mark
	lines := 0
	for _, m := range ms {
		if m.Vertical {
			p.upright(&m, lines)
			lines++
		} else {
			level = append(level, m)
		}
	}
	// lowest on the page first
	slices.SortStableFunc(level, func(a, b Mark) int { return cmp.Compare(p.py(b.At), p.py(a.At)) })
	const apart = 14.0
	last := math.Inf(1)
	for _, m := range level {
		y := p.py(m.At)
		last = min(y-4, last-apart)
		p.draw(`<path class="mark" d="M%v %vH%v"/>`, p.left, y, p.w-p.right)
		p.text("tick halo", p.w-p.right-4, last, "end", m.Name)
	}
}

// upright draws one upright line, its label on its own line of text.
func (p *plot) upright(m *Mark, line int) {
	x := p.px(m.At)
	anchor, dx := "start", 4.0
	if x > p.w*0.6 {
		anchor, dx = "end", -4
	}
	p.draw(`<path class="mark" d="M%v %vV%v"/>`, x, p.top, p.h-p.bottom)
	p.text("tick halo", x+dx, p.top+10+12*float64(line), anchor, m.Name)
}

// legendEntry is one name with its colour, shape and place.
type legendEntry struct {
	name   string
	colour int
	area   bool
	faint  bool
	x      float64
	row    int // from 1
}

func legendNames(c *Chart) []legendEntry {
	var out []legendEntry
	for i, s := range c.Series {
		if s.Name != "" {
			out = append(out, legendEntry{name: s.Name, colour: colour(s.Colour, i), area: s.Shape == Area || s.Shape == Dots,
				faint: s.Faint})
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// textWidth estimates the width of a text at the size of ticks; capitals are
// wider than the other letters.
func textWidth(s string) float64 {
	var w float64
	for _, r := range s {
		switch {
		case r == 'W' || r == 'M' || r == 'm' || r == '%':
			w += 10
		case unicode.IsUpper(r):
			w += 8.4
		default:
			w += 6.4
		}
	}
	return w
}

// placed gives each entry its place, and returns how many rows they fill.
func placed(es []legendEntry, width float64) (rows int) {
	x := math.Inf(1)
	for i := range es {
		w := 34 + textWidth(es[i].name)
		if x+w > width {
			rows++
			x = 0
		}
		es[i].x, es[i].row = x, rows
		x += w
	}
	return rows
}

// room makes room for a legend below the chart.
func (p *plot) room(es []legendEntry, width float64) {
	rows := 16 * float64(placed(es, width))
	p.legendTop = p.h - 2
	p.h += rows
	p.bottom += rows
}

// legend writes the entries below the axis.
func (p *plot) legend(es []legendEntry, left float64) {
	placed(es, p.w-p.right-left)
	for _, e := range es {
		x, y := left+e.x, p.legendTop-6+16*float64(e.row)
		switch {
		case !e.area:
			p.draw(`<path class="l s%d" d="M%v %vh18"/>`, e.colour, x, y-4)
		case e.faint:
			p.draw(`<rect class="a f%d" x="%v" y="%v" width="16" height="10"/>`, e.colour, x, y-9)
		default:
			p.draw(`<rect class="as f%d" x="%v" y="%v" width="16" height="10"/>`, e.colour, x, y-9)
		}
		p.text("tick", x+22, y, "", e.name)
	}
}
