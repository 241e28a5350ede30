package spark

import "slices"

// Allocator turns a target of executors into the rows of an application
// master's requests, after YarnAllocator of Spark 3.5.5 and the AMRMClient of
// Hadoop 3.4.1 under it, for one resource profile: those of an application share
// nothing but the call that carries their rows. Nodes and racks are named by
// number. A request stands for one container: for any host, or for
// some hosts (and their racks) with any other to fall back on.
type Allocator struct {
	target   int32
	running  int32 // executors launched, those being killed not counted
	starting int32 // containers on their way to an executor
	slots    int32 // tasks an executor runs at a time

	rackOf []int32 // by node
	anys   []anyHost
	anyN   int32
	local  []request // oldest first
	seq    int64
	hosts  []int32 // of the requests, one after the other

	hintTasks int32
	hints     []HostTasks
	on        []int32 // containers by node, as the master knows them

	rows  []Row
	rowOf []int32 // by place: index into rows, -1 = none
	dirty []int32

	wish []int32
	pend []float64
}

type anyHost struct {
	seq int64
	n   int32
}

type request struct {
	seq    int64
	at, to int32 // hosts[at:to]
}

// HostTasks is how many tasks of the stages under way prefer a node.
type HostTasks struct {
	Node, Tasks int32 // number of the node, and how many tasks
}

// Row is an outstanding count at a place: AnyHost, node n, or rack r as -2-r.
// Counts are absolute.
type Row struct {
	At, Count int32 // place; Count containers are wanted there in all
	dirty     bool
}

// AnyHost is "*" as a Row's place.
const AnyHost = -1

// Reset prepares for an application on nodes of the given racks.
func (a *Allocator) Reset(target, slots int32, rackOf []int32) {
	*a = Allocator{
		target: target, slots: max(slots, 1), rackOf: rackOf,
		anys: a.anys[:0], local: a.local[:0], hosts: a.hosts[:0], hints: a.hints[:0], on: a.on[:0],
		rows: append(a.rows[:0], Row{At: AnyHost}), rowOf: a.rowOf[:0], dirty: a.dirty[:0], wish: a.wish[:0],
		pend: a.pend[:0],
	}
}

// Target, Pending and Running are what the allocator counts.
func (a *Allocator) Target() int32 { return a.target }

// Pending is the number of requests not yet met, as the master knows.
func (a *Allocator) Pending() int32 { return a.anyN + int32(len(a.local)) }

// Running is the number of executors launched and not given up.
func (a *Allocator) Running() int32 { return a.running }

// Request is the driver's message: a target and where tasks would like to run.
// It reports whether the target changed, which wakes the heartbeat.
func (a *Allocator) Request(target, localTasks int32, hints []HostTasks) bool {
	a.hintTasks = localTasks
	a.hints = append(a.hints[:0], hints...)
	changed := a.target != target
	a.target = target
	return changed
}

// Update brings the requests in line with the target, as at the start of each
// call of the master. ChangedRow then has the rows to send.
func (a *Allocator) Update() {
	missing := a.target - a.Pending() - a.running - a.starting
	switch {
	case missing > 0 && len(a.hints) == 0 && len(a.local) == 0:
		a.addAny(missing)
	case missing > 0:
		a.addPlaced(missing)
	case missing < 0 && a.Pending() > 0:
		a.cancel(min(a.Pending(), -missing))
	}
}

// ChangedRow is the i-th row touched since the last call; ok is false behind
// the last.
func (a *Allocator) ChangedRow(i int) (r Row, ok bool) {
	if i >= len(a.dirty) {
		return Row{}, false
	}
	return a.rows[a.dirty[i]], true
}

// Sent tells that a call took the changed rows along.
func (a *Allocator) Sent() {
	for _, r := range a.dirty {
		a.rows[r].dirty = false
	}
	a.dirty = a.dirty[:0]
}

func (a *Allocator) addAny(n int32) {
	if n <= 0 {
		return
	}
	a.seq++
	if k := len(a.anys); k > 0 && (len(a.local) == 0 || a.local[len(a.local)-1].seq < a.anys[k-1].seq) {
		a.anys[k-1].n += n
	} else {
		a.anys = append(a.anys, anyHost{a.seq, n})
	}
	a.anyN += n
	a.touch(0, n)
}

// dropAny takes the oldest n requests for any host back.
func (a *Allocator) dropAny(n int32) {
	a.anyN -= n
	a.touch(0, -n)
	for n > 0 {
		k := min(n, a.anys[0].n)
		a.anys[0].n -= k
		n -= k
		if a.anys[0].n == 0 {
			a.anys = a.anys[:copy(a.anys, a.anys[1:])]
		}
	}
}

