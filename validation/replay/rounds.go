package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/trace/runlog"
)

// With asynchronous scheduling (yarn.scheduler.capacity.schedule-asynchronously)
// a heartbeat only brings a node's state up to date; the ResourceManager's threads
// propose containers between heartbeats, and the instants of their commits are
// those of the containers' allocation, or of their reservation, in its log. Two
// things are compared: given
// the node of each commit, is the container the same one; and where nothing is
// recorded for long enough that a thread has passed all nodes, is there nothing
// to allocate.

// commits are the recorded allocations and reservations, in the order of the log.
func (r *Run) commits(t0 int64) ([]step, error) {
	var steps []step
	for _, c := range r.containers() {
		if c.Node >= 0 && c.Allocated != simcore.Never {
			steps = append(steps, step{at: c.Allocated, kind: stepCommit, node: c.Node, expected: []*Container{c}})
		}
	}
	reserved, err := r.reservations(t0)
	if err != nil {
		return nil, err
	}
	for _, v := range reserved {
		if v.node >= 0 {
			steps = append(steps, step{at: v.at, kind: stepCommit, node: v.node})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	return steps, nil
}

// reservation is a space that the scheduler kept for a container.
type reservation struct {
	app  string // STAMP_NUMBER
	id   string // of the container
	at   simcore.Time
	node int32 // -1 = not told
}

var (
	reservedLine = regexp.MustCompile(
		`RMContainerImpl: (container_(?:e\d+_)?(\d+_\d+)_\d+_\d+) Container Transitioned from NEW to RESERVED`)
	unreservedLine = regexp.MustCompile(
		`FiCaSchedulerApp: Application application_(\d+_\d+) unreserved {1,2}on node host: (\S+)`)
)

// reservations reads the reservations of the log; none without it. The line of a
// reservation names no node. The node is that of the container if it was allocated,
// else that of the application's first line about the end of a reservation that is
// left (FiCaSchedulerApp.unreserve).
func (r *Run) reservations(t0 int64) ([]reservation, error) {
	var made, ended []reservation
	err := runlog.Lines(r.Dir, "cluster-events.log", t0, func(at simcore.Time, text string) {
		if m := reservedLine.FindStringSubmatch(text); m != nil {
			made = append(made, reservation{app: m[2], id: m[1], at: at, node: -1})
		} else if m := unreservedLine.FindStringSubmatch(text); m != nil {
			ended = append(ended, reservation{app: m[1], at: at, node: r.nodeAt(m[2])})
		}
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	take := func(v *reservation, fits func(e *reservation) bool) bool {
		k := slices.IndexFunc(ended, func(e reservation) bool { return e.app == v.app && e.at >= v.at && fits(&e) })
		if k >= 0 {
			v.node = ended[k].node
			ended = slices.Delete(ended, k, k+1)
		}
		return k >= 0
	}
	for i := range made {
		if c := r.container(made[i].id); c != nil && c.Node >= 0 {
			if !take(&made[i], func(e *reservation) bool { return e.node == c.Node && e.at <= c.Allocated }) {
				made[i].node = c.Node
			}
		}
	}
	for i := range made {
		if made[i].node < 0 {
			take(&made[i], func(*reservation) bool { return true })
		}
	}
	return made, nil
}

// nodeAt is the node of an address HOST:PORT, -1 if there is none.
func (r *Run) nodeAt(address string) int32 {
	return int32(slices.IndexFunc(r.Nodes, func(n Node) bool { return fmt.Sprintf("%s:%d", n.Host, n.Port) == address }))
}

// container finds an allocated container by its id, nil if there is none.
func (r *Run) container(id string) *Container {
	if j := r.jobOf(id); j >= 0 {
		return r.Jobs[j].Container(id)
	}
	return nil
}

// slowestBeat bounds how long an idle thread may take to pass all nodes.
const slowestBeat = 350 * simcore.Millisecond

// quiet puts a round that comes to nothing into every gap in which no delay of a
// loaded machine (slowestBeat) can have kept a thread from passing all nodes, and
// which is longer than what calls may be noted too late.
func quiet(steps []step) []step {
	out := make([]step, 0, 2*len(steps))
	for i, s := range steps {
		if i > 0 && s.at-steps[i-1].at > slowestBeat+resolution {
			out = append(out, step{at: steps[i-1].at + slowestBeat, kind: stepQuiet})
		}
		out = append(out, s)
	}
	return out
}

// commit has the threads look at one node once, and commit what they propose.
func (d *decider) commit(s *step, dst []yarn.Event) []yarn.Event {
	node, start := d.nodes[s.node], 0
	walk := d.sched.RoundOrder(nil)
	if len(walk) > 1 && walk[0] == node { // a round visits the node it starts from again at its end
		start = 1
	}
	return d.sched.Round(start, 0, func(id yarn.NodeID) bool { return id != node }, dst)
}
