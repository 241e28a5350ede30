package capacity

import (
	"fmt"

	"schedtune/simcore/yarn"
)

// Obstacle returns what an application waits for, with the settings and figures that decide
// it; "" where none of these limits is reached. With an AM only the maxima of queues count. It
// implements yarn.Explainer.
//
// Two of them can stop a whole queue. The limit on masters is looked at when an application of
// the queue is submitted or ends, and not when other queues give room back
// (AbstractLeafQueue.activateApplications). And a user whose applications all wait, but one of
// whose earlier ones had asked for containers, still shares in the user limit (UsersManager): the
// AMs of another user may exceed what is left for that user, so that they get no container,
// do not end, and block all others.
func (s *Scheduler) Obstacle(id yarn.AppID) string {
	a := s.lookUp(id)
	if a == nil || a.ended || a.unmanaged {
		return ""
	}
	st, _ := s.Standing(id)
	m := &st.Masters
	if p := st.Partition; p != "" && st.Levels[0].Maximum.Memory == 0 {
		return fmt.Sprintf("%s has no capacity on nodes labelled %s (accessible-node-labels.%s.capacity)", st.Queue, p, p)
	}
	for i := len(st.Levels) - 2; i >= 0 && st.Stage == Active && len(st.Asks) > 0; i-- {
		if l := &st.Levels[i]; !l.Holds && l.Maximum != st.Levels[i+1].Maximum {
			return fmt.Sprintf("%s uses %d of at most %d MiB (maximum-capacity), and the next container needs %d MiB", l.Queue,
				l.Used.Memory, l.Maximum.Memory, st.Asks[0].Size.Memory)
		}
	}
	if a.master != nil {
		return ""
	}
	switch {
	case st.Stage == HeldBack:
		return fmt.Sprintf("max-parallel-apps of the user, of %s or of a queue above it is reached", st.Queue)
	case st.Stage == Waiting && !m.QueueFits:
		return fmt.Sprintf("the AM limit of the queue is reached: application masters use %d of %d MiB "+
			"(maximum-am-resource-percent %g) in %s", m.QueueUsed.Memory, m.QueueMost.Memory, m.Percent, st.Queue)
	case st.Stage == Waiting && !m.UserFits:
		return fmt.Sprintf("the AM limit of user %s is reached: application masters use %d of %d MiB "+
			"(maximum-am-resource-percent %g) in %s", st.User, m.UserUsed.Memory, m.UserMost.Memory, m.Percent, st.Queue)
	case st.Stage == Waiting:
		return fmt.Sprintf("its application master fits the AM limit of %s now, but the limit is checked only when an "+
			"application is submitted there or ends", st.Queue)
	case !st.UserOpen:
		return fmt.Sprintf("user %s uses %d MiB in %s, more than the user limit of %d MiB", st.User, st.UserUsed.Memory,
			st.Queue, st.UserLimit.Memory)
	}
	return ""
}
