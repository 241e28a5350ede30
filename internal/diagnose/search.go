package diagnose

import (
	"fmt"
	"slices"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Question is an application in a scheduler at one instant.
type PendingQuestion struct {
	Scheduler *capacity.Scheduler // is not changed
	App       yarn.AppID
	// Props returns the configuration in force with changes; an error means that
	// the file does not allow them.
	Props func([]yarnconf.Change) (yarnconf.Props, error)
}

// Step is one setting to change.
type Step struct {
	Key     string `json:"property"` // full name
	Present string `json:"present"`  // value in force
	Value   string `json:"value"`
	Restart string `json:"needs,omitempty"` // what it takes beyond a refresh of the queues; "" = nothing
}

// Change is the change that a step makes.
func (s *Step) Change() yarnconf.Change { return yarnconf.Change{Key: s.Key, Value: s.Value} }

// NewNode is a node that would have to be added, where no setting helps.
type NewNode struct {
	Partition string `json:"partition"`
	Memory    int64  `json:"memory_mib"`
	VCores    int64  `json:"vcores"`
}

// Answer is why an application waits and what would give it a container.
type PendingAnswer struct {
	Standing capacity.Standing
	Causes   []Cause
	// Changes, together, give it a container at the next heartbeats, as tried on a
	// copy of the scheduler. None: nothing has to change, or no change of settings
	// helps.
	Changes []Step
	Then    *Cause   // what it waits for with the changes, where that is space: they alone do not start it
	Node    *NewNode // where no settings help but a node would
	In      int64    // ms until preemption has made room with the changes, or without any (Passes); 0: at once
	Passes  bool     // what holds it first ends by itself, and no setting ends it sooner
	tries   [][]Step // of a refused application: changes with which it also gets its containers
}

// maxSteps bounds how many settings are changed together.
const maxSteps = 6

// Ask answers a question. Errors: an application that is not there.
func AskPending(q PendingQuestion) (*PendingAnswer, error) {
	st, ok := q.Scheduler.Standing(q.App)
	if !ok {
		return nil, fmt.Errorf("application %d: not known to the scheduler; use one that was submitted", q.App)
	}
	a := &PendingAnswer{Standing: st, Causes: sourced(q.Scheduler.Config(), Causes(&st, q.Scheduler.NameOf))}
	if len(a.Causes) == 0 || Settled(a.Causes[0].Kind) {
		return a, nil
	}
	s := search{PendingQuestion: q}
	if a.Changes = s.settings(a.Causes[0]); a.Changes != nil {
		a.Then = s.then
	}
	if a.Passes = a.Changes == nil && passes(a.Causes[0].Kind); a.Passes || a.Changes != nil && a.Then == nil {
		return a, nil
	}
	if steps, in, ok := s.preemption(&st); ok {
		a.Changes, a.Then, a.In, a.Passes = steps, nil, in, len(steps) == 0
	} else if a.Changes == nil {
		a.Node = s.node(&st)
	}
	return a, nil
}

// search looks for the least change.
type search struct {
	PendingQuestion
	submission *yarn.AppSpec // that is refused; nil: App waits
	steps      []Step
	then       *Cause
}

// add takes steps over; of two for one setting the later counts.
func (s *search) add(steps []Step) {
	for _, n := range steps {
		at := slices.IndexFunc(s.steps, func(o Step) bool { return o.Key == n.Key })
		if at < 0 {
			s.steps = append(s.steps, n)
			continue
		}
		s.steps[at].Value = n.Value
	}
}

// with is a copy of the scheduler with the steps found so far and some more; nil where they are
// refused.
func (s *search) with(more ...Step) *capacity.Scheduler {
	p, err := s.Props(changesOf(slices.Concat(s.steps, more)))
	if err != nil {
		return nil
	}
	c := s.Scheduler.Clone()
	if errs := c.Refresh(p); len(errs) > 0 {
		return nil
	}
	return c
}

// settings lifts one cause after the other until the application would get a
// container, or waits for space alone. nil: a cause that no setting lifts.
func (s *search) settings(first Cause) []Step {
	cause := first
	for n := 0; n < 2*maxSteps && len(s.steps) < maxSteps; n++ { // two causes may take turns
		steps, next := s.lift(cause)
		if steps == nil {
			if len(s.steps) > 0 && ofSpace(cause.Kind) {
				s.then = &cause
				return s.steps
			}
			return nil
		}
		s.add(steps)
		if next == nil {
			if c := s.with(); c == nil || s.submission == nil && !starts(c, s.App) {
				return nil
			}
			return s.steps
		}
		cause = *next
	}
	return nil
}

// lift finds the least change that lifts a cause. It returns what binds then, nil for nothing.
func (s *search) lift(cause Cause) ([]Step, *Cause) {
	now := s.Scheduler
	if len(s.steps) > 0 { // what is found so far counts
		if now = s.with(); now == nil {
			return nil, nil
		}
	}
	st := capacity.Standing{Queue: cause.Queue, User: cause.User}
	if s.submission == nil {
		st, _ = now.Standing(s.App)
	}
	return mildest(settingsOf(now.Config(), &st, &cause), func(k *setting) (int, *Cause) { return s.least(k, &cause) })
}

// mildest is, of several settings, the one that moves least, relative to its present value. least
// gives the first step of a setting that will do, 0 for none, and what binds then.
func mildest(list []setting, least func(*setting) (int, *Cause)) (best []Step, next *Cause) {
	far := 0.0
	for _, k := range list {
		if k.steps <= 0 {
			continue
		}
		if i, then := least(&k); i > 0 && (best == nil || k.far(i) < far) {
			far, next, best = k.far(i), then, k.stepsAt(i)
		}
	}
	return best, next
}

// least is the first step of a setting that gives the application a container; where
// none does, the first with which the cause no longer binds first, and what binds
// then. 0 where there is neither.
func (s *search) least(k *setting, cause *Cause) (int, *Cause) {
	starts := func(i int) bool {
		c := s.with(k.stepsAt(i)...)
		return c != nil && starts(c, s.App)
	}
	// the next look counts: later ones may come out well anyway
	looked := s.submission != nil || passes(cause.Kind) || cause.Kind == KindQueueOrder
	if !looked && starts(k.steps) {
		return firstStep(k.guess, k.steps, starts), nil
	}
	next := map[int]*Cause{}
	lifts := func(i int) bool {
		c := s.with(k.stepsAt(i)...)
		if c == nil {
			return false
		}
		next[i] = s.first(c)
		return next[i] == nil || !same(next[i], cause)
	}
	i := firstStep(k.guess, k.steps, lifts)
	return i, next[i]
}

// same reports whether two causes are the same limit.
func same(a, b *Cause) bool {
	return a.Kind == b.Kind && a.Queue == b.Queue && a.Blocker == b.Blocker
}

// first is what binds first in a scheduler, which it changes; nil: nothing does.
func (s *search) first(c *capacity.Scheduler) *Cause {
	var cs []Cause
	if s.submission != nil {
		cs = admission(c, *s.submission)
	} else if st, ok := c.Examine(s.App); ok {
		cs = Causes(&st, c.NameOf)
	}
	if len(cs) == 0 || !cs[0].Binding || cs[0].Kind == KindNone || cs[0].Kind == KindNothingAsked {
		return nil
	}
	return &cs[0]
}

// rounds of heartbeats in which a container must come; of asynchronous scheduling, which
// makes many in the time of one, and gives a node one container in each.
const (
	rounds      = 2
	asyncRounds = 20
)

// starts lets every node report twice, in the order of their ids, or makes some
// rounds of asynchronous scheduling, and reports whether the application gets a
// container. It changes the scheduler.
func starts(s *capacity.Scheduler, app yarn.AppID) bool {
	var events []yarn.Event
	got := func(e yarn.Event) bool { return e.Kind == yarn.Allocate && !e.Refused && e.App == app }
	_, async := s.Rounds()
	times := rounds
	if async {
		times = asyncRounds
	}
	for range times {
		for n := range yarn.NodeID(s.NodesEver()) {
			if async {
				events = s.Commit(0, s.Round(0, 0, nil, events[:0]))
			} else {
				events = s.Beat(n, nil, events[:0])
			}
			if slices.ContainsFunc(events, got) {
				return true
			}
			if async {
				break
			}
		}
	}
	return false
}

// node finds the smallest new node that would give the application a container: as
// large as the ask, doubled a few times where others come first.
func (s *search) node(st *capacity.Standing) *NewNode {
	size := st.Masters.Size
	if len(st.Asks) > 0 {
		size = st.Asks[0].Size
	}
	least := s.Scheduler.Config().MinAllocation
	size = yarn.Resource{Memory: max(size.Memory, least.Memory), VCores: max(size.VCores, least.VCores, 1)}
	for range 8 {
		c := s.Scheduler.Clone()
		if _, err := c.AddNode(yarn.NodeSpec{Name: "new-node", Rack: "/new-rack", Resource: size,
			Label: st.Partition}); err != nil {
			return nil
		}
		if starts(c, s.App) {
			return &NewNode{st.Partition, size.Memory, size.VCores}
		}
		size.Memory, size.VCores = 2*size.Memory, 2*size.VCores
	}
	return nil
}
