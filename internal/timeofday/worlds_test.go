package timeofday

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"schedtune/internal/rng"
	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Generated weeks of a small cluster: 32 containers, an interactive queue of short
// jobs and a batch queue without preemption between them. A batch job of the working
// day has 36 tasks of ten minutes: it takes two rounds of tasks with 32 containers and
// with 20, so that a maximum-capacity of 63 for batch costs it little and leaves 12
// containers at once to interactive jobs, which otherwise wait for tasks of ten minutes
// to end. Batch jobs of the night have 300 tasks: with that maximum they take 1.6 times
// as long, more than the protection of queues allows. So the file of the day is no
// single file: what it needs by day it must not have at night.

// rhythm is what the arrivals do with the clock.
type rhythm int

const (
	planted rhythm = iota // day and night
	flat                  // all jobs at any time
	drift                 // days like the planted ones, each turned by hours of its own
	calm                  // day and night, but no batch by day: nothing for two files to gain
)

// world is one history.
type world struct {
	days, interactive, batch int // a day
	kind                     rhythm
	key                      rng.Key
}

// newWorld draws one.
func newWorld(seed, i uint64, kind rhythm, days int) *world {
	return &world{days: days, interactive: 150, batch: 14, kind: kind, key: rng.NewKey(seed, i)}
}

// monday is when worlds begin.
var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// begins is the flag that says so.
const begins = "2026-03-02 00:00"

func queueFile(t testing.TB, most string) *yarnconf.Document {
	t.Helper()
	text := "<configuration>\n"
	set := func(key, value string) {
		text += "<property><name>yarn.scheduler.capacity." + key + "</name><value>" + value + "</value></property>\n"
	}
	set("maximum-am-resource-percent", "0.5")
	set("root.queues", "interactive,batch")
	set("root.interactive.capacity", "50")
	set("root.interactive.user-limit-factor", "4")
	set("root.batch.capacity", "50")
	set("root.batch.user-limit-factor", "4")
	set("root.batch.maximum-capacity", most)
	doc, err := yarnconf.Parse("world.xml", []byte(text+"</configuration>\n"))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// arrival draws the second of a day, 0 to 86400, of a job between two hours of the
// clock, as the world's rhythm has it.
func (w *world) arrival(day int, from, to float64, k rng.Key) float64 {
	at := (from + (to-from)*k.Float64(0)) * 3600
	switch w.kind {
	case flat:
		at = 86400 * k.Float64(1)
	case drift:
		at += 3600 * float64(w.key.At(9).IntN(uint64(day), 24))
	}
	return math.Mod(at, 86400)
}

// workload draws the jobs of all days. The load differs from day to day.
func (w *world) workload() *simcore.Workload {
	out := &simcore.Workload{Name: "world", Queues: []string{"root.interactive", "root.batch"},
		Users: []string{"ann", "bob", "cid", "etl", "ml"}}
	add := func(day int, n uint64, queue int32, from, to float64, tasks int32, seconds, spread float64) {
		k := w.key.At(uint64(day)).At(uint64(queue)).At(n)
		j := simcore.Job{ID: fmt.Sprintf("job_%02d_%d_%04d", day, queue, n), Queue: queue, User: int32(k.IntN(5, 3)),
			Class: -1, Maps: tasks,
			FirstTask: int32(len(out.Tasks.Duration)), Slowstart: -1, MapDist: -1, ReduceDist: -1, AMAsk: simcore.Vec{1024, 1},
			MapAsk: simcore.Vec{1024, 1}, ReduceAsk: simcore.Vec{1024, 1}}
		if queue == 1 {
			j.User = 3 + int32(k.IntN(5, 2))
		}
		for t := range uint64(tasks) {
			out.Tasks.Duration = append(out.Tasks.Duration, simcore.Seconds(seconds*math.Exp(spread*k.At(7).Norm(t))))
		}
		j.Submit = simcore.Seconds(float64(day)*86400 + w.arrival(day, from, to, k))
		out.Jobs = append(out.Jobs, j)
	}
	for day := range w.days {
		load := math.Exp(0.15 * w.key.At(8).Norm(uint64(day)))
		n := uint64(0)
		for range int(float64(w.interactive) * load) {
			n++
			add(day, n, 0, 8, 20, 12, 30, 0.3)
		}
		n = 0
		reports := int(float64(w.batch) * load)
		for i := range reports {
			if w.kind != calm {
				n++
				at := 8 + 11*(float64(i)+0.2*w.key.At(6).At(uint64(day)).Float64(uint64(i)))/float64(reports)
				add(day, n, 1, at, at, 36, 600, 0.02)
			}
		}
		for range 4 {
			n++
			add(day, n, 1, 20, 22, 300, 600, 0.1)
		}
	}
	slices.SortStableFunc(out.Jobs, func(a, b simcore.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	// A first job at midnight puts the workload's time 0 there.
	if first := out.Jobs[0].Submit; first > 0 {
		j := out.Jobs[0]
		j.ID, j.Submit = "job_first", 0
		out.Jobs = append([]simcore.Job{j}, out.Jobs...)
	}
	return out
}

// inputsOf is the case of a world with a file in force.
func (w *world) inputsOf(doc *yarnconf.Document) *scenario.Case {
	c := &simcore.Cluster{Racks: []string{"/rack"}}
	for n := range 4 {
		c.Nodes = append(c.Nodes, simcore.Node{Name: fmt.Sprintf("node%d", n), Cores: 8, Capacity: simcore.Vec{8192, 8}})
	}
	return &scenario.Case{Doc: doc, Props: doc, Cluster: c, Work: w.workload(), Calibration: yarn.Default()}
}
