package yarn

import (
	"fmt"
	"slices"

	"schedtune/simcore"
)

// maxSpreads bounds how often the submissions of Alone are moved further
// apart, each time to four times the distance.
const maxSpreads = 12

// Alone returns, by job, the completion time that each job of a workload has
// alone on the idle cluster: what slowdowns are taken against
// (simcore.Workload.Alone). All jobs go to queue, a leaf of the schedulers that
// fresh makes, whose limits should let one application have the whole cluster;
// asks of partitions are dropped with their labels. Entries of jobs that fail
// alone are 0.
//
// One run serves all jobs: submissions are moved apart until every job has
// ended before the next is submitted. Idle time costs nothing.
func Alone(c *simcore.Cluster, w *simcore.Workload, opt Options, cfg RunConfig, queue string, fresh func() (Scheduler, error)) ([]simcore.Time, error) {
	cfg.Jitter, cfg.Faults, cfg.Observe, cfg.Trace, cfg.Reservations, cfg.Recorded, cfg.PreemptEvery, cfg.NextSwitch = Jitter{}, Faults{}, nil, nil, nil, nil, 0, nil
	gap := 10 * simcore.Minute
	for _, d := range w.Tasks.Duration {
		gap = max(gap, 2*d)
	}
	for range maxSpreads {
		sched, err := fresh()
		if err != nil {
			return nil, err
		}
		sim, err := NewSim(c, apart(w, gap, queue), opt)
		if err != nil {
			return nil, err
		}
		r, err := sim.Run(cfg, sched)
		if err != nil {
			return nil, fmt.Errorf("yarn: jobs alone on the idle cluster: %w", err)
		}
		if alone, ok := separate(r, gap); ok {
			return alone, nil
		}
		gap *= 4
	}
	return nil, fmt.Errorf("yarn: jobs alone on the idle cluster: a job takes longer than %v", gap.Std())
}

// apart is the workload with its jobs submitted one after another, all to one
// queue.
func apart(w *simcore.Workload, gap simcore.Time, queue string) *simcore.Workload {
	out := *w
	out.Queues = []string{queue}
	out.Jobs = slices.Clone(w.Jobs)
	for i := range out.Jobs {
		out.Jobs[i].Queue, out.Jobs[i].Submit = 0, simcore.Time(i)*gap
	}
	return &out
}

// separate returns the completion times if no job ran into the next one's.
func separate(r *simcore.Result, gap simcore.Time) ([]simcore.Time, bool) {
	alone := make([]simcore.Time, len(r.Jobs))
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Completion() >= gap {
			return nil, false
		}
		if !j.Failed {
			alone[j.Job] = j.Completion()
		}
	}
	return alone, true
}
