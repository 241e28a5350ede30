package yarn

import (
	"fmt"
	"slices"

	"schedtune/simcore"
)

// Each job alone on the idle cluster, in one run.

// Submissions of Alone are multiples of aloneStep, so that heartbeats are where they are
// at the first, and come aloneRest at least after the job before, when what it leaves
// behind is gone.
const (
	aloneStep = simcore.Minute
	aloneRest = 10 * simcore.Second
)

// Alone returns, by job, the completion time that each job of a workload has
// alone on the idle cluster: what slowdowns are taken against
// (simcore.Workload.Alone). All jobs go to queue, a leaf of the scheduler, whose
// limits should let one application have the whole cluster; asks of partitions are
// dropped with their labels. Entries of jobs that fail alone are 0.
//
// One run serves all jobs: each is submitted when the one before is over. Idle time
// costs nothing.
func Alone(c *simcore.Cluster, w *simcore.Workload, opt Options, cfg RunConfig, queue string, sched Scheduler) (
	[]simcore.Time, error) {
	cfg.Jitter, cfg.Observe, cfg.Trace, cfg.Reservations, cfg.Recorded, cfg.PreemptEvery,
		cfg.NextSwitch = Jitter{}, nil, nil, nil, nil, 0, nil
	cfg.serial = aloneStep
	if w != nil {
		w = inQueue(w, queue)
	}
	sim, err := NewSim(c, w, opt)
	if err != nil {
		return nil, err
	}
	r, err := sim.Run(cfg, sched)
	if err != nil {
		return nil, fmt.Errorf("yarn: jobs alone on the idle cluster: %w", err)
	}
	alone := make([]simcore.Time, len(r.Jobs))
	for i := range r.Jobs {
		if j := &r.Jobs[i]; !j.Failed {
			alone[j.Job] = j.Completion()
		}
	}
	return alone, nil
}

// inQueue is the workload with all jobs in one queue, there from the beginning.
func inQueue(w *simcore.Workload, queue string) *simcore.Workload {
	out := *w
	out.Queues = []string{queue}
	out.Jobs = slices.Clone(w.Jobs)
	for i := range out.Jobs {
		out.Jobs[i].Queue, out.Jobs[i].Submit = 0, 0
	}
	return &out
}

// queueUp lets the first job be submitted at once and every other after the one
// before.
func (s *Sim) queueUp() {
	for j := range s.arrive {
		s.arrive[j], s.arrivals[j] = simcore.Never, int32(j)
	}
	if len(s.arrive) > 0 {
		s.arrive[0] = 0
	}
	s.armArrival()
}

// follow submits the next job of a serial run after one that is over.
func (s *Sim) follow() {
	step := s.cfg.serial
	if step == 0 || int(s.next) >= len(s.arrivals) {
		return
	}
	j, at := s.arrivals[s.next], ((s.now+aloneRest)/step+1)*step
	s.comes(j, at)
}
