package yarn

import "schedtune/simcore"

// What a master of MapReduce does with what it hears: containers that ended, containers it
// was granted (RMContainerAllocator.ScheduledRequests).

// hear takes note of containers that ended (RMContainerAllocator.getResources).
func (s *Sim) hear(m *master) {
	m.recalc = true
	for _, ord := range s.resp.Completed {
		if int(ord) >= len(m.ords) || m.ords[ord] >= 0 {
			continue // still in a slot: reported when its process is gone
		}
		switch uint8(m.ords[ord] - gone) { // its kind stands in place of its slot
		case mapContainer, failedMapContainer:
			m.runMaps--
		case reduceContainer:
			m.runReds--
		}
	}
}

// assign hands the granted containers to tasks: reduces and re-runs as they come, maps first
// by node, then by rack, then to whoever is next (assignContainers, assignMapsWithLocality).
// What nobody needs is given back with the next ask.
func (s *Sim) assign(j int32, m *master) {
	if len(s.resp.Granted) == 0 {
		return
	}
	// Containers for reduces beyond those asked for may come: the ask changed on its way.
	s.spare = s.spare[:0]
	reds := m.asked.n
	for _, ord := range s.resp.Granted {
		if int(ord) >= len(m.ords) || m.ords[ord] < 0 {
			continue
		}
		sl := m.ords[ord]
		switch s.slots.all[sl].kind {
		case reduceContainer:
			if reds--; reds < 0 {
				s.giveBack(m, sl)
				continue
			}
			t := m.asked.pop(s.ringAt(j, 1))
			m.redDirty = true
			if s.cfg.Speculate && s.redDone[s.plan.redBase[j]+t] { // its other attempt was faster
				s.rec.Pending(simcore.JobID(j), -1)
				s.giveBack(m, sl)
				continue
			}
			m.runReds++
			s.launch(sl, t)
		case failedMapContainer:
			if len(m.failed) == 0 {
				s.giveBack(m, sl)
				continue
			}
			s.runFailedMap(m, sl)
		case mapContainer:
			s.spare = append(s.spare, sl)
		}
	}
	s.assignMaps(j, m)
}

// runFailedMap gives a container to the first map that is to run again.
func (s *Sim) runFailedMap(m *master, sl int32) {
	t := m.failed[0]
	m.failed = m.failed[:copy(m.failed, m.failed[1:])]
	m.errDirty = true
	m.waitMaps--
	m.runMaps++
	s.launch(sl, t)
}

// assignMaps hands out the containers in s.spare.
func (s *Sim) assignMaps(j int32, m *master) {
	if s.plan.local {
		s.assignNear(j, m, false)
		if s.cfg.Policies.Maps != nil {
			s.refuseFar(j, m)
		}
		s.assignNear(j, m, true)
	}
	// The rest go to whoever is next: a map, a second attempt, a map that is to run again.
	taken := s.mapDone[s.plan.mapBase[j]:s.plan.mapBase[j+1]]
	for _, sl := range s.spare {
		if t := m.firstMap(taken); t >= 0 {
			s.runMap(j, m, sl, t)
		} else if len(m.copies) > 0 {
			s.runCopy(j, m, sl)
		} else if len(m.failed) > 0 {
			s.runFailedMap(m, sl)
		} else {
			s.giveBack(m, sl)
		}
	}
}

// assignNear gives containers to maps that name their node, or its rack.
func (s *Sim) assignNear(j int32, m *master, byRack bool) {
	rest := s.spare[:0]
	for _, sl := range s.spare {
		t := int32(-1)
		at := s.slots.all[sl].node
		if byRack { // places of racks in plan.rowAt
			at = -2 - s.cluster.Nodes[at].Rack
		}
		if r := s.plan.findRow(j, at); r >= 0 {
			t = s.nextOfRow(j, r)
		}
		if t < 0 {
			rest = append(rest, sl)
			continue
		}
		s.runMap(j, m, sl, t)
	}
	s.spare = rest
}

// nextOfRow returns the row's first map without a container, -1 if none.
func (s *Sim) nextOfRow(j, r int32) int32 {
	end := s.plan.rowMapAt[r+1]
	for i := s.rowNext[r]; i < end; i++ {
		t := s.plan.rowMaps[i]
		if !s.mapDone[s.plan.mapBase[j]+t] {
			s.rowNext[r] = i + 1
			return t
		}
	}
	s.rowNext[r] = end
	return -1
}

// firstMap is the job's first map without a container, -1 if none.
func (m *master) firstMap(taken []bool) int32 {
	t := int(m.nextMap)
	for t < len(taken) && taken[t] {
		t++
	}
	if m.nextMap = int32(t); t == len(taken) {
		return -1
	}
	return m.nextMap
}

// runMap gives a map its first container and takes it off its rows.
func (s *Sim) runMap(j int32, m *master, sl, t int32) {
	g := s.plan.mapBase[j] + t
	s.mapDone[g] = true
	m.waitMaps--
	m.runMaps++
	any := s.plan.rowBase[j] // each map counts in "*", and in the rows of its hosts and racks
	s.rowLeft[any]--
	s.touchRow(m, any)
	if s.plan.local {
		for _, r := range s.plan.mapRows[s.plan.mapRowAt[g]:s.plan.mapRowAt[g+1]] {
			s.rowLeft[r]--
			s.touchRow(m, r)
		}
	}
	s.launch(sl, t)
}

// giveBack gives a container back with the next ask. Its space is the scheduler's then, but
// it is out of the books at once.
func (s *Sim) giveBack(m *master, sl int32) {
	c := &s.slots.all[sl]
	m.release, m.backTo = append(m.release, c.ord), append(m.backTo, c.node)
	m.ords[c.ord] = gone | int32(masterContainer) // its end is nobody's
	s.times[c.job].Given++
	s.release(sl, c)
}
