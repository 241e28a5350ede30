package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Row compares completion times, in seconds, of a job, of a Spark or Tez application, or of a DAG of one.
type Row struct {
	Job       string  `json:"job,omitempty"`
	App       string  `json:"application,omitempty"`
	DAG       int32   `json:"dag,omitempty"` // number, from 1
	Recorded  float64 `json:"recorded_s"`
	Simulated float64 `json:"simulated_s"`
	Error     float64 `json:"error"` // signed, as a fraction of the recorded time
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
	Jobs []Row `json:"jobs"`
}

// Summarise sets the errors of rows and sums them up with the makespans.
func Summarise(rows []Row, recorded, simulated float64) Summary {
	var abs []float64
	for i := range rows {
		rows[i].Error = rows[i].Simulated/rows[i].Recorded - 1
		abs = append(abs, math.Abs(rows[i].Error))
	}
	return Summary{math.Abs(simulated/recorded - 1), stats.Median(abs), stats.Mean(abs), recorded, simulated}
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

// Replicate runs a workload n times with seeds seed, seed+1, … and compares the means with those of recorded runs.
// It fills rows, one for each job of the workload, and returns the makespans in seconds; each, if not nil, receives
// the times of the jobs and the ends of DAGs of every run.
func Replicate(ctx context.Context, runs *simulate.Runner, seed uint64, n int, rows []Row, recorded []*Run,
	each func(jobs []yarn.JobTimes, dags []simcore.DAGResult)) (sum Summary, simulatedSpans, recordedSpans []float64,
	err error) {
	for i := range n {
		jobs, span, dags, err := Simulate(ctx, runs, simulate.Item{Seed: seed + uint64(i)})
		if err != nil {
			return sum, nil, nil, err
		}
		simulatedSpans = append(simulatedSpans, span)
		for j, t := range jobs {
			rows[j].Simulated += (t.Finish - t.Submit).Seconds() / float64(n)
		}
		if each != nil {
			each(jobs, dags)
		}
	}
	for _, r := range recorded {
		recordedSpans = append(recordedSpans, r.Span())
		for _, j := range r.Jobs {
			for i := range rows {
				if cmp.Or(rows[i].Job, rows[i].App) == j.Name {
					rows[i].Recorded += j.completion() / float64(len(recorded))
				}
			}
		}
	}
	return Summarise(rows, stats.Mean(recordedSpans), stats.Mean(simulatedSpans)), simulatedSpans, recordedSpans, nil
}

// Nearest returns the quantile q of a sorted list as the value whose rank is nearest.
func Nearest(sorted []float64, q float64) float64 { return sorted[int(q*float64(len(sorted)-1)+0.5)] }

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
	jobs := make([]Row, len(r.Jobs))
	for i := range r.Jobs {
		// The queue takes a job in a little after its submission.
		taken := (w.Jobs[i].Submit - max(r.Jobs[i].Submit, 0)).Seconds()
		jobs[i] = Row{Job: r.Jobs[i].Name, Recorded: r.Jobs[i].completion(),
			Simulated: (got[i].Finish - got[i].Submit).Seconds() + taken}
		if i == 0 {
			span += taken
		}
	}
	return Errors{Summarise(jobs, r.Span(), span), jobs}, nil
}
