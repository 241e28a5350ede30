package yarn

import "schedtune/simcore"

// Spot makes the nodes of a cluster spot instances of a mean life. The ResourceManager and masters
// notice their loss early.
func Spot(c *simcore.Cluster, life simcore.Time) {
	for i := range c.Nodes {
		c.Nodes[i].Spot = float64(simcore.Hour) / float64(life)
	}
	c.Elastic.Expiry, c.Elastic.Unreachable = 10*simcore.Second, simcore.Second
}

// LookAhead makes runs look ahead whatever their size, until the function it
// returns is called.
func AlwaysPrefetch() (restore func()) {
	was := prefetchFrom
	prefetchFrom = 0
	return func() { prefetchFrom = was }
}
