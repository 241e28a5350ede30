package main

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// targets are 51 log-spaced regrets from 1 to 0.01.
func targets() []float64 {
	var out []float64
	for i := range 51 {
		out = append(out, math.Pow(10, -2*float64(i)/50))
	}
	return out
}

// ecdf is the part of (problem, repeat, target) triples reached within 10^x
// runs per dimension.
func (tb *table) ecdf(m int) plotter.XYs {
	var hits []float64
	total := 0
	for p, c := range tb.cells {
		d := float64(tb.problems[p].space.Dim())
		for _, t := range c[m] {
			for _, target := range targets() {
				total++
				if r, ok := tb.firstHit(p, t, target); ok {
					hits = append(hits, math.Log10(math.Max(1, float64(r))/d))
				}
			}
		}
	}
	return cumulate(hits, total)
}

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

// cumulate thins a distribution function to 200 points.
func cumulate(hits []float64, total int) plotter.XYs {
	sort.Float64s(hits)
	var out plotter.XYs
	every := max(1, len(hits)/200)
	for i := 0; i < len(hits); i += every {
		out = append(out, plotter.XY{X: hits[i], Y: float64(i+1) / float64(total)})
	}
	return out
}

func writeECDF(dir, name string, tb *table, ms []int) error {
	pl := plot.New()
	pl.Title.Text = "Targets reached"
	pl.X.Label.Text, pl.Y.Label.Text = "log10(runs / dimension)", "part of (problem, repeat, target)"
	pl.Y.Min, pl.Y.Max = 0, 1
	pl.Legend.Top, pl.Legend.Left = true, true
	for k, m := range ms {
		if err := addLine(pl, tb.ecdf(m), tb.methods[m].name, k); err != nil {
			return err
		}
	}
	return pl.Save(20*vg.Centimeter, 14*vg.Centimeter, filepath.Join(dir, name))
}

func addLine(pl *plot.Plot, xys plotter.XYs, name string, k int) error {
	if len(xys) == 0 {
		return nil
	}
	l, err := plotter.NewLine(xys)
	if err != nil {
		return err
	}
	l.Color, l.Dashes, l.Width = plotutil.Color(k), plotutil.Dashes(k/7), vg.Points(1.5)
	pl.Add(l)
	pl.Legend.Add(name, l)
	return nil
}

// writeAnytime draws the median regret over runs with quartile bands.
func writeAnytime(dir string, tb *table, p int, ms []int) error {
	pl := plot.New()
	pl.Title.Text = tb.problems[p].name
	pl.X.Label.Text, pl.Y.Label.Text = "runs", "normalised regret"
	pl.Y.Scale, pl.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	pl.Legend.Top = true
	for k, m := range ms {
		var mid, lo, hi plotter.XYs
		for i := 0; i <= 40; i++ {
			r := tb.problems[p].budget * i / 40
			x := float64(r)
			mid = append(mid, plotter.XY{X: x, Y: math.Max(1e-3, tb.quantileAt(p, m, r, 0.5))})
			lo = append(lo, plotter.XY{X: x, Y: math.Max(1e-3, tb.quantileAt(p, m, r, 0.25))})
			hi = append(hi, plotter.XY{X: x, Y: math.Max(1e-3, tb.quantileAt(p, m, r, 0.75))})
		}
		if err := addBand(pl, lo, hi, k); err != nil {
			return err
		}
		if err := addLine(pl, mid, tb.methods[m].name, k); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("search-anytime-%s.svg", strings.ReplaceAll(tb.problems[p].name, " ", "-"))
	return pl.Save(16*vg.Centimeter, 11*vg.Centimeter, filepath.Join(dir, name))
}

func addBand(pl *plot.Plot, lo, hi plotter.XYs, k int) error {
	ring := append(plotter.XYs(nil), hi...)
	for i := len(lo) - 1; i >= 0; i-- {
		ring = append(ring, lo[i])
	}
	poly, err := plotter.NewPolygon(ring)
	if err != nil {
		return err
	}
	r, g, b, _ := plotutil.Color(k).RGBA()
	poly.Color = color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 40}
	poly.LineStyle.Width = 0
	pl.Add(poly)
	return nil
}
