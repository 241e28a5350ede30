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
