package capacity

import (
	"fmt"

	"schedtune/simcore/internal/kernel"
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

// Containers and applications that were there before the run began.

// Adopt books a container that runs already, outside any heartbeat, as a
// ResourceManager takes back those that its nodes report after a restart
// (AbstractYarnScheduler.recoverContainersOnNode): limits are not asked. The first
// of an application is its master, which makes the application active whatever the
// limits on masters say; the application knows all of them. It returns the
// container's ordinal. Errors: an application or node that is not there, more than
// the node has left.
func (s *Scheduler) Adopt(id yarn.AppID, on yarn.NodeID, priority int32, size yarn.Resource) (int32, error) {
	a := s.lookUp(id)
	if a == nil || a.ended || int(on) >= len(s.nodes) || on < 0 || s.nodes[on].lost {
		return 0, fmt.Errorf("application %d on node %d: no such application or node", id, on)
	}
	s.settle()
	n := s.nodes[on]
	if r := res(size); !s.fits(r, n.free) {
		return 0, fmt.Errorf("application %s: a container of %d MiB and %d cores runs on a node with %d MiB and %d "+
			"cores left", a.name, r.Memory, r.VCores, n.free.Memory, n.free.VCores)
	}
	s.epoch++
	k := a.key(0, -1) // its master is asked for since Submit
	if a.master != nil {
		// Any other container is asked for here, and so taken as if it had been allocated.
		k = a.key(priority, 0)
		s.update(a, k, k.Again(yarn.AnyPlace, requests.Kept{Size: res(size)}), n.part)
	} else {
		s.admitted(a)
	}
	ordinal := s.apply(&proposal{app: a, key: k, node: n, size: res(size), loc: offSwitch, part: n.part})
	c := s.container(a, ordinal)
	if c.am { // handed over at once, not at the end of a heartbeat
		s.mastersMade = s.mastersMade[:0]
		s.fetchMaster(c)
	}
	c.acquired = true
	a.granted = a.granted[:0]
	return ordinal, nil
}

// Activate makes an application active that waits for the limits on masters, as one
// that the ResourceManager has let pass earlier.
func (s *Scheduler) Activate(id yarn.AppID) {
	if a := s.lookUp(id); a != nil && !a.ended {
		s.settle()
		s.epoch++
		s.admitted(a)
	}
}

// admitted makes an application run and active.
func (s *Scheduler) admitted(a *app) {
	q := a.queue
	if !a.runnable {
		s.users.Drop(a)
		s.runNow(a)
	}
	if !a.activated {
		q.waiting = kernel.Remove(q.waiting, a)
		s.activate(q, s.getUser(q, a.slot), a)
	}
}
