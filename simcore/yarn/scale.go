package yarn

import (
	"cmp"
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Rules that add and remove nodes as the load asks (simcore.Scaling).

// Loader is a Scheduler that says how busy the cluster is, as the ResourceManager's
// metrics do (QueueMetrics of root: PendingMB, AllocatedMB, AvailableMB). What is
// reserved is not available.
type Loader interface {
	Load() (pending, allocated, available Resource)
	// Used is what containers hold of a node.
	Used(n NodeID) Resource
}

// scaleSample is how often the metrics are read; averages are over such readings.
const scaleSample = 10 * simcore.Second

// scaling is the state of a rule.
type scaling struct {
	since                         simcore.Time // its cooldown began
	readings                      int
	pending, allocated, available float64 // sums of readings, MiB
}

// resetScaling prepares the rules of a run.
func (s *Sim) resetScaling() {
	e := s.elastic
	e.scale = kernel.Zeroed(e.scale, len(e.plan.Scaling))
	for i := range e.scale {
		e.push(nodeStep{at: scaleSample, what: stepScale, n: int32(i)})
	}
}

// scaleBy reads the metrics for a rule and, when its cooldown is over, decides. The
// next cooldown begins when what it decided has been done: new nodes have joined.
func (s *Sim) scaleBy(i int32) {
	e := s.elastic
	r, st := &e.plan.Scaling[i], &e.scale[i]
	next := s.now + scaleSample
	if l, ok := s.sched.(Loader); ok {
		p, a, f := l.Load()
		st.readings++
		st.pending, st.allocated, st.available = st.pending+float64(p.Memory), st.allocated+float64(a.Memory), st.available+float64(f.Memory)
	}
	if s.now-st.since >= r.Cooldown && st.readings > 0 {
		if n := s.wanted(r, st); n > 0 {
			next = max(next, s.addNodes(r, n))
		} else if n < 0 {
			s.removeNodes(r, -n)
		}
		*st = scaling{since: next - scaleSample}
	}
	e.push(nodeStep{at: next, what: stepScale, n: i})
}

// ofKind counts the nodes of a kind that are there or on their way, but for those
// that are leaving, and gives the memory of one.
func (s *Sim) ofKind(kind string) (n int32, memory int64) {
	for i, p := range s.elastic.phase {
		at := &s.cluster.Nodes[i]
		if at.Kind != kind {
			continue
		}
		memory = at.Capacity[simcore.Memory]
		if (p == nodeThere || p == nodeBooting) && !s.nodes[i].draining {
			n++
		}
	}
	return n, memory
}

// wanted is by how many nodes a rule would change its kind, within its bounds.
func (s *Sim) wanted(r *simcore.Scaling, st *scaling) int32 {
	have, memory := s.ofKind(r.Kind)
	change := int32(0)
	if r.Rule == simcore.PendingMemory {
		change = pendingChange(r, st, have, memory)
	} else {
		change = utilisationChange(r, st)
	}
	return min(max(have+change, r.Min), r.Max) - have
}

// pendingChange follows the basic algorithm of Dataproc's autoscaling policies: what
// is missing is the mean of pending less available memory over the cooldown, in
// nodes; a factor of it is done at a time, rounded towards more nodes, and nothing
// where it is less than a fraction of the nodes there are.
func pendingChange(r *simcore.Scaling, st *scaling, have int32, memory int64) int32 {
	missing := (st.pending - st.available) / float64(st.readings) / float64(max(memory, 1))
	factor, least := r.Up, r.UpFraction
	if missing < 0 {
		factor, least = r.Down, r.DownFraction
	}
	if math.Abs(missing) < least*float64(have) {
		return 0
	}
	return int32(math.Ceil(min(max(missing*factor, -1e6), 1e6)))
}

// utilisationChange follows custom automatic scaling rules of EMR: a step out while
// less than a share of the memory is available, or too much waits beside what is
// allocated; a step in while more than a share is available and nothing waits.
func utilisationChange(r *simcore.Scaling, st *scaling) int32 {
	total := st.allocated + st.available
	free := 0.0
	if total > 0 {
		free = st.available / total
	}
	switch {
	case free < r.Low && (total > 0 || st.pending > 0), r.Pending > 0 && st.pending > r.Pending*st.allocated:
		return r.Step
	case free > r.High:
		return -r.Step
	}
	return 0
}

// addNodes orders nodes of a rule's kind and returns when they register.
func (s *Sim) addNodes(r *simcore.Scaling, count int32) simcore.Time {
	e := s.elastic
	away := func(n int) bool { return e.phase[n] == nodeAway && s.cluster.Nodes[n].Kind == r.Kind }
	free := -e.promised(r.Kind)
	for n := range e.phase {
		if away(n) {
			free++
		}
	}
	for range min(count, free) {
		n := e.first(away)
		e.phase[n], e.asked[n] = nodeBooting, s.now
		e.push(nodeStep{at: s.now + r.Delay, what: stepJoin, n: n})
	}
	return s.now + r.Delay
}

// promised is how many nodes of a kind the timetable still has join.
func (e *elastic) promised(kind string) (n int32) {
	for _, st := range e.steps {
		if st.what != stepChange {
			continue
		}
		if c := &e.plan.Changes[st.n]; c.What == simcore.Join && c.Kind == kind {
			n += c.Count
		}
	}
	return n
}

// removeNodes decommissions nodes of a rule's kind: those that hold least first, of
// equal ones the last.
func (s *Sim) removeNodes(r *simcore.Scaling, count int32) {
	l, ok := s.sched.(Loader)
	if !ok {
		return
	}
	type candidate struct {
		n    int32
		used int64
	}
	var all []candidate
	for i, p := range s.elastic.phase {
		if p == nodeThere && s.cluster.Nodes[i].Kind == r.Kind && !s.nodes[i].draining {
			all = append(all, candidate{int32(i), l.Used(s.nodes[i].id).Memory})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.used, b.used), cmp.Compare(b.n, a.n)) })
	for _, c := range all[:min(len(all), int(count))] {
		s.decommission(c.n, r.Timeout, 0)
	}
}
