package html

import (
	"maps"
	"slices"
	"strings"

	"schedtune/internal/report/svg"
	"schedtune/internal/report/timeline"
	"schedtune/simcore"
)

// mibOfGiB converts the memory of charts.
const mibOfGiB = 1024

// points are the steps as a chart draws them, with times in seconds and numbers divided by a unit.
func points(s timeline.Steps, unit float64) []svg.Point {
	var pts []svg.Point
	for _, x := range s {
		pts = append(pts, svg.Point{X: x.At.Seconds(), Y: float64(x.N) / unit})
	}
	return pts
}

// TimelineOf is the timeline of a recorded run, one series per queue in order of name: the
// memory that its containers hold, or its slots in use.
func TimelineOf(r *timeline.Recorder) Timeline {
	t := Timeline{Unit: "slots", Maps: points(r.Tasks[simcore.Map], 1), Reduces: points(r.Tasks[simcore.Reduce], 1),
		Pending: points(r.Pending, mibOfGiB), Lost: points(r.Lost, mibOfGiB)}
	levels, unit := r.Queues, 1.0
	if len(r.Pending) > 0 {
		t.Unit, levels, unit = "GiB", r.Memory, mibOfGiB
	}
	order := make([]int, len(r.Queues))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(r.Work.Queues[a], r.Work.Queues[b]) })
	for _, q := range order {
		t.Queues = append(t.Queues, svg.Series{Name: r.Work.Queues[q], Points: points(levels[q], unit), Shape: svg.Area})
	}
	return t
}

// Completions lists the completion times of a run's jobs by queue, in order of
// the queues' names, ascending within a queue.
func Completions(w *simcore.Workload, res *simcore.Result) (out []Sample) {
	byQueue := map[string][]float64{}
	for i := range res.Jobs {
		if j := &res.Jobs[i]; !j.Failed {
			q := w.Queues[w.Jobs[j.Job].Queue]
			byQueue[q] = append(byQueue[q], j.Completion().Seconds())
		}
	}
	for _, q := range slices.Sorted(maps.Keys(byQueue)) {
		out = append(out, Sample{q, slices.Sorted(slices.Values(byQueue[q]))})
	}
	return out
}
