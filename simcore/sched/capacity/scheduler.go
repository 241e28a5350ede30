package capacity

import (
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Scheduler decides which container goes where. Build one with New. It serves one run, and
// one goroutine.
//
// Its state is grouped by concern, each declared beside the code that keeps it.
type Scheduler struct {
	containerStore  // containers.go; before all that points to containers, see TestBlocksComeFirst
	settings        // the configuration in force
	queueTree       // queues.go
	partitionTable  // partition.go
	nodeTable       // nodes.go
	nodeLists       // multinode.go: placement on several nodes
	appTable        // apps.go
	walkState       // assign.go: the heartbeat or round at hand
	changeLog       // idle.go: what tells that nothing has changed
	ends            // containers.go: containers that ended against their masters' will
	preemptionState // preempt.go

	async asynchronous // async.go
}

// settings are the configuration in force, and what of it nearly every decision reads.
type settings struct {
	conf *yarnconf.Config // in force: a copy of what New was given, or what Refresh has put in its place

	calc     yarnconf.Calculator // memory alone, or the dominant share
	minAlloc res                 // yarn.scheduler.minimum-allocation-mb and -vcores
	mask     int64               // of the minimum allocation, see maskOf
	rules    yarnconf.Rules      // in what the version of Hadoop differs from others
}

var (
	_ yarn.Scheduler = (*Scheduler)(nil)
	_ yarn.Preemptor = (*Scheduler)(nil)

	_ yarn.QueueKeeper = (*Scheduler)(nil)
	_ yarn.Killer      = (*Scheduler)(nil)
	_ yarn.Rounder     = (*Scheduler)(nil)
)

// New builds a scheduler from a configuration without errors. The configuration is copied
// where it is changed; several schedulers may share one. Errors: what is not simulated,
// see supported.
func New(conf *yarnconf.Config) (*Scheduler, error) {
	if err := supported(conf); err != nil {
		return nil, err
	}
	s := &Scheduler{
		settings:  settings{conf: conf.Clone()},
		queueTree: queueTree{byName: map[string]*queue{}},
		partitionTable: partitionTable{parts: make([]partition, 1), partIDs: map[string]int32{"": 0},
			userAMLimits: make([]res, 1)},
		nodeTable: nodeTable{nodeIDs: map[string]yarn.NodeID{}},
		appTable:  appTable{users: requests.Parallel[*queue, *app]{}},
	}
	s.build()
	return s, nil
}

// build makes the queue tree of the configuration (CapacityScheduler.initScheduler,
// CapacitySchedulerQueueManager.initializeQueues).
func (s *Scheduler) build() {
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

// newQueue makes the state of queue i of the configuration and puts it below its parent,
// which comes before it in the list.
func (s *Scheduler) newQueue(i int) *queue {
	q := s.emptyQueue(&s.conf.Queues[i])
	if q.parent != nil {
		q.joinParent(int32(len(q.parent.children)))
	}
	s.setUp(q, q.conf)
	return q
}

// emptyQueue makes the state of a configured queue, which is not set up and not among its
// parent's children yet.
func (s *Scheduler) emptyQueue(c *yarnconf.Queue) *queue {
	q := &queue{path: c.Path, conf: c, leaf: c.Leaf, state: c.State}
	s.sizeParts(q)
	q.users.version = 1
	if c.Parent >= 0 {
		q.parent = s.queues[c.Parent]
	}
	return q
}

// setUp derives what a load or refresh sets anew in a queue (setupQueueConfigs of
// AbstractParentQueue and AbstractLeafQueue). was are the settings that it had before; at
// a load those that it has.
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
	q.cachedLimit, q.shownLimit, q.lastCluster = s.cluster, s.cluster, s.cluster
	most := q.conf.MaxAllocation
	q.minAllocShare = s.calc.Ratio(most.Sub(s.minAlloc), most)
	q.users.newWeights(q.conf)
}
