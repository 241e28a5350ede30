package capacity

import (
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/java"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
	"schedtune/yarnconf/placement"
)

// Dynamic queues: placement rules decide where an application goes
// (CSMappingPlacementRule, package placement), the queue is made if it is not there
// (CapacitySchedulerQueueManager.createQueue), and those of flexible parents
// (auto-queue-creation-v2) go again when they have not been used for a while
// (AutoCreatedQueueDeletionPolicy). managed.go has the leaves of managed parents
// (auto-create-child-queue).

// Queue finds a queue by path or unambiguous short name, for the placement rules.
func (s *Scheduler) Queue(name string) (placement.Queue, bool) {
	q := s.byName[name]
	if q == nil {
		return placement.Queue{}, false
	}
	return q.conf.Placed(), true
}

// Ambiguous reports whether several queues have a short name.
func (s *Scheduler) Ambiguous(name string) bool { return s.shortNames[name] > 1 }

// destination is where an application is sent.
type destination struct {
	name   string // of the queue, as far as it is known
	parent string // of the queue as a rule gives it
	placed bool   // a rule, or whoever submits in its place, has decided
}

// route finds where an application goes, by the placement rules if its spec says so
// (CapacityScheduler.addApplication, its placement context).
func (s *Scheduler) route(spec *yarn.AppSpec) (destination, error) {
	name := spec.Queue
	if !spec.ByRules {
		// Who gives a path has decided on the parent as a rule would have; a short
		// name leaves that open.
		i := max(strings.LastIndexByte(name, '.'), 0)
		return destination{name: name, parent: name[:i], placed: i > 0}, nil
	}
	if name == "" {
		name = placement.DefaultQueue
	}
	d := destination{name: name}
	if s.rules.FirstUseOtherwise && s.conf.Placement.Len() > 0 {
		return d, fmt.Errorf("application %s: placement rules of Hadoop %v are not simulated: use a queue mapping, or the "+
			"rules of 3.4 or 3.5", spec.Name, s.conf.Version)
	}
	path, placed, err := s.conf.Placement.Place(s, placement.App{Name: spec.Name, User: spec.User, Groups: spec.Groups,
		Queue: spec.Queue})
	if err != nil {
		return d, fmt.Errorf("application %s: %w", spec.Name, err)
	}
	if placed {
		d = destination{name: path, placed: true}
		if i := strings.LastIndexByte(path, '.'); i >= 0 {
			d.parent = strings.TrimSpace(path[:i])
		}
	}
	if q := s.byName[d.name]; q != nil {
		d.name = q.path // a rule may have given a short name
	}
	return d, nil
}

// Destination returns the leaf that a submission would go to. A queue that is not
// there is made, as by the submission itself; limits on applications do not count.
func (s *Scheduler) Destination(spec yarn.AppSpec) (string, error) {
	to, err := s.route(&spec)
	if err != nil {
		return "", err
	}
	q, err := s.leafFor(&spec, to)
	if err != nil {
		return "", err
	}
	return q.path, nil
}

// leafFor finds the leaf of a destination, making it where it is not there
// (CapacityScheduler.getOrCreateQueueFromPlacementContext).
func (s *Scheduler) leafFor(spec *yarn.AppSpec, d destination) (*queue, error) {
	q := s.byName[d.name]
	if q == nil {
		if s.Ambiguous(d.name) {
			return nil, fmt.Errorf("application %s: several queues are called %s", spec.Name, d.name)
		}
		var err error
		if q, err = s.create(d.name); err != nil && !s.makesQueues() {
			return nil, fmt.Errorf("application %s: no queue %s", spec.Name, d.name)
		} else if err != nil {
			return nil, fmt.Errorf("application %s: no queue %s: %w", spec.Name, d.name, err)
		}
	}
	if !q.leaf {
		return nil, fmt.Errorf("application %s: queue %s is not a leaf", spec.Name, q.path)
	}
	// Only a mapping that names the managed parent leads into its leaves.
	if q.conf.Managed && (!d.placed || d.parent != q.parent.path && d.parent != q.parent.conf.Name) {
		return nil, fmt.Errorf("application %s: queue %s takes applications by a queue mapping only", spec.Name, q.path)
	}
	return q, nil
}

