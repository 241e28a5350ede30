package report

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"text/template"

	"schedtune/internal/report/svg"
	"schedtune/internal/text"
	"schedtune/trace"
)

//go:embed usage.tmpl
var usagePage string

var usageTemplate = text.Table(usagePage, template.FuncMap{
	"hours": func(h float64) string { return text.PlainDuration(h * 3600) },
	"table": func(r *Report, what string, list []Group) any {
		return map[string]any{"Of": r, "What": what, "List": list}
	},
	"used": func(list []Group) bool {
		return slices.ContainsFunc(list, func(g Group) bool { return g.OfMemoryHours > 0 || g.OfVCoreHours > 0 })
	},
	"part": func(of any, all float64) string { // in per cent, empty where there is no whole
		if all <= 0 {
			return ""
		}
		return fmt.Sprintf("%.1f %%", reflect.ValueOf(of).Float()/all*100)
	},
})

// Print writes the tables for people.
func (r *Report) Print(w io.Writer) error { return text.PrintTable(w, usageTemplate, r) }

// of is what the group held in a period.
func (g *Group) of(period int) *Amount {
	if g.Periods == nil {
		return &g.Amount
	}
	return &g.Periods[period]
}

// WriteCSV writes one row per group and period.
func (r *Report) WriteCSV(w io.Writer) error {
	cw := csv.NewWriter(w)
	rows := [][]string{{"kind", "name", "period", "jobs", "memory_gib_hours", "vcore_hours", "waited_hours",
		"caused_hours",
		"used_memory_gib_hours", "of_memory_gib_hours", "used_vcore_hours", "of_vcore_hours"}}
	add := func(kind string, list []Group) {
		for i := range list {
			for p := range r.Periods {
				a := list[i].of(p)
				row := []string{kind, list[i].Name, r.Periods[p].Name, strconv.Itoa(a.Jobs)}
				for _, v := range []float64{a.MemoryHours, a.VCoreHours, a.WaitedHours, a.CausedHours,
					float64(a.UsedMemoryHours), a.OfMemoryHours, float64(a.UsedVCoreHours), a.OfVCoreHours} {
					row = append(row, strconv.FormatFloat(v, 'f', -1, 64))
				}
				rows = append(rows, row)
			}
		}
	}
	add("queue", r.Queues)
	add("user", r.Users)
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
	begin := r.Periods[0].FromMS
	for i := range r.Queues {
		s := svg.Series{Name: cmp.Or(r.Queues[i].Name, "(none)"), Shape: svg.Area}
		if i >= most {
			s.Name = "others"
		}
		for p, x := range r.Periods {
			y := r.Queues[i].of(p).MemoryHours / (float64(x.ToMS-x.FromMS) / msPerHour)
			if i > most {
				c.Series[most].Points[p].Y += y
				continue
			}
			s.Points = append(s.Points, svg.Point{X: float64(x.FromMS-begin) / 1000, Y: y})
		}
		if i <= most {
			c.Series = append(c.Series, s)
		}
	}
	last := len(r.Periods) - 1
	for i := range c.Series {
		s := &c.Series[i]
		s.Points = append(s.Points, svg.Point{X: float64(r.Periods[last].ToMS-begin) / 1000, Y: s.Points[last].Y})
	}
	return c.File()
}

const (
	msPerHour   = 3_600_000.0
	mibPerGiB   = 1024.0
	mibMSToHour = mibPerGiB * msPerHour
)

// charge sums by a key of jobs and by period; uncaused is the waiting, in hours,
// while nothing held memory.
func charge(jobs []job, periods []Period, key func(*trace.Job) string) (groups []Group, uncaused float64) {
	at := map[string]int{}
	group := func(j *job) int {
		k := key(j.Job)
		x, ok := at[k]
		if !ok {
			x = len(groups)
			at[k] = x
			groups = append(groups, Group{Name: k, Periods: make([]Amount, len(periods))})
		}
		return x
	}
	s := sweep{periods: periods}
	for i := range jobs {
		j := &jobs[i]
		g := group(j)
		of := groups[g].Periods
		if j.Job.Standing() {
			of[0].Jobs++
		} else if j.Submit.Known() {
			of[period(periods, int64(j.Submit))].Jobs++
			if j.started > j.Submit {
				eachPeriod(periods, j.Submit, j.started, func(p int, ms float64) { of[p].WaitedHours += ms / msPerHour })
				s.waits(j.Submit, j.started)
			}
		}
		for k := range j.held {
			j.charge(of, periods, &j.held[k])
			s.holds(g, j.held[k].From, j.held[k].To, j.held[k].MiB*j.mem)
		}
	}
	uncaused = s.run(groups)
	for g := range groups {
		for p := range periods {
			groups[g].add(&groups[g].Periods[p])
		}
		if len(periods) == 1 {
			groups[g].Periods = nil
		}
	}
	order(groups)
	return groups, uncaused
}

