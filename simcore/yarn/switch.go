package yarn

import (
	"fmt"
	"math"

	"schedtune/simcore"
)

// A run can be looked at once (RunConfig.Look), and the scheduler's configuration
// can become another at set times (RunConfig.Switch).

// changes is when a run is looked at and when its configuration changes.
type changes struct {
	due  simcore.Time // the earliest of the three that follow
	look simcore.Time // instant of RunConfig.Look; Never = none, or over
	next simcore.Time // instant of the next RunConfig.Switch; Never = none
	made int          // switches so far

	idleAt   simcore.Time // when nothing but heartbeats was last found under way
	idleFrom int          // switches made when it was first found so in a row
}

// maxIdleSwitches is how many switches a run waits for one that lets jobs go on.
const maxIdleSwitches = 4

// switchPatience is how much longer a run with switches waits for a task to finish.
const switchPatience = 48 * simcore.Hour

// begin sets the first instants.
func (c *changes) begin(cfg *RunConfig) {
	*c = changes{look: simcore.Never, next: simcore.Never, idleAt: -1}
	if cfg.Look != nil {
		c.look = cfg.LookAt
	}
	if cfg.NextSwitch != nil && cfg.Switch != nil {
		c.next = cfg.NextSwitch(0)
	}
	c.due = min(c.look, c.next)
}

// patience is by how much longer than without switches a run waits.
func (c *changes) patience() simcore.Time {
	if c.made == 0 && c.next == simcore.Never {
		return 0
	}
	return switchPatience
}

// changeNow makes what is due.
func (s *Sim) changeNow() (err error) {
	c := &s.changes
	if c.look <= c.next {
		s.look(c.look)
		c.look = simcore.Never
	} else {
		err = s.switchNow()
	}
	c.due = min(c.look, c.next)
	return err
}

// look hands over to RunConfig.Look at an instant at which nothing is left to
// happen.
func (s *Sim) look(at simcore.Time) {
	s.now, s.leaf = max(s.now, at), math.MaxInt32
	if s.cfg.Look() {
		s.wakeNodes()
	}
}

// switchNow puts the next configuration in force.
func (s *Sim) switchNow() error {
	c := &s.changes
	at := c.next
	s.now, s.leaf = max(s.now, at), math.MaxInt32
	if err := s.cfg.Switch(); err != nil {
		return fmt.Errorf("yarn: switch at %v: %w", at.Std(), err)
	}
	c.made++
	if c.next = s.cfg.NextSwitch(at); c.next <= at {
		return fmt.Errorf("yarn: NextSwitch after %v: %v: must be later", at.Std(), c.next.Std())
	}
	s.wakeNodes()
	return nil
}

// hopeless is asked when nothing but heartbeats is under way, or no event is left,
// with the time of the last progress before. It reports whether no look or switch is to
// come that could let jobs go on, or the last few have not.
func (s *Sim) hopeless(since simcore.Time) bool {
	c := &s.changes
	if since != c.idleAt {
		c.idleFrom = c.made
	}
	c.idleAt = s.progress
	return c.look == simcore.Never && (c.next == simcore.Never || c.made-c.idleFrom >= maxIdleSwitches)
}

// lookNow brings RunConfig.Look forward in a run in which nothing changes any more.
func (s *Sim) lookNow(at simcore.Time) {
	if c := &s.changes; c.look != simcore.Never {
		c.look = at
		c.due = min(c.look, c.next)
		s.bound = min(s.bound, at)
	}
}
