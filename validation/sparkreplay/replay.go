package sparkreplay

import (
	"context"
	"math"

	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/validation/replay"
)

// Errors compares a simulated run with a recorded one. Executors is an absolute value, as
// a fraction.
type Errors struct {
	replay.Summary
	RecordedTime  float64      `json:"executor_seconds_recorded"`
	SimulatedTime float64      `json:"executor_seconds_simulated"`
	Executors     float64      `json:"executor_seconds_error"`
	Apps          []replay.Row `json:"applications"`
	// DAGs are those of Tez applications, without prewarming ones; DAGMean is the mean of their
	// absolute errors.
	DAGs    []replay.Row `json:"dags,omitempty"`
	DAGMean float64      `json:"dag_completion_error_mean,omitempty"`
	// DAGRecorded and DAGTime are the mean completion times of DAGs, recorded and simulated.
	DAGRecorded float64 `json:"dag_completion_recorded_s,omitempty"`
	DAGTime     float64 `json:"dag_completion_simulated_s,omitempty"`
	// Events and Calls are those of a replay; nil of a prediction.
	Events *Differences `json:"events,omitempty"`
	Calls  *callScore   `json:"calls,omitempty"`
}

// Replay simulates the run with measured task times and launch latencies.
func (r *Run) Replay(ctx context.Context, cal *yarn.Calibration) (*Errors, error) {
	b, err := r.recorded()
	if err != nil {
		return nil, err
	}
	w, rec := b.w, b.rec
	runs, err := r.Simulator(r.Cluster(), w, cal, simulate.Options{Times: yarn.AttemptTimes})
	if err != nil {
		return nil, err
	}
	it, simulated := simulate.Item{Recorded: rec}, &events{}
	simulated.watch(&it, b.stages)
	got, span, dags, err := replay.Simulate(ctx, runs, it)
	if err != nil {
		return nil, err
	}
	e := &Errors{RecordedTime: r.executorTime(), Events: r.compare(r.events(b.calls.Calls), simulated)}
	for i := range r.Apps {
		a, t := r.Apps[i], &got[i]
		e.Apps = append(e.Apps, replay.Row{App: a.Name, Recorded: (a.Finish - a.Submit).Seconds(),
			Simulated: (t.Finish - max(a.Submit, 0)).Seconds()})
		e.SimulatedTime += t.ExecutorTime.Seconds()
	}
	for i := range dags { // the queue takes an application in a little after its submission
		if a := r.Apps[dags[i].Job]; a.Kind == tezSingle {
			dags[i].Submit = max(a.Submit, 0)
		}
	}
	e.compareDAGs(w, dags, []*Run{r})
	e.Calls = r.compareCalls(b.calls.Calls, simulated.rows)
	e.Summary = replay.Summarise(e.Apps, r.Span(), span+(w.Jobs[0].Submit-max(r.Apps[0].Submit, 0)).Seconds())
	e.Executors = math.Abs(e.SimulatedTime/e.RecordedTime - 1)
	return e, nil
}

// executorTime is the sum over all executors of the time in their containers,
// in seconds.
func (r *Run) executorTime() (sum float64) {
	for i := range r.Apps {
		for _, c := range r.Apps[i].Containers {
			if r.Apps[i].tez() && c.Kind == "EXECUTOR" && c.Released != simcore.Never {
				sum += (c.Released - c.Allocated).Seconds()
			}
		}
		for _, e := range r.Apps[i].Executors {
			if e.Released != simcore.Never {
				sum += (e.Released - e.Allocated).Seconds()
			}
		}
	}
	return sum
}
