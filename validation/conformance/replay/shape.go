package replay

import (
	"fmt"
	"maps"
	"slices"

	"schedtune/yarnconf"
)

// orderNames are the class names under which Hadoop reports ordering policies.
var orderNames = map[yarnconf.AppOrder]string{
	yarnconf.FIFO:           "FifoOrderingPolicy",
	yarnconf.Fair:           "FairOrderingPolicy",
	yarnconf.FIFOPartitions: "FifoOrderingPolicyWithExclusivePartitions",
	yarnconf.FIFOPending:    "FifoOrderingPolicyForPendingApps",
}

// shapeOf renders a queue's settings and effective figures as recorded.
func shapeOf(c *yarnconf.Config, i int, e *yarnconf.Effective, state yarnconf.State, amLimit yarnconf.Resource) Shape {
	q := &c.Queues[i]
	s := Shape{Shares: sharesOf(e), Mode: "PERCENTAGE", State: state.String()}
	if q.Mode == yarnconf.Absolute {
		s.Mode = "ABSOLUTE_RESOURCE"
	}
	if q.Leaf {
		am := Pair{amLimit.Memory, amLimit.VCores}
		s.MaxApplications, s.PerUser = &e.MaxApplications, &e.MaxApplicationsPerUser
		s.UserLimit, s.UserLimitFactor, s.AMPercent = &q.UserLimit, &q.UserLimitFactor, &q.AMPercent
		s.LocalityDelay, s.RackDelay, s.AMLimit = &c.NodeLocalityDelay, &c.RackExtraDelay, &am
		s.Order = orderNames[q.AppOrder]
	}
	return s
}

// diffMaps compares what is recorded by name with ours.
func diffMaps[V any](of string, want, got map[string]V) string {
	for _, p := range sortedKeys(want, got) {
		w, inW := want[p]
		g, inG := got[p]
		if inW != inG || !alike(w, g) {
			return fmt.Sprintf("%s %s:\n  recorded %v %s\n  ours     %v %s", of, p, inW, text(w), inG, text(g))
		}
	}
	return ""
}

func sortedKeys[V any](ms ...map[string]V) []string {
	var ks []string
	for _, m := range ms {
		ks = slices.AppendSeq(ks, maps.Keys(m))
	}
	slices.Sort(ks)
	return slices.Compact(ks)
}
