package svg

import (
	"bytes"
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
	logX, logY               bool
	xAxis, yAxis             Axis
	legendTop                float64
}

func newPlot(w, h, defW, defH int) *plot {
	if w <= 0 {
		w = defW
	}
	if h <= 0 {
		h = defH
	}
	return &plot{w: float64(w), h: float64(h), left: 52, right: 12, top: 8, bottom: 40}
}

func (p *plot) setRange(c *Chart, series []Series) {
	p.logX, p.logY, p.xAxis, p.yAxis = c.X.Log, c.Y.Log, c.X, c.Y
	lines := legendRows(legendNames(c), p.w-p.left-p.right)
	p.legendTop = p.h - 2
	p.h += 16 * float64(lines)
	p.bottom += 16 * float64(lines)
	xs, ys := newSpan(c.X), newSpan(c.Y)
	see := func(pts []Point) {
		for _, q := range pts {
			xs.add(q.X)
			ys.add(q.Y)
		}
	}
	for _, s := range series {
		see(s.Points)
	}
	for _, b := range c.Bands {
		see(b.Low)
		see(b.High)
	}
	for _, m := range c.Marks {
		if m.Vertical {
			xs.add(m.At)
		} else {
			ys.add(m.At)
		}
	}
	p.x0, p.x1 = xs.bounds(c.X, false)
	p.y0, p.y1 = ys.bounds(c.Y, true)
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
	return ticks(p.y0, p.y1, y, max(2, int((p.h-p.top-p.bottom)/45)))
}

// span is the range of finite values seen.
type span struct {
	lo, hi float64
	log    bool
}

func newSpan(a Axis) *span { return &span{math.Inf(1), math.Inf(-1), a.Log} }

func (s *span) add(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) || s.log && v <= 0 {
		return
	}
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
}

// bounds returns a range that is never empty; fromZero lets it begin at zero.
func (s *span) bounds(a Axis, fromZero bool) (lo, hi float64) {
	lo, hi = s.lo, s.hi
	if a.Min < a.Max {
		return a.Min, a.Max
	}
	if lo > hi {
		lo, hi = 0, 1
		if a.Log {
			lo = 0.1
		}
		return lo, hi
	}
	if a.Log {
		if lo == hi {
			return lo / 2, hi * 2
		}
		return lo, hi
	}
	if fromZero && lo > 0 {
		lo = 0
	}
	if lo == hi {
		return lo, lo + 1
	}
	if fromZero {
		hi += (hi - lo) * 0.05
	}
	return lo, hi
}

func (p *plot) px(x float64) float64 {
	return p.left + frac(x, p.x0, p.x1, p.logX)*(p.w-p.left-p.right)
}

func (p *plot) py(y float64) float64 {
	return p.h - p.bottom - frac(y, p.y0, p.y1, p.logY)*(p.h-p.top-p.bottom)
}

// frac is the place of v between lo and hi, cut to a little beyond them.
func frac(v, lo, hi float64, log bool) float64 {
	if log {
		v, lo, hi = math.Log10(max(v, 1e-300)), math.Log10(lo), math.Log10(hi)
	}
	return max(-0.02, min(1.02, (v-lo)/(hi-lo)))
}

func (p *plot) open(id, title, desc string) {
	fmt.Fprintf(&p.buf,
		`<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-labelledby="%[1]s-t %[1]s-d" viewBox="0 0 %[2]s %[3]s" width="%[2]s" height="%[3]s">`,
		esc(id), num(p.w), num(p.h))
	fmt.Fprintf(&p.buf, `<title id="%[1]s-t">%[2]s</title><desc id="%[1]s-d">%[3]s</desc>`+"\n", esc(id), esc(title),
		esc(desc))
}

func (p *plot) axes(x, y *Axis) {
	xt := ticks(p.x0, p.x1, x, max(2, int((p.w-p.left-p.right)/70)))
	for _, t := range p.yTicks(y) {
		at := p.py(t.at)
		fmt.Fprintf(&p.buf, `<path class="grid" d="M%s %sH%s"/>`, num(p.left), num(at), num(p.w-p.right))
		fmt.Fprintf(&p.buf, `<text class="tick" x="%s" y="%s" text-anchor="end">%s</text>`+"\n", num(p.left-6), num(at+4),
			esc(t.text))
	}
	base := p.h - p.bottom
	for _, t := range xt {
		at := p.px(t.at)
		fmt.Fprintf(&p.buf, `<path class="axis" d="M%s %sv4"/>`, num(at), num(base))
		anchor := "middle"
		if at > p.w-p.right-16 {
			anchor = "end"
			at = p.w - 2
		}
		fmt.Fprintf(&p.buf, `<text class="tick" x="%s" y="%s" text-anchor="%s">%s</text>`+"\n", num(at), num(base+16),
			anchor, esc(t.text))
	}
	fmt.Fprintf(&p.buf, `<path class="axis" d="M%s %sH%s"/>`+"\n", num(p.left), num(base), num(p.w-p.right))
	if x.Label != "" {
		fmt.Fprintf(&p.buf, `<text class="label" x="%s" y="%s" text-anchor="middle">%s</text>`+"\n",
			num((p.left+p.w-p.right)/2), num(base+32), esc(x.Label))
	}
	if y.Label != "" {
		mid := (p.top + base) / 2
		fmt.Fprintf(&p.buf,
			`<text class="label" transform="translate(12 %s) rotate(-90)" text-anchor="middle">%s</text>`+"\n", num(mid),
			esc(y.Label))
	}
}

