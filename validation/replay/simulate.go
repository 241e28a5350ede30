package replay

import (
	"context"
	"fmt"
	"math"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// JobError compares a job's completion times.
type JobError struct {
	Job       string  `json:"job"`
	Recorded  float64 `json:"recorded_s"`
	Simulated float64 `json:"simulated_s"`
	Error     float64 `json:"error"` // signed, as a fraction of the recorded time
}

// Errors compares a simulated run with a recorded one. The summary fields are
// absolute values, as fractions.
type Errors struct {
	Makespan         float64    `json:"makespan_error"`
	CompletionMedian float64    `json:"completion_error_median"`
	CompletionMean   float64    `json:"completion_error_mean"`
	RecordedSpan     float64    `json:"makespan_recorded_s"`
	SimulatedSpan    float64    `json:"makespan_simulated_s"`
	Jobs             []JobError `json:"jobs"`
}

func compare(jobs []JobError, recorded, simulated float64) Errors {
	e := Errors{RecordedSpan: recorded, SimulatedSpan: simulated, Makespan: math.Abs(simulated/recorded - 1), Jobs: jobs}
	var abs []float64
	for i := range jobs {
		jobs[i].Error = jobs[i].Simulated/jobs[i].Recorded - 1
		abs = append(abs, math.Abs(jobs[i].Error))
	}
	e.CompletionMedian, e.CompletionMean = stats.Median(abs), stats.Mean(abs)
	return e
}

// config evaluates the run's queue file.
func (r *Run) config() (*yarnconf.Config, error) {
	conf, err := yarnconf.Evaluate(r.Queues)
	if err != nil {
		return nil, err
	}
	return conf, nil
}

// simulator prepares runs of a workload on a cluster with the run's queue file.
func (r *Run) simulator(c *simcore.Cluster, w *simcore.Workload, cal *yarn.Calibration, opt simulate.Options) (*simulate.Runner, error) {
	return simulate.New(&scenario.Case{Doc: r.Queues, Cluster: c, Work: w, Calibration: cal}, opt)
}

// simulate runs once and returns each job's completion and the makespan in
// seconds.
func replaySimulate(ctx context.Context, runs *simulate.Runner, it simulate.Item) (completion []float64, span float64, err error) {
	var times []yarn.JobTimes
	it.Slowstart, it.Times = -1, &times
	if _, err := runs.Run(ctx, it); err != nil {
		return nil, 0, err
	}
	first, last := simcore.Never, simcore.Time(0)
	for _, t := range times {
		if t.Status != yarn.Succeeded {
			return nil, 0, fmt.Errorf("a job was rejected or failed in the simulation")
		}
		completion = append(completion, (t.Finish - t.Submit).Seconds())
		first, last = min(first, t.Submit), max(last, t.Finish)
	}
	return completion, (last - first).Seconds(), nil
}

// span is the recorded makespan in seconds.
func (r *Run) span() float64 {
	first, last := simcore.Never, simcore.Time(0)
	for i := range r.Jobs {
		first, last = min(first, r.Jobs[i].Submit), max(last, r.Jobs[i].Finish)
	}
	return (last - first).Seconds()
}

func (j *Job) completion() float64 { return (j.Finish - j.Submit).Seconds() }

// Replay simulates the run with measured task times and launch latencies.
func (r *Run) Replay(ctx context.Context, cal *yarn.Calibration) (Errors, error) {
	w, rec, err := r.recorded()
	if err != nil {
		return Errors{}, err
	}
	runs, err := r.simulator(r.cluster(), w, cal, simulate.Options{Times: yarn.AttemptTimes})
	if err != nil {
		return Errors{}, err
	}
	got, span, err := replaySimulate(ctx, runs, simulate.Item{Recorded: rec})
	if err != nil {
		return Errors{}, err
	}
	jobs := make([]JobError, len(r.Jobs))
	for i := range r.Jobs {
		// The queue takes a job in a little after its submission.
		taken := (w.Jobs[i].Submit - max(r.Jobs[i].Submit, 0)).Seconds()
		jobs[i] = JobError{Job: r.Jobs[i].Name, Recorded: r.Jobs[i].completion(), Simulated: got[i] + taken}
		if i == 0 {
			span += taken
		}
	}
	return compare(jobs, r.span(), span), nil
}
