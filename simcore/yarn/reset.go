package yarn

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// The start of a run: all state is as in a new Sim, in the memory of the last run.

// reset prepares a run: first the settings, then the scheduler's labels, the
// registration of nodes, jobs and timers. The scheduler learns labels before nodes, and nodes
// before all else.
func (s *Sim) reset(cfg RunConfig, sched Scheduler) error {
	s.cfg, s.sched = cfg, sched
	s.cal, s.recorded = cmp.Or(cfg.Calibration, standard()), cmp.Or(cfg.Recorded, noRecords)
	if err := s.cal.Validate(); err != nil {
		return err
	}
	if err := cfg.validate(); err != nil {
		return err
	}
	s.abilities = s.abilitiesOf(sched)
	s.liveness = liveness{patience: s.patience}
	for j := range s.work.Jobs {
		s.count(int32(j), 1)
	}
	s.now, s.leaf, s.next, s.armed = 0, 0, 0, false
	s.resetLatencies()
	s.resetCrowds()
	s.resetExec()
	if err := s.resetPrograms(); err != nil {
		return err
	}
	s.rec.Reset(s.work, cfg.Shares)
	s.resetCores()
	s.firstNode = fixedLeaves + int32(len(s.cpus))
	s.firstSlot = s.firstNode + int32(len(s.cluster.Nodes))
	s.nodePeriod, s.amPeriod = millis(s.cal.NodeBeat), millis(s.cal.AMBeat)
	s.tree.Reset(int(s.firstSlot) + s.plan.slots)
	s.slots.reset(s.plan.slots)
	s.resetPrefetch()
	s.resetRounds()
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

// begin adds jobs, timers and running applications to a run with its nodes.
func (s *Sim) begin() error {
	s.traits = s.traitsOf()
	s.resetJobs()
	s.resetArrivals()
	s.resetMonitor()
	s.resetPolicies()
	s.armPreemption()
	s.armKeeper(s.cfg.begin())
	s.armNodes()
	if err := s.seatStanding(); err != nil {
		return err
	}
	return s.warmUp()
}

// resetLatencies prepares the sources of latencies and task times.
func (s *Sim) resetLatencies() {
	s.start.set(s.cal.StartRequest)
	s.taskExit.set(s.cal.TaskExit)
	s.nodeDone.set(s.cal.NodeDone)
	s.seed(s.cfg.Seed)
	s.cfg.Durations.Seed = s.cfg.Seed
	s.cfg.Durations.RackFactor, s.cfg.Durations.OffSwitchFactor = s.cal.RackLocalFactor, s.cal.OffSwitchFactor
	s.durs.Reset(s.cfg.Durations, s.cluster, s.work)
}

// seed prepares the streams of draws, and draws the pace.
func (s *Sim) seed(seed uint64) {
	for i := range s.keys {
		s.keys[i] = rng.NewKey(seed, uint64(drawPhase+i))
	}
	s.pace = s.drawPace()
}

// resetCores prepares the cores that launches share: of each node, or of the one machine of all
// nodes.
func (s *Sim) resetCores() {
	n := len(s.cluster.Nodes)
	if s.cal.CPUScope == ScopeCluster {
		n = 1
	}
	s.cpus = slices.Grow(s.cpus[:0], n)[:n]
	for i := range s.cpus {
		s.cpus[i].reset(cmp.Or(s.cal.Cores, nodeCores(&s.cluster.Nodes[i])))
	}
}

// nodeCores returns the number of a node's cores, its vcores if unknown.
func nodeCores(n *simcore.Node) float64 {
	if n.Cores > 0 {
		return float64(n.Cores)
	}
	return float64(max(n.Capacity[simcore.VCores], 1))
}

// resetNodes registers the nodes of the start. Those that may join later count as lost until
// then. With recorded heartbeats all idle nodes have theirs.
func (s *Sim) resetNodes() error {
	n := len(s.cluster.Nodes)
	s.nodes, s.regular = kernel.Zeroed(s.nodes, n), kernel.Zeroed(s.regular, n)
	for i := range s.nodes {
		s.nodes[i] = nodeState{id: -1, lost: true, done: -1, soonest: simcore.Never, phase: -1}
	}
	s.chosenIdle, s.alive = -1, int32(s.elastic.base)
	s.idle.reset(s.nodes, s.nodePeriod)
	s.choosesIdle = s.hinter != nil && !s.cfg.Eager && s.recorded.NodeBeats == nil
	s.place = kernel.Zeroed(s.place, n+max(len(s.cluster.Racks), 1))
	s.nodeOf = s.nodeOf[:0]
	for i := range n {
		if i < int(s.alive) {
			if err := s.addNode(i, s.firstBeat(i)); err != nil {
				return err
			}
		}
		s.placeNode(i)
	}
	return nil
}

// addNode registers a node whose first heartbeat comes at an instant.
func (s *Sim) addNode(i int, beat simcore.Time) error {
	node := &s.cluster.Nodes[i]
	id, err := s.sched.AddNode(NodeSpec{Name: node.Name, Rack: rackName(s.cluster, node.Rack),
		Resource: resource(node.Capacity), Label: s.labelOf(node)})
	if err != nil {
		return fmt.Errorf("yarn: node %q: %w", node.Name, err)
	}
	for int(id) >= len(s.nodeOf) {
		s.nodeOf = append(s.nodeOf, -1)
	}
	s.nodeOf[id] = int32(i)
	s.nodes[i] = nodeState{id: id, beat: beat, done: -1, soonest: simcore.Never, phase: -1}
	s.arrives(int32(i))
	s.schedule(int32(i))
	return nil
}

// placeNode gets the scheduler's ids of a node and its rack.
func (s *Sim) placeNode(i int) {
	node := &s.cluster.Nodes[i]
	s.place[i] = s.sched.Place(node.Name)
	s.place[len(s.nodes)+int(node.Rack)] = s.sched.Place(rackName(s.cluster, node.Rack))
}

// rackName returns a rack's name, a common one if the cluster has no racks.
func rackName(c *simcore.Cluster, r int32) string {
	if int(r) < len(c.Racks) {
		return c.Racks[r]
	}
	return "/default-rack"
}

// resource converts a vector.
func resource(v simcore.Vec) Resource {
	return Resource{Memory: v[simcore.Memory], VCores: v[simcore.VCores]}
}

// firstBeat returns the node's first heartbeat: recorded, random, or spread evenly
// over the period by the golden ratio.
func (s *Sim) firstBeat(i int) simcore.Time {
	const golden = 0.6180339887498949
	u := float64(i) * golden
	u -= float64(int(u))
	if s.cfg.Jitter.Phases {
		u = s.key(drawPhase).Float64(uint64(i))
	}
	return s.recordedBeat(int32(i), 0, s.cfg.begin()+simcore.Time(u*float64(millis(s.cal.NodeBeat))))
}

// resetJobs clears the tables of jobs and tasks, and sizes those that this run needs. Masters keep
// the memory of their lists.
func (s *Sim) resetJobs() {
	n := len(s.work.Jobs)
	if s.jobs == nil {
		s.jobs, s.times = make([]master, n), make([]JobTimes, n)
	}
	for j := range s.jobs {
		s.jobs[j], s.times[j] = s.jobs[j].fresh(), noTimes
	}
	s.appJob = s.appJob[:0]
	s.mapDone = kernel.Zeroed(s.mapDone, int(s.plan.mapBase[n]))
	s.redRing = kernel.Zeroed(s.redRing, 2*int(s.plan.redBase[n]))
	if s.loses {
		s.redDone = kernel.Zeroed(s.redDone, int(s.plan.redBase[n]))
	}
	for k, tasks := range [2]int32{s.plan.mapBase[n], s.plan.redBase[n]} {
		if s.loses {
			s.tried[k] = kernel.Zeroed(s.tried[k], int(tasks))
		}
	}
	if s.loses {
		s.mapNode = kernel.Zeroed(s.mapNode, len(s.mapDone))
		for i := range s.mapNode {
			s.mapNode[i] = -1
		}
	}
	s.rowLeft = append(s.rowLeft[:0], s.plan.rowInit...)
	s.onTheWay = kernel.Zeroed(s.onTheWay, n)
	s.rowDirty = kernel.Zeroed(s.rowDirty, len(s.rowLeft))
	if s.plan.local {
		s.rowNext = append(s.rowNext[:0], s.plan.rowTaskAt[:len(s.rowLeft)]...)
	}
}

// resetArrivals orders the submissions; jitter may swap neighbours.
func (s *Sim) resetArrivals() {
	n := len(s.work.Jobs)
	s.arrivals, s.arrive = kernel.Zeroed(s.arrivals, n), kernel.Zeroed(s.arrive, n)
	s.ahead = append(s.ahead[:0], s.plan.ahead...)
	if s.cfg.serial > 0 {
		s.queueUp()
		return
	}
	s.arrivals = s.arrivals[:0]
	for j := range n {
		if len(s.ahead) > 0 && s.ahead[j] > 0 {
			s.arrive[j] = simcore.Never
			continue
		}
		t := s.work.Jobs[j].Submit
		if s.cfg.Jitter.Arrivals && t >= s.cfg.begin() {
			t = max(t+simcore.Time(s.key(drawArrival).Norm(uint64(j))*s.cal.ArrivalJitter*1000), s.cfg.begin())
		}
		// Insertion, since most are in order; equal times keep the order of jobs.
		s.arrive[j], s.arrivals = t, append(s.arrivals, int32(j))
		for i := len(s.arrivals) - 1; i > 0 && s.arrive[s.arrivals[i]] < s.arrive[s.arrivals[i-1]]; i-- {
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
