package study

import (
	"slices"

	"schedtune/simcore"
)

// spark copies an application: all its stages have size times as many tasks,
// each pace times as long. Its settings, the order of its jobs and what its
// driver does between them stay.
func (b *builder) spark(n int, from *simcore.SparkApp, size, pace float64) *simcore.SparkApp {
	app := *from
	app.Stages = slices.Clone(from.Stages)
	draw := b.key.At(drawTask).At(uint64(n))
	for i := range app.Stages {
		st := &app.Stages[i]
		want := scaled(st.Tasks, size)
		if st.FirstTask >= 0 {
			first := int32(len(b.new.Duration))
			b.copyTasks(draw.At(uint64(i)), st.FirstTask, st.Tasks, want, pace)
			st.FirstTask = first
		} else {
			st.Dist = b.dist(st.Dist, pace)
		}
		st.Tasks, st.OutputBytes = want, int64(float64(st.OutputBytes)*size)
	}
	return &app
}
