package spark

import (
	"cmp"
	"slices"
	"strconv"

	"schedtune/internal/java"
	"schedtune/simcore/internal/kernel"
)

// Lists of tasks by preferred executor, node and rack, and the order of pools.

// A set's tasks are in lists by place: by node, then by rack, then by executor. A list is read by
// index of its tasks; that of a rack is the lists of its nodes one after the other, those of the
// original from the end of a hash table. Tasks put back go before all (taskSet.again).

// buildLists sorts a set's tasks by the executors, nodes and racks they prefer.
func (t *Tasks) buildLists(s *taskSet, st *Stage) {
	nodes, racks := int32(len(t.rackOf)), int32(0)
	for _, r := range t.rackOf {
		racks = max(racks, r+1)
	}
	s.taskAt, s.at = make([]int32, st.Tasks+1), make([]int32, nodes+racks+int32(len(t.execs))+1)
	s.execFrom = nodes + racks
	if st.Executors != nil {
		s.exec = slices.Clone(st.Executors)
	}
	for i := range st.Tasks {
		from := len(s.hosts)
		add := func(h int32) {
			if h >= 0 && h < nodes && t.status[s.status+i] == taskWaits && !slices.Contains(s.hosts[from:], h) {
				s.hosts = append(s.hosts, h)
				s.at[h+1]++
				s.at[nodes+t.rackOf[h]+1]++
			}
		}
		if st.HostAt != nil {
			for _, h := range st.Hosts[st.HostAt[i]:st.HostAt[i+1]] {
				add(h)
			}
		}
		if e := s.pin(i); e >= 0 && t.status[s.status+i] == taskWaits {
			add(t.execs[e].node)
			s.at[s.execFrom+e+1]++
		}
		s.taskAt[i+1] = int32(len(s.hosts))
		if len(s.hosts) > from {
			s.preferred++
		}
	}
	t.listByPlace(s, nodes)
}

// pin returns the executor that a task prefers, -1 for none.
func (s *taskSet) pin(task int32) int32 {
	if s.exec == nil {
		return -1
	}
	return s.exec[task]
}

// listByPlace turns the places by task into the tasks by place; s.at counts them.
func (t *Tasks) listByPlace(s *taskSet, nodes int32) {
	for p := 1; p < len(s.at); p++ {
		s.at[p] += s.at[p-1]
	}
	s.of, s.next = make([]int32, s.at[len(s.at)-1]), slices.Clone(s.at)
	s.dropped = make([]bool, len(s.at))
	put := func(p int32, tasks ...int32) { s.next[p] += int32(copy(s.of[s.next[p]:], tasks)) }
	for i := range s.n {
		for _, h := range s.hosts[s.taskAt[i]:s.taskAt[i+1]] {
			put(h, i)
		}
		if e := s.pin(i); e >= 0 && t.status[s.status+i] == taskWaits {
			put(s.execFrom+e, i)
		}
	}
	list := func(l Level, from, to int32, hash func(int32) uint32) {
		for p := from; p < to; p++ {
			if s.at[p] < s.at[p+1] {
				s.lists[l] = append(s.lists[l], p)
			}
		}
		bucket := func(p int32) uint32 { return java.ScalaBucket(hash(p-from), len(s.lists[l])) }
		slices.SortStableFunc(s.lists[l], func(a, b int32) int { return cmp.Compare(bucket(a), bucket(b)) })
	}
	list(NodeLocal, 0, nodes, func(n int32) uint32 { return t.hashes[n] })
	for _, h := range s.lists[NodeLocal] {
		put(nodes+t.rackOf[h], s.of[s.at[h]:s.at[h+1]]...)
	}
	list(RackLocal, nodes, s.execFrom, func(r int32) uint32 { return uint32(r) })
	list(ProcessLocal, s.execFrom, int32(len(s.at))-1, func(e int32) uint32 {
		return java.HashString(strconv.Itoa(int(e)))
	})
	copy(s.next, s.at)
}

// in reports whether a task is in the lists of a place.
func (t *Tasks) in(s *taskSet, task, place int32) bool {
	if place >= s.execFrom {
		return s.exec[task] == place-s.execFrom
	}
	return slices.ContainsFunc(s.hosts[s.taskAt[task]:s.taskAt[task+1]], func(h int32) bool {
		return h == place || int32(len(t.rackOf))+t.rackOf[h] == place
	})
}

