package present

import (
	"schedtune/internal/inputs"
	"schedtune/internal/run"
)

// Load is run.Load with the latencies that the histories tell, as a study has them.
// Schedulers of slots have none: their runs are as run.Load prepares them.
func Load(in inputs.Files, dataset string, opt run.Options) (*run.Runner, Latencies, error) {
	c, err := run.LoadCase(&in, dataset, opt)
	if err != nil {
		return nil, Latencies{}, err
	}
	l := Latencies{}
	if run.OnYARN(opt.Scheduler) && dataset == "" {
		l = Fit(c, &in)
	}
	r, err := run.New(c, opt)
	return r, l, err
}
