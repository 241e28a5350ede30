package yarn

import (
	"cmp"

	"schedtune/simcore"
)

// How an application master handles containers that it lost, after
// RMContainerAllocator.getResources of Hadoop 3.4.1: it learns of them from the response to its
// next heartbeat, and requests new ones with the heartbeat after that.

// miss is a task to run again.
type miss struct {
	task int32
	kind uint8        // map, reduce, or failedMap for a map at the priority of failed ones
	wait simcore.Time // from learning of the loss to running the task again
	due  simcore.Time // end of the wait; 0 = the master does not know yet
}

// missed records that a task's container is lost. A task of a lost node is
// requested like a failed map (handleUpdatedNodes). The master first stops the
// container; if the machine does not answer, it tries for as long as NMProxy does.
func (s *Sim) missed(c *slot) {
	m := &s.jobs[c.job]
	x := miss{task: c.task, kind: c.kind}
	if n := &s.nodes[c.node]; n.lost {
		if x.kind == mapContainer {
			x.kind = failedMapContainer
		}
		if n.dead {
			x.wait = cmp.Or(s.elastic.plan.Unreachable, simcore.DefaultUnreachable)
		}
	}
	m.misses = append(m.misses, x)
}

// hearMissed handles the losses since the last heartbeat.
func (s *Sim) hearMissed(m *master) {
	for i := range m.misses {
		if x := &m.misses[i]; x.due == 0 {
			x.due = max(s.now+x.wait, 1)
		}
	}
}

// runMissed requests containers for tasks whose containers the master knows to be lost.
func (s *Sim) runMissed(j int32, m *master) {
	keep := m.misses[:0]
	for _, x := range m.misses {
		if x.due == 0 || x.due > s.now {
			keep = append(keep, x)
			continue
		}
		s.rec.Pending(simcore.JobID(j), 1)
		switch x.kind {
		case reduceContainer:
			m.pend.push(s.ringAt(j, 0), x.task)
			m.recalc = true
		case failedMapContainer:
			s.rerunMap(m, x.task)
		default:
			s.again(j, x.task)
		}
	}
	m.misses = keep
}

// again returns a killed map to its rows as if it had never run.
func (s *Sim) again(j, task int32) {
	m := &s.jobs[j]
	g := s.plan.mapBase[j] + task
	s.mapDone[g] = false
	s.mapWaits(m)
	m.nextMap = min(m.nextMap, task)
	s.bumpRow(m, s.plan.rowBase[j], 1)
	for _, r := range s.plan.rowsOf(g) {
		s.bumpRow(m, r, 1)
		s.rowNext[r] = s.plan.rowTaskAt[r]
	}
}

// bumpRow changes the number of containers that a row requests.
func (s *Sim) bumpRow(m *master, r, by int32) {
	s.rowLeft[r] += by
	s.touchRow(m, r)
}
