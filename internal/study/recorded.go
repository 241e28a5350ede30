package study

import (
	"fmt"

	"schedtune/internal/inputs"
	"schedtune/internal/stats"
	"schedtune/simcore"
)

// farOff is how many times a simulated mean may be the recorded one, or the
// reverse, before the inputs are doubted.
const farOff = 2

// compareRecorded sets the simulated completion times of the present settings
// beside the recorded ones of the same jobs: nothing shows sooner that a
// cluster, a site file or a queue file does not belong to the trace.
func (s *Study) compareRecorded(results []*simcore.Result) {
	var recorded, simulated simcore.Time
	n := 0
	for w, res := range results {
		for i := range res.Jobs {
			j := &res.Jobs[i]
			if t, ok := s.Case.Completions[s.Runner.Windows()[w].Jobs[j.Job].ID]; ok && !j.Failed {
				recorded, simulated, n = recorded+t, simulated+j.Completion(), n+1
			}
		}
	}
	if n == 0 || recorded <= 0 || simulated <= 0 {
		return
	}
	mean := func(t simcore.Time) string { return stats.Figure(float64(t) / float64(simcore.Second) / float64(n)) }
	text := fmt.Sprintf("recorded completion times: mean %s s over %s; simulated with the present settings: %s s", mean(recorded), inputs.Counted(n, "job"), mean(simulated))
	if ratio := float64(simulated) / float64(recorded); ratio < farOff && ratio > 1.0/farOff {
		s.Notes = append(s.Notes, text)
		return
	}
	s.Case.Warnings = append(s.Case.Warnings, text+": the cluster, the site file or the queue file is not what the trace ran on, and gains may not be either")
}
