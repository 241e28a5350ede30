package mr1

import (
	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// nodeFailures holds each node's next failure, notice or return; they come
// from a tree of their own so that runs without failures pay nothing.
type nodeFailures struct {
	tree  kernel.Tree
	state []uint8
	count []uint64 // draws used by node
	key   rng.Key
}

const (
	nodeUp      uint8 = iota
	nodeDead          // the JobTracker does not know yet
	nodeExpired       // it knows
)

func (s *Sim) resetFailures() {
	if s.cfg.Failures.NodeMTBF == 0 {
		return
	}
	f := &s.faults
	f.tree.Reset(len(s.nodes))
	f.state, f.count = kernel.Zeroed(f.state, len(s.nodes)), kernel.Zeroed(f.count, len(s.nodes))
	f.key = rng.NewKey(s.cfg.Seed, kernel.PurposeNodeFailure)
	for n := range s.nodes {
		s.nextFailure(simcore.NodeID(n))
	}
	s.armFailure()
}

func (s *Sim) nextFailure(n simcore.NodeID) {
	f := &s.faults
	gap := simcore.Time(float64(s.cfg.Failures.NodeMTBF) * f.key.At(uint64(n)).Exp(f.count[n]))
	f.count[n]++
	f.tree.Set(int32(n), s.now+gap)
}

func (s *Sim) armFailure() {
	if _, at, ok := s.faults.tree.Next(); ok {
		s.control.Set(leafFailure, at)
	} else {
		s.control.Clear(leafFailure)
	}
}

// nodeEvent is a node dying, being given up by the JobTracker, or returning.
func (s *Sim) nodeEvent() {
	f := &s.faults
	leaf, _, _ := f.tree.Next()
	n := simcore.NodeID(leaf)
	switch f.state[n] {
	case nodeUp:
		s.nodeDies(n)
		f.tree.Set(leaf, s.now+s.cfg.Failures.Expiry)
		f.state[n] = nodeDead
	case nodeDead:
		s.nodeLost(n)
		f.state[n] = nodeExpired
		if s.cfg.Failures.NodeRepair > 0 {
			f.tree.Set(leaf, s.now+s.cfg.Failures.NodeRepair)
		} else {
			f.tree.Clear(leaf)
		}
	case nodeExpired:
		s.nodeBack(n)
		f.state[n] = nodeUp
		s.nextFailure(n)
	}
	s.armFailure()
	s.idleDirty = true
}

// nodeDies silences a node: its attempts stop, reduces that copy from it wait,
// no scheduler is notified.
func (s *Sim) nodeDies(n simcore.NodeID) {
	node := s.node(n)
	node.dead = true
	s.nodesDown++
	for i := range s.slotsOf(n) {
		s.setDue(node, i, simcore.Never)
		if s.slots[i].job != simcore.None {
			s.stopExec(i)
		}
	}
	s.changeFree(node, 0)
	for j := s.active.first; j != simcore.None; j = s.active.at[j].next {
		s.holdCopies(j, n)
	}
}

// holdCopies stops the reduces of the job that have not got all their map
// output and need some from a dead node. They go on when its maps have run
// again, as reduces do that wait for the last map.
func (s *Sim) holdCopies(j simcore.JobID, n simcore.NodeID) {
	if s.execOn || s.jobs[j].of[simcore.Reduce].running == 0 || !s.hasOutput(j, n) {
		return
	}
	for i := range s.slots {
		a := &s.slots[i]
		if a.job == j && a.kind == simcore.Reduce && a.at != simcore.Never && !a.parked && s.more[i].copied > s.now {
			s.setDue(s.node(s.nodeOf[i]), int32(i), simcore.Never)
			a.outcome = kernel.Finished
			s.park(int32(i))
		}
	}
}

// hasOutput tells whether maps of the job finished on the node.
func (s *Sim) hasOutput(j simcore.JobID, n simcore.NodeID) bool {
	for at := s.jobs[j].task; at < s.jobs[j].task+s.jobs[j].of[simcore.Map].tasks; at++ {
		if s.task[at] == taskDone && s.where[at] == int32(n) {
			return true
		}
	}
	return false
}

// nodeLost is the JobTracker giving a dead node up: its attempts are pending
// again, and so are finished maps whose output a reduce may still need.
func (s *Sim) nodeLost(n simcore.NodeID) {
	node := s.node(n)
	node.lost = true
	for p := range 2 {
		s.totalFree[p] -= node.free[p]
	}
	for i := range s.slotsOf(n) {
		s.totalSlots[s.slots[i].pool]--
		if s.slots[i].job != simcore.None {
			s.kill(i, true)
		}
	}
	for j := s.active.first; j != simcore.None; j = s.active.at[j].next {
		s.loseOutput(j, n)
	}
	s.tell(Event{Kind: NodeLost, Node: n, Task: simcore.Task{Job: simcore.None, Index: simcore.AnyTask}})
}

// loseOutput runs the job's maps that finished on the node again, unless no
// reduce needs them.
func (s *Sim) loseOutput(j simcore.JobID, n simcore.NodeID) {
	st, job := &s.jobs[j], &s.work.Jobs[j]
	if job.Reduces == 0 || st.of[simcore.Reduce].done == job.Reduces {
		return
	}
	s.holdCopies(j, n) // those that began since the node died
	for i := range job.Maps {
		at := st.task + i
		if s.task[at] != taskDone || s.where[at] != int32(n) {
			continue
		}
		st.of[simcore.Map].done--
		s.rec.Job(j).Finished[simcore.Map]++
		s.requeue(simcore.Task{Job: j, Kind: simcore.Map, Index: i})
		if s.execOn {
			s.exec.OutputLost(simcore.Task{Job: j, Kind: simcore.Map, Index: i}, n)
		}
		s.tell(Event{Kind: TaskLost, Node: n, Task: simcore.Task{Job: j, Kind: simcore.Map, Index: i}})
	}
}

func (s *Sim) nodeBack(n simcore.NodeID) {
	node := s.node(n)
	node.dead, node.lost = false, false
	s.nodesDown--
	for p := range 2 {
		node.free[p] = 0
	}
	for i := range s.slotsOf(n) {
		node.free[s.slots[i].pool]++
		s.totalSlots[s.slots[i].pool]++
		s.totalFree[s.slots[i].pool]++
	}
	s.noteFree(node)
	s.tell(Event{Kind: NodeBack, Node: n, Task: simcore.Task{Job: simcore.None, Index: simcore.AnyTask}})
}

// attemptFailed counts a failed attempt and retries the task or fails the job.
func (s *Sim) attemptFailed(t simcore.Task, n simcore.NodeID, twin int32, took simcore.Time) {
	at := s.taskAt(t.Job, t.Kind, t.Index)
	s.failed[at]++
	s.tell(Event{Kind: TaskFailed, Node: n, Task: t, Took: took})
	if int32(s.failed[at]) >= s.cfg.Failures.MaxAttempts {
		if twin != simcore.None {
			s.slots[twin].paired = false
		}
		s.endJob(t.Job, true)
		return
	}
	if twin != simcore.None {
		s.slots[twin].paired = false
		return
	}
	s.requeue(t)
}
