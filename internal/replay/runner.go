package replay

import (
	"schedtune/internal/run"
	"schedtune/simcore/yarn"
)

// Runner returns what Replay runs: the recorded jobs with measured task times and
// launch latencies, and the one item to run.
func (r *Run) Runner(cal *yarn.Calibration) (*run.Runner, run.Item, error) {
	w, rec, err := r.recorded()
	if err != nil {
		return nil, run.Item{}, err
	}
	if cal == nil {
		cal = yarn.Default()
	}
	runs, err := r.simulator(r.cluster(), w, cal, run.Options{Times: yarn.AttemptTimes})
	return runs, run.Item{Recorded: rec, Slowstart: -1}, err
}
