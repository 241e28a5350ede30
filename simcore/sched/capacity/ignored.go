package capacity

import (
	"fmt"

	"schedtune/yarnconf"
)

// supported refuses what changes every decision.
func supported(conf *yarnconf.Config) error {
	switch {
	case len(conf.Queues) == 0 || len(conf.Queues[0].Children) == 0 && !conf.Queues[0].AutoCreate && !conf.Queues[0].AutoCreateOld:
		return fmt.Errorf("capacity scheduler: no queue below root")
	}
	return nil
}

// Ignored lists the settings of a configuration that the real scheduler would
// follow and this one does not: it takes the value in Allowed for them.
func Ignored(conf *yarnconf.Config) []*yarnconf.PropError {
	var out []*yarnconf.PropError
	add := func(key, value, reason, instead string) {
		out = append(out, &yarnconf.PropError{Key: key, Value: value, Reason: reason, Allowed: instead})
	}
	if conf.MultiNode {
		add(yarnconf.Prefix+"multi-node-placement-enabled", "true", "not simulated: a heartbeat fills its own node only", "false")
	}
	for i := range conf.Queues {
		q := &conf.Queues[i]
		key := yarnconf.Prefix + q.Path + "."
		for _, l := range q.Labels {
			if q.Parent >= 0 && (l.Capacity > 0 || l.Weight > 0) {
				add(key+"accessible-node-labels."+l.Name+".capacity", fmt.Sprint(l.Capacity*100), "not simulated: every node counts as one without a label", "0")
			}
		}
	}
	return out
}
