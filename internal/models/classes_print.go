package models

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedtune/cluster"
	"schedtune/internal/report/svg"
)

// label names a class by its size and by what becomes of its data, in the way
// of the classes that Chen et al. found in the traces of Facebook and Yahoo!.
func label(f *cluster.Sizes) string {
	work := f.MapSeconds + f.ReduceSeconds
	size := "huge"
	switch {
	case work == 0:
		size = "unmeasured"
	case work < 60:
		size = "tiny"
	case work < 1800:
		size = "small"
	case work < 36000:
		size = "medium"
	case work < 720000:
		size = "large"
	}
	shape := ""
	switch {
	case f.Reduces == 0 && f.Maps > 0:
		shape = ", maps only"
	case f.Input == 0 || f.Shuffle+f.Output == 0:
	case f.Output > 2*f.Input:
		shape = ", expand"
	case f.Output < f.Input/10 && f.Shuffle < f.Input/10:
		shape = ", aggregate"
	case f.Shuffle > f.Input/2:
		shape = ", shuffle-heavy"
	default:
		shape = ", transform"
	}
	return size + shape
}

// columnLabel names what sets a class of a table's jobs apart by more than a standard deviation.
func columnLabel(names []string, scaled []float64) string {
	var parts []string
	for i, v := range scaled {
		switch {
		case v > 1:
			parts = append(parts, "high "+names[i])
		case v < -1:
			parts = append(parts, "low "+names[i])
		}
	}
	if n := len(parts) - mostShares; n > 0 {
		parts = append(parts[:mostShares], fmt.Sprintf("%d more", n))
	}
	return cmp.Or(strings.Join(parts, ", "), "average")
}

// bytesText prints bytes with a decimal unit, - for none.
func bytesText(b float64) string {
	if b <= 0 {
		return "-"
	}
	for _, u := range []string{"B", "kB", "MB", "GB", "TB"} {
		if b < 1000 {
			return fmt.Sprintf("%.3g %s", b, u)
		}
		b /= 1000
	}
	return fmt.Sprintf("%.3g PB", b)
}

// mostDots is how many jobs a chart shows.
const mostDots = 10000

// Chart draws every job, of many every n-th, by the two facts that differ most, coloured by class.
func (r *ClassesResult) Chart() []byte {
	names := featureNames(r.Columns)
	a, b := r.widest(names)
	c := svg.Chart{Title: "Job classes", X: svg.Axis{Label: "log10(1 + " + names[a] + ")"},
		Y: svg.Axis{Label: "log10(1 + " + names[b] + ")"}}
	for n := range r.Classes {
		s := svg.Series{Name: fmt.Sprintf("%d: %s", n+1, r.Classes[n].Label), Shape: svg.Dots}
		for i := 0; i < len(r.Model.Jobs); i += 1 + len(r.Model.Jobs)/mostDots {
			if r.Model.Jobs[i].Label == n {
				v := r.Model.Jobs[i].features()
				s.Points = append(s.Points, svg.Point{X: v[a], Y: v[b]})
			}
		}
		slices.SortFunc(s.Points, func(p, q svg.Point) int { return cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y)) })
		c.Series = append(c.Series, s)
	}
	return c.File()
}

// widest returns the two features with the largest spread.
func (r *ClassesResult) widest(names []string) (a, b int) {
	order, spread := []int{}, make([]float64, len(names))
	for d, name := range names {
		order = append(order, d)
		if i := slices.Index(r.Features, name); i >= 0 {
			spread[d] = r.Model.Scaler.Deviation[i]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spread[b], spread[a]) })
	return order[0], order[len(order[:min(len(order), 2)])-1]
}
