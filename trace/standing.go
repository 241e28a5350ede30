package trace

import (
	"cmp"
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/trace/internal/history"
)

// Standing load: what services (Flink, LLAP, the Spark Thrift server, HBase on YARN) and
// others that had not ended when a record ends, or ran before it begins, hold all the time.

// StandingNote is the note on such applications.
const StandingNote = "applications that had not ended when the record ends, or were running before it begins: standing " +
	"load, held from the first to the last moment they were seen"

// held reports whether a task's container is held by a service, as far as is known.
func (t *Task) held() bool { return t.Kind == AM || t.Kind == Container }

// Standing reports whether the job is standing load: one of its containers is not released
// when the record ends, or was allocated before it begins.
func (j *Job) Standing() bool {
	if j.Spark != nil || j.Tez != nil {
		return false
	}
	for t, a := range j.Containers() {
		if t.held() && (j.open(a) || a.Released.Known() && !a.Allocated.Known()) {
			return true
		}
	}
	return false
}

// open reports whether an attempt's container was held when the record ended.
func (j *Job) open(a *Attempt) bool {
	return a.Result == Unfinished && a.Start.Known() && j.Result == Unfinished && !j.Finish.Known()
}

// toTheEnd holds the containers that were not released to the last moment of the record.
func (t *Trace) toTheEnd(n *notes) {
	var open []*Job
	standing, end := 0, Millis(0)
	for j := range history.Pointers(t.Jobs) {
		j.eachInstant(func(m *Millis) { end = max(end, *m) })
		if j.Standing() {
			if j.Type != "TEZ" || !j.Finish.Known() { // else its own note tells
				standing++
			}
			open = append(open, j)
		}
	}
	for _, j := range open {
		for t, a := range j.Containers() {
			if t.held() && j.open(a) {
				a.Finish, a.Released = end, end
			}
		}
	}
	n.set(standing, Assumed, StandingNote)
}

// Begin is the first known submission of a job that is not standing load, else of any.
func (t *Trace) Begin() (Millis, bool) {
	all, first := Millis(math.MaxInt64), Millis(math.MaxInt64)
	for i := range t.Jobs {
		if j := &t.Jobs[i]; j.Submit.Known() {
			if all = min(all, j.Submit); j.Submit < first && !j.Standing() {
				first = j.Submit
			}
		}
	}
	if first == math.MaxInt64 {
		first = all
	}
	return first, first < math.MaxInt64
}

// always is how long an application holds its containers that was there to the end: ten
// years.
const always = 3650 * 24 * simcore.Hour

// standing makes s an application that holds what the job held on average between the
// first submission and the last moment it was seen, and reports whether that is known. Its
// master is its own container, where one was seen. The others are of the size that most of
// them had, where that comes to the same memory.
func (c *converter) standing(j *Job, s *simcore.Job, origin Millis) bool {
	list, _ := j.Holdings()
	size := cmp.Or(commonSize(j.Tasks, Container), commonSize(j.Tasks, AM))
	from, to, held, count := Millis(math.MaxInt64), origin, 0.0, 0.0
	var master Holding // of the last attempt
	for _, h := range list {
		if h.From = max(h.From, origin); h.To > h.From {
			from, to = min(from, h.From), max(to, h.To)
			held += h.MiB * float64(h.To-h.From)
			count += float64(h.To - h.From)
			if h.Master && h.MiB > 0 && h.To >= master.To {
				master = h
			}
		}
	}
	if held == 0 {
		c.notes.add(Missing, "size of standing load, which is left out")
		return false
	}
	held, count = held/float64(to-from)-master.MiB, math.Round(count/float64(to-from))
	load := &simcore.Standing{Hold: toTime(to - from)}
	if !j.Finish.Known() {
		load.Hold = always
	}
	if s.Unmanaged = master.MiB == 0; !s.Unmanaged {
		count--
		list = append([]Holding{master}, slices.DeleteFunc(list, func(h Holding) bool { return h.Master })...)
	}
	n := math.Round(max(0, held) / float64(size.MiB))
	if count = max(1, count); held >= 1 && math.Abs(n*float64(size.MiB)-held) > held/20 { // of several sizes
		n, size.MiB = count, int64(math.Ceil(held/count))
	}
	s.AMAsk = simcore.Vec{int64(master.MiB), int64(master.VCores)}
	s.Submit, s.Standing, s.Maps, s.Reduces, s.MapAsk = toTime(from-origin), load, int32(n), 0, ask(size)
	for _, h := range list {
		if node, ok := c.hosts[h.Host]; ok && h.To == to && len(load.Nodes) < s.Held() {
			load.Nodes = append(load.Nodes, simcore.NodeID(node))
		} else if h.Master && !s.Unmanaged {
			load.Nodes = append(load.Nodes, simcore.None)
		}
	}
	load.Nodes = append(load.Nodes, slices.Repeat([]simcore.NodeID{simcore.None}, s.Held()-len(load.Nodes))...)
	return true
}
