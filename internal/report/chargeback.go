package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"schedtune/internal/text"
	"schedtune/trace"
)

// Amount is what a group held and waited.
type Amount struct {
	Jobs        int     `json:"jobs"`             // submitted in the period
	MemoryHours float64 `json:"memory_gib_hours"` // as asked for
	VCoreHours  float64 `json:"vcore_hours"`      // as asked for
	// WaitedHours is the time from the submission of its jobs to their first
	// containers, summed. CausedHours is the waiting of all jobs, its own among
	// them, given at every moment to those that hold memory then, in proportion
	// to what they hold.
	WaitedHours float64 `json:"waited_hours"`
	CausedHours float64 `json:"caused_hours"`
	// UsedMemoryHours and UsedVCoreHours are what the processes took, of the
	// containers whose history says so; OfMemoryHours and OfVCoreHours are what
	// was asked for these containers.
	UsedMemoryHours text.Known `json:"used_memory_gib_hours"`
	OfMemoryHours   float64    `json:"of_memory_gib_hours"`
	UsedVCoreHours  text.Known `json:"used_vcore_hours"`
	OfVCoreHours    float64    `json:"of_vcore_hours"`
}

// Group is one queue's or one user's part.
type Group struct {
	Name string `json:"name"` // "" = jobs without one
	Amount
	Periods []Amount `json:"periods"` // one of each Report.Periods; nil where there is one period
}

// Period is a part of the trace's time, [From, To).
type Period struct {
	Name   string `json:"name"`    // the date it begins on, or its number where times are not dates
	FromMS int64  `json:"from_ms"` // on the trace's clock
	ToMS   int64  `json:"to_ms"`
}

// Report is the usage of a trace.
type Report struct {
	Schema  string       `json:"schema"`
	Name    string       `json:"name"`
	Jobs    int          `json:"jobs"`
	Periods []Period     `json:"periods"`
	Queues  []Group      `json:"queues"` // the most memory first
	Users   []Group      `json:"users"`
	Total   Amount       `json:"total"`
	Notes   []trace.Note `json:"notes"` // what was left out or assumed
	// UncausedHours is the waiting while nothing held memory.
	UncausedHours float64 `json:"uncaused_hours"`
	// Waits is for how many of Jobs the waiting is known.
	Waits int `json:"waits_known"`
}

// Lengths of periods.
const (
	All  = "all"
	Week = "week" // from Monday
	Day  = "day"
	Hour = "hour"
)

// Lengths lists what Sum takes as per.
func Lengths() []string { return []string{All, Week, Day, Hour} }

// maxPeriods and maxCells bound the tables: periods, and periods times queues or
// users.
const (
	day = 24 * time.Hour

	maxPeriods = 10_000
	maxCells   = 2_000_000
)

// Sum charges the trace's jobs, by periods of one of Lengths: hours, days and weeks of
// the zone's calendar where the trace has dates. It fails where no job has a known
// time, or the trace is longer than 10,000 periods.
func Sum(t *trace.Trace, per string, zone *time.Location) (*Report, error) {
	r := &Report{Schema: text.SchemaUsage, Name: t.Name, Jobs: len(t.Jobs), Notes: slices.DeleteFunc(slices.Clone(t.Notes),
		func(n trace.Note) bool { return n.Kind == trace.Missing || n.Text == trace.StandingNote })}
	if r.Notes == nil { // [] in JSON
		r.Notes = []trace.Note{}
	}
	jobs := r.jobs(t)
	if len(jobs) == 0 && len(t.Jobs) > 0 {
		return nil, errors.New("all applications ran with a local master: they took no containers of a cluster")
	}
	var err error
	if r.Periods, err = periods(jobs, per, zone); err != nil {
		return nil, err
	}
	names := t.QueueNames()
	queue, user := func(j *trace.Job) string { return names[j.Queue] }, func(j *trace.Job) string { return j.User }
	if n := max(distinct(jobs, queue), distinct(jobs, user)) * len(r.Periods); n > maxCells {
		return nil, fmt.Errorf("%d queues or users in %d periods: must be %d cells in all; take a longer period",
			n/len(r.Periods), len(r.Periods), maxCells)
	}
	r.Queues, r.UncausedHours = charge(jobs, r.Periods, queue)
	r.Users, _ = charge(jobs, r.Periods, user)
	for i := range r.Queues {
		r.Total.add(&r.Queues[i].Amount)
	}
	return r, nil
}

