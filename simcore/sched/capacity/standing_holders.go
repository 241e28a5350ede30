package capacity

import "schedtune/simcore/yarn"

// Holding is what an application has of the partition asked for.
type Holding struct {
	App        yarn.AppID
	Name, User string
	Queue      string
	Priority   int32
	Used       yarn.Resource // by running containers
	Reserved   yarn.Resource
	Containers int           // of all partitions
	Pending    yarn.Resource // outstanding asks
	QueueUsed  yarn.Resource // of its leaf, reservations included
	QueueShare yarn.Resource // guaranteed to its leaf
	OnReserved yarn.Resource // on the node that is reserved for the application asked about
}

// holdersOf lists the applications that hold or have reserved something of a partition,
// in the order of submission.
func (s *Scheduler) holdersOf(a *app, p int32, st *Standing) {
	var node *node
	for _, n := range s.nodes {
		if n.reserved != nil && n.reserved.app == a && !n.lost {
			node = n
			break
		}
	}
	for _, b := range s.apps {
		if b.ended {
			continue
		}
		at := b.at(p)
		if at.used.IsNone() && at.reserved.IsNone() {
			continue
		}
		q := b.queue.at(p)
		h := Holding{App: b.id, Name: b.name, User: b.user, Queue: b.queue.path, Priority: b.priority,
			Used: yarn.Resource(at.used), Reserved: yarn.Resource(at.reserved), Containers: int(b.live),
			Pending: yarn.Resource(at.pending), QueueUsed: yarn.Resource(q.used), QueueShare: yarn.Resource(q.eff.Min)}
		if node != nil {
			var here res
			for _, c := range s.appendLive(nil, b) {
				if c.node == node {
					here = here.Add(c.size)
				}
			}
			h.OnReserved = yarn.Resource(here)
		}
		st.Holders = append(st.Holders, h)
	}
}

// Clock returns the time of the preemption policy, in milliseconds.
func (s *Scheduler) Clock() int64 { return s.now }
