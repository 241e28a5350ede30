package yarnconf

// Async holds the settings of asynchronous scheduling.
type Async struct {
	Interval   int64 // ms that a thread sleeps after a round
	Threads    int   // scheduling threads
	MaxBacklog int   // no round is made while more proposals wait for their commit
	SkipAfter  int64 // ms without a heartbeat after which a node is passed over
}

const asyncKey = Prefix + "schedule-asynchronously."

// AutocorrectKey switches on that what an application has been allocated and not
// told is taken off its next ask (YARN-11702).
const AutocorrectKey = "yarn.resourcemanager.scheduler.autocorrect.container.allocation"

// asynchronous reads the settings of asynchronous scheduling. As in the
// original at least one thread runs while it is on.
func (r *reader) asynchronous(c *Config) {
	c.Asynchronous = r.boolean(asyncKey+"enable", r.rules.AsyncByDefault)
	c.Async = Async{
		Interval:   r.long(asyncKey+"scheduling-interval-ms", 5),
		Threads:    max(1, r.integer(asyncKey+"maximum-threads", 1)),
		MaxBacklog: r.integer(asyncKey+"maximum-pending-backlogs", 100),
		SkipAfter: r.long("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 1000) *
			int64(r.integer("yarn.scheduler.skip.node.multiplier", 2)),
	}
	if r.rules.Autocorrect {
		c.Autocorrect = r.boolean(AutocorrectKey, false)
	}
}
