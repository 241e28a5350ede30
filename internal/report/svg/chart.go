// Package svg draws small charts as scalable vector graphics: lines, steps,
// areas (stacked or not), bars and empirical distributions, with axes and a
// legend. Output depends on the input alone, byte for byte. Colours are CSS
// variables, so a page's light and dark theme apply; a chart written as a file
// of its own carries both themes.
package svg

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"math"
	"strconv"
)

// Point is one point of a series, in the axes' units.
type Point struct{ X, Y float64 }

// Shape is how a series is drawn.
type Shape uint8

// Shapes.
const (
	Line Shape = iota
	Step       // holds each value until the next point
	Area       // a Step with the space below it filled; stacked if Chart.Stacked
	Dots
)

// Series is one curve. Points must be in ascending X; NaN breaks the line.
type Series struct {
	Name   string
	Points []Point
	Shape  Shape
	Colour int  // 1 to Colours; 0 = by position
	Faint  bool // an area lets the grid through also in a stack
}

// Mark is a labelled straight line across the chart.
type Mark struct {
	Name     string
	At       float64
	Vertical bool
}

// Axis is one axis.
type Axis struct {
	Label string
	// Min and Max fix the range where Min < Max; otherwise it is the data's
	// (the y axis then begins at zero unless values are negative).
	Min, Max float64
	Log      bool // logarithmic, of an x axis of seconds; values must be positive
	Seconds  bool // values are seconds: ticks as s, min, h or d
	Percent  bool // values are fractions: ticks as %
}

// Chart is a chart of curves.
type Chart struct {
	Title, Desc   string // for people who do not see it; the title is not drawn
	X, Y          Axis
	Series        []Series
	Marks         []Mark
	Stacked       bool // areas add up
	Width, Height int  // in CSS pixels; 0 = 640 by 300
}

// Colours is the number of colours before they repeat.
const Colours = 8

// Render draws the chart for use inside a page that has Style's variables.
// idPrefix must be unique in the page.
func (c *Chart) Render(idPrefix string) []byte {
	p := newPlot(cmp.Or(c.Width, 640), cmp.Or(c.Height, 300))
	series := c.Series
	if c.Stacked {
		series = stack(series)
	}
	p.setRange(c, series)
	p.open(idPrefix, c.Title, c.Desc)
	p.axes(&c.X, &c.Y)
	for i := len(series) - 1; i >= 0; i-- { // the lowest of a stack is drawn last, on top
		p.series(&series[i], colour(series[i].Colour, i), c.Stacked)
	}
	p.marks(c.Marks)
	p.legend(legendNames(c), p.left)
	p.buf.WriteString("</svg>\n")
	return p.buf.Bytes()
}

// File draws the chart as a file of its own.
func (c *Chart) File() []byte { return standalone(c.Render("c")) }

// standalone adds the style sheet and the XML declaration.
func standalone(body []byte) []byte {
	i := bytes.IndexByte(body, '>') + 1
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	b.Write(body[:i])
	b.WriteString("\n<style>" + literal(classes()+"svg{background:var(--bg)}") + "</style>")
	b.Write(body[i:])
	return b.Bytes()
}

func colour(fixed, position int) int {
	if fixed > 0 {
		return (fixed-1)%Colours + 1
	}
	return position%Colours + 1
}

// stack adds the areas up at every X that any of them has; dots stay where they are.
func stack(in []Series) []Series {
	xs := unionX(in)
	sum := make([]float64, len(xs))
	out := make([]Series, len(in))
	for i, s := range in {
		out[i] = s
		if s.Shape == Dots {
			continue
		}
		out[i].Points = make([]Point, len(xs))
		k, v := 0, 0.0
		for x := range xs {
			for k < len(s.Points) && s.Points[k].X <= xs[x] {
				v = s.Points[k].Y
				k++
			}
			sum[x] += v
			out[i].Points[x] = Point{xs[x], sum[x]}
		}
	}
	return out
}

// unionX merges the ascending X of all series.
func unionX(in []Series) []float64 {
	at := make([]int, len(in))
	var xs []float64
	for {
		next, found := math.Inf(1), false
		for i, s := range in {
			if at[i] < len(s.Points) && s.Points[at[i]].X < next {
				next, found = s.Points[at[i]].X, true
			}
		}
		if !found {
			return xs
		}
		xs = append(xs, next)
		for i, s := range in {
			for at[i] < len(s.Points) && s.Points[at[i]].X <= next {
				at[i]++
			}
		}
	}
}

// num prints a coordinate with one decimal at most.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	v = math.Round(v*10) / 10
	if v == 0 {
		v = 0 // no minus zero
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// esc escapes text; what XML cannot hold becomes the replacement character.
func esc(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return "" // a buffer takes everything
	}
	return b.String()
}

// ECDF returns the empirical distribution function of ascending values: the
// share of values at most x, as steps from 0 to 1.
func ECDF(sorted []float64) []Point {
	if len(sorted) == 0 {
		return nil
	}
	pts := []Point{{sorted[0], 0}}
	for i, v := range sorted {
		y := float64(i+1) / float64(len(sorted))
		if last := &pts[len(pts)-1]; last.X == v {
			last.Y = y
			continue
		}
		pts = append(pts, Point{v, y})
	}
	return pts
}

// Thin replaces a step function by at most n points, each the mean over an
// equal span of X, so that areas are kept. A function with no more than n
// points is returned as it is.
func Thin(pts []Point, n int) []Point {
	if len(pts) <= n || n < 1 {
		return pts
	}
	from, to := pts[0].X, pts[len(pts)-1].X
	width := (to - from) / float64(n)
	if !(width > 0) {
		return pts[:1]
	}
	out := make([]Point, 0, n+1)
	k := 0
	for b := range n {
		lo, hi := from+float64(b)*width, from+float64(b+1)*width
		sum := 0.0
		for x := lo; x < hi; {
			for k+1 < len(pts) && pts[k+1].X <= x {
				k++
			}
			end := hi
			if k+1 < len(pts) {
				end = min(hi, pts[k+1].X)
			}
			if end <= x {
				break
			}
			sum += pts[k].Y * (end - x)
			x = end
		}
		out = append(out, Point{lo, sum / width})
	}
	return append(out, Point{to, pts[len(pts)-1].Y})
}
