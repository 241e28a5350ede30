package yarn

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The beginning of a run: everything is as in a new Sim, in the memory of the last run.

// reset prepares a run: first what its settings say, then the scheduler's labels and the
// nodes, which register, then jobs and timers.
func (s *Sim) reset(cfg RunConfig, sched Scheduler) error {
	s.cfg, s.sched = cfg, sched
	s.cal, s.recorded = cmp.Or(cfg.Calibration, standard()), cmp.Or(cfg.Recorded, noRecords)
	if err := s.cal.Validate(); err != nil {
		return err
	}
	if err := cfg.validate(); err != nil {
		return err
	}
	// What the settings say, before anything is made that depends on it.
	s.progress, s.useful, s.now, s.leaf, s.err, s.beats, s.held, s.next = 0, 0, 0, 0, nil, 0, area{}, 0
	s.left = int32(len(s.work.Jobs))
	s.everyMasterBeat = cfg.Eager || cfg.Speculate || s.opt.RunningMaps > 0 || s.opt.RunningReduces > 0
	s.resetLatencies()
	s.resetExec()
	if err := s.resetSpark(); err != nil {
		return err
	}
	s.rec.Reset(s.work, cfg.Shares)
	s.resetCores()
	// Leaves of the tree of events, in the order in which those of one instant come: the
	// fixed ones, shared cores, nodes, containers.
	s.firstNode = fixedLeaves + int32(len(s.cpus))
	s.firstSlot = s.firstNode + int32(len(s.cluster.Nodes))
	s.nodePeriod, s.amPeriod = millis(s.cal.NodeBeat), millis(s.cal.AMBeat)
	s.tree.Reset(int(s.firstSlot) + s.plan.slots)
	s.slots.reset(s.plan.slots)
	s.resetPrefetch()
	s.resetRounds()
	// The scheduler learns labels before nodes, and nodes before anything else.
	if err := s.declareLabels(); err != nil {
		return err
	}
	s.resetSorting()
	if err := s.resetElastic(); err != nil {
		return err
	}
	if err := s.resetNodes(); err != nil {
		return err
	}
	return s.begin()
}

// begin puts jobs, timers and what runs already into a run whose nodes are there.
func (s *Sim) begin() error {
	s.traits = s.traitsOf()
	s.resetJobs()
	s.resetArrivals()
	s.failNodes()
	s.resetMonitor()
	s.resetPolicies()
	s.armPreemption()
	s.startKeeping()
	if s.elastic != nil {
		s.armNodes()
	}
	return s.warmUp()
}

// resetLatencies prepares what latencies and task times are drawn from.
func (s *Sim) resetLatencies() {
	s.start.set(s.cal.StartRequest)
	s.taskExit.set(s.cal.TaskExit)
	s.nodeDone.set(s.cal.NodeDone)
	s.seed(s.cfg.Seed)
	s.cfg.Durations.Seed = s.cfg.Seed
	s.cfg.Durations.RackFactor, s.cfg.Durations.OffSwitchFactor = s.cal.RackLocalFactor, s.cal.OffSwitchFactor
	s.durs.Reset(s.cfg.Durations, s.cluster, s.work)
}

// armPreemption sets the first round of preemption.
func (s *Sim) armPreemption() {
	every := s.cfg.PreemptEvery
	if every <= 0 {
		return
	}
	first := every
	if r := s.recorded.Round; r > 0 {
		first = r % every
	}
	s.tree.Set(roundLeaf, s.cfg.begin()+first)
}

// seed makes the streams of draws, and draws the pace.
func (s *Sim) seed(seed uint64) {
	key := func(purpose uint64) rng.Key { return rng.NewKey(seed, purpose) }
	s.keys = keys{
		phase: key(drawPhase), submit: key(drawSubmit), arrival: key(drawArrival), master: key(drawMaster),
		launch: key(drawLaunch), work: key(drawWork), exit: key(drawExit), shuffle: key(drawShuffle),
		commit: key(drawCommit), fail: key(drawAttemptFailure), nodeFail: key(drawNodeFailure),
	}
	s.pace = s.drawPace()
}

