package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"schedtune/internal/text"
	"schedtune/trace"
)

// byDefinition sums what the documentation of Amount says, moment by moment, for jobs
// whose times are all multiples of step: no sweep, no partial sums.
func byDefinition(jobs []trace.Job, periods []Period, step trace.Millis, key func(*trace.Job) string) (
	groups map[string][]Amount, uncaused float64) {
	groups = map[string][]Amount{}
	at := func(m trace.Millis) int {
		return max(0, slices.IndexFunc(periods, func(p Period) bool { return p.FromMS <= int64(m) && int64(m) < p.ToMS }))
	}
	first := func(j *trace.Job) trace.Millis {
		out := trace.Millis(trace.Unknown)
		for _, t := range j.Tasks {
			if from := t.Attempts[0].Allocated; !out.Known() || from < out {
				out = from
			}
		}
		return out
	}
	for i := range jobs {
		j := &jobs[i]
		if groups[key(j)] == nil {
			groups[key(j)] = make([]Amount, len(periods))
		}
		groups[key(j)][at(j.Submit)].Jobs++
	}
	hours := float64(step) / float64(hour)
	for now := trace.Millis(periods[0].FromMS); int64(now) < periods[len(periods)-1].ToMS; now += step {
		p := at(now)
		held, all, waiting := map[string]float64{}, 0.0, 0.0
		for i := range jobs {
			j := &jobs[i]
			a := &groups[key(j)][p]
			if start := first(j); start.Known() && j.Submit <= now && now < start {
				waiting++
				a.WaitedHours += hours
			}
			for _, t := range j.Tasks {
				c := t.Attempts[0]
				if now < c.Allocated || now >= c.Released {
					continue
				}
				gib, cores := float64(c.Size.MiB)/1024, float64(c.Size.VCores)
				held[key(j)] += gib
				all += gib
				a.MemoryHours += gib * hours
				a.VCoreHours += cores * hours
				if c.UsedMiB > 0 {
					a.UsedMemoryHours += text.Known(float64(c.UsedMiB) / 1024 * hours)
					a.OfMemoryHours += gib * hours
				}
				if c.CoreTime > 0 {
					a.UsedVCoreHours += text.Known(float64(c.CoreTime) / float64(c.Released-c.Allocated) * hours)
					a.OfVCoreHours += cores * hours
				}
			}
		}
		if all == 0 {
			uncaused += waiting * hours
			continue
		}
		for k, g := range held {
			groups[k][p].CausedHours += waiting * hours * g / all
		}
	}
	return groups, uncaused
}

// TestByDefinition holds the sweep against the sums of the definitions, on random small
// traces with gaps in which nothing is held, in every length of period.
func TestByDefinition(t *testing.T) {
	const step = hour / 2
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 41))
		var jobs []trace.Job
		for i := range 1 + rnd.IntN(12) {
			at := trace.Millis(rnd.Int64N(120)) * step
			j := newJob(fmt.Sprint(i), string(rune('a'+rnd.IntN(3))), string(rune('p'+rnd.IntN(2))), at)
			for range rnd.IntN(4) {
				from := at + trace.Millis(rnd.Int64N(20))*step
				c := container(from, from+trace.Millis(1+rnd.Int64N(12))*step, 512*(1+rnd.Int64N(8)), 1+rnd.Int64N(4))
				if a := &c.Attempts[0]; rnd.IntN(2) == 0 {
					a.UsedMiB, a.CoreTime = 100+rnd.Int64N(100), trace.Millis(1+rnd.Int64N(int64(step)))
				}
				j.Tasks = append(j.Tasks, c)
			}
			jobs = append(jobs, j)
		}
		for _, per := range Lengths() {
			r := sum(t, per, jobs...)
			for _, cut := range []struct {
				list []Group
				key  func(*trace.Job) string
			}{
				{r.Queues, func(j *trace.Job) string { return j.Queue }},
				{r.Users, func(j *trace.Job) string { return j.User }},
			} {
				want, uncaused := byDefinition(jobs, r.Periods, step, cut.key)
				near(t, fmt.Sprintf("seed %d per %s: uncaused", seed, per), r.UncausedHours, uncaused)
				if len(cut.list) != len(want) {
					t.Fatalf("seed %d per %s: %d groups, want %d", seed, per, len(cut.list), len(want))
				}
				for _, g := range cut.list {
					got := g.Periods
					if got == nil {
						got = []Amount{g.Amount}
					}
					for p := range want[g.Name] {
						if text := differs(&got[p], &want[g.Name][p]); text != "" {
							t.Errorf("seed %d per %s: %s in period %d: %s", seed, per, g.Name, p, text)
						}
					}
				}
			}
		}
	}
}

