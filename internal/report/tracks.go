package report

import (
	"bytes"
	"context"

	"schedtune/internal/report/perfetto"
	"schedtune/internal/report/timeline"
	"schedtune/internal/study"
	"schedtune/tune"
)

// FileTracks is a trace for ui.perfetto.dev of one run with the current settings
// and one with those found, side by side.
const FileTracks = "plots/present-and-tuned.json.gz"

// tracksLimit bounds the tasks of a trace, so that it stays a few MB.
const tracksLimit = 200_000

// tracksOf simulates each setting once, as the report's pictures do, and returns
// their common trace; nil where the workload has more than tracksLimit tasks.
func tracksOf(s *study.Study, present, tuned tune.Settings) ([]byte, error) {
	w := s.Runner.Windows()[0]
	if study.TasksOf(w) > tracksLimit {
		return nil, nil
	}
	var out bytes.Buffer
	p, err := perfetto.New(&out, FileTracks)
	if err != nil {
		return nil, err
	}
	runs := []struct {
		label string
		set   tune.Settings
	}{{"present", present}, {"tuned", tuned}}
	if present.Equal(tuned) {
		runs = runs[:1]
	}
	for _, r := range runs {
		t := timeline.NewTracks(p, s.Case.Cluster, w, r.label)
		res, err := s.Runner.Simulate(context.Background(), r.set, groupSeedBase, 0, t.Watch)
		if err != nil {
			return nil, err
		}
		t.Finish(res)
	}
	if err := p.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
