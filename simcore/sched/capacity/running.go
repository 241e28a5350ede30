package capacity

// The containers that run on a node (launchedContainers of SchedulerNode, a hash table
// there). Each has a place for as long as it runs, which the next one takes in an exchange.
// A start reads and writes the one place that it takes, an end the one that it leaves, and
// no others move.
//
// node.places holds the handle of a container, or of a vacant place -1 minus the next
// vacant one, so that vacant places are a list of which node.vacant is the first: the place
// left last. As many places as containers have run at a time are ever made, which is also
// the number that the original's hash table has grown by (mostAtATime). TestRunning holds
// the list against what was put in.

// noPlace stands for no vacant place.
const noPlace = -1

// occupy gives a container a place on its node.
func (n *node) occupy(c *container) {
	if c.index = n.vacant; c.index == noPlace {
		c.index = int32(len(n.places))
		n.places = append(n.places, int32(c.handle))
		return
	}
	at := &n.places[c.index]
	n.vacant, *at = -1-*at, int32(c.handle)
}

// vacate takes a container off its place.
func (n *node) vacate(c *container) {
	n.places[c.index] = -1 - n.vacant
	n.vacant = c.index
}

// mostAtATime is how many containers have run on the node at a time.
func (n *node) mostAtATime() int { return len(n.places) }

// appendOn appends the containers that run on a node, by place.
func (s *Scheduler) appendOn(dst []*container, n *node) []*container {
	for _, h := range n.places {
		if h > 0 {
			dst = append(dst, s.byHandle(uint32(h)))
		}
	}
	return dst
}
