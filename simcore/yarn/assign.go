package yarn

import "slices"

// How a MapReduce master handles the response to its heartbeat: completed and allocated containers
// (RMContainerAllocator.ScheduledRequests).

// hear handles completed containers (RMContainerAllocator.getResources), except those that still
// have a slot: they are reported when their process has ended.
func (s *Sim) hear(m *master) {
	m.recalc = true
	for _, ord := range s.resp.Completed {
		if int(ord) >= len(m.ords) || m.ords[ord] >= 0 {
			continue
		}
		switch uint8(m.ords[ord] - gone) { // its kind replaces its slot
		case mapContainer, failedMapContainer:
			m.runMaps--
		case reduceContainer:
			m.runReds--
		}
	}
}

// assign gives the allocated containers to tasks: reduces and failed maps in order, maps first
// by node, then by rack, then in order (assignContainers, assignMapsWithLocality).
// Containers without a task are released with the next ask; there may be some for reduces, since
// a request may have changed in the meantime.
func (s *Sim) assign(j int32, m *master) {
	if len(s.resp.Granted) == 0 {
		return
	}
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

// runFailedMap gives a container to the first failed map.
func (s *Sim) runFailedMap(m *master, sl int32) {
	t := m.failed[0]
	m.failed = slices.Delete(m.failed, 0, 1)
	m.errDirty = true
	m.waitMaps--
	m.runMaps++
	s.launch(sl, t)
}

// assignMaps gives the containers in s.spare to maps near their input, then to the next map, or to
// failed ones.
func (s *Sim) assignMaps(j int32, m *master) {
	if s.plan.local {
		s.assignNear(j, m, false)
		if s.cfg.Policies.Maps != nil {
			s.refuseFar(j, m)
		}
		s.assignNear(j, m, true)
	}
	taken := s.mapDone[s.plan.mapBase[j]:s.plan.mapBase[j+1]]
	for _, sl := range s.spare {
		if t := m.firstMap(taken); t >= 0 {
			s.runMap(j, m, sl, t)
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
		at := s.slots.all[sl].node
		if byRack { // as in plan.rowAt
			at = -2 - s.cluster.Nodes[at].Rack
		}
		t := int32(-1)
		if r := s.plan.findRow(j, at); r >= 0 {
			t = s.nextOfRow(j, r)
		}
		if t >= 0 {
			s.runMap(j, m, sl, t)
		} else {
			rest = append(rest, sl)
		}
	}
	s.spare = rest
}

// nextOfRow returns the row's first map without a container, -1 if there is none.
func (s *Sim) nextOfRow(j, r int32) int32 {
	end := s.plan.rowTaskAt[r+1]
	for i := s.rowNext[r]; i < end; i++ {
		if g := s.plan.rowTasks[i]; !s.mapDone[g] {
			s.rowNext[r] = i + 1
			return g - s.plan.mapBase[j]
		}
	}
	s.rowNext[r] = end
	return -1
}

// firstMap returns the job's first map without a container, -1 if there is none.
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

// runMap gives a map its first container. The map no longer counts in its rows: "*", and those of
// its hosts and racks.
func (s *Sim) runMap(j int32, m *master, sl, t int32) {
	g := s.plan.mapBase[j] + t
	s.mapDone[g] = true
	m.waitMaps--
	m.runMaps++
	s.bumpRow(m, s.plan.rowBase[j], -1)
	for _, r := range s.plan.rowsOf(g) {
		s.bumpRow(m, r, -1)
	}
	s.launch(sl, t)
}

// giveBack releases a container with the next ask, when the scheduler has its space, and closes
// its account at once.
func (s *Sim) giveBack(m *master, sl int32) {
	c := &s.slots.all[sl]
	m.release, m.backTo = append(m.release, c.ord), append(m.backTo, c.node)
	m.ords[c.ord] = gone | int32(masterContainer)
	s.times[c.job].Given++
	s.release(sl, c)
}