func distinct(jobs []job, key func(*trace.Job) string) int {
	seen := map[string]bool{}
	for i := range jobs {
		seen[key(jobs[i].Job)] = true
	}
	return len(seen)
}

// job is one job with what it held, charged.
type job struct {
	*trace.Job
	held       []trace.Holding
	started    trace.Millis // of its first container; Unknown = not recorded
	mem, cores float64      // factors by which the ResourceManager charged more than the holdings come to
}

// jobs finds what every job held, and notes what it does not know.
func (r *Report) jobs(t *trace.Trace) []job {
	out := make([]job, 0, len(t.Jobs))
	var none, lost, sized, derived, unknownWait int
	begin, _ := t.Begin()
	standing, local := 0, 0
	for i := range t.Jobs {
		if t.Jobs[i].Local() {
			local++
			continue
		}
		j := job{Job: &t.Jobs[i], started: trace.Unknown, mem: 1, cores: 1}
		n := 0
		j.held, n = j.Holdings()
		lost += n
		if j.Standing() {
			standing++
			for k := range j.held {
				if j.held[k].Derived { // nothing tells when it was allocated
					j.held[k].From = max(j.held[k].From, begin)
				}
			}
			j.held = slices.DeleteFunc(j.held, func(h trace.Holding) bool { return h.To < h.From })
			out = append(out, j)
			continue
		}
		j.spread()
		for k := range j.held {
			h := &j.held[k]
			if h.MiB == 0 {
				sized++
			}
			if h.Derived {
				derived++
			}
		}
		j.started = j.FirstContainer()
		if !j.Submit.Known() || !j.started.Known() || j.SubmitAssumed() {
			unknownWait++
			j.started = trace.Unknown
		}
		if len(j.held) == 0 {
			none++
		}
		j.chargeAs()
		out = append(out, j)
	}
	r.Waits = len(out) - unknownWait - standing
	r.note(trace.Assumed, standing, trace.StandingNote)
	r.note(trace.Dropped, local, "Spark applications with a local master, which run outside the cluster")
	r.note(trace.Missing, none, "resources held by a job: no containers, no tasks with times and no charge are recorded")
	r.note(trace.Missing, lost, "times of a container")
	r.note(trace.Missing, sized, "size of a container")
	r.note(trace.Missing, unknownWait, "waiting time of a job: submission or first container not recorded")
	r.note(trace.Assumed, derived, "times or sizes of a container, derived from its job's totals")
	return out
}

func (r *Report) note(kind trace.NoteKind, n int, text string) {
	if n > 0 {
		r.Notes = append(r.Notes, trace.Note{Kind: kind, Text: text, Count: n})
	}
}

// spread gives a job that is only known by its charge one holding over its time.
func (j *job) spread() {
	from, to, whole := j.Span()
	if len(j.held) > 0 || j.MemorySeconds <= 0 || !whole {
		return
	}
	s := float64(to-from) / 1000
	j.held = []trace.Holding{{From: from, To: to, MiB: float64(j.MemorySeconds) / s,
		VCores: float64(max(0, j.VCoreSeconds)) / s, Derived: true}}
}

// chargeAs scales the holdings to what the ResourceManager charged, where that
// is recorded: it counts containers that the history does not list.
func (j *job) chargeAs() {
	mem, cores := 0.0, 0.0
	for _, h := range j.held {
		s := float64(h.To-h.From) / 1000
		mem += h.MiB * s
		cores += h.VCores * s
	}
	if j.MemorySeconds > 0 && mem > 0 {
		j.mem = float64(j.MemorySeconds) / mem
	}
	if j.VCoreSeconds > 0 && cores > 0 {
		j.cores = float64(j.VCoreSeconds) / cores
	}
}