// listAgain puts a task back on its lists, which were dropped if they were empty.
func (t *Tasks) listAgain(s *taskSet, task int32) {
	if e := s.pin(task); e >= 0 {
		s.dropped[s.execFrom+e] = false
	}
	if s.taskAt[task] < s.taskAt[task+1] {
		s.preferred++
	}
	for _, h := range s.hosts[s.taskAt[task]:s.taskAt[task+1]] {
		s.dropped[h], s.dropped[int32(len(t.rackOf))+t.rackOf[h]] = false, false
	}
}

// putBack returns the task put back last that waits and fits, -1 if there is none.
func (t *Tasks) putBack(s *taskSet, fits func(task int32) bool) int32 {
	for i := len(s.again) - 1; i >= 0; i-- {
		if t.status[s.status+s.again[i]] != taskWaits {
			s.again = slices.Delete(s.again, i, i+1)
		} else if fits(s.again[i]) {
			return s.again[i]
		}
	}
	return -1
}

// firstAt returns the waiting task of a place that goes first, -1 if there is none.
func (t *Tasks) firstAt(s *taskSet, place int32) int32 {
	if len(s.again) > 0 {
		if i := t.putBack(s, func(task int32) bool { return t.in(s, task, place) }); i >= 0 {
			return i
		}
	}
	for i := s.next[place]; i < s.at[place+1]; i++ {
		if task := s.of[i]; t.status[s.status+task] == taskWaits {
			s.next[place] = i
			return task
		}
	}
	s.next[place] = s.at[place+1]
	return -1
}

// more reports whether tasks wait in the lists of a level. It drops the lists that it comes past
// empty (TaskSetManager.getAllowedLocalityLevel, moreTasksToRunIn).
func (t *Tasks) more(s *taskSet, l Level) bool {
	if s.kind == sameForAll {
		return s.preferred > 0
	}
	for _, p := range slices.Backward(s.lists[l]) {
		if s.dropped[p] {
			continue
		}
		if t.firstAt(s, p) >= 0 {
			return true
		}
		s.dropped[p] = true
	}
	return false
}

// dequeue finds the nearest waiting task for an executor up to a level.
func (t *Tasks) dequeue(s *taskSet, e int32, most Level) (task int32, l Level) {
	node := t.execs[e].node
	if p := s.execFrom + e; s.exec != nil && int(p) < len(s.at)-1 {
		if i := t.firstAt(s, p); i >= 0 {
			return i, ProcessLocal
		}
	}
	if most >= NodeLocal {
		if i := t.nearest(s, node, false); i >= 0 {
			return i, NodeLocal
		}
	}
	if most >= NoPref && s.kind == byTask && s.waiting > s.preferred {
		free := func(task int32) bool { return s.taskAt[task] == s.taskAt[task+1] }
		if i := t.putBack(s, free); i >= 0 {
			return i, ProcessLocal
		}
		for i := s.cursor; i < s.n; i++ {
			if t.status[s.status+i] == taskWaits && free(i) {
				return i, ProcessLocal
			}
		}
	}
	if most >= RackLocal {
		if i := t.nearest(s, node, true); i >= 0 {
			return i, RackLocal
		}
	}
	if most >= AnyLevel {
		return t.first(s), AnyLevel
	}
	return -1, levels
}

// nearest returns the first waiting task that prefers the node, or its rack.
func (t *Tasks) nearest(s *taskSet, node int32, rack bool) int32 {
	if s.kind == sameForAll {
		if slices.ContainsFunc(s.uniform, func(n int32) bool { return n == node || rack && t.rackOf[n] == t.rackOf[node] }) {
			return t.first(s)
		}
		return -1
	}
	if rack {
		node = int32(len(t.rackOf)) + t.rackOf[node]
	}
	return t.firstAt(s, node)
}

// computeLevels lists the levels with lists that some executor alive is near to, even if no task
// waits in them any more (TaskSetManager.computeValidLocalityLevels).
func (t *Tasks) computeLevels(s *taskSet) {
	s.nValid = 0
	add := func(ok bool, l Level) {
		if ok {
			s.valid[s.nValid] = l
			s.nValid++
		}
	}
	add(t.near(s, ProcessLocal), ProcessLocal)
	add(t.near(s, NodeLocal), NodeLocal)
	add(s.waiting > s.preferred, NoPref)
	add(t.near(s, RackLocal), RackLocal)
	add(true, AnyLevel)
}

// near reports whether some executor alive is at a place of a level.
func (t *Tasks) near(s *taskSet, l Level) bool {
	if s.kind == sameForAll {
		return s.preferred > 0 && slices.ContainsFunc(s.uniform, func(n int32) bool {
			return l == NodeLocal && pick(t.onNode, n) > 0 || l == RackLocal && pick(t.onRack, t.rackOf[n]) > 0
		})
	}
	return slices.ContainsFunc(s.lists[l], func(p int32) bool {
		nodes := int32(len(t.rackOf))
		switch {
		case s.dropped[p]:
			return false
		case p < nodes:
			return pick(t.onNode, p) > 0
		case p < s.execFrom:
			return pick(t.onRack, p-nodes) > 0
		}
		return t.execs[p-s.execFrom].alive
	})
}

