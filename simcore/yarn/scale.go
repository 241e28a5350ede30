package yarn

import (
	"cmp"
	"math"
	"slices"

	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// Rules that add and remove nodes with the load (simcore.Scaling).

// Loader is a Scheduler that reports the load of the cluster, as the ResourceManager's
// metrics do (QueueMetrics of root: PendingMB, AllocatedMB, AvailableMB). Reserved
// resources are not available.
type Loader interface {
	Load() (pending, allocated, available Resource)
	// Used returns the resources of a node that containers occupy.
	Used(n NodeID) Resource
}

// scaleSample is the interval at which the metrics are read; averages are over such readings.
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

// scaleBy reads the metrics for a rule and, after its cooldown, decides. The next cooldown begins
// when the new nodes have joined. The scheduler is a Loader (elastic.check).
func (s *Sim) scaleBy(i int32) {
	e, load := s.elastic, s.sched.(Loader)
	r, st := &e.plan.Scaling[i], &e.scale[i]
	next := s.now + scaleSample
	p, a, f := load.Load()
	st.readings++
	st.pending, st.allocated, st.available = st.pending+float64(p.Memory), st.allocated+float64(a.Memory),
		st.available+float64(f.Memory)
	if s.now-st.since >= r.Cooldown {
		if n := s.wanted(r, st); n > 0 {
			next = max(next, s.addNodes(r, n))
		} else if n < 0 {
			s.removeNodes(r, load, -n)
		}
		*st = scaling{since: next - scaleSample}
	}
	e.push(nodeStep{at: next, what: stepScale, n: i})
}

// ofKind counts the nodes of a kind that are registered or starting, except those that are
// leaving, and returns the memory of one in MiB.
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

// wanted returns by how many nodes a rule changes its kind, within its bounds.
func (s *Sim) wanted(r *simcore.Scaling, st *scaling) int32 {
	have, memory := s.ofKind(r.Kind)
	change := utilisationChange(r, st)
	if r.Rule == simcore.PendingMemory {
		change = pendingChange(r, st, have, memory)
	}
	return min(max(have+change, r.Min), r.Max) - have
}

// pendingChange follows the basic algorithm of Dataproc's autoscaling policies: the
// missing nodes are the mean of pending less available memory over the cooldown, divided by a
// node's memory; the change is a factor of that, rounded towards more nodes, or 0
// if they are less than a fraction of the current nodes.
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
// less than a share of the memory is available, or too much is pending in relation to
// allocated memory; a step in while more than a share is available and little is pending.
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

// addNodes starts nodes of a rule's kind, except those that are to join later, and returns when
// they register.
func (s *Sim) addNodes(r *simcore.Scaling, count int32) simcore.Time {
	e := s.elastic
	away := e.those(func(n int) bool { return e.phase[n] == nodeAway && s.cluster.Nodes[n].Kind == r.Kind })
	for range min(count, int32(len(away))-e.promised(r.Kind)) {
		n := e.first(away)
		away = slices.DeleteFunc(away, func(o int32) bool { return o == n })
		e.phase[n], e.asked[n] = nodeBooting, s.now
		e.push(nodeStep{at: s.now + r.Delay, what: stepJoin, n: n})
	}
	return s.now + r.Delay
}

// promised returns how many nodes of a kind Elastic.Changes still lets join.
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

// removeNodes decommissions nodes of a rule's kind: the least used first, of equal ones the last.
func (s *Sim) removeNodes(r *simcore.Scaling, load Loader, count int32) {
	all := s.elastic.those(func(n int) bool {
		return s.elastic.phase[n] == nodeThere && s.cluster.Nodes[n].Kind == r.Kind && !s.nodes[n].draining
	})
	used := func(n int32) int64 { return load.Used(s.nodes[n].id).Memory }
	slices.SortFunc(all, func(a, b int32) int { return cmp.Or(cmp.Compare(used(a), used(b)), cmp.Compare(b, a)) })
	for _, n := range all[:min(len(all), int(count))] {
		s.decommission(n, r.Timeout, 0)
	}
}
