package sched

import (
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// Delay scheduling (Zaharia et al., EuroSys 2010; Coupling II-B, thesis
// 2.2.1), around FIFO's or Fair's order of jobs.
//
// A job that has no input on the node whose heartbeat came is skipped, and the
// next job is tried. It keeps a level: at node it launches only where its
// input lies, until it has waited T1; at rack also in the racks of its input,
// until it has waited T2 more; then anywhere. A node-local launch takes the
// job back to the first level; every launch starts its wait anew.
//
// As in algorithm 2 of the EuroSys paper and in Hadoop's Fair Scheduler since 0.21, a
// wait grows by the time to the next heartbeat of any node after each heartbeat at which
// the job was skipped: heartbeats of nodes without a free slot skip nobody, so that a
// job waits the longer the fewer nodes could take it. That time is taken to be its mean,
// the period over the nodes, as heartbeats of full nodes are not simulated.
//
// With clock=true a wait is the time since the job's last launch, or since the first
// heartbeat at which it was skipped, as Coupling describes it (II-B: a timer that keeps
// increasing until a local launch sets it back).
type delay struct {
	inner     orderer
	slowstart float64
	t1, t2    simcore.Time
	clock     bool

	state []delayState // by job
	one   perBeat
	even  spread
}

// orderer is a scheduler that can list the jobs in the order it serves them.
type orderer interface {
	order(v *mr1.View, k simcore.Kind) []simcore.JobID
}

// delayState is one job's patience.
type delayState struct {
	level  simcore.Locality
	waited simcore.Time
	since  simcore.Time // of the last launch or, before any, the first skip; Never without either
	beat   int64        // the last heartbeat at which it was skipped or launched
}

func newDelay(o Options, p Values) (mr1.Scheduler, error) {
	d := &delay{inner: makeFair(o, p), slowstart: p.float("slowstart"), t1: p.seconds("node-delay"),
		t2: p.seconds("rack-delay"), clock: p.bool("clock"), one: newPerBeat(p), even: spread(p.bool("spread"))}
	if p["inner"] == "fifo" {
		d.inner = &fifo{slowstart: d.slowstart}
	}
	return d, nil
}

func (*delay) Name() string { return "delay" }

// Ready spares the kernel heartbeats before the first reduce is due. While a
// job waits for a local slot it answers true, so that time passes in
// heartbeats.
func (d *delay) Ready(v *mr1.View, k simcore.Kind) bool { return anyDue(v, k, d.slowstart) }

func (d *delay) Pick(v *mr1.View, n simcore.NodeID) (simcore.Task, bool) {
	if d.one.room(v, n, simcore.Map) && !d.full(v, n, simcore.Map) {
		for _, j := range d.inner.order(v, simcore.Map) {
			if d.launches(v, j, n) {
				return d.one.launch(v, n, simcore.Map, j)
			}
		}
	}
	if d.one.room(v, n, simcore.Reduce) && !d.full(v, n, simcore.Reduce) {
		if jobs := d.inner.order(v, simcore.Reduce); len(jobs) > 0 {
			return d.one.launch(v, n, simcore.Reduce, jobs[0])
		}
	}
	return simcore.Task{}, false
}

func (d *delay) full(v *mr1.View, n simcore.NodeID, k simcore.Kind) bool {
	return d.even.full(v, n, k, func(j simcore.JobID) bool { return due(v, j, k, d.slowstart) })
}

// launches decides whether job j takes a map slot of node n now, and keeps its
// level and wait.
func (d *delay) launches(v *mr1.View, j simcore.JobID, n simcore.NodeID) bool {
	for len(d.state) <= int(j) {
		d.state = append(d.state, delayState{since: simcore.Never})
	}
	s := &d.state[j]
	l, _ := v.Locality(j, n)
	s.since = min(s.since, v.Now())
	if d.clock {
		s.waited = v.Now() - s.since
	}
	level, waited := s.level, s.waited
	if level == simcore.NodeLocal && waited >= d.t1 {
		level = simcore.RackLocal
		waited -= d.t1
	}
	if level == simcore.RackLocal && waited >= d.t2 {
		level = simcore.OffSwitch
	}
	if l > level {
		if s.beat != v.Beat() && !d.clock {
			s.beat = v.Beat()
			s.waited += max(v.Period()/simcore.Time(v.Nodes()), 1)
		}
		return false
	}
	*s = delayState{level: l, since: v.Now(), beat: v.Beat()}
	return true
}

// order lists FIFO's jobs by priority and arrival.
func (f *fifo) order(v *mr1.View, k simcore.Kind) []simcore.JobID {
	jobs := dueJobs(nil, v, k, f.slowstart)
	sortByPriority(v, jobs)
	return jobs
}
