package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"schedtune/internal/report/svg"
	"schedtune/internal/text"
)

// Print writes the tables for people.
func (r *Report) Print(w io.Writer) error {
	waited := text.PlainDuration(r.Total.WaitedHours*3600) + " waiting for first containers"
	if r.Waits == 0 {
		waited = "waiting time not recorded"
	}
	fmt.Fprintf(w, "%s: %d jobs, %s GiB-hours, %s vcore-hours, %s\n",
		r.Name, r.Jobs, text.Plain(r.Total.MemoryHours), text.Plain(r.Total.VCoreHours), waited)
	tw := text.New(w)
	usageTable(tw, "queue", r.Queues, r)
	usageTable(tw, "user", r.Users, r)
	if len(r.Periods) > 1 {
		usagePeriods(tw, r)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if r.UncausedHours > 0 {
		fmt.Fprintf(w, "\nunattributed waiting time, while no memory was held: %s\n",
			text.PlainDuration(r.UncausedHours*3600))
	}
	if len(r.Notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "%s\n", n)
	}
	return nil
}

func usageTable(tw io.Writer, what string, list []Group, r *Report) {
	waiting := func(hours float64) string {
		if r.Waits == 0 { // of no job
			return ""
		}
		return text.PlainDuration(hours * 3600)
	}
	used := false
	for i := range list {
		used = used || list[i].OfMemoryHours > 0 || list[i].OfVCoreHours > 0
	}
	fmt.Fprintf(tw, "\n%s\tjobs\tGiB-hours\tshare\tvcore-hours\twaited\tcaused", what)
	if used {
		fmt.Fprint(tw, "\tmemory used\tcores used")
	}
	fmt.Fprintln(tw)
	for i := range list {
		if i == mostGroups {
			fmt.Fprintf(tw, "… %d more\n", len(list)-i)
			break
		}
		g := &list[i]
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t%s\t%s\t%s", cmp.Or(g.Name, "(none)"), g.Jobs, text.Plain(g.MemoryHours),
			partOf(g.MemoryHours, r.Total.MemoryHours),
			text.Plain(g.VCoreHours), waiting(g.WaitedHours), waiting(g.CausedHours))
		if used {
			fmt.Fprintf(tw, "\t%s\t%s", partOf(float64(g.UsedMemoryHours), g.OfMemoryHours),
				partOf(float64(g.UsedVCoreHours), g.OfVCoreHours))
		}
		fmt.Fprintln(tw)
	}
}

// usagePeriods is the memory of queues by period.
func usagePeriods(tw io.Writer, r *Report) {
	shown := r.Queues[:min(len(r.Queues), mostGroups)]
	fmt.Fprint(tw, "\nGiB-hours from")
	for i := range shown {
		fmt.Fprintf(tw, "\t%s", cmp.Or(shown[i].Name, "(none)"))
	}
	fmt.Fprintln(tw)
	for p := range r.Periods {
		fmt.Fprint(tw, r.Periods[p].Name)
		for i := range shown {
			fmt.Fprintf(tw, "\t%s", text.Plain(shown[i].Periods[p].MemoryHours))
		}
		fmt.Fprintln(tw)
	}
}

// part is a share in per cent, empty where there is no whole.
func partOf(of, all float64) string {
	if all <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", of/all*100)
}

// WriteCSV writes one row per group and period.
func (r *Report) WriteCSV(w io.Writer) error {
	cw := csv.NewWriter(w)
	rows := [][]string{{"kind", "name", "period", "jobs", "memory_gib_hours", "vcore_hours", "waited_hours",
		"caused_hours",
		"used_memory_gib_hours", "of_memory_gib_hours", "used_vcore_hours", "of_vcore_hours"}}
	add := func(kind, name, period string, a *Amount) {
		row := []string{kind, name, period, strconv.Itoa(a.Jobs)}
		for _, v := range []float64{a.MemoryHours, a.VCoreHours, a.WaitedHours, a.CausedHours,
			float64(a.UsedMemoryHours), a.OfMemoryHours, float64(a.UsedVCoreHours), a.OfVCoreHours} {
			row = append(row, strconv.FormatFloat(v, 'f', -1, 64))
		}
		rows = append(rows, row)
	}
	for _, kind := range []struct {
		name string
		list []Group
	}{{"queue", r.Queues}, {"user", r.Users}} {
		for i := range kind.list {
			g := &kind.list[i]
			if g.Periods == nil {
				add(kind.name, g.Name, r.Periods[0].Name, &g.Amount)
				continue
			}
			for p := range g.Periods {
				add(kind.name, g.Name, r.Periods[p].Name, &g.Periods[p])
			}
		}
	}
	return cw.WriteAll(rows)
}

// Picture draws the mean memory held by the largest queues over time.
func (r *Report) Picture() []byte {
	const most = svg.Colours - 1
	c := svg.Chart{Title: "memory held by queue", Desc: "mean memory held in each period, by queue", Stacked: true,
		Width: 800,
		X:     svg.Axis{Label: "time from " + r.Periods[0].Name, Seconds: true}, Y: svg.Axis{Label: "GiB held, mean"}}
	if r.Periods[0].Name == All {
		c.X.Label = "time"
	}
	series := func(name string) svg.Series { return svg.Series{Name: name, Shape: svg.Area} }
	at := func(p int) float64 { return float64(r.Periods[p].FromMS-r.Periods[0].FromMS) / 1000 }
	last := len(r.Periods) - 1
	end := float64(r.Periods[last].ToMS-r.Periods[0].FromMS) / 1000
	others := series("others")
	for i := range r.Queues {
		g := &r.Queues[i]
		s := series(cmp.Or(g.Name, "(none)"))
		if i >= most {
			s = others
		}
		for p := range r.Periods {
			a := &g.Amount
			if g.Periods != nil {
				a = &g.Periods[p]
			}
			v := a.MemoryHours / (float64(r.Periods[p].ToMS-r.Periods[p].FromMS) / 3_600_000)
			if i > most { // the others' points are there already
				s.Points[p].Y += v
				continue
			}
			s.Points = append(s.Points, svg.Point{X: at(p), Y: v})
		}
		if i >= most {
			others = s
			continue
		}
		c.Series = append(c.Series, s)
	}
	if len(others.Points) > 0 {
		c.Series = append(c.Series, others)
	}
	for i := range c.Series {
		s := &c.Series[i]
		s.Points = append(s.Points, svg.Point{X: end, Y: s.Points[last].Y})
	}
	return c.File()
}
