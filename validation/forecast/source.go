// Package forecast judges what a study promises: it draws cases at random (a
// stretch of a workload, a cluster, a queue file, an objective), tunes on one
// period, plays the next period with the tuned file, and compares what came with
// what was promised. Nothing in it is known to the search.
package forecast

import (
	"fmt"
	"math"
	"sort"

	"schedtune/datasets"
	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/trace"
)

// A source is a long workload from which periods are cut.
type source struct {
	name string
	// make draws the workload of a case; sources that are recorded ignore the key.
	make func(k rng.Key) *simcore.Workload
}

// Purposes of the draws.
const (
	purposeCase = iota + 0x70726f
	purposeFlows
	purposeArrivals
	purposePool
	purposeBeyond
	purposePeriods
	purposeNothing
)

// sources are the generated workloads and one for every trace: of a trace of many
// jobs over hours its own arrivals, of a short one a day of jobs drawn from it.
func sources(traces []string) ([]source, error) {
	out := []source{{"flows", flows}}
	set, err := datasets.Load("default-1")
	if err != nil {
		return nil, err
	}
	out = append(out, source{"default", pool(set.Workload)})
	for _, path := range traces {
		t, err := trace.OpenAll([]string{path}, trace.Options{})
		if err != nil {
			return nil, err
		}
		w, _, err := t.Workload(trace.WorkloadOptions{Flat: true, DefaultQueue: "none"})
		if err != nil {
			return nil, err
		}
		if len(w.Jobs) == 0 {
			return nil, fmt.Errorf("%s: no job", path)
		}
		w.Tasks.HostAt, w.Tasks.Hosts = nil, nil // its machines are not those of a case
		s := source{w.Name, pool(w)}
		if last := w.Jobs[len(w.Jobs)-1].Submit; last >= 8*simcore.Hour && len(w.Jobs) >= 400 {
			s.make = func(rng.Key) *simcore.Workload { return w }
		}
		out = append(out, s)
	}
	return out, nil
}

const day = 24 * simcore.Hour

// flow is one user's stream of similar jobs.
type flow struct {
	start, gap  float64 // seconds; the gap is the mean of an exponential
	burst       int     // jobs submitted together
	maps, reds  float64 // medians
	sizeSpread  float64 // of the logarithm
	mapS, redS  float64 // median seconds of a task
	on, pause   float64 // mean seconds of being active and of pausing; 0 = always active
	memory      int64
	growth      float64 // of the rate over the day, as a logarithm
	phase, wave float64 // of the daily cycle
}

// flows draws a day of four to twelve users' streams that come and go, swing over
// the day and grow or fade.
func flows(k rng.Key) *simcore.Workload {
	w := &simcore.Workload{Name: "flows"}
	d := rng.NewStream(k.At(purposeFlows))
	u := func() float64 { return float64(d.Uint64()>>11) / (1 << 53) }
	span := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, u()) } // log-uniform
	for i := range 4 + int(9*u()) {
		f := flow{gap: span(60, 1500), burst: 1, maps: span(2, 60), sizeSpread: span(0.2, 1.2), mapS: span(8, 90),
			redS:   span(8, 120),
			memory: 1024 << int(2*u()), growth: 1.2 * (u() - 0.5), phase: u(), wave: 0.8 * u()}
		if u() < 0.7 {
			f.reds = span(1, 12)
		}
		if u() < 0.25 {
			f.burst = 2 + int(6*u())
		}
		if u() < 0.5 {
			f.on, f.pause = span(1200, 14400), span(600, 7200)
		}
		w.Users = append(w.Users, fmt.Sprintf("user%02d", i))
		addFlow(w, int32(i), &f, k.At(purposeArrivals).At(uint64(i)))
	}
	w.Queues = []string{"none"}
	return finish(w)
}

