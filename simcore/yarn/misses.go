package yarn

import "schedtune/simcore"

// What an application master hears of containers that were taken from it, after
// RMContainerAllocator.getResources of Hadoop 3.4.1: the answer to its next heartbeat
// tells it, and what it asks for again goes out with the one after that.

// miss is a task to run again.
type miss struct {
	task int32
	kind uint8        // map0, reduce, or failedMap for a map at the priority of failed ones
	wait simcore.Time // from hearing of it to running it again
	due  simcore.Time // when that is over; 0 = not heard of yet
}

// missed notes that a task's container is gone. What ran on a node that is lost is
// asked for like a failed map (handleUpdatedNodes). The master first stops the
// container, and where nobody answers it tries for as long as NMProxy does.
func (s *Sim) missed(c *slot) {
	m := &s.jobs[c.job]
	x := miss{task: c.task, kind: c.kind}
	if n := &s.nodes[c.node]; n.lost {
		if x.kind == mapContainer {
			x.kind = failedMapContainer
		}
		if n.dead {
			x.wait = s.elastic.unreachable()
		}
	}
	m.misses = append(m.misses, x)
}

// unreachable is how long a master tries to stop a container of a lost node.
func (e *elastic) unreachable() simcore.Time {
	if e.plan.Unreachable > 0 {
		return e.plan.Unreachable
	}
	return simcore.DefaultUnreachable
}

// hearMissed takes note of what was lost since the last heartbeat.
func (s *Sim) hearMissed(m *master) {
	for i := range m.misses {
		if x := &m.misses[i]; x.due == 0 {
			x.due = max(s.now+x.wait, 1)
		}
	}
}

// runMissed asks again for tasks whose containers are known to be over.
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
			s.rerunMap(j, x.task)
		default:
			s.again(j, x.task)
		}
	}
	m.misses = keep
}

// again puts a killed map back on its rows as if it had never run.
func (s *Sim) again(j, task int32) {
	m := &s.jobs[j]
	g := s.plan.mapBase[j] + task
	s.mapDone[g] = false
	s.mapWaits(m)
	m.nextMap = min(m.nextMap, task)
	s.bumpRow(m, s.plan.rowBase[j])
	if !s.plan.local {
		return
	}
	for _, r := range s.plan.mapRows[s.plan.mapRowAt[g]:s.plan.mapRowAt[g+1]] {
		s.bumpRow(m, r)
		s.rowNext[r] = s.plan.rowMapAt[r]
	}
}

// bumpRow has a row ask for one container more.
func (s *Sim) bumpRow(m *master, r int32) {
	s.rowLeft[r]++
	s.touchRow(m, r)
}
