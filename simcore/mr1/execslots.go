package mr1

import (
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
	"slices"
)

// resetExec gives the run an Exec if its model needs one.
func (s *Sim) resetExec() {
	s.execOn = s.cfg.Model == simcore.Resources
	if !s.execOn {
		return
	}
	if s.exec == nil {
		s.exec = new(kernel.Exec)
	}
	s.exec.Reset(s.cfg.Resource, &s.dur, s.cluster, s.work)
	s.exec.Copied = nil
	if s.watched>>TaskCopied&1 != 0 {
		s.exec.Copied = s.taskCopied
	}
}

// taskCopied tells that a reduce's copy has ended.
func (s *Sim) taskCopied(i int32) {
	a := &s.slots[i]
	s.tell(Event{Kind: TaskCopied, Node: s.nodeOf[i], Task: simcore.Task{Job: a.job, Kind: a.kind, Index: a.task}})
}

// launchExec starts the slot's attempt on the Exec, now or when its launch
// latency has passed.
func (s *Sim) launchExec(node *nodeState, i int32, from simcore.Time) {
	if from > s.now {
		s.slots[i].launching = true
		s.setDue(node, i, from)
		return
	}
	s.startExec(node, i)
}

func (s *Sim) startExec(node *nodeState, i int32) {
	a := &s.slots[i]
	a.launching = false
	s.setDue(node, i, simcore.Never)
	t := simcore.Task{Job: a.job, Kind: a.kind, Index: a.task}
	part := 1.0
	if s.fails(i) {
		a.outcome, part = kernel.Failed, s.failsAfter(i)
	}
	s.exec.Start(i, s.now, t, s.attemptOf(i), s.nodeOf[i], s.source(i, t), part)
	s.armExec()
}

// source chooses the replica a map reads: its own node's, else one in its
// rack, else any.
func (s *Sim) source(i int32, t simcore.Task) simcore.NodeID {
	a, n := &s.slots[i], s.nodeOf[i]
	if t.Kind == simcore.Reduce || a.loc == simcore.NodeLocal {
		return n
	}
	hosts := s.place.replicas(s, t)
	rack := s.place.rackOf
	if i := slices.IndexFunc(hosts, func(h simcore.NodeID) bool { return rack[h] == rack[n] }); i >= 0 {
		return hosts[i]
	}
	return hosts[kernel.TaskKey(s.place.key, t).IntN(1<<20, len(hosts))]
}

// execute handles attempts whose work has ended; the next heartbeat of their
// node reports them.
func (s *Sim) execute() {
	s.over = s.exec.Advance(s.now, s.over[:0])
	for _, i := range s.over {
		if node := s.node(s.nodeOf[i]); s.cfg.Prompt {
			s.finishNow(node, i)
		} else {
			s.report(node, i, s.now)
		}
	}
	s.armExec()
}

// finishNow handles the end of an attempt between heartbeats.
func (s *Sim) finishNow(node *nodeState, i int32) {
	if s.slots[i].job == simcore.None { // a twin's end was handled first
		return
	}
	s.finish(node, i)
	s.noteFree(node)
	s.idleDirty = true
}

func (s *Sim) armExec() {
	at, ok := s.exec.Next()
	if !ok {
		at = simcore.Never
	}
	if at = max(at, s.now); s.control.When(leafExec) != at {
		s.control.Set(leafExec, at)
	}
}

func (s *Sim) stopExec(i int32) {
	if s.execOn {
		s.slots[i].launching = false
		s.exec.Stop(i, s.now)
		s.armExec()
	}
}
