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
)

// Times compares completion times in seconds.
type Times struct {
	Recorded  float64 `json:"recorded_s"`
	Simulated float64 `json:"simulated_s"`
	Error     float64 `json:"error"` // signed, as a fraction of the recorded time
}

// JobError compares a job's completion times.
type JobError struct {
	Job string `json:"job"`
	Times
}

// Summary compares a simulated run with a recorded one. Errors are absolute values, as
// fractions.
type Summary struct {
	Makespan         float64 `json:"makespan_error"`
	CompletionMedian float64 `json:"completion_error_median"`
	CompletionMean   float64 `json:"completion_error_mean"`
	RecordedSpan     float64 `json:"makespan_recorded_s"`
	SimulatedSpan    float64 `json:"makespan_simulated_s"`
}

// Errors is a summary with the jobs.
type Errors struct {
	Summary
	Jobs []JobError `json:"jobs"`
}

// Summarise sets the errors of completion times and sums them up with the makespans.
func Summarise(times []*Times, recorded, simulated float64) Summary {
	var abs []float64
	for _, t := range times {
		t.Error = t.Simulated/t.Recorded - 1
		abs = append(abs, math.Abs(t.Error))
	}
	return Summary{math.Abs(simulated/recorded - 1), stats.Median(abs), stats.Mean(abs), recorded, simulated}
}

func compare(jobs []JobError, recorded, simulated float64) Errors {
	times := make([]*Times, len(jobs))
	for i := range jobs {
		times[i] = &jobs[i].Times
	}
	return Errors{Summarise(times, recorded, simulated), jobs}
}

// Simulator prepares runs of a workload on a cluster with the run's queue file.
func (r *Run) Simulator(c *simcore.Cluster, w *simcore.Workload, cal *yarn.Calibration,
	opt simulate.Options) (*simulate.Runner, error) {
	return simulate.New(&scenario.Case{Doc: r.Queues, Cluster: c, Work: w, Calibration: cal}, opt)
}

// Simulate runs once and returns the times of each job, the makespan in seconds and the ends of DAGs.
func Simulate(ctx context.Context, runs *simulate.Runner, it simulate.Item) (times []yarn.JobTimes, span float64,
	dags []simcore.DAGResult, err error) {
	it.Slowstart, it.Times = -1, &times
	res, err := runs.Run(ctx, it)
	if err != nil {
		return nil, 0, nil, err
	}
	first, last := simcore.Never, simcore.Time(0)
	for i, t := range times {
		if t.Status != yarn.Succeeded {
			return nil, 0, nil, fmt.Errorf("job %d was rejected or failed in the simulation", i)
		}
		first, last = min(first, t.Submit), max(last, t.Finish)
	}
	return times, (last - first).Seconds(), res.DAGs, nil
}

// Replicate runs a workload n times with seeds seed, seed+1, … and returns the makespans in seconds;
// each receives the times of the jobs and the ends of DAGs of every run.
func Replicate(ctx context.Context, runs *simulate.Runner, seed uint64, n int,
	each func(jobs []yarn.JobTimes, dags []simcore.DAGResult)) (spans []float64, err error) {
	for i := range n {
		jobs, span, dags, err := Simulate(ctx, runs, simulate.Item{Seed: seed + uint64(i)})
		if err != nil {
			return nil, err
		}
		spans = append(spans, span)
		each(jobs, dags)
	}
	return spans, nil
}

// Span returns the recorded makespan in seconds.
func (r *Run) Span() float64 {
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
	runs, err := r.Simulator(r.Cluster(), w, cal, simulate.Options{Times: yarn.AttemptTimes})
	if err != nil {
		return Errors{}, err
	}
	got, span, _, err := Simulate(ctx, runs, simulate.Item{Recorded: rec})
	if err != nil {
		return Errors{}, err
	}
	jobs := make([]JobError, len(r.Jobs))
	for i := range r.Jobs {
		// The queue takes a job in a little after its submission.
		taken := (w.Jobs[i].Submit - max(r.Jobs[i].Submit, 0)).Seconds()
		jobs[i] = JobError{r.Jobs[i].Name, Times{Recorded: r.Jobs[i].completion(),
			Simulated: (got[i].Finish - got[i].Submit).Seconds() + taken}}
		if i == 0 {
			span += taken
		}
	}
	return compare(jobs, r.Span(), span), nil
}