// dropLocal takes the i-th placed request back.
func (a *Allocator) dropLocal(i int) {
	a.touchPlaces(&a.local[i], -1)
	a.local = slices.Delete(a.local, i, i+1)
	if len(a.local) == 0 {
		a.hosts = a.hosts[:0]
	}
}

func (a *Allocator) touchPlaces(r *request, n int32) {
	a.touch(0, n)
	hosts := a.hosts[r.at:r.to]
	for i, h := range hosts {
		a.touch(a.row(h), n)
		rack := a.rackOf[h]
		if !slices.ContainsFunc(hosts[:i], func(o int32) bool { return a.rackOf[o] == rack }) {
			a.touch(a.row(-2-rack), n)
		}
	}
}

func (a *Allocator) touch(row int, n int32) {
	r := &a.rows[row]
	r.Count += n
	if !r.dirty {
		r.dirty = true
		a.dirty = append(a.dirty, int32(row))
	}
}

// row finds or makes the row of a place.
func (a *Allocator) row(at int32) int {
	i := int(at)
	if at < 0 {
		i = len(a.rackOf) + int(-2-at)
	}
	for len(a.rowOf) <= i {
		a.rowOf = append(a.rowOf, -1)
	}
	if a.rowOf[i] < 0 {
		a.rowOf[i] = int32(len(a.rows))
		a.rows = append(a.rows, Row{At: at})
	}
	return int(a.rowOf[i])
}

// cancel takes back n requests: those for places that nobody prefers any more,
// then those for any host, then the others, oldest first.
func (a *Allocator) cancel(n int32) {
	n -= a.dropStale(n)
	if k := min(n, a.anyN); k > 0 {
		a.dropAny(k)
		n -= k
	}
	for ; n > 0; n-- {
		a.dropLocal(0)
	}
}

// dropStale takes back at most n placed requests none of whose hosts is preferred now, and returns how
// many.
func (a *Allocator) dropStale(n int32) (dropped int32) {
	preferred := func(node int32) bool {
		return slices.ContainsFunc(a.hints, func(h HostTasks) bool { return h.Node == node })
	}
	for i := 0; i < len(a.local) && dropped < n; {
		if r := &a.local[i]; slices.ContainsFunc(a.hosts[r.at:r.to], preferred) {
			i++
		} else {
			a.dropLocal(i)
			dropped++
		}
	}
	return dropped
}

// Match gives a container on a node to the request it fits best: level 0 by
// node, 1 by rack, 2 any, in each the oldest. The master tries all containers
// of a call by node before any by rack. It reports whether one was found.
func (a *Allocator) Match(node int32, level int) bool {
	if level == 2 {
		return a.matchAny()
	}
	for i := range a.local {
		hosts := a.hosts[a.local[i].at:a.local[i].to]
		if level == 0 && slices.Contains(hosts, node) ||
			level == 1 && slices.ContainsFunc(hosts, func(h int32) bool { return a.rackOf[h] == a.rackOf[node] }) {
			a.dropLocal(i)
			return true
		}
	}
	return false
}

func (a *Allocator) matchAny() bool {
	switch {
	case a.anyN > 0 && (len(a.local) == 0 || a.anys[0].seq < a.local[0].seq):
		a.dropAny(1)
	case len(a.local) > 0:
		a.dropLocal(0)
	default:
		return false
	}
	return true
}

// Launch starts an executor in a matched container, unless there are as many
// running as wanted: then the container is neither used nor given back.
func (a *Allocator) Launch() bool {
	if a.running >= a.target {
		return false
	}
	a.starting++
	return true
}

// Launched tells that the NodeManager has taken the executor's start.
func (a *Allocator) Launched(node int32) {
	a.starting--
	a.running++
	a.hold(node, 1)
}

// Failed tells that a container's executor never started.
func (a *Allocator) Failed() { a.starting-- }

// Missing reports whether the next call would change the requests.
func (a *Allocator) Missing() bool {
	missing := a.target - a.Pending() - a.running - a.starting
	return missing > 0 || missing < 0 && a.Pending() > 0 || len(a.dirty) > 0
}

// hold counts the containers by node, which only placement asks for.
func (a *Allocator) hold(node, n int32) {
	for int32(len(a.on)) <= node {
		a.on = append(a.on, 0)
	}
	a.on[node] += n
}

// Kill gives a running executor up; its container goes back with the next call.
func (a *Allocator) Kill() { a.running-- }

// Ended tells that the end of an executor's container was heard of; killed that
// the master had given it up before.
func (a *Allocator) Ended(node int32, killed bool) {
	if !killed {
		a.running--
	}
	a.hold(node, -1)
}
