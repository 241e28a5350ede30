package capacity

import (
	"schedtune/simcore/sched/internal/requests"
	"schedtune/yarnconf"
)

// res is a resource in the scheduler's own arithmetic.
type res = yarnconf.Resource

// queueTree is the tree of queues as it stands: that of the configuration in force, and
// dynamic queues.
type queueTree struct {
	root       *queue
	queues     []*queue          // in the order of conf.Queues: parents before children
	byName     map[string]*queue // by path, and by short name where only one queue has it
	shortNames map[string]int    // how many queues have a short name

	eff []yarnconf.Effective // by queue: figures computed last, on the way into queuePart.eff

	// Deletion of dynamic queues (AutoCreatedQueueDeletionPolicy), see Expire.
	markedForDeletion map[string]bool // paths found unused at the last run
	deletionRun       int64           // when that was, in milliseconds of KeepQueues
}

// queuePart is what a queue has and uses in one partition (QueueCapacities, ResourceUsage
// and QueueResourceQuotas of the original, each by partition there).
type queuePart struct {
	part       int32 // number of the partition
	accessible bool  // the queue may use the partition (accessible-node-labels)
	stale      bool  // its shares and its place in the parent's sorted are due; it is in the parent's stales
	kept       bool  // usedShare stands as it is until usage changes, whatever the guarantee has become

	usedShare         float32 // used over guarantee (usedCapacity); both shares are due while stale is set
	absoluteUsedShare float32 // used over the partition (absoluteUsedCapacity); only where the queue has no capacity

	used     res // of containers and reservations, here and below
	reserved res // of reservations alone, contained in used
	pending  res // asked for by applications here and below

	// Figures of eff that walks need, see figures.
	guarantee res // effective minimum, at least a minimum allocation
	most      res // effective maximum, rounded down (getEffectiveMaxCapacityDown)
	userMost  res // what user-limit-factor leaves one user

	sorted   []int32  // indices of children in assignment order
	stales   []*queue // children with stale set
	killable res      // of containers here and below that proposals may kill (lazy preemption)

	eff   yarnconf.Effective // what the configuration comes to on the present cluster
	label yarnconf.Label     // as configured

	// Leaves only.
	amUsed   res          // of the AMs of active applications, whether they have started or not
	amLimit  res          // as amLimitNow computed it last
	shared   []*container // here of asks without label, by application, then id (ignorePartitionExclusivityRMContainers)
	template *managed     // of a leaf below a managed parent
}

// queue is a queue: a parent or a leaf (AbstractParentQueue, AbstractLeafQueue). What it
// has on nodes without label it holds itself, so that clusters without labels need no
// look-up.
type queue struct {
	queuePart
	path     string
	conf     *yarnconf.Queue // as configured now
	parent   *queue          // nil of root
	children []*queue        // in the original's list order: it decides ties
	index    int32           // among the parent's children
	height   int32           // levels below
	orphan   bool            // removed by a refresh; applications may still refer to it
	state    yarnconf.State
	leaf     bool

	eitherMinimum bool // of children, see compareQueues (YARN-11745)

	labels []queuePart // of the other partitions, in order

	apps                int // submitted and not over, below this parent
	requests.Runs[*app]     // those of these and of a leaf's own that may run, and a leaf's held back (max-parallel-apps)

	leafEpoch uint64 // counts what changes in this leaf alone, see exchange.go

	lastUsed int64 // when its last application was submitted, see KeepQueues

	managed  *managed // of a parent that makes leaves by a template
	unlisted bool     // made since the last refresh, see onlyOnNode

	leafState
}

// leafState is what only leaves have.
type leafState struct {
	entitled bool // below a managed parent: it has the template's capacity

	// Each application of the leaf that is not over is in one of these, or Held.
	active  []*app // its master may start: in the ordering policy's order
	waiting []*app // admitted, its master not yet allowed: by priority, then id

	idle    int    // active[1:idle] are known to have nothing to ask for, see nextAsking
	reorder []*app // active ones whose place is due (fair order)
	users   userTable

	// partitions, by bit, that serve only applications submitted with their label (fifo-with-partitions)
	exclusiveParts uint64

	cachedLimit   res     // the last limit handed down, cut at the maximum (cachedResourceLimitsForHeadroom)
	shownLimit    res     // the same as headrooms see it (queueResourceLimitsInfo)
	lastCluster   res     // the cluster when limits were last updated (lastClusterResource)
	minAllocShare float32 // (maximum - minimum allocation) / maximum allocation (minimumAllocationFactor)

	tally  int32 // its place in countingRounds.leaves, if this leaf stands there
	booked uint8 // scratch of bookSkippedLimits
}

