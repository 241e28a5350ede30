package yarnfair

import (
	"fmt"

	"schedtune/simcore/yarn"
)

// Obstacle returns what an application without an AM waits for, with the settings that
// decide it; "" where no setting prevents it.
func (s *Scheduler) Obstacle(id yarn.AppID) string {
	a := s.lookUp(id)
	if a == nil || a.ended || a.amRunning || a.unmanaged {
		return ""
	}
	k := a.firstKey()
	switch {
	case !a.runnable:
		return fmt.Sprintf("maxRunningApps of the user, of %s or of a queue above it is reached", a.queue.path)
	case k == nil || k.Outstanding() == 0:
		return ""
	}
	am := k.Any.Size
	rounded := fmt.Sprintf("requests are rounded up to multiples of yarn.scheduler.increment-allocation-mb, %d MiB",
		s.site.Increment.Memory)
	if !s.roomForAM(a.queue, am) {
		return fmt.Sprintf("an application master of %s exceeds the AM share of %s: maxAMShare is %g, the fair share %s, "+
			"application masters use %s; %s",
			sized(am), a.queue.path, a.queue.conf.MaxAMShare, sized(a.queue.fair), sized(a.queue.amUsed), rounded)
	}
	for q := a.queue; q != nil; q = q.parent {
		if !q.used.Add(am).FitsIn(q.max) {
			return fmt.Sprintf("an application master of %s exceeds maxResources of %s: %s, of which %s are used; %s",
				sized(am), q.path, sized(q.max), sized(q.used), rounded)
		}
	}
	return ""
}

func sized(r res) string { return fmt.Sprintf("%d MiB and %d vcores", r.Memory, r.VCores) }
