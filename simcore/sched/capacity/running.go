package capacity

// The containers that run on a node (launchedContainers of SchedulerNode, a hash table
// there), by handle and in no order.

// occupy lists a container on its node.
func (n *node) occupy(c *container) {
	c.index = int32(len(n.running))
	n.running = append(n.running, c.handle)
	n.mostRunning = max(n.mostRunning, int32(len(n.running)))
}

// vacate takes a container off the list of its node; the last one takes its place.
func (s *Scheduler) vacate(n *node, c *container) {
	last := len(n.running) - 1
	h := n.running[last]
	n.running[c.index], s.byHandle(h).index = h, c.index
	n.running = n.running[:last]
}

// appendOn appends the containers that run on a node.
func (s *Scheduler) appendOn(dst []*container, n *node) []*container {
	for _, h := range n.running {
		dst = append(dst, s.byHandle(h))
	}
	return dst
}
