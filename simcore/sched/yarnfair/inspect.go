package yarnfair

import (
	"schedtune/fairconf"
	"schedtune/simcore/yarn"
)

// QueueFigures are a queue's settings as they are in force, and its running
// figures.
type QueueFigures struct {
	Path          string
	Leaf, Dynamic bool // Dynamic: made on first use
	Policy        fairconf.Policy
	Weight        float32
	Min, Max      res // Max on the present cluster
	MaxContainer  res
	MaxApps       int
	MaxAMShare    float32
	MinTimeout    int64 // milliseconds, as the next
	FairTimeout   int64
	FairThreshold float32
	Preemptable   bool

	Used, Demand, Fair, Steady, AMUsed res
	Active, Waiting                    int // applications; Waiting of leaves only
}

// Queues returns the figures of all queues, sorted by path.
func (s *Scheduler) Queues() []QueueFigures {
	qs := s.sortedQueues()
	out := make([]QueueFigures, len(qs))
	for i, q := range qs {
		out[i] = QueueFigures{
			Path: q.path, Leaf: q.leaf, Dynamic: q.dynamic, Policy: q.policy, Weight: q.weight, Min: q.min, Max: q.max,
			MaxContainer: q.largestContainer(), MaxApps: q.maxApps, MaxAMShare: q.maxAMShare,
			MinTimeout: q.starve.minTimeout, FairTimeout: q.starve.fairTimeout, FairThreshold: q.starve.threshold, Preemptable: q.starve.preemptable,
			Used: q.used, Demand: q.demand, Fair: q.fair, Steady: q.steady, AMUsed: q.amUsed,
			Active: q.running, Waiting: len(q.waiting),
		}
	}
	return out
}

// AppFigures are an application's running figures.
type AppFigures struct {
	Queue                        string
	Ended, Runnable              bool
	Used, Reserved, Demand, Fair res
}

// App returns the figures of an application.
func (s *Scheduler) App(id yarn.AppID) AppFigures {
	a := s.lookUp(id)
	if a == nil {
		return AppFigures{Ended: true}
	}
	return AppFigures{Queue: a.queue.path, Ended: a.ended, Runnable: a.runnable, Used: a.used, Reserved: a.reserved, Demand: a.demand, Fair: a.fairShare()}
}