// spanOf is the first and the last known instant of jobs and their containers.
func spanOf(jobs []job) (first, last trace.Millis) {
	first = trace.Unknown
	see := func(m trace.Millis) {
		if m.Known() && (!first.Known() || m < first) {
			first = m
		}
		last = max(last, m)
	}
	for i := range jobs {
		if !jobs[i].Job.Standing() { // else from the others' first submission on
			see(jobs[i].Submit)
			see(jobs[i].started)
		}
		for _, h := range jobs[i].held {
			see(h.From)
			see(h.To)
		}
	}
	return first, last
}

// periods cuts the time from the first submission or holding to the last end.
func periods(jobs []job, per string, zone *time.Location) ([]Period, error) {
	first, last := spanOf(jobs)
	if !first.Known() {
		return nil, fmt.Errorf("no job has a known time; use a trace with times of submissions or containers")
	}
	from, to := int64(first), int64(last)+1
	if per == All {
		return []Period{{Name: All, FromMS: from, ToMS: to}}, nil
	}
	step, known := map[string]time.Duration{Hour: time.Hour, Day: day, Week: 7 * day}[per]
	if !known {
		return nil, fmt.Errorf("period %q: must be %v", per, Lengths())
	}
	if n := (to-from)/step.Milliseconds() + 1; n > maxPeriods {
		return nil, fmt.Errorf("%d periods of one %s: must be %d; take a longer period", n, per, maxPeriods)
	}
	dated := dated(from)
	var out []Period
	for begin := from; begin < to; {
		p := Period{Name: fmt.Sprintf("%s %d", per, len(out)+1), FromMS: begin, ToMS: begin + step.Milliseconds()}
		if dated {
			p = calendar(begin, per, zone)
			if len(out) > 0 {
				p.FromMS = begin
			}
			if p.ToMS <= begin { // a zone that left out a date
				p.ToMS = begin + time.Hour.Milliseconds()
			}
		}
		out, begin = append(out, p), p.ToMS
	}
	return out, nil
}

// calendar is the hour, day or week of a zone's calendar that holds an instant. A day on which
// clocks change has 23 or 25 hours, and a week one hour less or more.
func calendar(at int64, per string, zone *time.Location) Period {
	t := time.UnixMilli(at).In(zone)
	year, month, date := t.Date()
	midnight := func(days int) time.Time {
		m := time.Date(year, month, date+days, 0, 0, 0, 0, zone)
		if m.Hour() == 23 { // where clocks change at midnight: the day's first instant is an hour later
			m = m.Add(time.Hour)
		}
		return m
	}
	first, days := 0, 1
	switch per {
	case Hour:
		// By the zone's offset at that instant: an hour that the clocks show twice is two.
		from := t.Add(-time.Duration(t.Minute())*time.Minute - time.Duration(t.Second())*time.Second -
			time.Duration(t.Nanosecond()))
		layout := "2006-01-02 15:04"
		if zone != time.UTC {
			layout += " MST"
		}
		return Period{Name: from.Format(layout), FromMS: from.UnixMilli(), ToMS: from.Add(time.Hour).UnixMilli()}
	case Week:
		first, days = -(int(t.Weekday())+6)%7, 7
	}
	return Period{Name: midnight(first).Format(time.DateOnly), FromMS: midnight(first).UnixMilli(),
		ToMS: midnight(first + days).UnixMilli()}
}

// add adds b to a.
func (a *Amount) add(b *Amount) {
	a.Jobs += b.Jobs
	a.MemoryHours += b.MemoryHours
	a.VCoreHours += b.VCoreHours
	a.WaitedHours += b.WaitedHours
	a.CausedHours += b.CausedHours
	a.UsedMemoryHours += b.UsedMemoryHours
	a.OfMemoryHours += b.OfMemoryHours
	a.UsedVCoreHours += b.UsedVCoreHours
	a.OfVCoreHours += b.OfVCoreHours
}

// order puts the most memory first, then the most waiting, then by name.
func order(list []Group) {
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.MemoryHours, a.MemoryHours), cmp.Compare(b.WaitedHours, a.WaitedHours),
			cmp.Compare(a.Name, b.Name))
	})
}

// dated reports whether a time of a trace, in milliseconds, is a date rather than a distance from its begin.
func dated(ms int64) bool { return ms > time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() }
