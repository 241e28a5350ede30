package sparkreplay

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/simcore/yarn/spark"
	"schedtune/validation/replay"
)

// Completion times agree although decisions differ, where containers are alike and
// queues have slack. So each event of a run is compared with that of its simulation:
// the allocation with the same number of its application, the same executor's start,
// the same attempt of a task, the request or target with the same number, and so on.

// happened is one event of an application.
type happened struct {
	at    simcore.Time
	id    eventID
	place int32 // node, executor or count; must agree
}

// eventID names an event in both runs.
type eventID struct {
	app  int32
	kind string
	of   [4]int32 // executor; or stage, attempt, task and launches before; or number in order of time
}

// sameInstant is how far two instants may lie apart and still count as equal.
const sameInstant = 30 * simcore.Millisecond

// Differences counts the events of a recorded run that the simulation has at another
// time or place, or not at all, and those that it has in addition.
type Differences struct {
	Events int          `json:"events"`
	Differ int          `json:"differ"`
	Share  float64      `json:"share"` // Differ of Events
	List   []Difference `json:"list"`  // by time
}

// Difference is one of them. Instants are in seconds, negative where there is none.
type Difference struct {
	App       string  `json:"application"`
	Event     string  `json:"event"`
	Recorded  float64 `json:"recorded_s"`
	Simulated float64 `json:"simulated_s"`
	Places    string  `json:"places,omitempty"` // recorded and simulated, where they differ
}

// At returns the earlier of the two instants, in seconds.
func (d *Difference) At() float64 {
	if d.Recorded < 0 || d.Simulated >= 0 && d.Simulated < d.Recorded {
		return d.Simulated
	}
	return d.Recorded
}

// events is a list of events, to which add appends in order of time.
type events struct {
	list   []happened
	counts map[eventID]int32
	rows   map[callID][]string // of asks of Tez applications, by call
}

// add appends an event; those of one id are numbered in their last entry.
func (l *events) add(at simcore.Time, id eventID, place int32) {
	if at == simcore.Never {
		return
	}
	if l.counts == nil {
		l.counts = map[eventID]int32{}
	}
	n := l.counts[id]
	l.counts[id]++
	id.of[3] = n
	l.list = append(l.list, happened{at, id, place})
}

// kinds of events by that of the simulation
var eventKinds = [...]string{yarn.SparkAcquired: "pick-up", yarn.SparkRegistered: "registration",
	yarn.SparkTaskStart: "task start", yarn.SparkTaskEnd: "task end", yarn.SparkAsk: "ask", yarn.SparkTarget: "target",
	yarn.SparkKill: "kill", yarn.SparkRelease: "release"}

// watch has an item of a simulation collect its events. stages are by application the
// recorded numbers of its stages.
func (l *events) watch(it *simulate.Item, stages [][]int32) {
	it.Watch = func(c simulate.Change) {
		if c.Event == "allocated" {
			l.add(c.At, eventID{app: int32(c.Job), kind: "allocation"}, int32(c.Node))
		}
	}
	it.SparkTrace = func(at simcore.Time, e yarn.SparkEvent) {
		id, place := eventID{app: int32(e.Job), kind: eventKinds[e.Kind]}, e.Count
		switch e.Kind {
		case yarn.SparkTaskStart, yarn.SparkTaskEnd:
			id.of, place = [4]int32{stages[e.Job][e.Stage], e.Try, e.Task}, e.Executor
		case yarn.SparkAsk, yarn.SparkTarget:
			if e.MiB > 0 {
				l.ask(callID{id.app, at}, &e)
				id.of = [4]int32{e.Executor, e.Stage}
			}
		default:
			id.of[0] = e.Executor
		}
		l.add(at, id, place)
	}
}

// events lists the events of the run, with the calls of masters at the instants at
// which they were handled.
func (r *Run) events(handled [][]simcore.Time) *events {
	l := &events{}
	for i, a := range r.Apps {
		app := int32(i)
		containers := slices.Clone(a.Containers)
		slices.SortStableFunc(containers, func(x, y *replay.Container) int { return cmp.Compare(x.Allocated, y.Allocated) })
		for _, c := range containers {
			l.add(c.Allocated, eventID{app: app, kind: "allocation"}, c.Node)
		}
		if a.tez() {
			l.tez(app, a, handled[i])
		}
		if a.Kind != "spark" {
			continue
		}
		executors := map[string]int32{}
		for _, e := range a.Executors {
			of := [4]int32{e.ID}
			executors[e.Container] = e.ID
			l.add(e.Acquired, eventID{app, "pick-up", of}, 0)
			l.add(e.Registered, eventID{app, "registration", of}, 0)
			l.add(e.KillAsked, eventID{app, "kill", of}, 0)
		}
		tasks := slices.Clone(a.Tasks)
		slices.SortStableFunc(tasks, func(x, y *Task) int { return cmp.Compare(x.Launch, y.Launch) })
		for _, t := range tasks {
			of := [4]int32{t.Stage, t.StageAttempt, t.Index}
			l.add(t.Launch, eventID{app, "task start", of}, t.Executor)
			l.add(t.Finish, eventID{app, "task end", of}, t.Executor)
		}
		for k, c := range a.Calls {
			for _, x := range a.Asks {
				switch {
				case x.Response != c.Response:
				case x.Kind == "ASK" && x.At == spark.AnyHost:
					l.add(handled[i][k], eventID{app: app, kind: "ask"}, x.Count)
				case x.Kind == "RELEASE":
					l.add(handled[i][k], eventID{app, "release", [4]int32{executors[x.Container]}}, 0)
				}
			}
		}
		for _, t := range a.Targets {
			if t.Source == "allocator" {
				l.add(t.At, eventID{app: app, kind: "target"}, t.Target)
			}
		}
	}
	return l
}

// compare compares recorded events with simulated ones.
func (r *Run) compare(recorded, simulated *events) *Differences {
	d := &Differences{Events: len(recorded.list)}
	got := map[eventID]happened{}
	for _, e := range simulated.list {
		got[e.id] = e
	}
	note := func(id eventID, want, sim simcore.Time, places string) {
		d.List = append(d.List, Difference{r.Apps[id.app].Name, fmt.Sprintf("%s %v", id.kind, id.of), want.Seconds(),
			sim.Seconds(), places})
	}
	const none = -simcore.Second
	for _, e := range recorded.list {
		g, ok := got[e.id]
		delete(got, e.id)
		switch {
		case !ok:
			note(e.id, e.at, none, "")
		case e.place != g.place:
			note(e.id, e.at, g.at, fmt.Sprintf("%d, %d", e.place, g.place))
		case max(e.at-g.at, g.at-e.at) > sameInstant:
			note(e.id, e.at, g.at, "")
		}
	}
	for _, e := range simulated.list { // in addition
		if _, left := got[e.id]; left {
			note(e.id, none, e.at, "")
		}
	}
	slices.SortStableFunc(d.List, func(x, y Difference) int { return cmp.Compare(x.At(), y.At()) })
	d.Differ = len(d.List)
	if d.Events > 0 {
		d.Share = float64(d.Differ) / float64(d.Events)
	}
	return d
}
