package yarn

import (
	"slices"

	"schedtune/simcore"
)

// Asynchronous scheduling in time: threads of the ResourceManager go over the
// nodes in rounds and sleep between them; what they propose is committed by
// another thread. The threads are simulated as one that makes their rounds in
// turn and whose commits lag behind by as many proposals as they have under way
// at a time. A round's proposals and commits happen at the instant of its start;
// the time they take delays the next.
//
// Most rounds can be left out: those that would change nothing (Idle), and those that only
// count (Counting). The scheduler vouches for both kinds; TestAsynchronousHistories and
// TestLazyEqualsEagerRounds… compare with runs that make every round. Where proposals or
// reservations are observed none of the second kind is left out.

// Rounds are the settings of asynchronous scheduling.
type Rounds struct {
	Interval  int64 // ms that a thread sleeps after a round
	Threads   int   // at least 1
	SkipAfter int64 // ms without a heartbeat after which a round passes a node over
}

// Rounder is a Scheduler that can schedule asynchronously.
type Rounder interface {
	// Rounds returns the settings, and whether scheduling is asynchronous.
	Rounds() (Rounds, bool)
	// ByRounds makes Round and Commit schedule, no longer Beat.
	ByRounds()
	// Round is one pass over the nodes, from the start-th on. After each proposal
	// the oldest are committed until lag wait; nodes that late reports are passed
	// over. Committed proposals are appended to dst.
	Round(start, lag int, late func(NodeID) bool, dst []Event) []Event
	// Commit commits the oldest proposals until left wait.
	Commit(left int, dst []Event) []Event
	// Backlog is the number of proposals that wait.
	Backlog() int
	// Held reports whether so many wait that no round is made.
	Held() bool
	// Idle reports whether a round would change nothing, wherever it starts.
	Idle() bool
	// Counting tells what all rounds to come do, wherever they start, until something
	// else changes: proposals that come to nothing. nil where that is not known
	// without making another round, or not so.
	Counting() *CountingRounds
	// Fault returns an error where rounds that were left out turn out not to have been
	// what was said: the run is not to be trusted.
	Fault() error
}

// CountingRounds is what rounds do that only renew reservations and count opportunities,
// until something else changes. The caller that leaves one out counts it here; the scheduler
// books it before it does anything else.
type CountingRounds struct {
	Each    int     // proposals of a round without those of the second visit to its first node
	First   []uint8 // proposals of a visit, by position in the walk; none: all rounds make Each
	Left    int     // rounds that may yet be left out
	Skipped int     // rounds left out
	Starts  []int32 // the same by position of the first node
	Last    int32   // position of the first node of the last one
	Clock   int64   // when that was, in ms
}

// rounds is the asynchronous scheduling of a run.
type rounds struct {
	sched Rounder // nil: scheduling by heartbeats

	// Fixed for the run.
	pace    simcore.Time      // from one round to the next where nothing is proposed
	propose simcore.Time      // on top for each proposal
	lag     int               // proposals under way while a round goes on
	left    int               // proposals that wait after a round and its pause
	retry   int               // proposals committed in a millisecond
	skip    simcore.Time      // nodes are late after that; Never: no node can be
	late    func(NodeID) bool // nil: no node is passed over

	// The last round, made or left out.
	at     simcore.Time // when it began, plus what its proposals took; 0 before the first
	number uint64       // its number, for draws
	armed  bool         // the next one is in the event tree
	clear  bool         // none of its proposals waits

	rests bool // rounds are left out now since they change nothing
}

// resetRounds prepares asynchronous scheduling where the scheduler is set to it.
func (s *Sim) resetRounds() {
	s.rounds = rounds{}
	r, ok := s.sched.(Rounder)
	if !ok {
		return
	}
	set, on := r.Rounds()
	if !on {
		return
	}
	r.ByRounds()
	threads := simcore.Time(max(set.Threads, 1))
	commit, proposal := max(millis(s.cal.RoundCommit), 1), max(millis(s.cal.RoundProposal), 1)
	pause := millis(float64(set.Interval))
	x := rounds{sched: r, skip: simcore.Never}
	x.pace = max((pause+millis(s.cal.RoundVisit*float64(len(s.cluster.Nodes))))/threads, 1)
	x.propose = proposal / threads
	x.lag = int((threads*commit + proposal - 1) / proposal)
	x.left = max(0, x.lag-int(pause/commit))
	x.retry = max(1, int(simcore.Millisecond/commit))
	if limit := millis(float64(set.SkipAfter)); limit < s.nodePeriod || s.cfg.Recorded != nil {
		x.skip = limit
		x.late = s.isLate
	}
	if !s.elastic.still {
		x.late = s.isLate
	}
	s.rounds = x
}

