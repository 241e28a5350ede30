package sparkreplay

import (
	"context"
	"fmt"
	"math"

	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// AppError compares an application's completion times in seconds.
type AppError struct {
	App       string  `json:"application"`
	Recorded  float64 `json:"recorded_s"`
	Simulated float64 `json:"simulated_s"`
	Error     float64 `json:"error"` // signed, as a fraction of the recorded time
}

// Errors compares a simulated run with a recorded one. Makespan, Median, Mean
// and Executors are absolute values, as fractions.
type Errors struct {
	Makespan      float64    `json:"makespan_error"`
	Median        float64    `json:"completion_error_median"`
	Mean          float64    `json:"completion_error_mean"`
	RecordedSpan  float64    `json:"makespan_recorded_s"`
	SimulatedSpan float64    `json:"makespan_simulated_s"`
	RecordedTime  float64    `json:"executor_seconds_recorded"`
	SimulatedTime float64    `json:"executor_seconds_simulated"`
	Executors     float64    `json:"executor_seconds_error"`
	Apps          []AppError `json:"applications"`
}

// simulator bundles what repeated simulations of one scenario share.
type simulator struct {
	sim   *yarn.Sim
	sched *capacity.Scheduler
	every simcore.Time
}

// simulator returns a simulator of a workload on the run's cluster and queues.
func (r *Run) simulator(w *simcore.Workload, times yarn.Times) (*simulator, error) {
	conf, err := yarnconf.Evaluate(r.Queues)
	if err != nil {
		return nil, err
	}
	s, err := capacity.New(conf)
	if err != nil {
		return nil, err
	}
	sim, err := yarn.NewSim(r.cluster(), w, yarn.Options{Times: times, ScheduleCPU: conf.Calculator.Dominant})
	if err != nil {
		return nil, err
	}
	out := &simulator{sim: sim, sched: s}
	if conf.Preemption.Enabled {
		out.every = simcore.Time(conf.Preemption.MonitoringInterval) * simcore.Millisecond
	}
	return out, nil
}

// run simulates once.
func (s *simulator) run(ctx context.Context, cfg yarn.RunConfig) ([]yarn.JobTimes, error) {
	s.sched.Reset()
	cfg.PreemptEvery = s.every
	if _, err := s.sim.RunContext(ctx, cfg, s.sched); err != nil {
		return nil, err
	}
	for j, t := range s.sim.JobTimes() {
		if t.Status != yarn.Succeeded {
			return nil, fmt.Errorf("application %d was rejected or failed in the simulation", j)
		}
	}
	return s.sim.JobTimes(), nil
}

// Replay simulates the run with measured task times and launch latencies.
func (r *Run) Replay(ctx context.Context, cal *yarn.Calibration) (*Errors, error) {
	w, rec := r.recorded()
	s, err := r.simulator(w, yarn.AttemptTimes)
	if err != nil {
		return nil, err
	}
	got, err := s.run(ctx, yarn.RunConfig{Slowstart: -1, Calibration: cal, Recorded: rec})
	if err != nil {
		return nil, err
	}
	return r.compare(got), nil
}

// compare holds a simulation's instants against the recorded ones.
func (r *Run) compare(got []yarn.JobTimes) *Errors {
	e := &Errors{}
	first, last, gotFirst, gotLast := simcore.Never, simcore.Time(0), simcore.Never, simcore.Time(0)
	var abs []float64
	for i := range r.Apps {
		a, t := &r.Apps[i], &got[i]
		first, last, gotFirst, gotLast = min(first, a.Submit), max(last, a.Finish), min(gotFirst, t.Submit), max(gotLast, t.Finish)
		x := AppError{App: a.Name, Recorded: (a.Finish - a.Submit).Seconds(), Simulated: (t.Finish - t.Submit).Seconds()}
		x.Error = x.Simulated/x.Recorded - 1
		e.Apps, abs = append(e.Apps, x), append(abs, math.Abs(x.Error))
		e.SimulatedTime += t.ExecutorTime.Seconds()
	}
	e.RecordedTime = r.executorTime()
	e.RecordedSpan, e.SimulatedSpan = (last - first).Seconds(), (gotLast - gotFirst).Seconds()
	e.Makespan, e.Executors = math.Abs(e.SimulatedSpan/e.RecordedSpan-1), math.Abs(e.SimulatedTime/e.RecordedTime-1)
	e.Median, e.Mean = stats.Median(abs), mean(abs)
	return e
}

// executorTime is the sum over all executors of the time in their containers,
// in seconds.
func (r *Run) executorTime() (sum float64) {
	for i := range r.Apps {
		for k := range r.Apps[i].Executors {
			if e := &r.Apps[i].Executors[k]; e.Released != simcore.Never {
				sum += (e.Released - e.Allocated).Seconds()
			}
		}
	}
	return sum
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}