// joinParent puts a queue at the end of its parent's list of children, as the index-th.
func (q *queue) joinParent(index int32) {
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

// setChildren lists a parent's children anew.
func (q *queue) setChildren(children []*queue) {
	q.children = q.children[:0]
	for p := range len(q.labels) + 1 {
		at := q.at(int32(p))
		at.sorted, at.stales = at.sorted[:0], at.stales[:0]
	}
	for n, c := range children {
		c.joinParent(int32(n))
	}
}

// nameQueues fills the look-up by full path and by unambiguous short name (CSQueueStore).
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

// at returns the queue's figures of a partition.
func (q *queue) at(p int32) *queuePart { return partOf(&q.queuePart, q.labels, p) }

// addUsed books an allocation or reservation of size r in a partition, or with sign -1 its
// end, in the queue and all its parents (AbstractCSQueue.allocateResource, releaseResource).
func (q *queue) addUsed(p int32, r res, sign int64) {
	r = r.Times(sign)
	for ; q != nil; q = q.parent {
		at := q.at(p)
		at.used = at.used.Add(r)
		q.moved(at)
	}
}

// addReserved does the same for what is reserved.
func (q *queue) addReserved(p int32, r res, sign int64) {
	r = r.Times(sign)
	for ; q != nil; q = q.parent {
		at := q.at(p)
		at.reserved = at.reserved.Add(r)
	}
}

// addPending adds to what is asked for, in the queue and all its parents
// (AbstractCSQueue.incPendingResource).
func (q *queue) addPending(p int32, r res) {
	for ; q != nil; q = q.parent {
		at := q.at(p)
		at.pending = at.pending.Add(r)
	}
}

// figures derives from the effective figures what walks need again and again. It goes
// after every change of these, of the cluster, and of the leaf's user-limit-factor.
func (s *Scheduler) figures(q *queue, at *queuePart) {
	total := s.parts[at.part].total
	at.guarantee = s.calc.Max(total, at.eff.Min, s.minAlloc)
	at.most = s.roundDown(at.eff.Max)
	at.userMost = at.guarantee.Scale(float64(q.conf.UserLimitFactor))
	if q.conf.UserLimitFactor == -1 && !s.rules.NoUnlimitedFactor || at.eff.Min.IsNone() && !s.rules.UserLimitOfNothing {
		at.userMost = at.most
	}
}

// updateShares recomputes the ratios that order the queue among its siblings
// (CSQueueUtils.updateUsedCapacity). The share of the partition counts only among queues
// without capacity.
func (s *Scheduler) updateShares(at *queuePart) {
	if at.kept {
		return
	}
	at.usedShare, at.absoluteUsedShare = 0, 0
	total := s.parts[at.part].total
	if !s.more(total, res{}) {
		return
	}
	guarantee := at.guarantee
	if at.template != nil && at.eff.Absolute == 0 { // a managed leaf without capacity counts with the template's
		guarantee = s.larger(total.Scale(float64(at.template.absolute)), s.minAlloc)
	}
	at.usedShare = s.calc.Divide(total, at.used, guarantee)
	if at.eff.Absolute == 0 {
		at.absoluteUsedShare = s.calc.Divide(total, at.used, total)
	}
}

// moved notes that the queue's shares are due, and with them its place among its siblings,
// since its usage or its guarantee has changed.
func (q *queue) moved(at *queuePart) {
	at.kept = false
	q.misplaced(at)
}

// misplaced notes that the queue's place among its siblings may have changed.
func (q *queue) misplaced(at *queuePart) {
	if p := q.parent; p != nil && !at.stale && !q.orphan {
		at.stale = true
		up := p.at(at.part)
		up.stales = append(up.stales, q)
	}
}

// hasPending reports whether anything below a queue asks for more of a partition
// (AbstractCSQueue.hasPendingResourceRequest).
func (s *Scheduler) hasPending(at *queuePart) bool { return s.more(at.pending, res{}) }