// pick returns entry i of a list, 0 if there is none.
func pick(list []int32, i int32) int32 {
	if int(i) < len(list) {
		return list[i]
	}
	return 0
}

// relevel works the levels of all sets out anew after an executor came or went
// (recomputeLocality). A new nearer level is tried first.
func (t *Tasks) relevel() {
	for _, id := range t.order {
		s := &t.sets[id]
		if s.kind == noPreference {
			continue
		}
		before, n, at := s.valid, s.nValid, s.level
		t.computeLevels(s)
		s.level = s.indexOf(before[at])
		if s.level <= at {
			continue
		}
		for v := range s.nValid {
			if !slices.Contains(before[:n], s.valid[v]) {
				s.level = v
				break
			}
		}
	}
}

// indexOf is the first valid level not nearer than l.
func (s *taskSet) indexOf(l Level) int8 {
	for v := range s.nValid {
		if s.valid[v] >= l {
			return v
		}
	}
	return s.nValid - 1
}

// rank orders the sets under way: by job and stage, or under FAIR scheduling
// pools by their needs, and inside each by its own rule.
func (t *Tasks) rank() []int32 {
	t.ranked = append(t.ranked[:0], t.order...)
	if !t.fair {
		slices.SortStableFunc(t.ranked, t.fifo)
		return t.ranked
	}
	t.poolRuns = kernel.Zeroed(t.poolRuns, max(len(t.pools), 1))
	for _, id := range t.order {
		t.poolRuns[t.sets[id].pool] += t.sets[id].running
	}
	slices.SortStableFunc(t.ranked, func(a, b int32) int {
		x, y := &t.sets[a], &t.sets[b]
		if x.pool != y.pool {
			return t.fairPools(x.pool, y.pool)
		}
		if len(t.pools) > 0 && t.pools[x.pool].Fair {
			if c := needs(x.running, 0, 1, y.running, 0, 1); c != 0 {
				return c
			}
		}
		return t.fifo(a, b)
	})
	return t.ranked
}

func (t *Tasks) fifo(a, b int32) int {
	x, y := &t.sets[a], &t.sets[b]
	return cmp.Or(cmp.Compare(x.job, y.job), cmp.Compare(x.stage, y.stage))
}

func (t *Tasks) fairPools(a, b int32) int {
	p, q := &t.pools[a], &t.pools[b]
	c := needs(t.poolRuns[a], p.MinShare, p.Weight, t.poolRuns[b], q.MinShare, q.Weight)
	return cmp.Or(c, cmp.Compare(p.Name, q.Name))
}

// needs compares two schedulables as FairSchedulingAlgorithm does: those below
// their minimum share first, then by running tasks per weight.
func needs(runA, minA, weightA, runB, minB, weightB int32) int {
	needyA, needyB := runA < minA, runB < minB
	switch {
	case needyA && !needyB:
		return -1
	case needyB && !needyA:
		return 1
	case needyA:
		return cmp.Compare(float64(runA)/float64(max(minA, 1)), float64(runB)/float64(max(minB, 1)))
	}
	return cmp.Compare(float64(runA)/float64(max(weightA, 1)), float64(runB)/float64(max(weightB, 1)))
}

// Wishes are the allocation manager's hints for a resource profile: how many
// tasks of its stages under way prefer some node, and how many of them each node, in order of nodes,
// appended to dst. They are those of the stages' submission.
func (t *Tasks) Wishes(profile int32, dst []HostTasks) (tasks int32, hints []HostTasks) {
	add := func(node, n int32) {
		at, ok := slices.BinarySearchFunc(dst, node, func(h HostTasks, n int32) int { return int(h.Node) - int(n) })
		if !ok {
			dst = slices.Insert(dst, at, HostTasks{Node: node})
		}
		dst[at].Tasks += n
	}
	for _, id := range t.order {
		s := &t.sets[id]
		if s.profile != profile {
			continue
		}
		tasks += s.wished
		switch s.kind {
		case sameForAll:
			for _, n := range s.uniform {
				add(n, s.wished)
			}
		case byTask:
			for n := range t.rackOf {
				if c := s.at[n+1] - s.at[n]; c > 0 {
					add(int32(n), c)
				}
			}
		}
	}
	return tasks, dst
}