// resetCores makes the cores that launches share: of each node, or of one machine that all
// nodes are.
func (s *Sim) resetCores() {
	n := len(s.cluster.Nodes)
	if s.cal.CPUScope == ScopeCluster {
		n = 1
	}
	if cap(s.cpus) < n {
		s.cpus = make([]cores, n)
	}
	s.cpus = s.cpus[:n]
	for i := range s.cpus {
		c := s.cal.Cores
		if c == 0 {
			c = nodeCores(&s.cluster.Nodes[i])
		}
		s.cpus[i].reset(c)
	}
}

// nodeCores is how many cores a node has.
func nodeCores(n *simcore.Node) float64 {
	if n.Cores > 0 {
		return float64(n.Cores)
	}
	return float64(max(n.Capacity[simcore.VCores], 1))
}

// resetNodes registers the nodes that are there at the start.
func (s *Sim) resetNodes() error {
	n := len(s.cluster.Nodes)
	s.nodes, s.regular = kernel.Zeroed(s.nodes, n), kernel.Zeroed(s.regular, n)
	for i := range s.nodes {
		s.nodes[i].phase = -1
	}
	s.chosenIdle = -1
	there := n // at the start
	if s.elastic != nil {
		there = s.elastic.base
	}
	// Nodes beyond those there are elastic.go's to add; until then they stand as lost.
	s.alive = int32(there)
	s.idle.reset(s.nodes, s.nodePeriod)
	// Recorded heartbeats are played back one by one: no idle node is passed over there.
	s.choosesIdle = s.hinter != nil && !s.cfg.Eager && s.recorded.NodeBeats == nil
	s.place = kernel.Zeroed(s.place, n+max(len(s.cluster.Racks), 1))
	s.nodeOf = s.nodeOf[:0]
	for i := range s.nodes {
		if i >= there {
			s.nodes[i] = nodeState{id: -1, lost: true, done: -1, soonest: simcore.Never, fails: simcore.Never, phase: -1}
			s.placeNode(i)
		} else if err := s.addNode(i, s.firstBeat(i)); err != nil {
			return err
		}
	}
	return nil
}

// addNode registers a node whose first heartbeat comes at an instant.
func (s *Sim) addNode(i int, beat simcore.Time) error {
	node := &s.cluster.Nodes[i]
	id, err := s.sched.AddNode(NodeSpec{Name: node.Name, Rack: rackName(s.cluster, node.Rack), Resource: resource(node.Capacity), Label: s.labelOf(node)})
	if err != nil {
		return fmt.Errorf("yarn: node %q: %w", node.Name, err)
	}
	for int(id) >= len(s.nodeOf) {
		s.nodeOf = append(s.nodeOf, -1)
	}
	s.nodeOf[id] = int32(i)
	s.nodes[i] = nodeState{id: id, beat: beat, done: -1, soonest: simcore.Never, fails: simcore.Never, phase: -1}
	s.placeNode(i)
	if s.elastic != nil {
		s.arrives(int32(i))
	}
	s.schedule(int32(i))
	return nil
}

// placeNode learns the scheduler's names for a node and its rack.
func (s *Sim) placeNode(i int) {
	node := &s.cluster.Nodes[i]
	s.place[i] = s.sched.Place(node.Name)
	s.place[len(s.nodes)+int(node.Rack)] = s.sched.Place(rackName(s.cluster, node.Rack))
}

// rackName is a rack's name, a common one where the cluster names none.
func rackName(c *simcore.Cluster, r int32) string {
	if int(r) < len(c.Racks) {
		return c.Racks[r]
	}
	return "/default-rack"
}

// resource is a vector as the scheduler has it.
func resource(v simcore.Vec) Resource {
	return Resource{Memory: v[simcore.Memory], VCores: v[simcore.VCores]}
}

