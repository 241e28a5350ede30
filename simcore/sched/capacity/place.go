package capacity

// From an application to a container on a node: its request keys in order, for each the
// localities, for each the choice between allocating and reserving
// (RegularContainerAllocator).

// verdict is what a look at a request key on a node came to (AllocationState).
type verdict uint8

const (
	keySkipped   verdict = iota // try the application's next key (PRIORITY_SKIPPED)
	appSkipped                  // try the next application (APP_SKIPPED)
	leafSkipped                 // the queue has no headroom: end of the leaf's turn (QUEUE_SKIPPED)
	levelSkipped                // not at this locality (LOCALITY_SKIPPED)
	allocates                   // (ALLOCATED)
	reserves                    // (RESERVED)
)

// assignApp tries the keys of an application in order, on a node or, without one (n nil), on
// all that are offered together (FiCaSchedulerApp.assignContainers,
// RegularContainerAllocator.assignContainers). A key that waits for its locality ends it:
// later keys do not overtake it.
func (s *Scheduler) assignApp(a *app, n *node, lim *limits) outcome {
	for i := range a.keys {
		k := &a.keys[i]
		if !k.listed {
			continue
		}
		s.async.counting.comesTo(k)
		var v verdict
		if n == nil {
			v = s.tryNodes(a, k, lim)
		} else {
			v = s.precheck(a, k, n.part, lim)
			if v == allocates {
				v = s.tryOnNode(a, k, n, lim, nil)
			}
		}
		s.diagnosis.atKey(s, a, k, n, lim, v)
		switch v {
		case keySkipped:
			continue
		case leafSkipped:
			return queueLimit
		case allocates, reserves:
			if s.settleOpportunities(k); n == nil && k.missed == 0 {
				s.async.counting.restarted(k)
			}
			return found
		}
		return skipped
	}
	return skipped
}

// precheck tests what does not depend on the node: outstanding asks, enough reservations
// already, headroom of the queue (RegularContainerAllocator.preCheckForNodeCandidateSet). It
// returns allocates to go on.
func (s *Scheduler) precheck(a *app, k *reqKey, part int32, lim *limits) verdict {
	offered := part
	if s.rules.CheckedBeforeNodes {
		offered = s.part // that the nodes are listed in: one may have another label by now
	}
	v := s.checkRequest(a, k, offered, lim)
	if v == allocates && s.rules.CheckedBeforeNodes && k.label != s.askingOn(part) {
		return keySkipped
	}
	return v
}

// checkRequest is precheck without the test of the label where rules make that one last, on
// each node (YARN-11798). With continue-looking on, what the application has reserved counts
// as room, since it could be given back (checkHeadroom).
func (s *Scheduler) checkRequest(a *app, k *reqKey, part int32, lim *limits) verdict {
	if k.Outstanding() <= 0 {
		return keySkipped
	}
	if s.labelled() {
		if s.shared && a.master == nil && !a.unmanaged && !s.conf.SharedForMasters {
			return appSkipped
		}
		if !s.rules.CheckedBeforeNodes && k.label != s.askingOn(part) {
			return keySkipped
		}
	}
	room := lim.headroom
	if s.conf.ContinueLooking {
		room = room.Add(a.at(part).reserved)
	} else if !s.wantsMore(a, k, k.Any.Size) {
		return keySkipped
	}
	if s.rules.HeadroomByDominant && s.calc.Compare(s.cluster, room, k.Any.Size) < 0 || !s.rules.HeadroomByDominant &&
		!s.fits(k.Any.Size, room) {
		return leafSkipped
	}
	if s.labelled() && !s.countPlain(k) {
		return appSkipped
	}
	return allocates
}

// tryOnNode counts a scheduling opportunity and tries the localities
// (RegularContainerAllocator.tryAllocateOnNode, allocate). A key that is passed over for the
// next one gets its opportunity back. resv is the node's reservation, where that is to be
// filled.
func (s *Scheduler) tryOnNode(a *app, k *reqKey, n *node, lim *limits, resv *container) verdict {
	s.nodeMattered = true
	s.walked.keys++
	k.missed++
	v := s.localities(a, k, n, lim, resv)
	if v == keySkipped && resv == nil {
		k.missed--
	} else {
		s.changed = true
		s.async.counting.counted(k, countMissed)
	}
	return v
}

// anywhere reports whether a key asks for any place and no other.
func (k *reqKey) anywhere() bool {
	return k.Unique == 1 && len(k.Places) == 0 && k.Any.Present && k.Any.Count > 0 && !k.Any.Strict
}

// lenient reports whether no row of a key is strict and all are of one size: then
// no place makes it be passed over for the next.
func (k *reqKey) lenient() bool {
	if !k.Any.Present || k.Any.Strict {
		return false
	}
	for i := range k.Places {
		if r := &k.Places[i]; r.Present && (r.Strict || r.Size != k.Any.Size) {
			return false
		}
	}
	return true
}