func addFlow(w *simcore.Workload, user int32, f *flow, k rng.Key) {
	d := rng.NewStream(k)
	u := func() float64 { return (float64(d.Uint64()>>11) + 0.5) / (1 << 53) }
	z := func() float64 { return math.Sqrt(-2*math.Log(u())) * math.Cos(2*math.Pi*u()) }
	active, until := true, 0.0
	for at := f.start; at < day.Seconds(); {
		if f.on > 0 && at >= until {
			active = !active
			until = at - map[bool]float64{true: f.on, false: f.pause}[active]*math.Log(u())
		}
		rate := math.Exp(f.growth*at/day.Seconds()) * (1 + f.wave*math.Sin(2*math.Pi*(at/day.Seconds()+f.phase)))
		at -= f.gap * float64(f.burst) * math.Log(u()) / math.Max(rate, 0.05)
		if !active && at < until || at >= day.Seconds() {
			continue
		}
		for b := range f.burst {
			addJob(w, user, at+0.5*float64(b), f, z)
		}
	}
}

func addJob(w *simcore.Workload, user int32, at float64, f *flow, z func() float64) {
	size := math.Exp(f.sizeSpread * z())
	j := simcore.Job{Submit: simcore.Seconds(at), User: user, Class: -1, Slowstart: -1,
		FirstTask: int32(len(w.Tasks.Duration)), MapDist: -1, ReduceDist: -1,
		Maps: int32(math.Min(400, math.Max(1, math.Round(f.maps*size)))), AMAsk: simcore.Vec{1024, 1},
		MapAsk: simcore.Vec{f.memory, 1}, ReduceAsk: simcore.Vec{f.memory, 1}}
	if f.reds > 0 {
		j.Reduces = int32(math.Min(60, math.Max(1, math.Round(f.reds*size))))
	}
	for i := range j.Maps + j.Reduces {
		median := f.mapS
		if i >= j.Maps {
			median = f.redS
		}
		w.Tasks.Duration = append(w.Tasks.Duration, simcore.Seconds(math.Max(1, median*math.Exp(0.35*z()))))
	}
	w.Jobs = append(w.Jobs, j)
}

// pool draws a day of jobs out of a workload: users come and go, and the rate
// wanders from hour to hour.
func pool(from *simcore.Workload) func(rng.Key) *simcore.Workload {
	return func(k rng.Key) *simcore.Workload {
		d := rng.NewStream(k.At(purposePool))
		u := func() float64 { return (float64(d.Uint64()>>11) + 0.5) / (1 << 53) }
		z := func() float64 { return math.Sqrt(-2*math.Log(u())) * math.Cos(2*math.Pi*u()) }
		w := &simcore.Workload{Name: from.Name, Users: from.Users, Queues: []string{"none"}, Dists: from.Dists}
		w.Tasks = from.Tasks
		w.Tasks.HostAt, w.Tasks.Hosts = nil, nil
		users := len(from.Users)
		if users < 4 {
			users = 4 // a single user's jobs are assigned to several
		}
		weight := make([]float64, users)
		gap, level := 20+60*u(), 0.0
		hour := -1
		for at := 0.0; at < day.Seconds(); {
			if h := int(at / 3600); h != hour {
				hour = h
				level = 0.7*level + 0.35*z()
				for i := range weight {
					weight[i] = 0.6*weight[i] + 0.5*z()
				}
			}
			at -= gap * math.Log(u()) * math.Exp(-level)
			j := from.Jobs[int(u()*float64(len(from.Jobs)))]
			if len(from.Users) < 4 {
				j.User = int32(u() * float64(users))
			}
			if u() > math.Exp(weight[j.User])/(1+math.Exp(weight[j.User])) {
				continue
			}
			j.Submit = simcore.Seconds(at)
			w.Jobs = append(w.Jobs, j)
		}
		if len(from.Users) < 4 {
			w.Users = nil
			for i := range users {
				w.Users = append(w.Users, fmt.Sprintf("user%02d", i))
			}
		}
		return finish(w)
	}
}

// finish sorts and names the jobs.
func finish(w *simcore.Workload) *simcore.Workload {
	sort.SliceStable(w.Jobs, func(a, b int) bool { return w.Jobs[a].Submit < w.Jobs[b].Submit })
	for i := range w.Jobs {
		w.Jobs[i].ID, w.Jobs[i].Queue = fmt.Sprintf("job%05d", i), 0
	}
	return w
}
