package sched

import (
	"schedtune/internal/rng"
	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// Coupling (Tan, Meng, Zhang, "Coupling Task Progress for MapReduce
// Resource-Aware Scheduling", INFOCOM 2013).
//
// Reduces are launched step by step as maps progress: the job with the largest
// positive mismatch (algorithm 1) is the candidate, and wait scheduling
// (algorithm 2) holds its launch until a heartbeat comes from a node near the
// centrality of its map output (equation 1). Maps are launched in fair order;
// a job without local input on the node launches with the probability of
// equation 3 (random peeking, algorithm 3) instead of waiting.
//
// Each part can be switched off: without mismatch, reduces follow the fair
// order and slowstart; without waiting, the candidate launches at once; without
// peeking, maps follow the fair order. At most one reduce is launched per
// heartbeat, as algorithm 2 says.
//
// What differs: where the kernel does not track map output, every node costs
// the same and wait scheduling only spreads a job's reduces over nodes. The list L
// leaves out nodes that run a reduce of the job: algorithm 2 launches none there, so
// that with them L would hold rounds of heartbeats up in vain. As printed, one
// candidate waits at a time, so that a reduce takes half a round of heartbeats
// whatever the size of the cluster; wait=false lifts that. The K nodes of a peek are
// drawn for each job anew, where the paper counts free slots (K2) once for all jobs of
// a heartbeat, and one may be drawn twice.
type coupling struct {
	*fair
	threshold float64 // of delta; <= 0: the paper's 3
	beta      float64 // fixed exponent of equation 3; 0: the paper's formula
	sample    int     // K nodes looked at; 0 = all, at most 100
	useLag    bool
	useWait   bool
	usePeek   bool
	keep      int // D

	draw, tie rng.Key
	wait      predict.WaitScheduler
	beats     uint64 // heartbeats seen, numbers the draws
	reduce    simcore.JobID
	beat      int64
	node      simcore.NodeID
	tried     int     // map candidates looked at in this heartbeat
	skipped   []bool  // jobs that were turned down in this heartbeat
	bytes     []int64 // scratch of centrality, by node and by rack
	rackBytes []int64
	version   uint64 // counts what happened to tasks
	list      centralityList
}

func newCoupling(o Options, p Values) (mr1.Scheduler, error) {
	return &coupling{
		fair:      &fair{opt: o, slowstart: p.float("slowstart"), pool: p["pool"], one: newPerBeat(p)},
		threshold: p.float("threshold"), beta: p.float("beta"), sample: p.int("sample"), keep: p.int("keep"),
		useLag: p.bool("mismatch"), useWait: p.bool("wait"), usePeek: p.bool("peek"),
		draw: drawKey(&o, purposePeek), tie: drawKey(&o, purposeTie), reduce: simcore.None, beat: -1,
	}, nil
}

func (*coupling) Name() string { return "coupling" }

// Ready says nothing about the future: reduces become due with map progress.
func (s *coupling) Ready(v *mr1.View, k simcore.Kind) bool {
	return v.FirstWaiting(k) != simcore.None
}

// couplingEvents are the events that change slots or map output.
const couplingEvents = 1<<mr1.TaskStarted | 1<<mr1.TaskFinished | 1<<mr1.TaskFailed | 1<<mr1.TaskKilled

// Wants names the events that Observe counts.
func (*coupling) Wants() uint32 { return couplingEvents }

// Observe notes that slots or map output have changed.
func (s *coupling) Observe(_ *mr1.View, e mr1.Event) {
	if couplingEvents>>e.Kind&1 != 0 {
		s.version++
	}
}

// Heartbeat runs algorithm 2 for the reduce slots of the node.
func (s *coupling) Heartbeat(v *mr1.View, n simcore.NodeID) {
	s.beats++
	s.reduce = simcore.None
	if !s.useLag {
		return
	}
	if !s.useWait {
		if j, m := s.mostLagging(v); m > 0 && v.Free(n, simcore.Reduce) > 0 {
			s.reduce = j
		}
		return
	}
	if j, _ := s.wait.Candidate(); j >= 0 && v.Pending(simcore.JobID(j), simcore.Reduce) == 0 {
		s.wait.Drop()
	}
	s.wait.Heartbeat(int(n), v.Nodes(), &couplingEnv{s, v})
}

func (s *coupling) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	if v.Beat() != s.beat || n != s.node {
		s.beat, s.node, s.tried = v.Beat(), n, 0
		clear(s.skipped)
	}
	if s.one.room(v, n, simcore.Map) {
		if t, ok := s.one.launch(v, n, simcore.Map, s.pickMap(v, n)); ok {
			return t, true
		}
	}
	if !s.one.room(v, n, simcore.Reduce) {
		return simcore.Task{}, false
	}
	j := s.reduce
	if !s.useLag {
		j = s.fair.next(v, simcore.Reduce)
	}
	if j == simcore.None || v.Pending(j, simcore.Reduce) == 0 {
		return simcore.Task{}, false
	}
	s.reduce = simcore.None
	return s.one.launch(v, n, simcore.Reduce, j)
}

// mostLagging returns the job with the largest mismatch; ties are broken by a
// draw per heartbeat.
func (s *coupling) mostLagging(v *mr1.View) (simcore.JobID, float64) {
	best, most, ties := simcore.JobID(simcore.None), 0.0, 0
	for j := v.FirstWaiting(simcore.Reduce); j != simcore.None; j = v.NextWaiting(j, simcore.Reduce) {
		m := couplingProgress(v, j).Mismatch(s.threshold)
		switch {
		case best == simcore.None || m > most:
			best, most, ties = j, m, 1
		case m == most:
			ties++
			if s.tie.At(s.beats).IntN(uint64(ties), ties) == 0 {
				best = j
			}
		}
	}
	return best, most
}

func couplingProgress(v *mr1.View, j simcore.JobID) predict.Progress {
	const m, r = simcore.Map, simcore.Reduce
	return predict.Progress{
		Maps: int(v.Tasks(j, m)), FinishedMaps: int(v.Done(j, m)), PendingMaps: int(v.Pending(j, m)),
		Reduces: int(v.Tasks(j, r)), FinishedReduces: int(v.Done(j, r)),
		RunningReduces: int(v.Running(j, r)), PendingReduces: int(v.Pending(j, r)),
	}
}

// couplingEnv answers algorithm 2's questions during one heartbeat.
type couplingEnv struct {
	s *coupling
	v *mr1.View
}

func (e *couplingEnv) MostLagging() (int, float64) {
	j, m := e.s.mostLagging(e.v)
	return int(j), m
}

func (e *couplingEnv) Group(job, node int) int {
	return e.s.group(e.v, simcore.JobID(job), node)
}

func (e *couplingEnv) RunsReduceOf(job, node int) bool {
	return e.v.JobOn(simcore.JobID(job), simcore.NodeID(node), simcore.Reduce) > 0
}

func (e *couplingEnv) Launch(job, node int) bool {
	if e.v.Free(simcore.NodeID(node), simcore.Reduce) == 0 {
		return false
	}
	e.s.reduce = simcore.JobID(job)
	return true
}
