package capacity

// running finds the containers that run on a node. Each has a place for as long as it
// runs, also one that another follows in an exchange, so that starts and ends read no
// entry but the vacant place that a start takes, and write one.
type running struct {
	places []int32 // handle of a container, or of a vacant place -1 minus the next one
	vacant int32   // the place left last, noPlace if there is none
}

const noPlace = -1

// occupy gives a container a place on its node.
func (n *node) occupy(c *container) {
	l := &n.running
	if c.index = l.vacant; c.index == noPlace {
		c.index = int32(len(l.places))
		l.places = append(l.places, int32(c.handle))
	} else {
		at := &l.places[c.index]
		l.vacant, *at = -1-*at, int32(c.handle)
	}
}

// vacate takes a container off its place.
func (n *node) vacate(c *container) {
	l := &n.running
	l.places[c.index] = -1 - l.vacant
	l.vacant = c.index
}

// mostAtATime is how many containers have run on the node at a time.
func (l *running) mostAtATime() int { return len(l.places) }

// appendOn appends the containers that run on a node, by place.
func (s *Scheduler) appendOn(dst []*container, n *node) []*container {
	for _, h := range n.places {
		if h > 0 {
			dst = append(dst, s.byHandle(uint32(h)))
		}
	}
	return dst
}
