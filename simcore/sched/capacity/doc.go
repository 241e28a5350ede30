// Package capacity is Hadoop's Capacity Scheduler as a state machine. Its verbs are
// those of a ResourceManager's scheduler, and it knows nothing of time. It makes the
// decisions of Hadoop 3.4.1 and 3.5.0 container by container, those of 3.3.6 but for
// what New refuses; recorded scenarios of the original hold it to that (folder
// conformance). It is no queue system of its own: nothing is decided here that the
// original does not decide, and its oddities are kept and marked "kept from the
// original".
//
// # A run
//
//	s, err := capacity.New(conf)                      // a configuration without errors
//	s.DeclareLabels(labels)                           // where the cluster has node labels
//	n, err := s.AddNode(spec)                         // a NodeManager registers
//	a, err := s.Submit(app)                           // a client submits an application
//	events = s.Beat(n, ended, events[:0])             // a node's heartbeat: ends are freed, the node is filled
//	s.Ask(a, asks, release, &resp)                    // an application master's heartbeat (allocate)
//	marked, killed = s.Preempt(marked, killed)        // a round of the preemption policy
//	errs := s.Refresh(props)                          // yarn rmadmin -refreshQueues
//	lost = s.LoseNode(n, lost)                        // a node expires
//	s.End(a)                                          // an application is over
//
// With asynchronous scheduling (ByRounds) heartbeats only free what has ended; Round
// makes proposals and Commit commits them.
//
// Where a decision of the original depends on the iteration order of its hash tables,
// that order is followed (package internal/java); where it depends on the wall clock
// (ages of containers in preemption), an order of our own is used, see age.
//
// # Where to look
//
// In brackets the classes of Hadoop 3.4.1 whose rules a file holds.
//
//	what a run needs
//	  scheduler.go     the state in groups; New
//	  running.go       a node's containers [SchedulerNode.launchedContainers]
//	  nodes.go         nodes register and expire; figures after a change of the cluster [ClusterNodeTracker]
//	  apps.go          submission, request keys [CapacityScheduler.addApplication, FiCaSchedulerApp]
//	  asks.go          an application master's heartbeat [CapacityScheduler.allocate, AppSchedulingInfo]
//	  containers.go    containers begin and end [RMContainer, completedContainerInternal]
//	  queues.go        the queue tree, what queues use [AbstractCSQueue]
//	  queuelimits.go   limits handed down the tree [ResourceLimits]
//	  users.go         users of a leaf [UsersManager]
//	a heartbeat, in the order in which it goes
//	  beat.go          ends, reservation, container after container [CapacityScheduler.nodeUpdate]
//	  assign.go        root to leaf to application [AbstractParentQueue, AbstractLeafQueue.assignContainers]
//	  order.go         order of queues and applications [PriorityUtilizationQueueOrderingPolicy, FairOrderingPolicy]
//	  userlimit.go     user limit, headroom [UsersManager.computeUserLimit, CapacityHeadroomProvider]
//	  place.go         application to request key to locality [RegularContainerAllocator]
//	  reserve.go       reservations: made, filled, given up [FiCaSchedulerApp.reserve, unreserve]
//	  commit.go        the last check, and the books [FiCaSchedulerApp.accept, apply]
//	limits on applications
//	  activation.go    limits on masters [AbstractLeafQueue.activateApplications]
//	  parallel.go      max-parallel-apps [CSMaxRunningAppsEnforcer]
//	  admission.go     the tests of a submission, for explanations
//	  priority.go      application priorities
//	the configuration
//	  refresh.go       a changed configuration while running [CapacityScheduler.reinitialize]
//	  firstuse.go      dynamic queues: created and removed [CapacitySchedulerQueueManager]
//	  managed.go       leaves below a managed parent [ManagedParentQueue, GuaranteedOrZeroCapacityOverTimePolicy]
//	  supported.go     what New refuses
//	what a cluster may have besides
//	  partition.go     node labels [RMNodeLabelsManager, and partitions throughout]
//	  multinode*.go    placement on several nodes at once [MultiNodeSortingManager]
//	  async*.go        asynchronous scheduling [CapacityScheduler.AsyncScheduleThread, ResourceCommitterService]
//	  autocorrect.go   autocorrection of allocated containers (Hadoop 3.5)
//	  decommission.go  nodes that are being emptied
//	  hold.go          space of processes that outlive their containers
//	  adopt.go         containers that run already
//	preemption
//	  preempt.go       a round [ProportionalCapacityPreemptionPolicy]
//	  preempt_*.go     one selector of candidates each, and lazy preemption
//	questions
//	  figures.go       limits and usage of queues and users; OnCluster: without a run
//	  inspect.go       figures of applications
//	  standing*.go     where an application stands; diagnosis.go says why it gets nothing
//	  obstacle.go      why an application has no AM
//
// And: arith.go (comparisons by the calculator), javahash.go (orders of hash tables).
//
// Files that only make it faster; each begins with the argument why results stay:
//
//	idle.go            heartbeats that can change nothing
//	assign_memory.go   the walk where memory alone counts
//	exchange.go        a container ends and the next takes its place
//	async_counting.go  rounds that only renew and count; async_record.go records them
//	async_visits.go    full nodes in a round
//	multinode_scan.go  full nodes in a timer's order
//	prefetch.go        memory asked for ahead of its use
//
// # Words
//
// Words of this package beside Hadoop's own:
//
//	walk         one pass from root down the queue tree to at most one proposal
//	proposal     an allocation or reservation before its commit [ResourceCommitRequest]
//	row, key     a ResourceRequest, and its priority and allocation request id [SchedulerRequestKey]
//	handed down  of a limit: passed by a parent to a child during a walk [ResourceLimits]
//	shown        of a limit: the last one that an application's headroom was made with [QueueResourceLimitsInfo]
//	told         of a grant: fetched by the application's master [pullNewlyAllocatedContainers]
//	part         a partition by number; 0 is nodes without label
//	shared       idle resources of a non-exclusive partition; what takes them has not asked for its label
//	epoch        a count of changes: nothing has changed between two instants of one epoch, see idle.go
//	master       an application master, or its container
//	leaf         a leaf queue
package capacity
