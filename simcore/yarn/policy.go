package yarn

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Policies replace rules of Hadoop in the AMs of MapReduce jobs
// and on the nodes. The zero value is Hadoop's. A policy serves one run; its calls
// come in the order of simulated time.
type Policies struct {
	Reduces ReducePolicy // in place of slowstart; nil = slowstart
	Maps    MapPolicy    // of containers far from their input; nil = all are used
	Guard   NodeGuard    // of nodes; nil = nodes take what they are given
}

// ReducePolicy decides from when on a master asks for reduces, and for how many,
// in place of slowstart. The ramp-up formula (Ramp) still holds below it.
type ReducePolicy interface {
	// Start begins a run on nodes of these sizes.
	Start(nodes []Resource, jobs int)
	// Observe closes a window of Period.
	Observe(w *Window)
	// Period is the length of a window.
	Period() simcore.Time
	// Reduces is how many reduces of a job may be asked for by now, with those that
	// run or have ended.
	Reduces(p *MapReduceProgress) int32
	// Copied is notified of a reduce that began after its job's last map: bytes copied, and the
	// time that took.
	Copied(bytes float64, took simcore.Time)
}

// Batcher is a ReducePolicy that has jobs served before others of their queue.
type Batcher interface {
	// Batch names the job of a queue's running ones, in the order of the workload,
	// whose application's priority is raised by one until the next window; -1 = none.
	Batch(jobs []MapReduceProgress) int
}

// Prioritiser is a Scheduler in which a running application's priority may change.
type Prioritiser interface {
	Priority(app AppID) int32
	SetPriority(app AppID, priority int32)
}

// Window is what a ResourceManager sees of a span of time.
type Window struct {
	Span      simcore.Time
	Released  []Resource // by node: of containers that ended within the span
	Available []Resource // by node: held at its end by maps, and by reduces of jobs whose maps are done
	Granted   []int32    // by job: containers granted for maps within the span
}

// MapReduceProgress is what a master knows of its job.
type MapReduceProgress struct {
	Job                                        simcore.JobID
	Maps, DoneMaps, WaitMaps, RunMaps          int32 // WaitMaps have no container yet
	Reduces, PendingReduces, RunReds, DoneReds int32 // PendingReduces have not been asked for
	MapTime                                    simcore.Time
	MapBytes                                   float64 // mean output of a finished map, 0 = none finished
	Map, Reduce                                Resource
}

// MapPolicy decides whether a container far from the input of a job's waiting maps
// is used or given back.
type MapPolicy interface {
	Accepts(p *MapOffer) bool
}

// MapOffer is a container that was granted for maps on a node without their input.
type MapOffer struct {
	Job        simcore.JobID
	Number     uint64 // of the offer within the run, for draws
	Waiting    int32  // maps of the job without a container
	RackLocal  bool   // the node's rack holds input of one of them
	RunsReduce bool   // a reduce of the job runs on the node
	InputNodes int32  // nodes that hold input of waiting maps
	FreeNodes  int32  // nodes with room for a container
	Nodes      int32
}

// NodeGuard refuses further containers on nodes.
type NodeGuard interface {
	// Start begins a run on nodes with so many cores each.
	Start(cores []float64)
	// Period is the time between two looks at all nodes.
	Period() simcore.Time
	// Look tells the load of a node at a time.
	Look(now simcore.Time, node int32, l simcore.NodeLoad)
	// Admits reports whether the node takes containers at a heartbeat.
	Admits(now simcore.Time, node int32, l simcore.NodeLoad) bool
	// Took is notified that the node took a container.
	Took(now simcore.Time, node int32, l simcore.NodeLoad)
}

// policyState is what the runtime counts for the policies.
type policyState struct {
	on      bool
	next    [2]simcore.Time // of the reduces' windows, of the guard's looks
	window  Window
	nodes   []Resource
	cores   []float64
	offers  uint64
	refused int64      // heartbeats at which the guard refused
	tasks   [][2]int32 // by node: containers with maps, with reduces
	raised  []bool     // by job: its priority is raised
	base    []int32    // by job that is raised: its priority before
	running []MapReduceProgress
}

// resetPolicies prepares the policies of a run.
func (s *Sim) resetPolicies() {
	p := &s.policy
	p.on = s.cfg.Policies.any()
	p.next = [2]simcore.Time{simcore.Never, simcore.Never}
	p.offers, p.refused = 0, 0
	if s.exec != nil {
		s.exec.Copied = nil
	}
	if !p.on {
		return
	}
	n := len(s.cluster.Nodes)
	p.tasks = kernel.Zeroed(p.tasks, n)
	p.nodes, p.cores = kernel.Zeroed(p.nodes, n), kernel.Zeroed(p.cores, n)
	for i := range p.nodes {
		p.nodes[i] = resource(s.cluster.Nodes[i].Capacity)
		p.cores[i] = nodeCores(&s.cluster.Nodes[i])
	}
	if r := s.cfg.Policies.Reduces; r != nil {
		p.window.Released, p.window.Available = kernel.Zeroed(p.window.Released, n), kernel.Zeroed(p.window.Available, n)
		p.window.Granted, p.raised = kernel.Zeroed(p.window.Granted, len(s.work.Jobs)),
			kernel.Zeroed(p.raised, len(s.work.Jobs))
		p.base = kernel.Zeroed(p.base, len(s.work.Jobs))
		r.Start(p.nodes, len(s.work.Jobs))
		p.next[0] = max(r.Period(), simcore.Millisecond)
		if s.execOn {
			s.exec.Copied = func(sl int32) { s.copied(&s.slots.all[sl]) }
		}
	}
	if g := s.cfg.Policies.Guard; g != nil {
		g.Start(p.cores)
		p.next[1] = max(g.Period(), simcore.Millisecond)
	}
	s.armPolicy()
}

