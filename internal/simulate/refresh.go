package simulate

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// refreshing has a run refresh its queues as an item says. It is what yarn rmadmin
// -refreshQueues does: the scheduler takes over what a refresh takes over and refuses
// what it refuses (capacity.Scheduler.Refresh).
func (r *Runner) refreshing(cfg *yarn.RunConfig, it *Item, s yarn.Scheduler) error {
	if it.Refresh == nil {
		return nil
	}
	c, ok := s.(*capacity.Scheduler)
	if !ok {
		return fmt.Errorf("%s: configurations by time of day need the scheduler %s", r.Name(), Capacity)
	}
	var changes []yarnconf.Change
	cfg.NextSwitch = func(after simcore.Time) (at simcore.Time) {
		at, changes = it.Refresh(after)
		return at
	}
	cfg.Switch = func() error {
		p, err := r.Props(changes)
		if err != nil {
			return err
		}
		for _, e := range c.Refresh(p) {
			return fmt.Errorf("the refresh of the queues is refused: %w", e)
		}
		return nil
	}
	return nil
}
