package replay

import (
	"schedtune/internal/simulate"
	"schedtune/simcore/yarn"
)

// Runner returns what Replay runs: the recorded jobs with measured task times and
// launch latencies, and the one item to run.
func (r *Run) Runner(cal *yarn.Calibration) (*simulate.Runner, simulate.Item, error) {
	w, rec, err := r.recorded()
	if err != nil {
		return nil, simulate.Item{}, err
	}
	if cal == nil {
		cal = yarn.Default()
	}
	runs, err := r.Simulator(r.Cluster(), w, cal, simulate.Options{Times: yarn.AttemptTimes})
	return runs, simulate.Item{Recorded: rec, Slowstart: -1}, err
}
