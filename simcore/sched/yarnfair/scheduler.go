// Package yarnfair is YARN's Fair Scheduler as a state machine: its verbs are
// those of a ResourceManager's scheduler (submit, ask, beat, end, add, lose,
// update, refresh), and it keeps no clock. One heartbeat at a time it makes the
// decisions of Hadoop 3.4.1 container by container; recorded scenarios of the
// original hold it to that, see the conformance folder.
//
// The original recomputes demand and fair shares in a thread of its own, every
// half second; here that is the verb Update. Between two updates a new ask is
// not seen: an application is offered nothing until its demand has been counted.
//
// Its verbs may be called from one goroutine only; simcore/yarn calls them in a simulation.
// What it leaves out is what fairconf refuses, and access lists (fairconf.Allocations.Access).
package yarnfair

import (
	"errors"

	"schedtune/fairconf"
	"schedtune/internal/java"
	"schedtune/simcore/sched/internal/requests"
	"schedtune/simcore/yarn"
)

type res = fairconf.Resource

// Scheduler decides which container goes where. Build one with New.
type Scheduler struct {
	alloc     *fairconf.Allocations
	site      *fairconf.Site
	rules     []fairconf.Rule
	reserveAt res // smallest ask that may reserve a node

	cluster   res
	available res // of the root queue as last published; stale within a beat
	root      *queue
	byPath    map[string]*queue
	leaves    []*queue
	tasks     []removal

	nodes     []*node
	liveNodes int
	largest   res // node, component by component
	nodeIDs   map[string]yarn.NodeID
	onRack    map[yarn.Place]int

	apps         []*app
	reservations int
	outstanding  int // request keys with outstanding asks, of all applications
	requests.Places
	users requests.Parallel[*queue, *app]

	out      []yarn.Event
	unreserv []yarn.NodeID // backs Event.Unreserved
	losses   requests.Losses
	masters  []*container // started in this beat
	changed  bool         // something observable moved in this beat
	tight    bool         // the node has room for no ask: only a reservation may come of it
	clock    uint64
	now      int64 // milliseconds, as the last Update said
	large    int   // of these keys, those whose asks could reserve a node
	widened  bool  // since Widened was asked, large has become positive
	smallest res   // component by component, of all asks so far
	due      bool  // an update would find something new

	uncounted []*app   // whose demand may have changed
	unsummed  bool     // demand of queues may have changed besides
	undivided bool     // shares may have changed
	reweighed []*queue // leaves in which those of applications may have
	starving  bool     // what some application lacks has changed

	submissions    int64
	sequence       uint64
	parties        []party
	walked         []int // scratch of a walk
	order          []*container
	freeContainers []*container
	hungry         java.PriorityQueue[*app] // starved applications that wait
	sentences      []sentence
	mostNodes      int // registered at a time
	round          int64
	dated          int  // applications whose beginning is known
	told           bool // SetClock tells the time
	keySeq         uint64
	hosts          map[yarn.Place]uint32 // hash codes of the hosts of nodes, by the places of these
}

var (
	_ yarn.Scheduler = (*Scheduler)(nil)
	_ yarn.Hinter    = (*Scheduler)(nil)
	_ yarn.Updater   = (*Scheduler)(nil)
	_ yarn.Explainer = (*Scheduler)(nil)
)

// New builds a scheduler. Both arguments are shared and stay unchanged; none may be nil.
func New(alloc *fairconf.Allocations, site *fairconf.Site) (*Scheduler, error) {
	if alloc == nil || site == nil {
		return nil, errors.New("fair scheduler: no allocations or no site settings are given")
	}
	s := &Scheduler{
		site:    site,
		alloc:   fairconf.New(),
		byPath:  map[string]*queue{},
		nodeIDs: map[string]yarn.NodeID{},
		onRack:  map[yarn.Place]int{},
		users:   requests.Parallel[*queue, *app]{},
		hosts:   map[yarn.Place]uint32{},
	}
	s.hungry.Compare = hungrier
	s.smallest = fairconf.Unbounded()
	s.reserveAt = site.Increment.Scale(float64(site.ReservationMultiple))
	// As the original does at its start: root under the settings of an empty file, then the file.
	s.root = s.newQueue("root", nil, false)
	s.root.dynamic = false
	s.byPath["root"] = s.root
	return s, s.load(alloc)
}

// reshaped notes that queues, their settings or the cluster have changed.
func (s *Scheduler) reshaped() { s.unsummed, s.undivided = true, true }

// uncount notes that an application's demand may have changed.
func (s *Scheduler) uncount(a *app) {
	if !a.uncounted {
		a.uncounted = true
		s.uncounted = append(s.uncounted, a)
	}
}

// moved notes that what a beat could decide may have changed.
func (s *Scheduler) moved() {
	s.clock++
	s.due = true
}
