package capacity

import (
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

// Localities of a container.
const nodeLocal, rackLocal, offSwitch = requests.NodeLocal, requests.RackLocal, requests.OffSwitch

// containerStore holds all containers that were ever made, for reuse. Containers lie in
// blocks that stay where they are, so that a handle finds one without a pointer.
type containerStore struct {
	blocks         [][]container // of 16, then 256 each
	freeContainers []*container  // over; the last is used next
	containers     int           // made so far
	sequence       uint64        // containers started so far

	freeHandles [][]uint32 // lists of app.handles whose applications are over

	order []*container // scratch: a list in hash order
}

// ends collects containers that end against their masters' will.
type ends struct {
	losses   requests.Losses  // by a lost node, a node's new label, or preemption: the answer of the verb at hand
	killed   []yarn.Container // while nodes were scheduled, not yet asked for by Killed
	headless []*app           // their masters were killed while nodes were scheduled; they end when that is over
}

// container is a running container or a reservation for one (RMContainer). What its end
// needs is in one line of the cache, what only its start writes in another, and blocks of
// them begin at such a line; TestSizes holds it to that.
type container struct {
	app     *app
	node    *node
	size    res
	ordinal int32 // counting allocations; -1 for a reservation
	id      int32 // within the application, counting reservations (ContainerId)
	index   int32 // its place in node.running; not of a reservation

	label    int16  // partition it was asked for
	sharedIn int16  // partition whose leaf lists it as shared; 0: none
	reserved bool   // not running yet
	am       bool   // its application's master
	acquired bool   // its master has been told of it; before, its ask can come back
	over     bool   // it is free for another use, unless something still names it
	killable bool   // by proposals, see markKillable
	loc      uint8  // locality: the rows it was taken from
	handle   uint32 // where it lies: block, then 8 bits of place, plus 1; stays when it is used again

	alloc    int64
	seq      uint64 // order of start over all applications
	made     int64  // when, reservation or start, in milliseconds of the policy's clock
	more     *more  // nil: see there
	priority int32
	killPart int16    // partition of the node when the container became killable
	_        [24]byte // fills the second line
}

// more is what few containers have.
type more struct {
	rows [3]requests.Kept // of a running one: by locality, as they were; without, all are of its size and none is strict
	from *node            // of a reservation that was moved: where it was made
	runs *container       // of a filled reservation that is listed as shared: what fills it
}

// copyRows keeps what of the rows a container is taken from comes back with its ask
// (ContainerRequest of RMContainerImpl).
func (c *container) copyRows(from *[3]*requests.Row) {
	for loc := c.loc; loc <= offSwitch; loc++ {
		if r := from[loc]; r == nil || r.Strict || r.Size != c.size {
			c.more = &more{rows: [3]requests.Kept{from[0].Kept(), from[1].Kept(), from[2].Kept()}}
			return
		}
	}
}

// back is the row of a locality with this container more.
func (c *container) back(k *reqKey, loc uint8, place yarn.Place) requests.Row {
	r := requests.Kept{Size: c.size}
	if c.more != nil {
		r = c.more.rows[loc]
	}
	return k.Again(place, r)
}

// newContainer returns a container whose fields the caller sets: one that was
// used before has its old ones.
func (s *Scheduler) newContainer() *container {
	if n := len(s.freeContainers); n > 0 {
		c := s.freeContainers[n-1]
		s.freeContainers = s.freeContainers[:n-1]
		return c
	}
	block := make([]container, blockSize(s.containers))
	s.containers += len(block)
	s.blocks = append(s.blocks, block)
	for i := range block {
		block[i].handle = uint32((len(s.blocks)-1)<<8|i) + 1
		s.freeContainers = append(s.freeContainers, &block[i])
	}
	return s.newContainer()
}

// byHandle is the container that lies where a handle says.
func (s *Scheduler) byHandle(h uint32) *container {
	return &s.blocks[(h-1)>>8][(h-1)&255]
}

// blockSize is how many objects of 128 bytes to make at once where some are made
// already. What takes 32 KiB or more begins at a page of memory.
func blockSize(made int) int {
	if made == 0 {
		return 16
	}
	return 256
}

// ending is how a container came to its end (RMContainerEventType, and by whom).
type ending uint8

const (
	byFinish   ending = iota // the node reports it complete
	byRelease                // its AM gives it back
	byKill                   // preemption, a lost node, the end of its application
	byProposal               // lazy preemption: its ask does not come back
	byExpiry                 // given out beyond what is asked for, see corrected
)

// complete ends a container or drops a reservation (CapacityScheduler.completedContainerInternal,
// FiCaSchedulerApp.containerCompleted, AbstractLeafQueue.completedContainer). One that its
// master has not been told of is asked for again (recoverResourceRequestForContainer): the
// original keeps the ask until the master acquires the container.
func (s *Scheduler) complete(c *container, how ending) {
	if c.over {
		return
	}
	a := c.app
	s.epoch++
	if c.killable {
		s.unmarkKillable(c)
	}
	if c.reserved {
		s.dropReservation(c)
		return
	}
	s.removeLive(c)
	s.discharge(c)
	if !c.acquired && how < byProposal {
		s.recoverAsk(c)
	}
	// A container whose AM does not know it can be killed, but neither finish
	// nor be released as far as the AM hears.
	if c.acquired || how >= byKill {
		a.completed = append(a.completed, c.ordinal)
	}
	if how == byKill {
		s.losses.Add(a.id, c.ordinal)
	}
	c.over = true
	s.freeContainers = append(s.freeContainers, c)
}

// discharge takes a container or a reservation off what its queues and its user hold.
func (s *Scheduler) discharge(c *container) {
	a := c.app
	a.queue.needsReorder(a)
	leaveShared(c)
	a.queue.addUsed(c.node.part, c.size, -1)
	s.addUserUsed(a, c.node.part, c.size, -1)
}

// removeLive takes a container that runs off its application and its node.
func (s *Scheduler) removeLive(c *container) {
	a, n := c.app, c.node
	a.handles[c.ordinal] = 0
	a.charge(n.part, c.size, -1)
	s.vacate(n, c)
	n.free = n.free.Add(c.size)
	s.async.opened(n)
	s.usageMoved(n)
}

// charge books a running container of a size in a partition, or with sign -1 its end.
func (a *app) charge(p int32, size res, sign int32) {
	a.live += sign
	a.mostLive = max(a.mostLive, a.live)
	at := a.at(p)
	at.used = at.used.Add(size.Times(int64(sign)))
}

// recoverAsk puts the rows of a container back, one container each
// (AbstractYarnScheduler.recoverResourceRequestForContainer).
func (s *Scheduler) recoverAsk(c *container) {
	a := c.app
	if a.ended {
		return
	}
	k := a.key(c.priority, c.alloc)
	if c.loc == nodeLocal {
		k.Put(c.back(k, nodeLocal, c.node.place))
	}
	if c.loc != offSwitch {
		k.Put(c.back(k, rackLocal, c.node.rack))
	}
	if k.Any.Present && k.recovered == c.id+1 {
		// Kept from the original: it counts up the row that this container has
		// put back before, and compares it with itself to see what is pending.
		k.Any.Count++
		return
	}
	s.update(a, k, c.back(k, offSwitch, yarn.AnyPlace), int32(c.label))
	k.recovered = c.id + 1
}

// End ends an application: its containers, reservations and asks vanish
// (CapacityScheduler.doneApplicationAttempt, doneApplication).
func (s *Scheduler) End(id yarn.AppID) {
	if a := s.lookUp(id); a != nil && !a.ended {
		s.finish(a)
	}
}

// finish removes applications as the original does for those that are killed or
// have lost their AM: each attempt with its containers, reservations and asks,
// which may start others that wait, and when all attempts are gone each
// application, so that a user counts as active until then.
func (s *Scheduler) finish(as ...*app) {
	gone := as[:0]
	for _, a := range as {
		if !a.ended {
			s.finishAttempt(a)
			gone = append(gone, a)
		}
	}
	for _, a := range gone {
		s.deactivateUser(a.queue, a)
		s.applicationGone(a)
		a.handles, s.freeHandles = nil, append(s.freeHandles, a.handles[:0])
		a.keys, a.granted, a.completed, a.reservations = nil, nil, nil, nil
	}
}

// finishAttempt ends what an application has, in the order of the original's tables, and
// takes it out of its leaf: others that wait may start.
func (s *Scheduler) finishAttempt(a *app) {
	s.settle()
	s.epoch++
	s.order = hashOrder(s.appendLive(s.order[:0], a), int(a.mostLive)+1)
	for _, c := range s.order {
		s.complete(c, byKill)
	}
	for _, c := range reservationOrder(a) {
		s.complete(c, byKill)
	}
	a.ended = true
	s.stopAsking(a)
	s.leave(a)
	if a.runnable {
		s.users.Count(a, -1)
		s.users.Freed(a, s.conf.UserParallel, s.runNow)
	}
}

// stopAsking takes what is still asked for out of what is pending.
func (s *Scheduler) stopAsking(a *app) {
	for i := range a.keys {
		k := &a.keys[i]
		if n := k.Outstanding(); n > 0 {
			a.queue.addPending(k.label, k.Any.Size.Times(-int64(n)))
		}
		k.Forget()
		k.listed = false
	}
	a.outstanding = 0
	for p := range len(a.labels) + 1 {
		a.at(int32(p)).pending = res{}
	}
}