// makesQueues reports whether any parent makes queues on first use.
func (s *Scheduler) makesQueues() bool {
	return slices.ContainsFunc(s.conf.Queues, func(q yarnconf.Queue) bool { return q.AutoCreate || q.AutoCreateOld })
}

// create makes the leaf with a path and the parents above it that are not there.
func (s *Scheduler) create(path string) (*queue, error) {
	parts := strings.Split(path, ".")
	if len(parts) < 2 || slices.Contains(parts, "") {
		return nil, fmt.Errorf("it does not exist, and no parent creates it")
	}
	parent := strings.Join(parts[:len(parts)-1], ".")
	if s.rules.FirstUseOtherwise && s.makesQueues() {
		return nil, fmt.Errorf("dynamic queues of Hadoop %v are not simulated: use a configured queue, or the rules of "+
			"3.4 or 3.5", s.conf.Version)
	}
	if up := s.byName[parent]; up != nil && up.conf.AutoCreateOld {
		return s.addManaged(up, parts[len(parts)-1])
	}
	missing, up, err := s.missingParents(parent)
	if err != nil {
		return nil, err
	}
	for _, p := range missing {
		if up, err = s.addFlexible(up, p[strings.LastIndexByte(p, '.')+1:], false); err != nil {
			return nil, err
		}
	}
	return s.addFlexible(up, parts[len(parts)-1], true)
}

// missingParents lists the paths that have to be made above a leaf, highest first, and the
// queue below which they go (CapacitySchedulerQueueManager.determineMissingParents).
func (s *Scheduler) missingParents(parent string) (missing []string, up *queue, err error) {
	if s.Ambiguous(parent) {
		return nil, nil, fmt.Errorf("several queues are called %s", parent)
	}
	// Two things are looked for on the way up from the leaf's parent: the first queue that
	// is there (up), below which the missing ones go, and the first that was configured
	// (static), from which the depth is counted.
	distance, candidate := 1, parent
	up = s.byName[candidate]
	static := up
	for (static == nil || static.conf.Dynamic) && candidate != "" {
		distance++
		if up == nil {
			missing = slices.Insert(missing, 0, candidate)
		}
		candidate = candidate[:max(strings.LastIndexByte(candidate, '.'), 0)]
		if up == nil {
			up = s.byName[candidate]
		}
		static = s.byName[candidate]
	}
	switch {
	case up == nil || static == nil:
		return nil, nil, fmt.Errorf("no queue above it exists")
	case distance > static.conf.MaxDepth:
		return nil, nil, yarnconf.NotMade(static.path, yarnconf.QueueDepth, distance, static.conf.MaxDepth,
			fmt.Sprintf("it would be %d levels below %s: at most %d", distance, static.path, static.conf.MaxDepth))
	case up.leaf:
		return nil, nil, fmt.Errorf("%s is a leaf", up.path)
	case !up.conf.AutoCreate || up.conf.AutoCreateOld:
		return nil, nil, fmt.Errorf("%s creates no queues (auto-queue-creation-v2.enabled)", up.path)
	}
	return missing, up, nil
}

// addFlexible makes a queue below a flexible parent (AbstractParentQueue, createNewQueue).
func (s *Scheduler) addFlexible(up *queue, name string, leaf bool) (*queue, error) {
	i, err := s.conf.AddFlexible(s.indexOf(up), name, leaf)
	if err != nil {
		return nil, err
	}
	q := s.attach(i)
	q.lastUsed, up.lastUsed = s.deletionRun, s.deletionRun
	s.branchChanged(up)
	return q, nil
}

// indexOf is the place of a queue in the configuration.
func (s *Scheduler) indexOf(q *queue) int { return slices.Index(s.queues, q) }

