package capacity

import (
	"reflect"
	"slices"

	"schedtune/simcore/sched/capacity/internal/deepcopy"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf/placement"
)

// Where an application stands: what tune why and reports of runs are made of. It is read
// from the scheduler's own state with the scheduler's own tests, so that an answer cannot
// part from what is decided.

// Clone returns a scheduler in the same state. What is done to one changes nothing in the
// other. Placement rules, which are never changed, are shared.
func (s *Scheduler) Clone() *Scheduler {
	s.settle()
	// What points into lists of keys, and is not needed between two verbs.
	s.async.counting.reset()
	s.prop = proposal{}
	for _, a := range s.apps {
		a.slot.exchange = exchange{}
	}
	return deepcopy.Of(s, reflect.TypeFor[placement.Rules]())
}

// Stage is how far an application has come.
type Stage uint8

// Stages of an application.
const (
	HeldBack Stage = iota // max-parallel-apps of its user or of a queue
	Waiting               // its master is not allowed yet: AM limits
	Active                // its master may start, or has
	Over
)

// Standing is where an application stands at one instant: the limits on its way with their
// figures, and what a look at every node comes to for it. Figures of an application that is
// over are zero but for name, user, queue and stage.
type Standing struct {
	App         yarn.AppID
	Name, User  string
	Queue       string // path of the leaf
	Stage       Stage
	Priority    int32
	HasMaster   bool
	Launching   bool   // its master has a container and has not registered; set by whoever knows
	Dominant    bool   // the calculator looks at cores too
	Partition   string // of the first ask, or of the master
	Used        yarn.Resource
	Asks        []AskStanding
	Parallel    []ParallelLimit // in the order in which the scheduler tests them: user, leaf, its parents
	Masters     MasterLimits
	Levels      []LevelStanding // in Partition, from the leaf to root
	UserUsed    yarn.Resource   // in Partition
	UserLimit   yarn.Resource
	UserOpen    bool           // the user is not over the limit
	ActiveUsers int            // of the leaf, with asks
	Nodes       []NodeStanding // of all partitions
	Sights      []Sight        // by node; with placement on several nodes by partition, of its first node
	Passing     PassingStanding
	Holders     []Holding // of Partition
}

// AskStanding is a request key with outstanding asks.
type AskStanding struct {
	Size         yarn.Resource
	Places       []string // nodes and racks asked for
	Missed       int      // scheduling opportunities passed over
	RackAfter    int      // opportunities after which another node of the rack is taken
	AnyAfter     int      // and after which any node is; both at least as the next look tests them
	SharedMissed int      // opportunities passed over of idle resources of shared partitions
}

// ParallelLimit is one limit of applications that run at a time.
type ParallelLimit struct {
	Queue          string // "" for the user's
	Running, Limit int
}

// MasterLimits are the limits on application masters, in the partition of the
// application's.
type MasterLimits struct {
	Partition            string
	Size                 yarn.Resource
	QueueUsed, QueueMost yarn.Resource
	UserUsed, UserMost   yarn.Resource
	QueueFits, UserFits  bool    // as the scheduler tests them, with its exception for a queue without masters
	LimitOf              string  // user whose limit is used: that of the first waiting application that fits
	Percent              float32 // maximum-am-resource-percent in the partition
}

// LevelStanding is a queue on the way from the leaf to root.
type LevelStanding struct {
	Queue      string
	Accessible bool
	Used       yarn.Resource
	Reserved   yarn.Resource
	Guaranteed yarn.Resource
	Maximum    yarn.Resource // as configured
	Open       bool          // it uses less than its maximum, as the scheduler tests it
	Holds      bool          // the first ask fits in what the maximum leaves
}

// NodeStanding is a node.
type NodeStanding struct {
	ID          yarn.NodeID
	Name        string
	Partition   string
	Total, Free yarn.Resource
	Reserved    yarn.AppID // -1: not reserved
}

// Standing returns where an application stands; false if there is none of that
// id. The scheduler stays as it is: the looks are made by a copy.
func (s *Scheduler) Standing(id yarn.AppID) (Standing, bool) { return s.Clone().Examine(id) }

// Examine is Standing made by the scheduler itself, which the looks change: for copies that
// serve nothing else.
func (s *Scheduler) Examine(id yarn.AppID) (Standing, bool) {
	a := s.lookUp(id)
	if a == nil {
		return Standing{}, false
	}
	s.settle()
	st := s.standing(a)
	s.diagnosis = nil
	return st, true
}

// Submitted returns how many applications have been accepted: their ids count
// from 0.
func (s *Scheduler) Submitted() int { return len(s.apps) }

// NodesEver returns how many nodes have been registered, lost ones included: their
// ids count from 0.
func (s *Scheduler) NodesEver() int { return len(s.nodes) }

// NameOf returns the name an application was submitted with.
func (s *Scheduler) NameOf(id yarn.AppID) string {
	if a := s.lookUp(id); a != nil {
		return a.name
	}
	return ""
}