// armPolicy sets the leaf of the policies' windows.
func (s *Sim) armPolicy() {
	if at := min(s.policy.next[0], s.policy.next[1]); at < simcore.Never {
		s.tree.Set(policyLeaf, at)
	}
}

// policyEvent closes windows that are due.
func (s *Sim) policyEvent() {
	p := &s.policy
	if s.now >= p.next[0] {
		s.closeWindow()
		p.next[0] = s.now + max(s.cfg.Policies.Reduces.Period(), simcore.Millisecond)
	}
	if s.now >= p.next[1] {
		g := s.cfg.Policies.Guard
		for n := range s.nodes {
			if !s.nodes[n].lost {
				g.Look(s.now, int32(n), s.nodeLoad(int32(n)))
			}
		}
		p.next[1] = s.now + max(g.Period(), simcore.Millisecond)
	}
	s.armPolicy()
}

// closeWindow tells the policy of reduces of the window that ends now.
func (s *Sim) closeWindow() {
	w, r := &s.policy.window, s.cfg.Policies.Reduces
	w.Span = r.Period()
	clear(w.Available)
	for j := range s.jobs {
		m := &s.jobs[j]
		if !m.registered || m.closed || !s.kindOf(int32(j)).mapsAndReduces() {
			continue
		}
		for _, sl := range m.ords {
			if sl < 0 {
				continue
			}
			if c := &s.slots.all[sl]; c.kind == mapContainer || c.kind == failedMapContainer || c.kind == reduceContainer &&
				m.doneMaps == s.work.Jobs[j].Maps {
				w.Available[c.node] = plus(w.Available[c.node], c.size)
			}
		}
	}
	r.Observe(w)
	if b, ok := r.(Batcher); ok {
		s.raise(b)
	}
	clear(w.Released)
	clear(w.Granted)
}

// raise gives, queue by queue, the application that its policy names a higher priority
// than it had, and those named before their own.
func (s *Sim) raise(b Batcher) {
	to, ok := s.sched.(Prioritiser)
	if !ok {
		return
	}
	p := &s.policy
	for q := range s.work.Queues {
		p.running = p.running[:0]
		for j := range s.jobs {
			if m := &s.jobs[j]; int(s.work.Jobs[j].Queue) == q && m.registered && !m.closed &&
				s.kindOf(int32(j)).mapsAndReduces() {
				p.running = append(p.running, s.progressOf(int32(j), m))
			}
		}
		if len(p.running) == 0 {
			continue
		}
		best := b.Batch(p.running)
		for i := range p.running {
			if j := p.running[i].Job; p.raised[j] != (i == best) {
				p.raised[j] = i == best
				app := s.jobs[j].app
				if p.raised[j] {
					p.base[j] = to.Priority(app)
					to.SetPriority(app, p.base[j]+1)
				} else {
					to.SetPriority(app, p.base[j])
				}
			}
		}
	}
	s.wakeNodes()
}

// progressOf is what the master of a job knows.
func (s *Sim) progressOf(j int32, m *master) MapReduceProgress {
	job := &s.work.Jobs[j]
	p := MapReduceProgress{
		Job: simcore.JobID(j), Maps: job.Maps, DoneMaps: m.doneMaps, WaitMaps: m.waitMaps, RunMaps: m.runMaps,
		Reduces: job.Reduces, PendingReduces: m.pend.n, RunReds: m.runReds, DoneReds: m.doneReds,
		Map: s.plan.mapAsk[j], Reduce: s.plan.redAsk[j],
	}
	if m.timedMaps > 0 {
		p.MapTime = m.mapTime / simcore.Time(m.timedMaps)
		p.MapBytes = float64(job.ShuffleBytes) / float64(max(job.Maps, 1))
	}
	return p
}

// mayAsk is how many more reduces of a job its policy allows to ask for.
func (s *Sim) mayAsk(j int32, m *master) int32 {
	p := s.progressOf(j, m)
	return s.cfg.Policies.Reduces.Reduces(&p) - (p.Reduces - p.PendingReduces)
}

// copied notes a reduce whose copy ends now.
func (s *Sim) copied(c *slot) {
	r := s.cfg.Policies.Reduces
	if r == nil || c.at < s.times[c.job].LastMap {
		return
	}
	if job := &s.work.Jobs[c.job]; s.now > c.at && job.ShuffleBytes > 0 {
		r.Copied(float64(job.ShuffleBytes)/float64(job.Reduces), s.now-c.at)
	}
}

// nodeLoad is a node's load: of the resource model what runs on its cores, disks
// and links; else one runnable process per running task.
func (s *Sim) nodeLoad(n int32) simcore.NodeLoad {
	l := simcore.NodeLoad{Maps: s.policy.tasks[n][0], Reduces: s.policy.tasks[n][1]}
	if s.execOn {
		return s.exec.Load(simcore.NodeID(n), l)
	}
	l.CPU = float64(l.Maps+l.Reduces) / s.policy.cores[n]
	return l
}

// any reports whether some rule is not Hadoop's.
func (p *Policies) any() bool { return p.Reduces != nil || p.Maps != nil || p.Guard != nil }

// countTask counts containers with tasks on their nodes.
func (s *Sim) countTask(c *slot, delta int32) {
	if c.kind == masterContainer {
		return
	}
	k := 0
	if c.kind == reduceContainer {
		k = 1
	}
	s.policy.tasks[c.node][k] += delta
	if delta < 0 && s.cfg.Policies.Reduces != nil {
		w := &s.policy.window
		w.Released[c.node] = plus(w.Released[c.node], c.size)
	}
}