// attach makes the state of a queue that was appended to the configuration.
func (s *Scheduler) attach(i int) *queue {
	// The configuration's slice was appended to and may have moved.
	for k, q := range s.queues {
		q.conf = &s.conf.Queues[k]
	}
	q := s.newQueue(i)
	q.unlisted = true
	s.queues = append(s.queues, q)
	s.eff, s.labelEff = append(s.eff, yarnconf.Effective{}), nil
	s.limits = make([]limits, s.root.height+1)
	s.nameQueues()
	return q
}

// detach removes a queue without children and applications (removeChildQueue).
func (s *Scheduler) detach(q *queue) {
	i, up := s.indexOf(q), q.parent
	s.conf.Drop(i)
	s.queues = slices.Delete(s.queues, i, i+1)
	s.eff, s.labelEff = slices.Delete(s.eff, i, i+1), nil
	for k, other := range s.queues {
		other.conf = &s.conf.Queues[k]
	}
	q.orphan = true
	// The siblings after it move up: positions among the children are rebuilt from nothing,
	// in each partition.
	up.setChildren(slices.DeleteFunc(slices.Clone(up.children), func(c *queue) bool { return c == q }))
	s.nameQueues()
	s.branchChanged(up)
}

// branchChanged recomputes what changes when a parent's children do: the
// original updates the branch alone, as if the whole cluster were its limit.
func (s *Scheduler) branchChanged(top *queue) {
	s.settle()
	// Without legacy mode the update begins one level higher.
	if !s.conf.LegacyMode && top.parent != nil {
		top = top.parent
	}
	s.recompute(top)
}

// Expire runs the deletion policy of queues made by flexible parents once
// (AutoCreatedQueueDeletionPolicy.editSchedule): what it has marked before and finds unused
// goes, the rest of the unused is marked. idle tells which queues have had no submission for
// the expiry time; nil means all. The paths of removed queues are returned.
func (s *Scheduler) Expire(idle func(path string) bool) []string {
	s.settle()
	var due []*queue
	marks := map[string]bool{}
	for _, q := range s.queues {
		if !s.removable(q) {
			continue
		}
		if s.markedForDeletion[q.path] {
			due = append(due, q)
		} else {
			marks[q.path] = true
		}
	}
	s.markedForDeletion = marks
	// The original keeps the marked paths in a HashSet. Parents that only become empty by
	// this run are marked by the next one.
	java.HashSortBy(due, func(q *queue) string { return q.path })
	var gone []string
	for _, q := range due {
		if s.removable(q) && (idle == nil || idle(q.path)) {
			gone = append(gone, q.path)
			s.detach(q)
		}
	}
	return gone
}

// KeepInterval is the time between two calls of KeepQueues.
func (s *Scheduler) KeepInterval() int64 {
	k := s.conf.Keeping
	if k.RemoveEvery == 0 || k.ShareEvery > 0 && k.ShareEvery < k.RemoveEvery {
		return k.ShareEvery
	}
	return k.RemoveEvery
}

// KeepQueues runs the policies of dynamic queues that are due at a time in
// milliseconds.
func (s *Scheduler) KeepQueues(now int64) {
	k := s.conf.Keeping
	if k.ShareEvery > 0 {
		s.Manage()
	}
	if k.RemoveEvery > 0 && now-s.deletionRun >= k.RemoveEvery {
		// A submission counts from the run before it. That changes nothing: a queue
		// that has had one since is marked by this run at the earliest.
		expiry := s.conf.Expiry()
		s.Expire(func(path string) bool { return (now-s.byName[path].lastUsed)/1000 > expiry })
		s.deletionRun = now
	}
}

// removable reports whether a queue was made by a flexible parent and is empty.
func (s *Scheduler) removable(q *queue) bool {
	if !q.conf.Dynamic || !q.conf.AutoRemoval {
		return false
	}
	if q.leaf {
		return q.applications() == 0
	}
	return len(q.children) == 0
}

// epsilon is the slack with which shares of leaves are added up.
const epsilon float32 = 0.001
