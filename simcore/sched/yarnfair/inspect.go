package yarnfair

import (
	"schedtune/fairconf"
	"schedtune/simcore/yarn"
)

// QueueFigures are a queue's settings as they are in force, and its running
// figures.
type QueueFigures struct {
	Path          string // root.a.b
	Leaf, Dynamic bool   // Dynamic: created on first use
	Policy        fairconf.Policy
	Weight        float32           // among its siblings
	Min, Max      fairconf.Resource // Max on the present cluster
	MaxContainer  fairconf.Resource
	MaxApps       int     // running applications
	MaxAMShare    float32 // of its fair share that masters may use; negative = no limit
	MinTimeout    int64   // milliseconds, as the next
	FairTimeout   int64
	FairThreshold float32 // part of the fair share below which it is starved
	Preemptable   bool    // other queues may take from it
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
		out[i] = QueueFigures{
			Path: q.path, Leaf: q.leaf, Dynamic: q.dynamic, Policy: q.policy, Weight: q.weight, Min: q.min, Max: q.max,
			MaxContainer: q.largestContainer(), MaxApps: q.maxApps, MaxAMShare: q.maxAMShare,
			MinTimeout: q.starve.minTimeout, FairTimeout: q.starve.fairTimeout, FairThreshold: q.starve.threshold,
			Preemptable: q.starve.preemptable,
			Used:        q.used, Demand: q.demand, Fair: q.fair, Steady: q.steady, AMUsed: q.amUsed,
			Active: q.Running, Waiting: len(q.Held),
		}
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
