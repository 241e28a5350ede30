package sparkreplay

import (
	"cmp"
	"slices"

	"schedtune/simcore/yarn"
	"schedtune/simcore/yarn/spark"
	"schedtune/validation/replay"
)

// What the scheduler decided, one step at a time: given the recorded heartbeats
// of nodes, calls of masters, kills and ends, is each container allocated on the
// same node at the same heartbeat?

// Decisions plays the recorded calls into the scheduler. It also says in which
// order calls that the records leave open explain most decisions.
func (r *Run) Decisions() (_ *replay.Settled, err error) {
	if r.settled != nil {
		return r.settled, nil
	}
	var calls []replay.MasterCall
	var killed []*replay.Container
	for i, a := range r.Apps {
		calls = append(calls, r.masterCalls(int32(i))...)
		for _, c := range a.Containers {
			if c.End == "killed" && c.Exit == preempted {
				killed = append(killed, c)
			}
		}
	}
	slices.SortStableFunc(killed, func(a, b *replay.Container) int { return cmp.Compare(a.Over, b.Over) })
	r.settled, err = r.Settle(calls, killed)
	return r.settled, err
}

// masterCalls are the calls of an application's master.
func (r *Run) masterCalls(app int32) (list []replay.MasterCall) {
	a := r.Apps[app]
	at := a.handled()
	for i := range a.Calls {
		call := replay.MasterCall{Job: app, At: at[i]}
		for _, x := range a.Asks {
			switch {
			case x.Response != a.Calls[i].Response:
			case x.Kind == "ASK" && x.MiB > 0 && x.Count >= 0:
				size := yarn.Resource{Memory: x.MiB, VCores: x.VCores}
				call.Asks = append(call.Asks, yarn.Ask{Priority: x.Priority, Size: size, Count: x.Count, Where: r.yarnPlace(x.At),
					Strict: !x.Relax})
			case x.Kind == "RELEASE":
				if c := a.Container(x.Container); c != nil {
					call.Release = append(call.Release, c)
				}
			}
		}
		list = append(list, call)
	}
	return list
}

// yarnPlace is the place of an ask as replay.MasterCall has it.
func (r *Run) yarnPlace(at int32) yarn.Place {
	switch {
	case at == spark.AnyHost:
		return yarn.AnyPlace
	case at < 0:
		at = int32(len(r.Nodes))
	}
	return yarn.Place(-1 - at)
}
