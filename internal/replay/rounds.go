package replay

import (
	"cmp"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
)

// With asynchronous scheduling (yarn.scheduler.capacity.schedule-asynchronously)
// a heartbeat only brings a node's state up to date; the ResourceManager's threads
// propose containers between heartbeats, and the instants of their commits are
// those of the containers' allocation in its log. Two things are compared: given
// the node of each commit, is the container the same one; and where nothing is
// recorded for long enough that a thread has passed all nodes, is there nothing
// to allocate.

// commits are the recorded allocations, in the order of the log.
func (r *Run) commits() []step {
	var steps []step
	for i := range r.Jobs {
		for k := range r.Jobs[i].Containers {
			if c := &r.Jobs[i].Containers[k]; c.Node >= 0 && c.Allocated != simcore.Never {
				steps = append(steps, step{at: c.Allocated, kind: stepCommit, node: c.Node, expected: []*Container{c}})
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	return steps
}

// quiet puts a round that comes to nothing into every gap in which no delay of a
// loaded machine (slowestBeat) can have kept a thread from passing all nodes, and
// which is longer than what calls may be noted too late.
func quiet(steps []step) []step {
	out := make([]step, 0, 2*len(steps))
	for i, s := range steps {
		if i > 0 && s.at-steps[i-1].at > slowestBeat+resolution {
			out = append(out, step{at: steps[i-1].at + slowestBeat, kind: stepQuiet})
		}
		out = append(out, s)
	}
	return out
}

// commit has the threads look at one node once, and commit what they propose.
func (d *decider) commit(s *step, dst []yarn.Event) []yarn.Event {
	node, start := d.nodes[s.node], 0
	walk := d.sched.Walk(nil)
	if len(walk) > 1 && walk[0] == node { // a round visits the node it starts from again at its end
		start = 1
	}
	return d.sched.Round(start, 0, func(id yarn.NodeID) bool { return id != node }, dst)
}
