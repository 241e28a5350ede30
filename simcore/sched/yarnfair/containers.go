package yarnfair

import (
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

const nodeLocal, rackLocal, offSwitch = requests.NodeLocal, requests.RackLocal, requests.OffSwitch

// container is a running container or a reservation for one.
type container struct {
	app      *app
	node     *node
	priority int32
	alloc    int64
	size     res
	id       int64  // within the application, counting reservations
	seq      uint64 // order of start over all applications
	ordinal  int32  // counting allocations; -1 for a reservation
	atNode   int32  // index in node.live
	atApp    int32  // index in app.live, or app.resv

	reserved bool // not running yet
	acquired bool // the AM knows it; before, its ask can come back
	chosen   bool // to be preempted
	onList   bool // and on its node's list of those
	loc      uint8
	rows     [3]requests.Kept // by locality, as they were
	over     bool
}

func (s *Scheduler) newContainer() *container {
	if n := len(s.freeContainers); n > 0 {
		c := s.freeContainers[n-1]
		s.freeContainers = s.freeContainers[:n-1]
		*c = container{}
		return c
	}
	block := make([]container, 64)
	for i := 1; i < len(block); i++ {
		s.freeContainers = append(s.freeContainers, &block[i])
	}
	return &block[0]
}

// how a container came to its end.
type ending uint8

const (
	byFinish  ending = iota // the node reports it complete
	byRelease               // its AM gives it back
	byKill                  // preemption, a lost node, the end of its application
)

// complete ends a container or drops a reservation. One that its AM has not
// been told of is asked for again.
func (s *Scheduler) complete(c *container, how ending) {
	if c.over {
		return
	}
	s.moved()
	if c.reserved {
		s.dropReservation(c)
		return
	}
	a := c.app
	s.outlived(c)
	s.removeLive(c)
	s.publish()
	if !c.acquired {
		s.recoverAsk(c)
	}
	// A container whose AM does not know it can be killed, but neither finish
	// nor be released as far as the AM hears.
	if c.acquired || how == byKill {
		a.completed = append(a.completed, c.ordinal)
	}
	if how == byKill {
		s.losses.Add(a.id, c.ordinal)
	}
	c.over = true
	s.unchoose(c)
	s.freeContainers = append(s.freeContainers, c)
}

func (s *Scheduler) removeLive(c *container) {
	a, n := c.app, c.node
	a.byOrdinal[c.ordinal] = nil
	a.live = swapOut(a.live, int(c.atApp), func(x *container, i int) { x.atApp = int32(i) })
	n.live = swapOut(n.live, int(c.atNode), func(x *container, i int) { x.atNode = int32(i) })
	s.charge(c, -1)
}

// charge books the space of a running container, or with sign -1 its end.
func (s *Scheduler) charge(c *container, sign int64) {
	a, n, r := c.app, c.node, c.size.Times(sign)
	n.free = n.free.Sub(r)
	a.used = a.used.Add(r)
	s.uncount(a)
	a.touch()
	for q := a.queue; q != nil; q = q.parent {
		q.used = q.used.Add(r)
		q.touch()
	}
}

func swapOut(list []*container, i int, set func(*container, int)) []*container {
	last := len(list) - 1
	list[i] = list[last]
	set(list[i], i)
	return list[:last]
}

// recoverAsk puts the rows of a container back.
func (s *Scheduler) recoverAsk(c *container) {
	a := c.app
	if a.ended {
		return
	}
	k := a.key(c.priority, c.alloc)
	if c.loc == nodeLocal {
		s.put(k, k.Again(c.node.place, c.rows[nodeLocal]))
	}
	if c.loc != offSwitch {
		s.put(k, k.Again(c.node.rack, c.rows[rackLocal]))
	}
	s.setAny(a, k, k.Again(yarn.AnyPlace, c.rows[offSwitch]))
}

// End ends an application: its containers, reservations and asks vanish.
func (s *Scheduler) End(id yarn.AppID) {
	if a := s.lookUp(id); a != nil {
		s.finish(a)
	}
}

// finish removes an application as the original does for one that is killed or
// has lost its AM.
func (s *Scheduler) finish(a *app) {
	if a.ended {
		return
	}
	s.moved()
	for len(a.live) > 0 {
		s.complete(a.live[len(a.live)-1], byKill)
	}
	for len(a.resv) > 0 {
		s.complete(a.resv[len(a.resv)-1], byKill)
	}
	a.ended = true
	for i := range a.keys {
		s.unlist(a, &a.keys[i])
		a.keys[i].Forget()
	}
	s.leave(a)
}
