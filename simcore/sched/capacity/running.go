package capacity

// The containers that run on a node have a place each for as long as they run, also one
// that another follows in an exchange, so that starts and ends read no entry of the
// node's list but the vacant place that a start takes, and write one. node.places are
// handles of containers, or of a vacant place -1 minus the next one; node.vacant is the
// place left last, noPlace if there is none.

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