// differs names the figures in which two amounts differ.
func differs(got, want *Amount) string {
	var out []string
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"jobs", float64(got.Jobs), float64(want.Jobs)},
		{"memory", got.MemoryHours, want.MemoryHours},
		{"cores", got.VCoreHours, want.VCoreHours},
		{"waited", got.WaitedHours, want.WaitedHours},
		{"caused", got.CausedHours, want.CausedHours},
		{"used memory", float64(got.UsedMemoryHours), float64(want.UsedMemoryHours)},
		{"of memory", got.OfMemoryHours, want.OfMemoryHours},
		{"used cores", float64(got.UsedVCoreHours), float64(want.UsedVCoreHours)},
		{"of cores", got.OfVCoreHours, want.OfVCoreHours},
	} {
		if math.Abs(f.got-f.want) > 1e-9*(1+math.Abs(f.want)) {
			out = append(out, fmt.Sprintf("%s %g, want %g", f.name, f.got, f.want))
		}
	}
	return strings.Join(out, ", ")
}

// TestNotes: what is not known is counted and said, job by job and container by container.
func TestNotes(t *testing.T) {
	timeless := container(0, hour, 1024, 1)
	timeless.Attempts[0].Released = trace.Unknown
	unsized := container(hour, 2*hour, 0, 0)
	derived := newJob("4", "a", "u", hour) // its submission and its span are known, its start follows from its launch
	derived.Launch, derived.Finish, derived.MapSize = 2*hour, 3*hour, trace.Size{MiB: 1024, VCores: 1}
	sized := container(2*hour, 3*hour, 0, 0)
	derived.Tasks = []trace.Task{sized}
	nothing := newJob("5", "a", "u", trace.Unknown)
	r := sum(t, All,
		newJob("1", "a", "u", 0, container(0, hour, 1024, 1)),
		newJob("2", "a", "u", 0, timeless, timeless, container(hour, 2*hour, 1024, 1)),
		newJob("3", "a", "u", 0, unsized),
		derived, nothing)
	want := map[string]int{
		"resources held by a job":       1, // 5
		"times of a container":          2, // of 2
		"size of a container":           1, // of 3
		"waiting time of a job":         1, // 5
		"times or sizes of a container": 1, // of 4
	}
	for _, n := range r.Notes {
		head := ""
		for h := range want {
			if strings.HasPrefix(n.Text, h) {
				head = h
			}
		}
		if head == "" || n.Count != want[head] {
			t.Errorf("note %+v, want counts %v", n, want)
		}
		if kind := trace.Missing; (n.Kind == kind) == (head == "times or sizes of a container") {
			t.Errorf("note %+v is of the wrong kind", n)
		}
		delete(want, head)
	}
	if len(want) > 0 {
		t.Errorf("no notes of %v", want)
	}
	// 2 waited for nothing: the allocation of its first container is known; 3 waited 1 h, 4 until
	// its launch, 1 h after its submission.
	near(t, "waited", r.Total.WaitedHours, 1+1)
	if r.Waits != 4 || r.Jobs != 5 {
		t.Errorf("waiting of %d of %d jobs known, want 4 of 5", r.Waits, r.Jobs)
	}
}

// TestChargesApart: the ResourceManager's figures of memory and of cores each stand for
// themselves; a charge without a span, and one of nothing, charge nothing.
func TestChargesApart(t *testing.T) {
	memory := newJob("1", "memory", "u", 0, container(0, hour, 1024, 2))
	memory.MemorySeconds = 3 * 1024 * 3600
	cores := newJob("2", "cores", "u", 0, container(0, hour, 1024, 2))
	cores.VCoreSeconds = 7 * 3600
	open := newJob("3", "open", "u", 0)
	open.MemorySeconds = 1024 * 3600
	free := newJob("4", "free", "u", 0)
	free.Launch, free.Finish = 0, hour
	only := newJob("5", "only", "u", 0)
	only.Launch, only.Finish, only.MemorySeconds, only.VCoreSeconds = 0, 2*hour, 1024*3600, 3*3600
	r := sum(t, All, memory, cores, open, free, only)
	for name, want := range map[string][2]float64{"memory": {3, 2}, "cores": {1, 7}, "open": {}, "free": {},
		"only": {1, 3}} {
		g := find(t, r.Queues, name)
		near(t, name+": memory", g.MemoryHours, want[0])
		near(t, name+": cores", g.VCoreHours, want[1])
	}
}

