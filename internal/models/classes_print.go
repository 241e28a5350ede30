package models

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"schedtune/cluster"
	"schedtune/internal/report/svg"
	"schedtune/internal/text"
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

func classCount(n int) string { return text.CountAs(n, "class", "classes") }

// Print writes the summary for people.
func (r *ClassesResult) Print(w io.Writer) error {
	how := "chosen by silhouette"
	switch {
	case r.Assigned:
		how = "of the model"
	case r.Given && r.K < r.asked:
		how = fmt.Sprintf("%d given, no more jobs differ", r.asked)
	case r.Given:
		how = "given"
	}
	fmt.Fprintf(w, "%s: %s, %s (%s), silhouette %s\n", r.Source, text.Count(r.Jobs, "job"), classCount(r.K), how,
		text.Three(r.Silhouette))
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 4, 1, ' ', tabwriter.AlignRight)
	head, cells := "task time\tinput\tshuffle\toutput\tmaps\treduces\tmap time\treduce time", sizeCells
	if len(r.Columns) > 0 {
		shown := r.Features[:min(len(r.Features), mostColumns)]
		head, cells = strings.Join(shown, "\t"), func(c *JobClass) string {
			var medians []string
			for _, name := range shown {
				medians = append(medians, fmt.Sprintf("%.4g", c.Values[slices.Index(r.Columns, name)]))
			}
			return strings.Join(medians, "\t")
		}
	}
	fmt.Fprintf(tw, "#\tjobs\t%s\t  label\n", head)
	for i := range r.Classes {
		c := &r.Classes[i]
		fmt.Fprintf(tw, "%d\t%d\t%s\t  %s\n", i+1, c.Jobs, cells(c), c.Label)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if len(r.Columns) == 0 {
		fmt.Fprint(w, "\ntask time: share of all jobs'; other columns: medians per job, times of all its tasks together\n"+
			"labels: size by task time per job (tiny < 1 min, small < 30 min, medium < 10 h, large < 200 h)\n")
	}
	if r.Tried == nil {
		return nil
	}
	fmt.Fprint(w, "\nstability: agreement of the clusters found from two halves of the jobs "+
		"(adjusted Rand index)\n\nk   inertia  silhouette  stability  BIC\n")
	for _, t := range r.Tried {
		fmt.Fprintf(w, "%-3d %8.1f  %-10s  %-9s  %.0f\n", t.K, t.Inertia, text.Three(t.Silhouette), text.Three(t.Stability),
			float64(t.BIC))
	}
	return nil
}

// mostColumns is how many columns of a table of jobs are printed.
const mostColumns = 6

// sizeCells are the columns of a class of traces' jobs.
func sizeCells(c *JobClass) string {
	m := &c.Median
	return fmt.Sprintf("%.1f %%\t%s\t%s\t%s\t%.4g\t%.4g\t%s\t%s", 100*c.Work, bytesText(m.Input), bytesText(m.Shuffle),
		bytesText(m.Output), m.Maps, m.Reduces, text.Duration(m.MapSeconds), text.Duration(m.ReduceSeconds))
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
