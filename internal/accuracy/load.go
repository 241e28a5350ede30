package accuracy

import (
	"schedtune/internal/calibrate"
	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
)

// Load is run.Load with the latencies that the histories tell, as a study has them.
// Schedulers of slots have none: their runs are as run.Load prepares them.
func Load(in scenario.Files, dataset string, opt simulate.Options) (*simulate.Runner, calibrate.Latencies, error) {
	c, err := simulate.LoadCase(&in, dataset, opt)
	if err != nil {
		return nil, calibrate.Latencies{}, err
	}
	l := calibrate.Latencies{}
	if simulate.OnYARN(opt.Scheduler) && (dataset == "" || in.Calibration != "") {
		l = calibrate.Fit(c, &in)
	}
	r, err := simulate.New(c, opt)
	return r, l, err
}
