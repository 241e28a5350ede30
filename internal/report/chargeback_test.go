package report

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"schedtune/trace"
	"schedtune/trace/sparklog"
)

// container is a recorded one of a map task.
func container(from, to trace.Millis, mib, vcores int64) trace.Task {
	a := trace.NewAttempt(0)
	a.Allocated, a.Released, a.Size = from, to, trace.Size{MiB: mib, VCores: vcores}
	t := trace.NewTask(trace.Map, 0)
	t.Attempts = []trace.Attempt{a}
	return t
}

func newJob(id, queue, user string, submit trace.Millis, tasks ...trace.Task) trace.Job {
	j := trace.NewJob(id)
	j.Queue, j.User, j.Submit, j.Tasks = queue, user, submit, tasks
	return j
}

func sum(t *testing.T, per string, jobs ...trace.Job) *Report {
	t.Helper()
	r, err := Sum(&trace.Trace{Name: "t", Jobs: jobs}, per, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

func find(t *testing.T, list []Group, name string) *Group {
	t.Helper()
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	t.Fatalf("no group %q", name)
	return nil
}

const hour = trace.Millis(3_600_000)

// TestByHand: a holds 2 GiB and 4 cores for two hours; b waits for the first of
// them and then holds 1 GiB for one; c waits half an hour beside both.
func TestByHand(t *testing.T) {
	r := sum(t, All,
		newJob("1", "a", "u", 0, container(0, 2*hour, 2048, 4)),
		newJob("2", "b", "v", 0, container(hour, 2*hour, 1024, 1)),
		newJob("3", "c", "u", hour+hour/2, container(2*hour, 2*hour+1, 1024, 1)))
	a, b, c := find(t, r.Queues, "a"), find(t, r.Queues, "b"), find(t, r.Queues, "c")
	near(t, "memory of a", a.MemoryHours, 4)
	near(t, "cores of a", a.VCoreHours, 8)
	near(t, "memory of b", b.MemoryHours, 1)
	near(t, "b waited", b.WaitedHours, 1)
	near(t, "c waited", c.WaitedHours, 0.5)
	near(t, "a caused", a.CausedHours, 1+0.5*2/3)
	near(t, "b caused", b.CausedHours, 0.5/3)
	near(t, "u caused", find(t, r.Users, "u").CausedHours, a.CausedHours)
	near(t, "unattributed", r.UncausedHours, 0)
	if r.Queues[0].Name != "a" || a.Periods != nil {
		t.Errorf("first queue %q with periods %v, want a, which held most, and none", r.Queues[0].Name, a.Periods)
	}
}

// random is a trace of jobs in three queues and of five users over 30 days.
func random(seed uint64) []trace.Job {
	rnd := rand.New(rand.NewPCG(seed, 7))
	from := trace.Millis(time.Date(2026, 3, 5, 13, 7, 0, 0, time.UTC).UnixMilli())
	var jobs []trace.Job
	for i := range 200 {
		at := from + trace.Millis(rnd.Int64N(int64(30*24*hour)))
		j := newJob(string(rune('A'+i)), string(rune('a'+rnd.IntN(3))), string(rune('p'+rnd.IntN(5))), at)
		for range rnd.IntN(4) {
			start := at + trace.Millis(rnd.Int64N(int64(9*hour)))
			j.Tasks = append(j.Tasks, container(start, start+trace.Millis(rnd.Int64N(int64(50*hour))), 1+rnd.Int64N(9000),
				1+rnd.Int64N(8)))
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// TestConserves: waiting is caused by somebody or by nobody, queues and users
// are two cuts of the same whole, and periods add up, whatever their length.
func TestConserves(t *testing.T) {
	for seed := range uint64(20) {
		jobs := random(seed)
		whole := sum(t, All, jobs...)
		for _, per := range Lengths() {
			r := sum(t, per, jobs...)
			t.Logf("seed %d per %s: %d periods", seed, per, len(r.Periods))
			for _, list := range [][]Group{r.Queues, r.Users} {
				var all Amount
				for i := range list {
					all.add(&list[i].Amount)
					var parts Amount
					for p := range list[i].Periods {
						parts.add(&list[i].Periods[p])
					}
					if len(r.Periods) > 1 {
						near(t, "memory by period", parts.MemoryHours, list[i].MemoryHours)
						near(t, "caused by period", parts.CausedHours, list[i].CausedHours)
					}
				}
				near(t, "memory", all.MemoryHours, whole.Total.MemoryHours)
				near(t, "cores", all.VCoreHours, whole.Total.VCoreHours)
				near(t, "waited", all.WaitedHours, whole.Total.WaitedHours)
				near(t, "caused and not", all.CausedHours+r.UncausedHours, whole.Total.WaitedHours)
				if all.Jobs != len(jobs) {
					t.Errorf("seed %d: %d jobs, want %d", seed, all.Jobs, len(jobs))
				}
			}
			for i := range whole.Queues {
				near(t, "caused by a queue", find(t, r.Queues, whole.Queues[i].Name).CausedHours, whole.Queues[i].CausedHours)
			}
		}
	}
}

// TestScale: who causes waiting depends on shares alone.
func TestScale(t *testing.T) {
	jobs := random(3)
	before := sum(t, All, jobs...)
	for i := range jobs {
		for k := range jobs[i].Tasks {
			jobs[i].Tasks[k].Attempts[0].Size.MiB *= 4
		}
	}
	after := sum(t, All, jobs...)
	for i := range before.Users {
		b, a := &before.Users[i], &after.Users[i]
		near(t, "caused", a.CausedHours, b.CausedHours)
		near(t, "memory", a.MemoryHours, 4*b.MemoryHours)
	}
}

// TestCharge: what the ResourceManager charged comes before what its
// containers come to, and stands alone where none is recorded.
func TestCharge(t *testing.T) {
	recorded := newJob("1", "a", "u", 0, container(0, hour, 1024, 1))
	recorded.MemorySeconds, recorded.VCoreSeconds = 2*1024*3600, 5*3600
	alone := newJob("2", "b", "u", 0)
	alone.Launch, alone.Finish, alone.MemorySeconds = hour, 3*hour, 1024*3600
	r := sum(t, Hour, recorded, alone)
	near(t, "charged memory", find(t, r.Queues, "a").MemoryHours, 2)
	near(t, "charged cores", find(t, r.Queues, "a").VCoreHours, 5)
	b := find(t, r.Queues, "b")
	near(t, "charge alone", b.MemoryHours, 1)
	near(t, "its second hour", b.Periods[1].MemoryHours, 0.5)
	near(t, "it waited until its launch", b.WaitedHours, 1)
}

// TestUsed compares what processes took with their own requests only.
func TestUsed(t *testing.T) {
	known, unknown := container(0, hour, 2048, 2), container(0, hour, 4096, 4)
	known.Attempts[0].UsedMiB, known.Attempts[0].CoreTime = 512, hour/2
	a := find(t, sum(t, All, newJob("1", "a", "u", 0, known, unknown)).Queues, "a")
	near(t, "used memory", float64(a.UsedMemoryHours), 0.5)
	near(t, "of", a.OfMemoryHours, 2)
	near(t, "used cores", float64(a.UsedVCoreHours), 0.5)
	near(t, "of", a.OfVCoreHours, 2)
}

// TestWeeks begin on Monday where times are dates, else with the trace.
func TestWeeks(t *testing.T) {
	sunday := trace.Millis(time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC).UnixMilli())
	r := sum(t, Week, newJob("1", "a", "u", sunday, container(sunday, sunday+2*hour, 1024, 1)))
	if len(r.Periods) != 2 || r.Periods[0].Name != "2026-11-16" || r.Periods[1].Name != "2026-11-23" {
		t.Errorf("periods %+v, want the weeks from 16 and 23 November", r.Periods)
	}
	near(t, "hours of the first", r.Queues[0].Periods[0].MemoryHours, 1)
	r = sum(t, Day, newJob("1", "a", "u", 0, container(0, 30*hour, 1024, 1)))
	if len(r.Periods) != 2 || r.Periods[1].Name != "day 2" || r.Periods[1].FromMS != int64(24*hour) {
		t.Errorf("periods %+v, want two days counted from the trace's begin", r.Periods)
	}
}

// TestZone: days and weeks begin at the zone's midnight, also where clocks change, and follow
// each other without a gap.
func TestZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	at := func(zone *time.Location, month time.Month, d, h int) trace.Millis {
		return trace.Millis(time.Date(2026, month, d, h, 30, 0, 0, zone).UnixMilli())
	}
	for _, c := range []struct {
		per      string
		from, to trace.Millis
		names    []string
		hours    []float64
	}{
		{Day, at(time.UTC, 3, 27, 23), at(time.UTC, 3, 30, 1), []string{"2026-03-28", "2026-03-29", "2026-03-30"},
			[]float64{24, 23, 24}},
		{Day, at(berlin, 10, 25, 0), at(berlin, 10, 26, 1), []string{"2026-10-25", "2026-10-26"}, []float64{25, 24}},
		{Week, at(berlin, 10, 25, 23), at(berlin, 10, 26, 0), []string{"2026-10-19", "2026-10-26"}, []float64{169, 168}},
		{Hour, at(time.UTC, 10, 25, 0), at(time.UTC, 10, 25, 1), []string{"2026-10-25 02:00 CEST", "2026-10-25 02:00 CET"},
			[]float64{1, 1}},
	} {
		r, err := Sum(&trace.Trace{Jobs: []trace.Job{newJob("1", "a", "u", c.from, container(c.from, c.to, 1024, 1))}},
			c.per, berlin)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Periods) != len(c.names) {
			t.Errorf("%s: %+v; want %v", c.per, r.Periods, c.names)
			continue
		}
		for i, p := range r.Periods {
			if hours := float64(p.ToMS-p.FromMS) / 3_600_000; p.Name != c.names[i] || hours != c.hours[i] || i > 0 &&
				p.FromMS != r.Periods[i-1].ToMS {
				t.Errorf("%s: period %d is %q of %g h, want %q of %g h right after the one before", c.per, i, p.Name, hours,
					c.names[i], c.hours[i])
			}
		}
		near(t, "all that was held", r.Total.MemoryHours, float64(c.to-c.from)/3_600_000)
	}
}

// TestEveryZone: in every zone's calendar, over a year, periods grow.
func TestEveryZone(t *testing.T) {
	for _, name := range []string{"America/Sao_Paulo", "Pacific/Apia", "Asia/Kathmandu", "Australia/Lord_Howe",
		"America/Havana", "Asia/Beirut"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Skip("no time zones here: ", err)
		}
		for _, per := range []string{Hour, Day, Week} {
			from := time.Date(2011, 6, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
			list, err := periods([]job{{Job: &trace.Job{Submit: trace.Millis(from), Finish: trace.Unknown},
				started: trace.Millis(from + 366*day.Milliseconds())}}, per, zone)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range list {
				if p.ToMS <= p.FromMS || i > 0 && p.FromMS != list[i-1].ToMS {
					t.Fatalf("%s, %s: period %d is %+v after %+v", name, per, i, p, list[max(0, i-1)])
				}
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		per  string
		job  trace.Job
		want string
	}{
		{Week, trace.NewJob("1"), "no job has a known time"},
		{"month", newJob("1", "a", "u", 0), "all week day hour"},
		{Hour, newJob("1", "a", "u", 0, container(0, 20_000*hour, 1, 1)), "take a longer period"},
	} {
		_, err := Sum(&trace.Trace{Jobs: []trace.Job{c.job}}, c.per, time.UTC)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("per %s: error %v, want %q", c.per, err, c.want)
		}
	}
}

// An event log alone does not tell the submission: the time from its beginning to the first
// container is the driver's, and no waiting that anybody caused.
func TestSparkWithoutSubmission(t *testing.T) {
	for submit, waits := range map[trace.Millis]int{hour: 0, hour / 2: 1} {
		j := newJob("application_1_0001", "a", "u", submit)
		j.Launch, j.Finish = 2*hour, 3*hour
		j.Spark = &sparklog.App{Start: sparklog.Millis(hour), End: sparklog.Millis(3 * hour)}
		if r := sum(t, All, j); r.Waits != waits || (r.Total.WaitedHours > 0) != (waits > 0) {
			t.Errorf("submitted at %d: the waiting of %d jobs is known, %g h", submit, r.Waits, r.Total.WaitedHours)
		}
	}
}