// series draws one curve; a stack's areas lie over one another.
func (p *plot) series(s *Series, col int, stacked bool) {
	if len(s.Points) == 0 {
		return
	}
	if s.Shape == Dots {
		p.dots(s, col)
		return
	}
	line := p.path(s.Points, s.Shape != Line)
	if line == "" {
		return
	}
	if s.Shape == Area {
		last := s.Points[len(s.Points)-1]
		base := num(p.py(max(0, p.y0)))
		opacity := "a"
		if stacked && !s.Faint {
			opacity = "as"
		}
		fmt.Fprintf(&p.buf, `<path class="%s f%d" d="M%s %sL%sL%s %sZ"><title>%s</title></path>`+"\n", opacity, col,
			num(p.px(s.Points[0].X)), base, strings.TrimPrefix(line, "M"), num(p.px(last.X)), base, esc(s.Name))
		return
	}
	fmt.Fprintf(&p.buf, `<path class="l s%d" d="%s"><title>%s</title></path>`+"\n", col, line, esc(s.Name))
}

// path writes the points as a path; NaN lifts the pen.
func (p *plot) path(pts []Point, step bool) string {
	var b strings.Builder
	pen := false
	for _, q := range pts {
		if math.IsNaN(q.Y) || math.IsNaN(q.X) || p.logX && q.X <= 0 || p.logY && q.Y <= 0 {
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
	fmt.Fprintf(&p.buf, `<g class="d f%d"><title>%s</title>`, col, esc(s.Name))
	for _, q := range s.Points {
		if !math.IsNaN(q.X) && !math.IsNaN(q.Y) {
			fmt.Fprintf(&p.buf, `<circle cx="%s" cy="%s" r="%s"/>`, num(p.px(q.X)), num(p.py(q.Y)), radius)
		}
	}
	p.buf.WriteString("</g>\n")
}

func (p *plot) band(b *Band) {
	if len(b.Low) == 0 || len(b.High) == 0 {
		return
	}
	up := p.path(b.High, false)
	down := make([]Point, len(b.Low))
	for i, q := range b.Low {
		down[len(down)-1-i] = q
	}
	fmt.Fprintf(&p.buf, `<path class="a f%d" d="%sL%sZ"><title>%s</title></path>`+"\n", colour(b.Colour, 0), up,
		strings.TrimPrefix(p.path(down, false), "M"), esc(b.Name))
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
	slices.SortStableFunc(level, func(a, b Mark) int { // lowest on the page first
		switch ya, yb := p.py(a.At), p.py(b.At); {
		case ya > yb:
			return -1
		case ya < yb:
			return 1
		}
		return 0
	})
	const apart = 14.0
	last := math.Inf(1)
	for i := range level {
		y := p.py(level[i].At)
		text := min(y-4, last-apart)
		last = text
		fmt.Fprintf(&p.buf,
			`<path class="mark" d="M%s %sH%s"/><text class="tick halo" x="%s" y="%s" text-anchor="end">%s</text>`+"\n",
			num(p.left), num(y), num(p.w-p.right), num(p.w-p.right-4), num(text), esc(level[i].Name))
	}
}

// upright draws one upright line, its label on its own line of text.
func (p *plot) upright(m *Mark, line int) {
	x := p.px(m.At)
	anchor, dx := "start", 4.0
	if x > p.w*0.6 {
		anchor, dx = "end", -4
	}
	fmt.Fprintf(&p.buf,
		`<path class="mark" d="M%s %sV%s"/><text class="tick halo" x="%s" y="%s" text-anchor="%s">%s</text>`+"\n",
		num(x), num(p.top), num(p.h-p.bottom), num(x+dx), num(p.top+10+12*float64(line)), anchor, esc(m.Name))
}

// legendEntry is one name with its colour and shape.
type legendEntry struct {
	name   string
	colour int
	area   bool
	band   bool // drawn as thin as a band
}

func legendNames(c *Chart) []legendEntry {
	var out []legendEntry
	for i, s := range c.Series {
		if s.Name != "" {
			out = append(out, legendEntry{name: s.Name, colour: colour(s.Colour, i), area: s.Shape == Area || s.Shape == Dots,
				band: s.Faint})
		}
	}
	for _, b := range c.Bands {
		if b.Name != "" {
			out = append(out, legendEntry{name: b.Name, colour: colour(b.Colour, 0), area: true, band: true})
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// entryWidth estimates the width of a legend entry at the size of ticks.
func entryWidth(e legendEntry) float64 { return 34 + textWidth(e.name) }

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

// legendRows counts the rows that the entries fill.
func legendRows(es []legendEntry, width float64) int {
	rows, x := 0, math.Inf(1)
	for _, e := range es {
		w := entryWidth(e)
		if x+w > width {
			rows++
			x = 0
		}
		x += w
	}
	return rows
}

func (p *plot) legend(c *Chart) {
	p.drawLegend(legendNames(c), p.left)
}

// drawLegend writes the entries below the axis.
func (p *plot) drawLegend(es []legendEntry, left float64) {
	x, y := math.Inf(1), p.legendTop-6
	for _, e := range es {
		w := entryWidth(e)
		if x+w > p.w-p.right-left {
			y += 16
			x = 0
		}
		at := left + x
		if e.area {
			class := "as"
			if e.band {
				class = "a"
			}
			fmt.Fprintf(&p.buf, `<rect class="%s f%d" x="%s" y="%s" width="16" height="10"/>`, class, e.colour, num(at),
				num(y-9))
		} else {
			fmt.Fprintf(&p.buf, `<path class="l s%d" d="M%s %sh18"/>`, e.colour, num(at), num(y-4))
		}
		fmt.Fprintf(&p.buf, `<text class="tick" x="%s" y="%s">%s</text>`+"\n", num(at+22), num(y), esc(e.name))
		x += w
	}
}