// standing is Standing on a copy, which it changes.
func (s *Scheduler) standing(a *app) Standing {
	st := Standing{App: a.id, Name: a.name, User: a.user, Queue: a.queue.path, Priority: a.priority,
		HasMaster: a.master != nil, Dominant: s.calc.Dominant}
	if st.Stage = a.stage(); st.Stage == Over {
		return st
	}
	p := s.asksOf(a, &st)
	st.Partition = s.parts[p].name
	at := a.at(p)
	st.Used = yarn.Resource(at.used)
	s.parallelOf(a, &st)
	s.mastersOf(a, &st.Masters)
	ask := a.at(p).am
	if len(st.Asks) > 0 {
		ask = res(st.Asks[0].Size)
	}
	s.part = p
	s.levelsOf(a.queue, p, ask, &st)
	limit := s.userLimit(a.queue, a.slot.u, p, forActive)
	st.UserLimit, st.UserOpen = yarn.Resource(limit), true
	if u := a.slot.u; u != nil {
		st.UserUsed = yarn.Resource(u.at(p).used)
		st.UserOpen = !s.more(u.at(p).used, limit)
	}
	st.ActiveUsers = a.queue.users.activeUsers
	s.nodesOf(&st)
	s.passingOf(a, p, &st)
	s.holdersOf(a, p, &st)
	if st.Stage == Active && len(st.Asks) > 0 {
		s.lookAround(a, &st)
	}
	return st
}

// stage is how far an application has come.
func (a *app) stage() Stage {
	switch {
	case a.ended:
		return Over
	case !a.runnable:
		return HeldBack
	case !a.activated:
		return Waiting
	}
	return Active
}

// asksOf lists the outstanding asks and returns the partition of the first, or that
// of the master.
func (s *Scheduler) asksOf(a *app, st *Standing) int32 {
	p := int32(-1)
	for i := range a.keys {
		k := &a.keys[i]
		if k.Outstanding() <= 0 {
			continue
		}
		if p < 0 {
			p = k.label
		}
		x := AskStanding{Size: yarn.Resource(k.Any.Size), Missed: k.missed, SharedMissed: k.missedPlain}
		var places []yarn.Place
		for j := range k.Places {
			if k.Places[j].Present && k.Places[j].Count > 0 {
				places = append(places, k.Places[j].Place)
			}
		}
		slices.Sort(places)
		for _, p := range places {
			x.Places = append(x.Places, s.NameOfPlace(p))
		}
		x.RackAfter, x.AnyAfter = s.delaysOf(k)
		st.Asks = append(st.Asks, x)
	}
	if p < 0 {
		p = a.amPart
	}
	return p
}

// delaysOf returns the opportunities to pass before the rack, and before any node,
// found with the test itself.
func (s *Scheduler) delaysOf(k *reqKey) (rack, off int) {
	if k.Unique == 1 {
		return 0, 0
	}
	rack = min(s.liveNodes, s.conf.NodeLocalityDelay)
	probe := *k
	for probe.missed = 0; probe.missed <= s.liveNodes+1 && !s.offSwitchAllowed(&probe, nil); probe.missed++ {
	}
	return rack, max(probe.missed-1, 0)
}

// parallelOf lists the limits on how many applications run at a time (requests.Parallel.Stop).
func (s *Scheduler) parallelOf(a *app, st *Standing) {
	st.Parallel = append(st.Parallel, ParallelLimit{Running: s.users.User(a.user).Running,
		Limit: s.conf.UserParallel(a.user)})
	for q := a.queue; q != nil; q = q.parent {
		st.Parallel = append(st.Parallel, ParallelLimit{Queue: q.path, Running: q.Running, Limit: q.conf.MaxParallelApps})
	}
}

// mastersOf tests the master as activateWaiting does.
func (s *Scheduler) mastersOf(a *app, m *MasterLimits) {
	q, at, p := a.queue, a.queue.at(a.amPart), a.amPart
	size := a.at(p).am
	s.amLimitNow(q, p)
	m.Partition, m.Size, m.Percent, m.LimitOf = s.parts[p].name, yarn.Resource(size), at.label.AMPercent, a.user
	for _, b := range q.waiting {
		if b.amPart == p && s.amFits(q, at, b.at(p).am.Add(at.amUsed), at.amLimit) {
			m.LimitOf = b.user
			break
		}
	}
	most := s.userAMLimitNow(q, weightOf(q.conf, m.LimitOf), p)
	var used res
	if u := a.slot.u; u != nil {
		used = u.at(p).amUsed
	}
	m.QueueUsed, m.QueueMost = yarn.Resource(at.amUsed), yarn.Resource(at.amLimit)
	m.UserUsed, m.UserMost = yarn.Resource(used), yarn.Resource(most)
	m.QueueFits = s.amFits(q, at, size.Add(at.amUsed), at.amLimit)
	m.UserFits = s.amFits(q, at, size.Add(used), most)
}

// levelsOf lists the queues from this one up.
func (s *Scheduler) levelsOf(q *queue, p int32, ask res, st *Standing) {
	for ; q != nil; q = q.parent {
		at := q.at(p)
		st.Levels = append(st.Levels, LevelStanding{Queue: q.path, Accessible: at.accessible,
			Used: yarn.Resource(at.used), Reserved: yarn.Resource(at.reserved),
			Guaranteed: yarn.Resource(at.eff.Min), Maximum: yarn.Resource(at.eff.Max),
			Open: s.more(at.eff.Max, at.used), Holds: s.fits(ask, at.eff.Max.Sub(at.used))})
	}
}

// nodesOf lists the nodes that are there.
func (s *Scheduler) nodesOf(st *Standing) {
	for _, n := range s.nodes {
		if n.lost {
			continue
		}
		x := NodeStanding{ID: n.id, Name: s.NameOfPlace(n.place), Partition: s.parts[n.part].name,
			Total: yarn.Resource(n.total), Free: yarn.Resource(n.free), Reserved: -1}
		if n.reserved != nil {
			x.Reserved = n.reserved.app.id
		}
		st.Nodes = append(st.Nodes, x)
	}
}
