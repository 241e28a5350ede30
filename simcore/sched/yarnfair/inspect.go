package yarnfair

import (
	"schedtune/fairconf"
	"schedtune/simcore/yarn"
)

// QueueFigures are a queue's settings as they are in force, and its running
// figures.
type QueueFigures struct {
	Path           string            // root.a.b
	Leaf, Dynamic  bool              // Dynamic: created on first use
	fairconf.Queue                   // settings, with what the parents say where the queue says nothing
	Limit          fairconf.Resource // Max on the present cluster
	// of containers; Demand is what it would use, Fair and Steady its instantaneous and steady shares, AMUsed
	// what masters use
	Used, Demand, Fair, Steady, AMUsed fairconf.Resource
	Active, Waiting                    int // applications; Waiting of leaves only
}

// Queues returns the figures of all queues, sorted by path.
func (s *Scheduler) Queues() []QueueFigures {
	qs := s.sortedQueues()
	out := make([]QueueFigures, len(qs))
	for i, q := range qs {
		out[i] = QueueFigures{Path: q.path, Leaf: q.leaf, Dynamic: q.dynamic, Queue: q.conf, Limit: q.max, Used: q.used,
			Demand: q.demand, Fair: q.fair, Steady: q.steady, AMUsed: q.amUsed, Active: q.Running, Waiting: len(q.Held)}
		out[i].Policy, out[i].MaxContainer = q.policy, q.largestContainer()
	}
	return out
}

// AppFigures are an application's running figures.
type AppFigures struct {
	Queue string // path
	// or never known; Runnable as opposed to waiting for a limit on applications
	Ended, Runnable bool
	// of containers; Demand is what it would use, Fair its share of the cluster
	Used, Reserved, Demand, Fair fairconf.Resource
}

// App returns the figures of an application.
func (s *Scheduler) App(id yarn.AppID) AppFigures {
	a := s.lookUp(id)
	if a == nil {
		return AppFigures{Ended: true}
	}
	return AppFigures{Queue: a.queue.path, Ended: a.ended, Runnable: a.runnable, Used: a.used, Reserved: a.reserved,
		Demand: a.demand, Fair: a.fair}
}
