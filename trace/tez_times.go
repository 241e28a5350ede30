package trace

import (
	"slices"

	"schedtune/trace/internal/history"
	"schedtune/trace/tezlog"
)

// tezDone has the attempts whose results the tasks of a vertex took, by task, and the last of
// their ends.
type tezDone struct {
	tasks []*tezlog.Attempt
	last  Millis
}

// tezEnds are those of a DAG by number of the vertex; vertices without any are not there.
type tezEnds map[int32]*tezDone

func endsOf(d *tezlog.DAG) tezEnds {
	ends := tezEnds{}
	for v := range history.Pointers(d.Vertices) {
		if list := v.Winners(); len(list) > 0 {
			done := &tezDone{tasks: list}
			for _, a := range list {
				done.last = max(done.last, a.End)
			}
			ends[v.ID] = done
		}
	}
	return ends
}

// work is how long an attempt worked: from its start, or the end of what it reads where that
// is later, to its end. Sources that ended after it, since they ran again, do not count.
func (e tezEnds) work(v *tezlog.Vertex, a *tezlog.Attempt) Millis {
	from := a.Start
	for _, s := range v.Sources {
		source := e[s.Vertex]
		if source == nil {
			continue
		}
		end := source.last
		if i := int(a.Task); s.Edge == tezlog.OneToOne && i < len(source.tasks) && source.tasks[i].Task == a.Task {
			end = source.tasks[i].End
		}
		if end <= a.End {
			from = max(from, end)
		}
	}
	return a.End - from
}

// firstStarts are the starts of the first tasks of containers, Unknown of those without one.
func firstStarts(app *tezlog.App) []Millis {
	begun := slices.Repeat([]Millis{Unknown}, len(app.Containers))
	for _, v := range app.Vertices() {
		for a := range history.Pointers(v.Attempts) {
			if c := a.Container; c >= 0 && a.Start.Known() && (!begun[c].Known() || a.Start < begun[c]) {
				begun[c] = a.Start
			}
		}
	}
	return begun
}

// fewest is how many first and how many later tasks of a vertex are compared at least.
const fewest = 3

// firstExtra is how much longer the first task of a container takes than a later one of the
// same vertex (class loading, compiling): the median of the vertices' differences of medians,
// 0 where no vertex has enough of both. The runtime adds this where a task comes first.
func (t *Trace) firstExtra() Millis {
	var diffs []Millis
	for i := range t.Jobs {
		app := t.Jobs[i].Tez
		if app == nil {
			continue
		}
		begun := firstStarts(app)
		for d := range history.Pointers(app.DAGs) {
			ends := endsOf(d)
			for v := range history.Pointers(d.Vertices) {
				if ends[v.ID] == nil {
					continue
				}
				var times [2][]Millis // of first tasks, of later ones
				for _, a := range ends[v.ID].tasks {
					if a.Container >= 0 && a.Result == tezlog.Succeeded {
						later := 0
						if a.Start > begun[a.Container] {
							later = 1
						}
						times[later] = append(times[later], ends.work(v, a))
					}
				}
				if min(len(times[0]), len(times[1])) >= fewest {
					diffs = append(diffs, middle(times[0])-middle(times[1]))
				}
			}
		}
	}
	if len(diffs) == 0 {
		return 0
	}
	return max(0, middle(diffs))
}

// middle is the median of a list, which it sorts.
func middle(list []Millis) Millis {
	slices.Sort(list)
	return list[len(list)/2]
}
