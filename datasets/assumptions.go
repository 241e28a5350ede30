package datasets

// What the sources leave open is chosen here, once.

const (
	// shuffleRate is the copy rate of one reduce, bytes/s, where a set has no
	// network model: a sixth of a 1 Gbit/s link, so that five copying reduces
	// of a node fill it.
	shuffleRate = 20e6
	// replicas is HDFS's default replication (dfs.replication).
	replicas = 3
)
