// Package capacity is Hadoop's Capacity Scheduler as a state machine: its verbs
// are those of a ResourceManager's scheduler (submit, ask, beat, end, add, lose,
// refresh, preempt), and it knows nothing of time. In synchronous mode it makes
// the decisions of Hadoop 3.4.1 container by container; recorded scenarios of
// the original hold it to that, see the conformance folder.
//
// Where a decision of the original depends on the iteration order of its hash
// tables, that order is followed; where it depends on the wall clock (the
// addresses of container ids), an order of our own is used.
package capacity

import (
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Scheduler decides which container goes where. Build one with New.
type Scheduler struct {
	// Before all that points to containers, which spares Clone to come back to the pointers.
	blocks [][]container

	first    *yarnconf.Config // as given to New, for Reset
	conf     *yarnconf.Config
	reloaded bool // by a Refresh: conf is no longer first

	calc     yarnconf.Calculator
	minAlloc res
	mask     int64 // of the minimum allocation, see maskOf
	cluster  res
	rules    yarnconf.Rules
	parts    []partition // by number; the first is of nodes without label
	partIDs  map[string]int32
	root     *queue
	queues   []*queue // in the order of conf.Queues
	byName   map[string]*queue
	swept    int64           // when the deletion policy last ran, in ms
	marked   map[string]bool // unused when the deletion policy last looked

	shortNames map[string]int // how many queues have a name

	nodes     []*node
	allNodes  []*node // with those of earlier runs
	liveNodes int
	mostNodes int // at a time
	entries   int // nodes entered into lists so far
	largest   res // node, component by component
	nodeIDs   map[string]yarn.NodeID
	unsettled bool // nodes came while no application was there: figures are due

	apps       []*app
	places     map[string]yarn.Place
	placeNames []string
	users      map[string]*globalUser

	lists     []*nodeList // by partition; none without placement on several nodes
	listOrder []int32     // partitions that have lists, in order of entry
	ranked    int         // how many nodes node.rank is of
	heard     []*node     // scratch of offered
	together  *candidates // offered at once; nil outside a walk

	limits      []limits // by depth, during an assignment
	part        int32    // partition of the node at hand
	shared      bool     // its idle resources are given to asks without label
	out         []yarn.Event
	lost        []yarn.Container // collects containers that ended against their AM's will
	taking      bool             // lost collects
	unreserv    []yarn.NodeID    // backs Event.Unreserved
	now         int64            // milliseconds of the preemption policy's clock
	clocked     bool             // by SetClock; otherwise a round is roundLength after the one before
	births      int64            // proposals accepted since the last round
	policy      preemption
	prop        proposal
	async       asynchronous
	mastersMade []*container     // AM containers started in this beat or round
	killables   []*container     // that proposals may kill
	kill        []yarn.Container // named by the proposal at hand
	named       []yarn.Container // by the events of this call, see Named
	killed      []yarn.Container // while nodes were scheduled, not yet told
	widened     bool             // containers have become killable
	headless    []*app           // their masters were killed in this beat
	refusals    int              // proposals refused in this beat
	changed     bool             // something observable moved in this beat
	shifted     bool             // so did limits that are remembered to be shown; walks make the same of them again
	clock       uint64
	neutral     uint64 // ticks of the clock after which all that walks go by was as before, see exchange.go
	repeats     int    // exchanges that were repeated
	trail       trail  // of the walks of this beat
	sealed      uint64 // clock at which a beat changed nothing, whatever the node

	nodeMattered bool // this beat came to something that depends on its node

	witness  *witness // of a copy that Standing looks with; else nil
	thorough bool     // every walk and ask is the general one, for tests

	submissions    int64  // accepted or not: they number applications in the original
	sequence       uint64 // containers started
	order          []*container
	demanded       []int32 // scratch of demands
	freeContainers []*container
	containers     int // made so far
	freeApps       []*app
	ordinals       []uint32 // pages of handles, see containerList
	freePages      []int32
	freeUsers      []*user
	usedUsers      []*user
	eff            []yarnconf.Effective
	labelEff       [][]yarnconf.Effective // by partition, the first is eff
	userAMLimits   []res                  // by partition, while masters are activated
}

// globalUser counts a user's applications over all queues.
type globalUser struct {
	runnable    int
	nonRunnable []*app
}

var (
	_ yarn.Scheduler = (*Scheduler)(nil)
	_ yarn.Preemptor = (*Scheduler)(nil)

	_ yarn.QueueKeeper = (*Scheduler)(nil)
	_ yarn.Killer      = (*Scheduler)(nil)
	_ yarn.Rounder     = (*Scheduler)(nil)
)

// New builds a scheduler from a configuration without errors. The configuration
// is copied where it is changed; several schedulers may share one.
func New(conf *yarnconf.Config) (*Scheduler, error) {
	if err := supported(conf); err != nil {
		return nil, err
	}
	s := &Scheduler{
		first:   conf,
		byName:  map[string]*queue{},
		nodeIDs: map[string]yarn.NodeID{},
		places:  map[string]yarn.Place{"*": yarn.AnyPlace},
		users:   map[string]*globalUser{},
		parts:   make([]partition, 1),
		partIDs: map[string]int32{"": 0},

		userAMLimits: make([]res, 1),
	}
	s.placeNames = []string{"*"}
	s.build()
	return s, nil
}

// build makes the queue tree of the first configuration.
func (s *Scheduler) build() {
	s.conf, s.reloaded = s.first.Clone(), false
	s.calc, s.minAlloc, s.rules = s.conf.Calculator, s.conf.MinAllocation, s.conf.Version.Rules()
	s.mask = s.maskOf()
	s.queues = s.queues[:0]
	clear(s.byName)
	for i := range s.conf.Queues {
		s.queues = append(s.queues, s.newQueue(i))
	}
	s.root = s.queues[0]
	s.eff = make([]yarnconf.Effective, len(s.queues))
	s.limits = make([]limits, s.root.height+1)
	s.nameQueues()
	s.makeLists()
	s.unsettled = true
}

// newQueue makes the state of a configured queue and hangs it below its parent,
// which comes before it in the list.
func (s *Scheduler) newQueue(i int) *queue {
	c := &s.conf.Queues[i]
	q := &queue{path: c.Path, conf: c, leaf: c.Leaf, state: c.State}
	s.sizeParts(q)
	q.users.init()
	if c.Parent >= 0 {
		q.parent = s.queues[c.Parent]
		q.hang(int32(len(q.parent.children)))
	}
	s.setUp(q, q.conf)
	return q
}

// hang puts a queue at the end of its parent's list.
func (q *queue) hang(index int32) {
	q.index = index
	q.parent.children = append(q.parent.children, q)
	for p := range len(q.labels) + 1 {
		q.at(int32(p)).stale = false
		up := q.parent.at(int32(p))
		up.sorted = append(up.sorted, index)
	}
	for p, depth := q.parent, int32(1); p != nil; p, depth = p.parent, depth+1 {
		p.height = max(p.height, depth)
	}
}

// setUp derives what a load or refresh sets anew in a queue that had the
// settings was (at a load: has).
func (s *Scheduler) setUp(q *queue, was *yarnconf.Queue) {
	q.eitherMinimum = s.conf.Version.Rules().MinimumOfEither
	s.labelsOf(q)
	if !q.leaf {
		s.manage(q, was)
		return
	}
	if q.conf.Managed {
		q.template = q.parent.managed
	}
	q.cachedLimit, q.shownLimit, q.shownCluster, q.lastCluster = s.cluster, s.cluster, s.cluster, s.cluster
	most := q.conf.MaxAllocation
	q.minAllocShare = s.calc.Ratio(most.Sub(s.minAlloc), most)
	q.users.newWeights(q.conf)
}

// nameQueues fills the look-up by full path and by unambiguous short name.
func (s *Scheduler) nameQueues() {
	clear(s.byName)
	seen := map[string]int{}
	for _, q := range s.queues {
		seen[q.conf.Name]++
	}
	s.shortNames = seen
	for _, q := range s.queues {
		if seen[q.conf.Name] == 1 {
			s.byName[q.conf.Name] = q
		}
	}
	for _, q := range s.queues {
		s.byName[q.path] = q
	}
}

// Reset returns to the state after New: no nodes, no applications, the first
// configuration. Memory is kept for the next run; place ids stay valid.
func (s *Scheduler) Reset() {
	for _, a := range s.apps {
		s.recycle(a)
	}
	s.apps, s.mastersMade = s.apps[:0], s.mastersMade[:0]
	s.nodes, s.liveNodes, s.mostNodes, s.entries, s.cluster, s.largest = s.nodes[:0], 0, 0, 0, res{}, res{}
	for p := range s.parts {
		s.parts[p].total = res{}
	}
	s.makeLists()
	clear(s.nodeIDs)
	for _, g := range s.users {
		g.runnable, g.nonRunnable = 0, g.nonRunnable[:0]
	}
	s.freeUsers = append(s.freeUsers, s.usedUsers...)
	s.usedUsers = s.usedUsers[:0]
	s.neutral, s.now, s.clock, s.sealed, s.submissions, s.sequence, s.refusals = 0, 0, 0, 0, 0, 0, 0
	s.clocked, s.births = false, 0
	s.policy = preemption{}
	s.killables, s.killed, s.headless = s.killables[:0], s.killed[:0], s.headless[:0]
	s.marked, s.swept = nil, 0
	s.async.reset()
	if s.reloaded {
		s.build()
		return
	}
	for _, q := range s.queues {
		s.renew(q)
	}
	s.unsettled = true
}

// renew empties a queue.
func (s *Scheduler) renew(q *queue) {
	old := *q
	*q = queue{
		queuePart: old.queuePart.emptied(), labels: old.labels,
		path: old.path, conf: old.conf, leaf: old.leaf, state: old.conf.State,
		parent: old.parent, children: old.children, index: old.index, height: old.height, users: old.users,
		active: old.active[:0], waiting: old.waiting[:0], nonRunnable: old.nonRunnable[:0], reorder: old.reorder[:0],
	}
	for i := range q.labels {
		q.labels[i] = q.labels[i].emptied()
	}
	q.users.init()
	s.setUp(q, q.conf)
}

// Place interns the name of a node, of a rack, or "*".
func (s *Scheduler) Place(name string) yarn.Place {
	if p, ok := s.places[name]; ok {
		return p
	}
	p := yarn.Place(len(s.placeNames))
	s.places[name] = p
	s.placeNames = append(s.placeNames, name)
	return p
}

func (s *Scheduler) newUser() *user {
	var u *user
	if n := len(s.freeUsers); n > 0 {
		u, s.freeUsers = s.freeUsers[n-1], s.freeUsers[:n-1]
		clear(u.labels)
		*u = user{labels: u.labels}
	} else {
		u = &user{}
	}
	if n := len(s.parts) - 1; len(u.labels) != n {
		u.labels = make([]userPart, n)
	}
	s.usedUsers = append(s.usedUsers, u)
	return u
}

func (s *Scheduler) global(user string) *globalUser {
	g := s.users[user]
	if g == nil {
		g = &globalUser{}
		s.users[user] = g
	}
	return g
}