// charge adds one holding to the periods it lies in.
func (j *job) charge(of []Amount, periods []Period, h *trace.Holding) {
	whole := float64(h.To - h.From)
	eachPeriod(periods, h.From, h.To, func(p int, ms float64) {
		a := &of[p]
		a.MemoryHours += h.MiB * j.mem * ms / mibMSToHour
		a.VCoreHours += h.VCores * j.cores * ms / msPerHour
		if h.UsedMiB > 0 {
			a.UsedMemoryHours += text.Known(h.UsedMiB * ms / mibMSToHour)
			a.OfMemoryHours += h.MiB * ms / mibMSToHour
		}
		if h.CoreTime > 0 {
			a.UsedVCoreHours += text.Known(float64(h.CoreTime) * ms / whole / msPerHour)
			a.OfVCoreHours += h.VCores * ms / msPerHour
		}
	})
}

// eachPeriod calls f with the periods that [from, to) lies in and the
// milliseconds of it in each.
func eachPeriod(periods []Period, from, to trace.Millis, f func(p int, ms float64)) {
	for p := period(periods, int64(from)); p < len(periods) && periods[p].FromMS < int64(to); p++ {
		f(p, float64(min(int64(to), periods[p].ToMS)-max(int64(from), periods[p].FromMS)))
	}
}

// period is the index of the period that holds a time.
func period(periods []Period, at int64) int {
	i := sort.Search(len(periods), func(i int) bool { return periods[i].ToMS > at })
	return min(i, len(periods)-1)
}

// change is a moment at which jobs begin or end to wait, or a group to hold.
type chargebackChange struct {
	at    int64
	group int
	kib   int64 // begun, or ended (negative), to be held; whole, so that sums are exact
	waits int64 // +1, -1 or 0
}

// sweep goes through time once. The waiting of one moment, waiting·dt, belongs
// to a group by held/all; the sum of waiting·dt/all over time is the same for
// every group, so a group is brought up to date only when what it holds changes
// and at the ends of periods.
type sweep struct {
	periods []Period
	changes []chargebackChange

	held    []int64   // KiB by group
	seen    []float64 // sum when the group was last brought up to date
	all     int64     // KiB
	waiting int64     // jobs
	sum     float64   // of waiting·dt/all, ms a KiB
}

func (s *sweep) waits(from, to trace.Millis) {
	s.changes = append(s.changes, chargebackChange{at: int64(from), waits: 1}, chargebackChange{at: int64(to), waits: -1})
}

func (s *sweep) holds(g int, from, to trace.Millis, mib float64) {
	if kib := int64(math.Round(mib * 1024)); kib > 0 && to > from {
		s.changes = append(s.changes, chargebackChange{at: int64(from), group: g, kib: kib},
			chargebackChange{at: int64(to), group: g, kib: -kib})
	}
}

// run fills CausedHours and returns the hours waited while nothing was held.
func (s *sweep) run(groups []Group) (uncaused float64) {
	slices.SortStableFunc(s.changes, func(a, b chargebackChange) int { return cmp.Compare(a.at, b.at) })
	s.held, s.seen = make([]int64, len(groups)), make([]float64, len(groups))
	now, p := s.periods[0].FromMS, 0
	advance := func(to int64) {
		if waited := float64(s.waiting) * float64(to-now); s.all > 0 {
			s.sum += waited / float64(s.all)
		} else {
			uncaused += waited
		}
		now = to
	}
	settle := func() {
		for g := range groups {
			s.update(groups, p, g)
		}
	}
	for i := range s.changes {
		c := &s.changes[i]
		for s.periods[p].ToMS <= c.at && p+1 < len(s.periods) {
			advance(s.periods[p].ToMS)
			settle()
			p++
		}
		advance(c.at)
		if c.kib != 0 {
			s.update(groups, p, c.group)
			s.held[c.group] += c.kib
			s.all += c.kib
		}
		s.waiting += c.waits
	}
	settle()
	return uncaused / msPerHour
}

// update gives group g its part of the waiting since it was last brought up to
// date, all of it within period p.
func (s *sweep) update(groups []Group, p, g int) {
	groups[g].Periods[p].CausedHours += float64(s.held[g]) * (s.sum - s.seen[g]) / msPerHour
	s.seen[g] = s.sum
}