// armRounds schedules the next round where one could change anything.
func (s *Sim) armRounds() {
	r := &s.rounds
	if r.armed || r.sched == nil {
		return
	}
	rests := !s.cfg.Eager && r.sched.Backlog() == 0 && r.sched.Idle()
	if rests && r.rests {
		return
	}
	s.skipRounds()
	if r.rests = rests; !rests {
		r.armed = true
		s.tree.Set(roundsLeaf, r.at+r.pace)
	}
}

// skipRounds counts the rounds that were left out up to now.
func (s *Sim) skipRounds() {
	r := &s.rounds
	earliest, first := s.earliest(roundsLeaf), r.at+r.pace
	if first >= earliest {
		return
	}
	passed := (earliest - first + r.pace - 1) / r.pace
	r.at += passed * r.pace
	r.number += uint64(passed)
}

// round is one round of the scheduling threads.
func (s *Sim) round() {
	r := &s.rounds
	if s.skipCountingRounds() {
		return
	}
	s.tree.Clear(roundsLeaf)
	r.armed, r.clear = false, false
	r.at = s.now
	r.number++
	s.setClock()
	s.events = s.events[:0]
	held := r.sched.Held()
	if held { // the thread looks again after a millisecond
		s.events = r.sched.Commit(max(0, r.sched.Backlog()-r.retry), s.events)
		r.at += simcore.Millisecond - r.pace
	} else {
		before := r.sched.Backlog()
		s.events = r.sched.Round(s.key(drawRound).IntN(r.number, int(max(s.alive, 1))), r.lag, r.late, s.events)
		r.at += r.propose * simcore.Time(len(s.events)+r.sched.Backlog()-before)
		s.settleRound()
		s.events = r.sched.Commit(r.left, s.events[:0])
	}
	s.settleRound()
	r.clear = !held && r.sched.Backlog() == 0
	s.armRounds()
}

// skipCountingRounds leaves rounds out from now on, up to the next event that is no round, as
// long as all of them do what is known (Rounder.Counting), and reports whether there was any.
// Their starts are drawn all the same, and the time that their proposals take passes.
func (s *Sim) skipCountingRounds() bool {
	r := &s.rounds
	if s.cfg.Eager || !r.clear || s.cfg.Observe != nil || s.cfg.Reservations != nil ||
		r.late != nil && (r.skip != simcore.Never || s.elastic.dead > 0) {
		return false
	}
	known := r.sched.Counting()
	if known == nil {
		return false
	}
	s.tree.Clear(roundsLeaf)
	until := min(s.bound, s.alarm, s.now+longestSkip)
	if leaf, at, ok := s.tree.Next(); ok && leaf < roundsLeaf {
		until = min(until, at-1)
	} else if ok {
		until = min(until, at)
	}
	made, at, last := 0, s.now, s.now
	nodes := int(max(s.alive, 1))
	if each := r.pace + r.propose*simcore.Time(known.Each); len(known.First) == 0 && at <= until {
		made = int(min(simcore.Time(known.Left), (until-at)/each+1))
		r.number += uint64(made)
		at += simcore.Time(made) * each
		last = at - each
	}
	for ; len(known.First) > 0 && at <= until && made < known.Left; made++ {
		r.number++
		start := s.key(drawRound).IntN(r.number, nodes)
		proposals := known.Each
		if start < len(known.First) {
			proposals += int(known.First[start])
			known.Starts[start]++
		}
		known.Last, last = int32(start), at
		at += r.pace + r.propose*simcore.Time(proposals)
	}
	if made == 0 {
		return false
	}
	known.Clock = int64(last / simcore.Millisecond)
	known.Skipped += made
	known.Left -= made
	s.tree.Set(roundsLeaf, at)
	r.at = at - r.pace
	return true
}

// longestSkip is the time after which a run that leaves rounds out looks whether its context
// has ended.
const longestSkip = 10 * simcore.Minute

// settleRound books what a round came to.
func (s *Sim) settleRound() {
	if s.kills {
		s.takeKilled()
	}
	for i := range s.events {
		s.committed(&s.events[i])
	}
}

// isLate reports whether a node has not sent a heartbeat for so long that a
// round passes it over.
func (s *Sim) isLate(id NodeID) bool {
	n := s.nodeOf[id]
	nd := &s.nodes[n]
	if nd.dead || s.rounds.skip == simcore.Never {
		return nd.dead
	}
	last := nd.heard
	if r := s.recorded; int(n) < len(r.NodeBeats) {
		list := r.NodeBeats[n]
		i, _ := slices.BinarySearch(list, s.now+1)
		if i == len(list) {
			return false // the record is over, the node is not
		}
		if i > 0 {
			last = max(last, list[i-1])
		}
	} else if on := s.nextOnGrid(nd.beat, s.nodePeriod, s.nodeLeaf(n)) - s.nodePeriod; on <= s.now {
		last = max(last, on)
	}
	return s.now-last > s.rounds.skip
}
