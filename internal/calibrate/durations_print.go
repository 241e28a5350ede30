package calibrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"schedtune/internal/report/svg"
	"schedtune/internal/text"
)

// Print writes the summary for people.
func (r *DurationsResult) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s, %s, %s (%s failed)\n\n", r.Source, text.CountAs(r.Histories, "history", "histories"),
		text.Count(r.Jobs, "job"), text.Count(r.Attempts, "attempt"), text.Percent(r.FailedShare))
	tw := text.New(w)
	fmt.Fprintln(tw, "latency, ms\tn\tp10\tmedian\tp90\tmax\theld-out error")
	for _, l := range r.Latencies {
		fmt.Fprintf(tw, "%s\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%s\n", l.Name, l.N, l.P10, l.Median, l.P90, l.Max,
			text.Percent(l.HeldOut))
	}
	fmt.Fprintln(tw, "\ntask time, s\tn\t\tmedian\tp90\t\theld-out KS\tdistribution")
	for i, d := range r.Durations {
		if i == 30 {
			fmt.Fprintf(tw, "… %d more\n", len(r.Durations)-i)
			break
		}
		class := d.Class
		if class == "" {
			class = "all"
		}
		fmt.Fprintf(tw, "%s %s\t%d\t\t%.4g\t%.4g\t\t%s\t%s\n", class, d.Kind, d.N, d.Median, d.P90,
			text.Three(d.Dist.HeldOut), d.Dist.text())
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprint(w, "times of reduces begin after their shuffle\n\n")
	for i, p := range r.Penalties {
		switch {
		case p.Maps == 0:
			fmt.Fprintf(w, "%s maps: none recorded\n", p.Locality)
		case i == 0:
			fmt.Fprintf(w, "%s maps: %d\n", p.Locality, p.Maps)
		case p.Jobs == 0:
			fmt.Fprintf(w, "%s maps: %d; no job with both these and node-local maps\n", p.Locality, p.Maps)
		default:
			fmt.Fprintf(w, "%s maps: %d, %s times the node-local time (%s with maps of both)\n", p.Locality,
				p.Maps, text.Three(p.Factor), text.Count(p.Jobs, "job"))
		}
		if p.Factor < 1 && p.Jobs >= enough {
			fmt.Fprintf(w, "  below 1: remote maps were faster, so another effect is larger; check before use\n")
		}
	}
	s := &r.Stragglers
	fmt.Fprintf(w, "stragglers: %d of %d tasks (%s) took over %.1f times their job's median;\n"+
		"  tasks without a time, and those of jobs with fewer than 5 of a kind, are not counted\n",
		s.Slow, s.Tasks, text.Percent(s.Share), stragglerFactor)
	fmt.Fprintf(w, "\ncalibration, fitted: %s\n", list(r.fittedValues()))
	for _, a := range r.Assumed {
		fmt.Fprintf(w, "calibration, default: %s\n", list(strings.Split(a, ", ")))
	}
	return nil
}

// fittedValues returns the names of the figures that come from the histories with their values; that of a
// distribution is its median.
func (r *DurationsResult) fittedValues() (out []string) {
	var figures map[string]any
	if data, err := json.Marshal(r.Calibration); err != nil || json.Unmarshal(data, &figures) != nil {
		return r.Fitted
	}
	for _, name := range r.Fitted {
		in, key := figures, name
		if part, rest, ok := strings.Cut(name, "."); ok {
			in, _ = figures[part].(map[string]any)
			key = rest
		}
		switch v := in[key].(type) {
		case float64:
			name += fmt.Sprintf(" %g", v)
		case []any:
			name += fmt.Sprintf(" median %v", v[len(v)/2])
		}
		out = append(out, name)
	}
	return out
}

// list joins names with commas, breaking lines before column 100.
func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	var b bytes.Buffer
	line := len("calibration, default: ")
	for i, n := range names {
		if i > 0 {
			line += 2
			if line+len(n) > 96 {
				b.WriteString(",\n  ")
				line = 2
			} else {
				b.WriteString(", ")
			}
		}
		b.WriteString(n)
		line += len(n)
	}
	return b.String()
}

func (d *DistFit) text() string {
	switch d.Family {
	case "exponential":
		return fmt.Sprintf("exponential, mean %.4g", d.A)
	case "lognormal":
		return fmt.Sprintf("lognormal, median %.4g, sigma %.3g", math.Exp(d.A), d.B)
	case "empirical":
		return "empirical quantiles"
	}
	return fmt.Sprintf("constant %.4g", d.A)
}

// Chart draws the distribution of the task times of the classes with most
// tasks.
func (r *DurationsResult) Chart() []byte {
	c := svg.Chart{Title: "Task times", X: svg.Axis{Label: "seconds"}, Y: svg.Axis{Label: "share of tasks", Percent: true}}
	order := slices.Clone(r.Durations)
	slices.SortStableFunc(order, func(a, b ClassDuration) int { return b.N - a.N })
	for _, d := range order[:min(len(order), 6)] {
		s := svg.Series{Name: d.Class + " " + d.Kind}
		top := 2 * math.Max(d.P90, d.Median)
		for i := range 101 {
			x := top * float64(i+1) / 101
			s.Points = append(s.Points, svg.Point{X: x, Y: d.Dist.cdf(x)})
		}
		if d.Dist.Family == "constant" {
			s.Shape = svg.Step
			s.Points = []svg.Point{{X: 0, Y: 0}, {X: d.Dist.A, Y: 1}, {X: top, Y: 1}}
		}
		c.Series = append(c.Series, s)
	}
	return c.File()
}
