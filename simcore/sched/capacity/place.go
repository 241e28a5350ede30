package capacity

// verdict of one request key on one node.
type verdict uint8

const (
	keySkipped   verdict = iota // try the application's next key
	appSkipped                  // try the next application
	leafSkipped                 // the queue has no headroom: end of the leaf
	levelSkipped                // not at this locality
	allocates
	reserves
)

// assignApp tries the keys of an application in order.
func (s *Scheduler) assignApp(a *app, n *node, lim *limits) outcome {
	for i := range a.keys {
		k := &a.keys[i]
		if !k.listed {
			continue
		}
		if s.async.repeat.on {
			s.note(a, k)
		}
		var v verdict
		if n == nil {
			v = s.tryNodes(a, k, lim)
		} else {
			v = s.precheck(a, k, n.part, lim)
			if v == allocates {
				v = s.tryOnNode(a, k, n, lim, nil)
			}
		}
		if s.witness != nil {
			s.witness.atKey(s, a, k, n, lim, v)
		}
		switch v {
		case keySkipped:
			continue
		case leafSkipped:
			return queueLimit
		case allocates, reserves:
			s.settleOpportunities(k)
			return found
		}
		return skipped
	}
	return skipped
}

// precheck tests what does not depend on the node: outstanding asks, enough
// reservations already, headroom of the queue. It returns allocates to go on.
func (s *Scheduler) precheck(a *app, k *reqKey, part int32, lim *limits) verdict {
	v := s.checkRequest(a, k, part, lim)
	if v == allocates && s.rules.CheckedBeforeNodes && k.label != s.askingOn(part) {
		return keySkipped
	}
	return v
}

// checkRequest is precheck for nodes of a partition, where rules check an ask
// before its label without the latter.
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
	if s.rules.HeadroomByDominant && s.calc.Compare(s.cluster, room, k.Any.Size) < 0 || !s.rules.HeadroomByDominant && !s.fits(k.Any.Size, room) {
		return leafSkipped
	}
	if s.labelled() && !s.countPlain(k) {
		return appSkipped
	}
	return allocates
}

// tryOnNode counts a scheduling opportunity and tries the localities. A key
// that is passed over for the next one gets its opportunity back.
func (s *Scheduler) tryOnNode(a *app, k *reqKey, n *node, lim *limits, resv *container) verdict {
	s.nodeMattered = true
	s.trail.keys++
	k.missed++
	v := appSkipped
	if k.anywhere() && s.liveNodes > 0 {
		// Asked for anywhere, as most are: what localities comes to.
		if v = s.fit(a, k, n, lim, resv, k.Any.Size, offSwitch); v == levelSkipped {
			v = appSkipped
		}
	} else {
		v = s.localities(a, k, n, lim, resv)
	}
	if v == keySkipped && resv == nil {
		k.missed--
	} else {
		s.changed = true
		s.async.steady.counted(k, countMissed)
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

// localities tries node, rack and off-switch in turn. The opportunity counter
// includes the present one.
func (s *Scheduler) localities(a *app, k *reqKey, n *node, lim *limits, resv *container) verdict {
	if k.missed <= s.liveNodes { // no delay is longer
		s.missedDecides()
	}
	if local := k.At(n.place); local.Asks() > 0 {
		if rack := k.At(n.rack); rack.Asks() > 0 {
			if v := s.fit(a, k, n, lim, resv, local.Size, nodeLocal); v >= allocates {
				return v
			}
		}
	}
	if rack := k.At(n.rack); rack.Asks() > 0 {
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

// offSwitchAllowed applies the delay before a key leaves its racks.
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
	s.async.steady.missedBelow(k, int(delay))
	return false
}

// delayOver reports whether a key has passed over more opportunities than a delay.
func (s *Scheduler) delayOver(k *reqKey, delay int) bool {
	if k.missed > delay {
		return true
	}
	s.async.steady.missedBelow(k, delay)
	return false
}

// fit decides between allocating and reserving at one locality and leaves the
// proposal in s.prop.
func (s *Scheduler) fit(a *app, k *reqKey, n *node, lim *limits, resv *container, size res, loc uint8) verdict {
	if !s.fits(size, n.total) {
		return levelSkipped
	}
	more := resv != nil || len(k.resv) == 0 && k.Any.Present && k.Any.Count > 0 || s.wantsMore(a, k, size)
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

// begin makes the proposal at hand one of an allocation.
func (s *Scheduler) begin(a *app, k *reqKey, n *node, resv *container, size res, loc uint8) {
	p := &s.prop
	p.app, p.key, p.node, p.from, p.giveBack = a, k, n, resv, nil
	p.size, p.loc, p.part, p.shared, p.reserve, p.kills, p.number = size, loc, n.part, s.shared, false, false, 0
}

// countPlain counts an opportunity of a key without label. Only after as many as
// there are nodes may it have idle resources of a shared partition.
func (s *Scheduler) countPlain(k *reqKey) bool {
	missed := 0
	if k.label == 0 {
		k.missedPlain++
		s.changed, s.nodeMattered = true, true
		missed = k.missedPlain
		s.async.steady.counted(k, countMissedPlain)
	}
	if !s.shared || missed >= s.liveNodes {
		return true
	}
	s.async.steady.plainBelow(k, s.liveNodes-1)
	return false
}

// settleOpportunities resets the key's counter after an allocation or
// reservation that was not off-switch, and that of shared partitions after one on
// a node without label.
func (s *Scheduler) settleOpportunities(k *reqKey) {
	if s.prop.loc == nodeLocal || s.prop.loc == rackLocal && s.conf.RackFullReset {
		s.missedDecides()
		k.missed = 0
	}
	if s.prop.part == 0 {
		k.missedPlain = 0
	}
}
