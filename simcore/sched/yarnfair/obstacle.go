package yarnfair

import (
	"fmt"

	"schedtune/simcore/yarn"
)

// Obstacle says what an application without a master waits for, with the settings
// that decide it; "" where nothing of the configuration stands in its way.
func (s *Scheduler) Obstacle(id yarn.AppID) string {
	a := s.lookUp(id)
	if a == nil || a.ended || a.amRunning || a.unmanaged {
		return ""
	}
	k := a.firstKey()
	switch {
	case !a.runnable:
		return fmt.Sprintf("held back by maxRunningApps of its user or of a queue from %s up", a.queue.path)
	case k == nil || k.Outstanding() == 0:
		return ""
	}
	am := k.Any.Size
	rounded := fmt.Sprintf("asks are rounded up to multiples of yarn.scheduler.increment-allocation-mb, %d MiB", s.site.Increment.Memory)
	if !s.roomForAM(a.queue, am) {
		return fmt.Sprintf("an application master of %s does not fit the share for masters of %s: maxAMShare is %g, the fair share %s, masters use %s; %s",
			sized(am), a.queue.path, a.queue.maxAMShare, sized(a.queue.fair), sized(a.queue.amUsed), rounded)
	}
	for q := a.queue; q != nil; q = q.parent {
		if !q.used.Add(am).FitsIn(q.max) {
			return fmt.Sprintf("an application master of %s does not fit maxResources of %s, %s, of which %s are used; %s", sized(am), q.path, sized(q.max), sized(q.used), rounded)
		}
	}
	return ""
}

func sized(r res) string { return fmt.Sprintf("%d MiB and %d cores", r.Memory, r.VCores) }
