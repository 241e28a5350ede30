package sparklog

import (
	"reflect"
	"testing"
)

// TestProgress: of an application of two jobs, what its driver would have told at
// instants: before, in the first stage, and between the jobs.
func TestProgress(t *testing.T) {
	task := func(from, to Millis) Task { return Task{Launch: from, Finish: to, Reason: Success} }
	a := &App{Start: 0, End: 1000, Conf: map[string]string{"spark.task.cpus": "2"},
		Executors: []Executor{{ID: "driver", Cores: 8, Added: 1, Removed: Unknown},
			{ID: "1", Cores: 4, Added: 50, Removed: 600}, {ID: "2", Cores: 1, Added: 150, Removed: Unknown}},
		Jobs: []Job{{ID: 0, Submit: 100, End: 500, Stages: []int32{0, 1}},
			{ID: 1, Submit: 700, End: 900, Stages: []int32{2}}},
		Stages: []Stage{{ID: 0, Tasks: 3, Submit: 100, End: 300, Attempts: []Task{task(110, 200), task(110, 250),
			{Launch: 205, Finish: 210, Reason: ExceptionFailure}, task(220, 300)}},
			{ID: 1, Tasks: 1, Submit: 300, End: 500, Attempts: []Task{task(310, 500)}}, {ID: 2, Tasks: 1, Submit: 700, End: 900,
				Attempts: []Task{task(710, 900)}}}}
	for _, c := range []struct {
		at   Millis
		want Progress
	}{
		{20, Progress{Slots: []int32{}, Stages: []StageProgress{}, LastEnd: Unknown}},
		{230, Progress{Slots: []int32{2, 1}, Jobs: 1, LastEnd: Unknown, Stages: []StageProgress{
			{ID: 1, Tasks: 1}, {ID: 0, Tasks: 3, Begun: true, Running: []Millis{110, 220}, Took: []Millis{90}}}}},
		{650, Progress{Slots: []int32{1}, Jobs: 1, JobsOver: 1, LastEnd: 500, Stages: []StageProgress{
			{ID: 0, Tasks: 3, Begun: true, Over: true, Took: []Millis{90, 140, 80}}, {ID: 1, Tasks: 1, Begun: true, Over: true,
				Took: []Millis{190}}}}},
	} {
		if got := a.Progress(c.at); !reflect.DeepEqual(*got, c.want) {
			t.Errorf("at %d: %+v, want %+v", c.at, *got, c.want)
		}
	}
}
