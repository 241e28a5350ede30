package study

import (
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// spark copies an application: all its stages have size times as many tasks,
// each pace times as long. Its settings, the order of its jobs and what its
// driver does between them stay.
func (b *builder) spark(draw rng.Key, from *simcore.SparkApp, size, pace float64) *simcore.SparkApp {
	app := *from
	app.Stages = slices.Clone(from.Stages)
	for i := range app.Stages {
		st := &app.Stages[i]
		b.list(draw.At(uint64(i)), &st.FirstTask, &st.Tasks, &st.Dist, size, pace)
		st.OutputBytes = int64(float64(st.OutputBytes) * size)
	}
	return &app
}

// tez copies an application likewise: its vertices; their edges, the order of its DAGs and the time between
// them stay.
func (b *builder) tez(draw rng.Key, from *simcore.TezApp, size, pace float64) *simcore.TezApp {
	app := *from
	app.Vertices = slices.Clone(from.Vertices)
	for i := range app.Vertices {
		v := &app.Vertices[i]
		b.list(draw.At(uint64(i)), &v.FirstTask, &v.Tasks, &v.Dist, size, pace)
	}
	return &app
}

// list makes the tasks of a stage or vertex size times as many, each pace times as long.
func (b *builder) list(draw rng.Key, first, tasks, dist *int32, size, pace float64) {
	want := scaled(*tasks, size)
	if *first >= 0 {
		at := int32(len(b.new.Duration))
		b.copyTasks(draw, *first, *tasks, want, pace)
		*first = at
	} else {
		*dist = b.dist(*dist, pace)
	}
	*tasks = want
}

// sparkWork returns an application's critical path, from its submission, and
// the memory-time of its tasks in MiB-seconds: each takes its part of its
// executor for its time.
func sparkWork(w *simcore.Workload, a *simcore.SparkApp) (path simcore.Time, area float64) {
	longest := make([]simcore.Time, len(a.Stages)) // task of each stage
	for i := range a.Stages {
		st := &a.Stages[i]
		if st.FirstTask < 0 {
			continue
		}
		e := &a.Executors[st.Profile]
		part := float64(e.Container[simcore.Memory]) / float64(e.Slots())
		for _, d := range w.Tasks.Duration[st.FirstTask : st.FirstTask+st.Tasks] {
			longest[i] = max(longest[i], d)
			area += d.Seconds() * part
		}
	}
	done := make([]simcore.Time, len(a.Stages))
	ends := make([]simcore.Time, len(a.Jobs))
	for i := range a.Jobs {
		j := &a.Jobs[i]
		from := simcore.Time(0)
		for _, k := range j.After {
			from = max(from, ends[k])
		}
		from += j.Delay
		ends[i] = from
		for n := j.FirstStage; n < j.FirstStage+j.Stages; n++ {
			begin := from
			for _, p := range a.Stages[n].Parents {
				if a.Stages[p].Job == int32(i) {
					begin = max(begin, done[p])
				}
			}
			done[n] = begin + longest[n]
			ends[i] = max(ends[i], done[n])
		}
		path = max(path, ends[i])
	}
	return path, area
}