// firstBeat is the node's first heartbeat: recorded, random, or spread evenly
// over the period by the golden ratio.
func (s *Sim) firstBeat(i int) simcore.Time {
	if first := entry(s.recorded.NodeFirst, int32(i)); first >= 0 {
		return first
	}
	const golden = 0.6180339887498949
	u := float64(i) * golden
	u -= float64(int(u))
	if s.cfg.Jitter.Phases {
		u = s.keys.phase.Float64(uint64(i))
	}
	return s.cfg.begin() + simcore.Time(u*float64(millis(s.cal.NodeBeat)))
}

// resetJobs empties the tables of jobs and tasks, and sizes those that this run needs.
func (s *Sim) resetJobs() {
	// A master keeps the memory of its lists from run to run.
	n := len(s.work.Jobs)
	old := s.jobs
	s.jobs = slices.Grow(s.jobs[:0], n)[:n]
	for j := range s.jobs {
		var keep master
		if j < len(old) {
			keep = old[j]
		}
		s.jobs[j] = keep.fresh()
	}
	s.appJob = s.appJob[:0]
	s.times = slices.Grow(s.times[:0], n)[:n]
	for j := range s.times {
		s.times[j] = noTimes
	}
	// Tables by task over all jobs; those that this run will not read keep their size.
	s.mapDone = kernel.Zeroed(s.mapDone, int(s.plan.mapBase[n]))
	s.redRing = kernel.Zeroed(s.redRing, 2*int(s.plan.redBase[n]))
	if s.cfg.Speculate || s.restarts {
		s.redDone = kernel.Zeroed(s.redDone, int(s.plan.redBase[n]))
	}
	if s.tries {
		s.mapTries, s.redTries = kernel.Zeroed(s.mapTries, int(s.plan.mapBase[n])), kernel.Zeroed(s.redTries, int(s.plan.redBase[n]))
	}
	if s.cfg.Faults.Attempt > 0 {
		s.mapFails, s.redFails = kernel.Zeroed(s.mapFails, int(s.plan.mapBase[n])), kernel.Zeroed(s.redFails, int(s.plan.redBase[n]))
	}
	if s.restarts {
		s.mapNode = kernel.Zeroed(s.mapNode, len(s.mapDone))
		for i := range s.mapNode {
			s.mapNode[i] = -1
		}
	}
	s.rowLeft = append(s.rowLeft[:0], s.plan.rowInit...)
	s.onTheWay = kernel.Zeroed(s.onTheWay, n)
	s.rowDirty = kernel.Zeroed(s.rowDirty, len(s.rowLeft))
	if s.plan.local {
		s.rowNext = append(s.rowNext[:0], s.plan.rowMapAt[:len(s.rowLeft)]...)
	}
}

// resetArrivals orders the submissions; jitter may swap neighbours.
func (s *Sim) resetArrivals() {
	n := len(s.work.Jobs)
	s.arrivals, s.arrive = kernel.Zeroed(s.arrivals, n), kernel.Zeroed(s.arrive, n)
	if s.cfg.serial > 0 {
		s.queueUp()
		return
	}
	for j := range n {
		t := s.work.Jobs[j].Submit
		if s.cfg.Jitter.Arrivals && t >= s.cfg.begin() {
			t = max(t+simcore.Time(s.keys.arrival.Norm(uint64(j))*s.cal.ArrivalJitter*1000), s.cfg.begin())
		}
		// Insertion: nearly in order already, and equal times keep the order of jobs.
		s.arrive[j], s.arrivals[j] = t, int32(j)
		for i := j; i > 0 && s.arrive[s.arrivals[i]] < s.arrive[s.arrivals[i-1]]; i-- {
			s.arrivals[i], s.arrivals[i-1] = s.arrivals[i-1], s.arrivals[i]
		}
	}
	s.armArrival()
}

// armArrival sets the leaf of submissions.
func (s *Sim) armArrival() {
	if int(s.next) < len(s.arrivals) {
		s.tree.Set(arrivalLeaf, s.arrive[s.arrivals[s.next]])
	} else {
		s.tree.Clear(arrivalLeaf)
	}
}