// TestCausedByWhatIsCharged: waiting is given by what was charged, not by what the
// history lists: twice the memory causes twice as much. 3 waits an hour.
func TestCausedByWhatIsCharged(t *testing.T) {
	twice := newJob("1", "twice", "u", 0, container(0, hour, 1024, 1))
	twice.MemorySeconds = 2 * 1024 * 3600
	r := sum(t, All, twice,
		newJob("2", "once", "u", 0, container(0, hour, 1024, 1)),
		newJob("3", "waits", "u", 0, container(hour, 2*hour, 1024, 1)))
	near(t, "twice", find(t, r.Queues, "twice").CausedHours, 2.0/3)
	near(t, "once", find(t, r.Queues, "once").CausedHours, 1.0/3)
}

// TestOrder: the most memory first, then the most waiting, then by name.
func TestOrder(t *testing.T) {
	r := sum(t, All,
		newJob("1", "d", "u", 0, container(0, hour, 1024, 1)),
		newJob("2", "c", "u", 0, container(0, hour, 1024, 1)),
		newJob("3", "b", "u", 0, container(hour, 2*hour, 1024, 1)),
		newJob("4", "a", "u", 0, container(0, hour, 2048, 1)))
	var got []string
	for _, g := range r.Queues {
		got = append(got, g.Name)
	}
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("queues %v, want %v", got, want)
	}
}

// TestEdges: an instant belongs to the period that it begins; a week of times that are
// no dates has seven days; dates begin in 1990.
func TestEdges(t *testing.T) {
	r := sum(t, Hour, newJob("1", "a", "u", 0, container(0, hour, 1024, 1)),
		newJob("2", "a", "u", hour, container(hour, 2*hour-1, 1024, 1)))
	if len(r.Periods) != 2 || r.Queues[0].Periods[0].Jobs != 1 || r.Queues[0].Periods[1].Jobs != 1 {
		t.Errorf("periods %+v, jobs %+v; want two with one job each", r.Periods, r.Queues[0].Periods)
	}
	near(t, "first hour", r.Queues[0].Periods[0].MemoryHours, 1)
	r = sum(t, Week, newJob("1", "a", "u", 5, container(5, 5+168*hour, 1024, 1)))
	if want := []Period{{"week 1", 5, 5 + 168*int64(hour)},
		{"week 2", 5 + 168*int64(hour), 5 + 336*int64(hour)}}; !slices.Equal(r.Periods, want) {
		t.Errorf("periods %+v, want %+v", r.Periods, want)
	}
	y1990 := trace.Millis(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	for at, name := range map[trace.Millis]string{y1990: "day 1", y1990 + 1: "1990-01-01"} {
		if r := sum(t, Day, newJob("1", "a", "u", at)); len(r.Periods) != 1 || r.Periods[0].Name != name {
			t.Errorf("a submission at %d: periods %+v, want %q", at, r.Periods, name)
		}
	}
}

// TestEveryWeekday: the week of each of seven days from a Monday begins on that Monday.
func TestEveryWeekday(t *testing.T) {
	monday := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for d := range 7 {
		p := calendar(monday.AddDate(0, 0, d).Add(13*time.Hour).UnixMilli(), Week, time.UTC)
		if want := (Period{"2026-11-23", monday.UnixMilli(), monday.AddDate(0, 0, 7).UnixMilli()}); p != want {
			t.Errorf("day %d: week %+v, want %+v", d, p, want)
		}
	}
}

// TestLimits: 10,000 periods are allowed and one more is not; neither are 201 users in
// them, more than 2,000,000 cells.
func TestLimits(t *testing.T) {
	long := func(hours trace.Millis) []trace.Job {
		return []trace.Job{newJob("1", "a", "u", 0, container(0, hours*hour-1, 1, 1))}
	}
	if r := sum(t, Hour, long(maxPeriods-1)...); len(r.Periods) != maxPeriods-1 {
		t.Errorf("%d periods, want %d", len(r.Periods), maxPeriods-1)
	}
	if _, err := Sum(&trace.Trace{Jobs: long(maxPeriods + 1)}, Hour, time.UTC); err == nil ||
		!strings.Contains(err.Error(), "10000") {
		t.Errorf("error %v, want the limit", err)
	}
	jobs := long(maxPeriods - 1)
	jobs[0].Tasks = append(jobs[0].Tasks, container(0, maxPeriods*hour-hour, 1, 1))
	for i := range 200 {
		jobs = append(jobs, newJob(fmt.Sprint(i), "a", fmt.Sprint("u", i), 0))
	}
	if _, err := Sum(&trace.Trace{Jobs: jobs}, Hour, time.UTC); err == nil || !strings.Contains(err.Error(),
		"2000000 cells") {
		t.Errorf("error %v, want the limit", err)
	}
}
