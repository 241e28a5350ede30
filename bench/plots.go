package main

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// targets are 51 log-spaced regrets from 1 to 0.01.
func targets() []float64 {
	var out []float64
	for i := range 51 {
		out = append(out, math.Pow(10, -2*float64(i)/50))
	}
	return out
}

// ecdf is the part of (problem, repeat, target) triples reached within x runs
// per parameter. All curves of a table end at the same x.
func (tb *table) ecdf(m int) plotter.XYs {
	var hits []float64
	total, last := 0, 0.0
	for p, c := range tb.cells {
		d := float64(tb.problems[p].space.Dim())
		last = math.Max(last, float64(tb.problems[p].budget)/d)
		for _, t := range c[m] {
			for _, target := range targets() {
				total++
				if r, ok := tb.firstHit(p, t, target); ok {
					hits = append(hits, math.Max(leastRuns, float64(r))/d)
				}
			}
		}
	}
	return append(cumulate(hits, total), plotter.XY{X: last, Y: float64(len(hits)) / float64(total)})
}

// leastRuns is where axes of runs begin: the second stop.
const leastRuns = 5

// firstHit is the number of runs after which a trace first has regret at most
// target.
func (tb *table) firstHit(p int, t trace, target float64) (int, bool) {
	for _, s := range t {
		if tb.regret(p, s.truth) <= target {
			return s.runs, true
		}
	}
	return 0, false
}

// cumulate is a distribution function, a point where it rises.
func cumulate(hits []float64, total int) plotter.XYs {
	sort.Float64s(hits)
	var out plotter.XYs
	for i, x := range hits {
		if i+1 == len(hits) || hits[i+1] > x {
			out = append(out, plotter.XY{X: x, Y: float64(i+1) / float64(total)})
		}
	}
	return out
}

func writeECDF(dir, name string, tb *table, ms []int) error {
	c := newChart("Targets reached", "runs per parameter", "part of (problem, repeat, target)")
	c.pl.Y.Min, c.pl.Y.Max = 0, 1
	for k, m := range ms {
		if err := c.line(tb.ecdf(m), tb.methods[m].name, k); err != nil {
			return err
		}
	}
	return c.save(22*vg.Centimeter, 14*vg.Centimeter, filepath.Join(dir, name))
}

// chart is a plot over runs with its legend at the right of it, where no line
// passes.
type chart struct {
	pl     *plot.Plot
	legend plot.Legend
}

func newChart(title, x, y string) *chart {
	c := &chart{pl: plot.New(), legend: plot.NewLegend()}
	c.pl.Title.Text, c.pl.X.Label.Text, c.pl.Y.Label.Text = title, x, y
	c.pl.Title.Padding, c.pl.X.Label.Padding, c.pl.Y.Label.Padding = vg.Points(6), vg.Points(3), vg.Points(3)
	c.pl.X.Scale, c.pl.X.Tick.Marker = plot.LogScale{}, decades{}
	c.legend.Top, c.legend.Left, c.legend.Padding = true, true, vg.Points(3)
	return c
}

// legendWidth has room for the longest name of a method.
const legendWidth = 5.8 * vg.Centimeter

// save writes the chart as SVG.
func (c *chart) save(width, height vg.Length, path string) error {
	canvas := vgsvg.New(width, height)
	all := draw.Crop(draw.New(canvas), vg.Points(4), -vg.Points(4), vg.Points(4), -vg.Points(4))
	c.pl.Draw(draw.Crop(all, 0, -legendWidth, 0, 0))
	c.legend.Draw(draw.Crop(all, all.Max.X-all.Min.X-legendWidth+vg.Points(8), 0, 0, -vg.Points(24)))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := canvas.WriteTo(f); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// decades marks 1, 2 and 5 times the powers of ten with numbers, the multiples
// between them without; over less than a factor of five all have numbers.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Log10(hi); e++ {
		for k := 1.0; k < 10; k++ {
			v, err := strconv.ParseFloat(fmt.Sprintf("%ge%g", k, e), 64)
			if err != nil || v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if k == 1 || k == 2 || k == 5 || hi < 5*lo {
				t.Label = strconv.FormatFloat(v, 'f', -1, 64)
			}
			out = append(out, t)
		}
	}
	return out
}

// hues are the colours of M. Okabe and K. Ito, "Color Universal Design" (2008),
// that show on white.
func hues() []color.NRGBA {
	return []color.NRGBA{
		{0, 0, 0, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {0, 158, 115, 255},
		{0, 114, 178, 255}, {213, 94, 0, 255}, {204, 121, 167, 255},
	}
}

func hue(k int) color.NRGBA { return hues()[k%len(hues())] }

// line adds a step function and its name.
func (c *chart) line(xys plotter.XYs, name string, k int) error {
	l, err := plotter.NewLine(xys)
	if err != nil {
		return err
	}
	l.StepStyle = plotter.PostStep
	l.Color, l.Dashes, l.Width = hue(k), plotutil.Dashes(k/len(hues())), vg.Points(1.5)
	c.pl.Add(l)
	c.legend.Add(name, l)
	return nil
}

// writeAnytime draws the median regret over runs with quartile bands.
func writeAnytime(dir string, tb *table, p int, ms []int) error {
	c := newChart(tb.problems[p].name, "runs", "normalised regret")
	c.pl.Y.Scale, c.pl.Y.Tick.Marker = plot.LogScale{}, decades{}
	for k, m := range ms {
		var mid, lo, hi plotter.XYs
		for _, r := range stops(tb.problems[p].budget) {
			x := math.Max(leastRuns, float64(r))
			mid = append(mid, plotter.XY{X: x, Y: math.Max(1e-3, tb.quantileAt(p, m, r, 0.5))})
			lo = append(lo, plotter.XY{X: x, Y: math.Max(1e-3, tb.quantileAt(p, m, r, 0.25))})
			hi = append(hi, plotter.XY{X: x, Y: math.Max(1e-3, tb.quantileAt(p, m, r, 0.75))})
		}
		if err := c.band(steps(lo), steps(hi), k); err != nil {
			return err
		}
		if err := c.line(mid, tb.methods[m].name, k); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("search-anytime-%s.svg", strings.ReplaceAll(tb.problems[p].name, " ", "-"))
	return c.save(20*vg.Centimeter, 11*vg.Centimeter, filepath.Join(dir, name))
}

// steps adds the corners of a function that keeps its value until the next x.
func steps(xys plotter.XYs) plotter.XYs {
	var out plotter.XYs
	for i, v := range xys {
		if i > 0 {
			out = append(out, plotter.XY{X: v.X, Y: xys[i-1].Y})
		}
		out = append(out, v)
	}
	return out
}

// band fills what lies between two lines.
func (c *chart) band(lo, hi plotter.XYs, k int) error {
	ring := append(plotter.XYs(nil), hi...)
	for i := len(lo) - 1; i >= 0; i-- {
		ring = append(ring, lo[i])
	}
	poly, err := plotter.NewPolygon(ring)
	if err != nil {
		return err
	}
	pale := hue(k)
	pale.A = 30
	poly.Color = pale
	poly.LineStyle.Width = 0
	c.pl.Add(poly)
	return nil
}
