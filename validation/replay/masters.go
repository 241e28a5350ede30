package replay

import (
	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// Where every call of every application master is recorded, as in a run of Spark
// applications, decisions are compared without the logs of masters.

// MasterCall is a call of an application master (ApplicationMasterProtocol.allocate).
type MasterCall struct {
	Job     int32 // among Run.Jobs
	At      simcore.Time
	Asks    []yarn.Ask // Where is yarn.AnyPlace, -1-i for node i, or -1-n for the rack of n nodes
	Release []*Container
}

// Settled is when the calls of a run were made, in the order that explains most
// decisions: equal milliseconds, and calls of different processes up to the
// resolution of the records, leave several. Times of one list ascend, and none is
// twice in all of them.
type Settled struct {
	Decisions *Decisions
	Submitted []simcore.Time   // by job, its first attempt
	Calls     [][]simcore.Time // by job
	Beats     [][]simcore.Time // by node
	// Ends are instants between the heartbeat that brought the end of a container, or that of its
	// process where that came later, and the one before it of its node.
	Ends  map[*Container]simcore.Time
	steps []step
}

// Settle plays the calls into a fresh scheduler, with the run's applications and
// heartbeats, and compares the containers that it allocates; the preemption policy
// ends those of killed at their instants Over. The run needs Dir,
// Nodes, Jobs with their containers in the order of their numbers, Beats and
// Queues; the ids of its jobs are job_STAMP_NUMBER. Errors: no heartbeats; a queue
// file or an application that the scheduler refuses; an unreadable log.
func (r *Run) Settle(calls []MasterCall, killed []*Container) (*Settled, error) {
	for i := range r.Jobs {
		r.Jobs[i].stamp, r.Jobs[i].number = jobNumber(r.Jobs[i].ID)
	}
	return r.judged(func(rounds bool, t0 int64) ([]step, []string, error) {
		steps, err := r.applicationSteps(t0)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range calls {
			steps = append(steps, step{at: c.At, kind: stepAsk, job: c.Job, asks: c.Asks, release: c.Release})
		}
		for _, c := range killed {
			steps = append(steps, step{at: c.Over, kind: stepKill, release: []*Container{c}})
		}
		steps, err = r.nodeSteps(steps, rounds, t0)
		return steps, nil, err
	})
}

// settled reads the times of the calls off the steps in the order played; equal
// times are moved a microsecond apart.
func (r *Run) settled(steps []step, decisions *Decisions) *Settled {
	s := &Settled{Decisions: decisions, steps: steps, Submitted: make([]simcore.Time, len(r.Jobs)),
		Calls: make([][]simcore.Time, len(r.Jobs)), Beats: make([][]simcore.Time, len(r.Nodes)), Ends: ends(steps)}
	for i := range steps {
		x := &steps[i]
		if i > 0 {
			x.at = max(x.at, steps[i-1].at+simcore.Microsecond)
		}
		switch {
		case x.kind == stepSubmit && x.try == 0:
			s.Submitted[x.job] = x.at
		case x.kind == stepAsk:
			s.Calls[x.job] = append(s.Calls[x.job], x.at)
		case x.kind == stepBeat:
			s.Beats[x.node] = append(s.Beats[x.node], x.at)
		}
	}
	return s
}