// localities tries node, rack and off-switch in turn
// (RegularContainerAllocator.assignContainersOnNode). The opportunity counter includes the
// present one.
func (s *Scheduler) localities(a *app, k *reqKey, n *node, lim *limits, resv *container) verdict {
	rack := k.At(n.rack)
	if local := k.At(n.place); local.Asks() > 0 && rack.Asks() > 0 {
		if v := s.fit(a, k, n, lim, resv, local.Size, nodeLocal); v >= allocates {
			return v
		}
	}
	if rack.Asks() > 0 {
		if rack.Strict {
			return keySkipped
		}
		if s.delayOver(k, min(s.liveNodes, s.conf.NodeLocalityDelay)) {
			if v := s.fit(a, k, n, lim, resv, rack.Size, rackLocal); v >= allocates {
				return v
			}
		}
	}
	if k.Outstanding() <= 0 || k.Any.Strict {
		return keySkipped
	}
	if !s.offSwitchAllowed(k, resv) {
		return appSkipped
	}
	if v := s.fit(a, k, n, lim, resv, k.Any.Size, offSwitch); v != levelSkipped {
		return v
	}
	return appSkipped
}

// offSwitchAllowed applies the delay before a key leaves its racks
// (RegularContainerAllocator.canAssign): node-locality-delay and
// rack-locality-additional-delay where that is set, else as many opportunities as
// containers are asked for, scaled by how many places are asked for over the nodes
// (getLocalityWaitFactor); never more than there are nodes.
func (s *Scheduler) offSwitchAllowed(k *reqKey, resv *container) bool {
	switch {
	case resv != nil:
		return true
	case s.liveNodes == 0:
		return false
	case k.Unique == 1:
		return true
	case s.conf.RackExtraDelay > -1:
		return s.delayOver(k, min(s.liveNodes, s.conf.NodeLocalityDelay+s.conf.RackExtraDelay))
	}
	factor := min(float32(max(k.Unique-1, 0))/float32(s.liveNodes), 1)
	delay := min(float32(s.liveNodes), float32(k.Outstanding())*factor)
	if delay < float32(k.missed) {
		return true
	}
	s.async.counting.below(k, countMissed, int(delay))
	return false
}

// delayOver reports whether a key has passed over more opportunities than a delay.
func (s *Scheduler) delayOver(k *reqKey, delay int) bool {
	if k.missed > delay {
		return true
	}
	s.async.counting.below(k, countMissed, delay)
	return false
}

// fit decides between allocating and reserving at one locality and leaves the proposal in
// s.prop (RegularContainerAllocator.assignContainer). With continue-looking on, an
// application over the queue's or its user's limit has to give a reservation of the key
// back for a container, and may not reserve.
func (s *Scheduler) fit(a *app, k *reqKey, n *node, lim *limits, resv *container, size res, loc uint8) verdict {
	if !s.fits(size, n.total) {
		return levelSkipped
	}
	more := resv != nil || len(k.reservations) == 0 && k.Any.Present && k.Any.Count > 0 || s.wantsMore(a, k, size)
	give := s.larger(size.Sub(lim.headroom), lim.unreserve)
	mustGive := s.calc.AboveZero(give)
	s.begin(a, k, n, resv, size, loc)
	room := s.holds(n.free, size)
	if !room && lim.kill && s.holdsNone(n.free, size) {
		room = s.makeRoom(n, size)
	}
	if room {
		if resv == nil && s.conf.ContinueLooking && (!more || mustGive) {
			if !mustGive {
				give = size
			}
			if s.prop.giveBack = s.toUnreserve(k, give); s.prop.giveBack == nil {
				return levelSkipped
			}
		}
		return allocates
	}
	if !more && resv == nil || s.conf.ContinueLooking && resv == nil && mustGive {
		return levelSkipped
	}
	s.prop.reserve = true
	return reserves
}

// begin makes the proposal at hand one of an allocation, from a reservation where resv is one.
func (s *Scheduler) begin(a *app, k *reqKey, n *node, resv *container, size res, loc uint8) {
	p := &s.prop
	p.app, p.key, p.node, p.from, p.giveBack = a, k, n, resv, nil
	p.size, p.loc, p.part, p.shared, p.reserve, p.kills, p.number = size, loc, n.part, s.shared, false, false, 0
}

// countPlain counts an opportunity of a key without label
// (addMissedNonPartitionedRequestSchedulingOpportunity) and reports whether the key may go
// on: only after as many as there are nodes may it have idle resources of a shared partition.
func (s *Scheduler) countPlain(k *reqKey) bool {
	missed := 0
	if k.label == 0 {
		k.missedPlain++
		s.changed, s.nodeMattered = true, true
		missed = k.missedPlain
		s.async.counting.counted(k, countMissedPlain)
	}
	if !s.shared || missed >= s.liveNodes {
		return true
	}
	s.async.counting.below(k, countMissedPlain, s.liveNodes-1)
	return false
}

// settleOpportunities resets the key's counter after an allocation or reservation that was
// node-local, or rack-local with rack-locality-full-reset, and that of shared partitions
// after one on a node without label (RegularContainerAllocator.allocate).
func (s *Scheduler) settleOpportunities(k *reqKey) {
	if s.prop.loc == nodeLocal || s.prop.loc == rackLocal && s.conf.RackFullReset {
		k.missed = 0
	}
	if s.prop.part == 0 {
		k.missedPlain = 0
	}
}
