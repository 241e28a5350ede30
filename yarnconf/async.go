package yarnconf

// Async holds the settings of asynchronous scheduling.
type Async struct {
	Interval   int64 `conf:"scheduling-interval-ms=5"`     // ms that a thread sleeps after a round
	Threads    int   `conf:"maximum-threads=1"`            // scheduling threads
	MaxBacklog int   `conf:"maximum-pending-backlogs=100"` // no round is made while more proposals wait for their commit
	SkipAfter  int64 // ms without a heartbeat after which a node is passed over
}

const asyncKey = Prefix + "schedule-asynchronously."

// AutocorrectKey switches on that what an application has been allocated and not
// told is taken off its next ask (YARN-11702).
const AutocorrectKey = "yarn.resourcemanager.scheduler.autocorrect.container.allocation"

// asynchronous reads the settings of asynchronous scheduling. As in the
// original at least one thread runs while it is on.
func (r *Reader) asynchronous(c *Config) {
	c.Asynchronous = r.Boolean(asyncKey+"enable", r.rules.AsyncByDefault)
	r.Fill(asyncKey, &c.Async)
	c.Async.Threads = max(1, c.Async.Threads)
	c.Async.SkipAfter = r.long("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 1000) *
		int64(r.Integer("yarn.scheduler.skip.node.multiplier", 2))
	if r.rules.Autocorrect {
		c.Autocorrect = r.Boolean(AutocorrectKey, false)
	}
}
