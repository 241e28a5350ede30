package capacity

import (
	"fmt"

	"schedtune/simcore/yarn"
)

// Obstacle returns what an application without an AM waits for, with the settings and figures
// that decide it; "" where none of these limits is reached. It implements
// yarn.Explainer.
//
// Two of them can stop a whole queue. The limit on masters is looked at when an application of
// the queue is submitted or ends, and not when other queues give room back
// (AbstractLeafQueue.activateApplications). And a user whose applications all wait, but one of
// whose earlier ones had asked for containers, still shares in the user limit (UsersManager): the
// masters of another user alone may be over what is left for that user, so that they get no
// container, do not end, and let nobody pass.
func (s *Scheduler) Obstacle(id yarn.AppID) string {
	if a := s.lookUp(id); a == nil || a.ended || a.master != nil || a.unmanaged {
		return ""
	}
	st, _ := s.Standing(id)
	m := &st.Masters
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
