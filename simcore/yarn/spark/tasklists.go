package spark

import (
	"cmp"
	"slices"
)

// Lists of tasks by preferred executor, node and rack, and the order of pools.

// buildLists sorts a set's tasks by the executors, nodes and racks they prefer.
// Places are nodes, then racks.
func (t *Tasks) buildLists(s *taskSet, st *Stage) {
	nodes := int32(len(t.rackOf))
	places := nodes
	for _, r := range t.rackOf {
		places = max(places, nodes+r+1)
	}
	s.taskAt, s.taskPlaces = make([]int32, st.Tasks+1), nil
	s.at = make([]int32, places+1)
	for i := range st.Tasks {
		from := len(s.taskPlaces)
		add := func(p int32) {
			if !slices.Contains(s.taskPlaces[from:], p) {
				s.taskPlaces = append(s.taskPlaces, p)
				s.at[p+1]++
			}
		}
		if st.HostAt != nil {
			for _, h := range st.Hosts[st.HostAt[i]:st.HostAt[i+1]] {
				if h >= 0 && h < nodes {
					add(h)
					add(nodes + t.rackOf[h])
				}
			}
		}
		if st.Executors != nil && st.Executors[i] >= 0 {
			h := t.execs[st.Executors[i]].node
			add(h)
			add(nodes + t.rackOf[h])
		}
		s.taskAt[i+1] = int32(len(s.taskPlaces))
		if len(s.taskPlaces) > from && t.status[s.status+i] == taskWaits {
			s.preferred++
		}
	}
	s.listByPlace(places)
	if st.Executors != nil {
		t.buildExecutors(s, st)
	}
}

// listByPlace turns the places by task into the tasks by place; s.at counts them.
func (s *taskSet) listByPlace(places int32) {
	for p := range places {
		s.at[p+1] += s.at[p]
	}
	s.of, s.next = make([]int32, len(s.taskPlaces)), slices.Clone(s.at[:places])
	for i := range s.n {
		for _, p := range s.taskPlaces[s.taskAt[i]:s.taskAt[i+1]] {
			s.of[s.next[p]] = i
			s.next[p]++
		}
	}
	copy(s.next, s.at)
}

func (t *Tasks) buildExecutors(s *taskSet, st *Stage) {
	s.exec = slices.Clone(st.Executors)
	s.execHead, s.execNext = make([]int32, len(t.execs)), make([]int32, st.Tasks)
	for e := range s.execHead {
		s.execHead[e] = -1
	}
	for i := st.Tasks - 1; i >= 0; i-- {
		if e := s.exec[i]; e >= 0 {
			s.execNext[i], s.execHead[e] = s.execHead[e], i
			if t.status[s.status+i] == taskWaits {
				s.pinned++
			}
		}
	}
}

// listAgain puts a task back on its lists.
func (t *Tasks) listAgain(s *taskSet, task int32) {
	if s.exec != nil && s.exec[task] >= 0 {
		s.pinned++
	}
	if s.taskAt[task] < s.taskAt[task+1] {
		s.preferred++
	}
	for _, p := range s.taskPlaces[s.taskAt[task]:s.taskAt[task+1]] {
		s.next[p] = s.at[p]
	}
}

// dequeue finds the nearest waiting task for an executor up to a level.
func (t *Tasks) dequeue(s *taskSet, e int32, most Level) (task int32, l Level) {
	node := t.execs[e].node
	if s.exec != nil && int(e) < len(s.execHead) {
		for i := s.execHead[e]; i >= 0; i = s.execNext[i] {
			if t.status[s.status+i] == taskWaits {
				return i, ProcessLocal
			}
		}
	}
	if most >= NodeLocal {
		if i := t.nearest(s, node, false); i >= 0 {
			return i, NodeLocal
		}
	}
	if most >= NoPref && s.kind == byTask && s.waiting > s.preferred {
		for i := s.cursor; i < s.n; i++ {
			if t.status[s.status+i] == taskWaits && s.taskAt[i] == s.taskAt[i+1] {
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
		for _, n := range s.uniform {
			if n == node || rack && t.rackOf[n] == t.rackOf[node] {
				return t.first(s)
			}
		}
		return -1
	}
	p := node
	if rack {
		p = int32(len(t.rackOf)) + t.rackOf[node]
	}
	for i := s.next[p]; i < s.at[p+1]; i++ {
		if task := s.of[i]; t.status[s.status+task] == taskWaits {
			s.next[p] = i
			return task
		}
	}
	s.next[p] = s.at[p+1]
	return -1
}

// computeLevels lists the levels at which some executor alive could run a
// waiting task.
func (t *Tasks) computeLevels(s *taskSet) {
	s.nValid = 0
	add := func(ok bool, l Level) {
		if ok {
			s.valid[s.nValid] = l
			s.nValid++
		}
	}
	add(s.kind == byTask && t.pinnedAlive(s), ProcessLocal)
	add(s.preferred > 0 && t.placeAlive(s, false), NodeLocal)
	add(s.waiting > s.preferred, NoPref)
	add(s.preferred > 0 && t.placeAlive(s, true), RackLocal)
	add(true, AnyLevel)
}

func (t *Tasks) pinnedAlive(s *taskSet) bool {
	for e := range s.execHead {
		if !t.execs[e].alive {
			continue
		}
		for i := s.execHead[e]; i >= 0; i = s.execNext[i] {
			if t.status[s.status+i] == taskWaits {
				return true
			}
		}
	}
	return false
}

func (t *Tasks) placeAlive(s *taskSet, racks bool) bool {
	alive, from := t.onNode, int32(0)
	if racks {
		alive, from = t.onRack, int32(len(t.rackOf))
	}
	if s.kind == sameForAll {
		return slices.ContainsFunc(s.uniform, func(n int32) bool {
			if racks {
				n = t.rackOf[n]
			}
			return int(n) < len(alive) && alive[n] > 0
		})
	}
	for p, n := range alive {
		if n <= 0 {
			continue
		}
		for i := s.next[from+int32(p)]; i < s.at[from+int32(p)+1]; i++ {
			if t.status[s.status+s.of[i]] == taskWaits {
				return true
			}
		}
	}
	return false
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
	t.poolRuns = resize(t.poolRuns, max(len(t.pools), 1))
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
