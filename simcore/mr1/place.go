package mr1

import (
	"fmt"
	"slices"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// placement knows where the maps' inputs lie and finds the pending map of a
// job that is nearest to a node. Input lies on the recorded hosts; where none
// are recorded the HDFS rule places it: the first replica on a random node,
// the second on a node of another rack, the third in the second's rack on
// another node, further ones anywhere. Replicas are drawn by (seed, job,
// task), so they are not stored; the indices of active jobs are.
type placement struct {
	on    bool
	key   rng.Key
	jobs  []*jobPlaces // by job, nil unless active
	spare []*jobPlaces

	rackOf   []int32 // by node
	rackAt   []int32 // rackNode[rackAt[r]:rackAt[r+1]] are rack r's nodes
	rackNode []simcore.NodeID
	count    []int32 // scratch by node or rack
	hosts    []simcore.NodeID
	flat     []simcore.NodeID // scratch: replicas of a job's maps
	flatAt   []int32
}

const maxReplicas = 16

// jobPlaces lists a job's maps by node and by rack of their input, and keeps
// the hosts a scheduler's Placer chose: placed[placedAt[i]:placedAt[i+1]].
type jobPlaces struct {
	byNode, byRack groupIndex
	placed         []simcore.NodeID
	placedAt       []int32
}

// groupIndex lists items by key, with a cursor per key behind which no item is
// pending.
type groupIndex struct {
	keys, off, cur, items []int32
}

func (p *placement) reset(s *Sim) {
	c := s.cluster
	p.on = s.cfg.Replication > 0 || len(s.work.Tasks.HostAt) > 0 || s.placer != nil
	p.key = rng.NewKey(s.cfg.Seed, kernel.PurposePlacement)
	for j, q := range p.jobs {
		if q != nil {
			p.spare, p.jobs[j] = append(p.spare, q), nil
		}
	}
	p.jobs = kernel.Zeroed(p.jobs, len(s.jobs))
	p.count = kernel.Zeroed(p.count, len(c.Nodes)+len(c.Racks)+2)
	p.rackAt = kernel.Zeroed(p.rackAt, len(c.Racks)+2)
	p.rackOf = kernel.Zeroed(p.rackOf, len(c.Nodes))
	for n := range c.Nodes {
		p.rackOf[n] = c.Nodes[n].Rack
		p.rackAt[c.Nodes[n].Rack+1]++
	}
	for r := 1; r < len(p.rackAt); r++ {
		p.rackAt[r] += p.rackAt[r-1]
	}
	p.rackNode = kernel.Zeroed(p.rackNode, len(c.Nodes))
	next := slices.Clone(p.rackAt)
	for n := range c.Nodes {
		r := p.rackOf[n]
		p.rackNode[next[r]] = simcore.NodeID(n)
		next[r]++
	}
}

// add indexes a job that becomes active.
func (p *placement) add(s *Sim, j simcore.JobID) {
	maps := s.work.Jobs[j].Maps
	if !p.on || maps == 0 {
		return
	}
	var q *jobPlaces
	if n := len(p.spare); n > 0 {
		q, p.spare = p.spare[n-1], p.spare[:n-1]
	} else {
		q = &jobPlaces{}
	}
	p.askPlacer(s, j, q)
	p.jobs[j] = q
	hostsOf := p.remembered(s, j)
	nodes := func(add func(key, item int32)) {
		for i := range maps {
			hosts := hostsOf(i)
			for _, n := range hosts {
				add(int32(n), i)
			}
			if len(hosts) == 0 { // no input: local everywhere
				add(int32(len(s.nodes)), i)
			}
		}
	}
	racks := func(add func(key, item int32)) {
		for i := range maps {
			hosts := hostsOf(i)
			for k, n := range hosts {
				r := p.rackOf[n]
				if !slices.ContainsFunc(hosts[:k], func(o simcore.NodeID) bool { return p.rackOf[o] == r }) {
					add(r, i)
				}
			}
		}
	}
	q.byNode.build(nodes, p.count)
	q.byRack.build(racks, p.count)
}

// remembered returns a job's replicas by map. They are needed four times while
// the indices are built; those of all but giant jobs are kept meanwhile.
func (p *placement) remembered(s *Sim, j simcore.JobID) func(i int32) []simcore.NodeID {
	if s.work.Jobs[j].Maps > rememberMaps {
		return func(i int32) []simcore.NodeID {
			return p.replicas(s, simcore.Task{Job: j, Kind: simcore.Map, Index: i})
		}
	}
	p.flat, p.flatAt = p.flat[:0], append(p.flatAt[:0], 0)
	for i := range s.work.Jobs[j].Maps {
		p.flat = append(p.flat, p.replicas(s, simcore.Task{Job: j, Kind: simcore.Map, Index: i})...)
		p.flatAt = append(p.flatAt, int32(len(p.flat)))
	}
	return func(i int32) []simcore.NodeID { return p.flat[p.flatAt[i]:p.flatAt[i+1]] }
}

const rememberMaps = 1 << 17

// askPlacer has the scheduler place the inputs that no record places.
func (p *placement) askPlacer(s *Sim, j simcore.JobID, q *jobPlaces) {
	q.placed, q.placedAt = q.placed[:0], q.placedAt[:0]
	if s.placer == nil {
		return
	}
	for i := range s.work.Jobs[j].Maps {
		q.placedAt = append(q.placedAt, int32(len(q.placed)))
		q.placed = s.placer.Place(&s.view, simcore.Task{Job: j, Kind: simcore.Map, Index: i}, q.placed)
	}
	for i, n := range q.placed {
		if n < 0 || int(n) >= len(s.nodes) {
			s.err = fmt.Errorf("scheduler %s: input of job %d placed on node %d, want 0 to %d", schedulerName(s.sched), j, n,
				len(s.nodes)-1)
			q.placed[i] = 0
		}
	}
	q.placedAt = append(q.placedAt, int32(len(q.placed)))
}

func (p *placement) drop(j simcore.JobID) {
	if q := p.jobs[j]; q != nil {
		p.spare, p.jobs[j] = append(p.spare, q), nil
	}
}

func (p *placement) rewind(j simcore.JobID) {
	if q := p.jobs[j]; q != nil {
		q.byNode.rewind()
		q.byRack.rewind()
	}
}

// replicas returns the nodes that hold a map's input; the slice is reused.
func (p *placement) replicas(s *Sim, t simcore.Task) []simcore.NodeID {
	p.hosts = p.hosts[:0]
	job, tasks := &s.work.Jobs[t.Job], &s.work.Tasks
	if job.FirstTask >= 0 && len(tasks.HostAt) > 0 {
		i := job.FirstTask + t.Index
		for _, h := range tasks.Hosts[tasks.HostAt[i]:tasks.HostAt[i+1]] {
			p.hosts = append(p.hosts, simcore.NodeID(h))
		}
		if len(p.hosts) > 0 {
			return p.hosts
		}
	}
	if q := p.jobs[t.Job]; q != nil && len(q.placedAt) > 0 {
		return q.placed[q.placedAt[t.Index]:q.placedAt[t.Index+1]]
	}
	want := min(s.cfg.Replication, len(s.nodes))
	k := kernel.TaskKey(p.key, t)
	for draw := uint64(0); len(p.hosts) < want && draw < 64; draw++ {
		if n := p.candidate(s, k, draw); !slices.Contains(p.hosts, n) {
			p.hosts = append(p.hosts, n)
		}
	}
	return p.hosts
}

// candidate draws a node for the next replica.
func (p *placement) candidate(s *Sim, k rng.Key, draw uint64) simcore.NodeID {
	all := len(s.nodes)
	switch len(p.hosts) {
	case 1:
		r := p.rackOf[p.hosts[0]]
		lo, hi := int(p.rackAt[r]), int(p.rackAt[r+1])
		if other := all - (hi - lo); other > 0 {
			i := k.IntN(draw, other)
			if i >= lo {
				i += hi - lo
			}
			return p.rackNode[i]
		}
	case 2:
		r := p.rackOf[p.hosts[1]]
		lo, hi := int(p.rackAt[r]), int(p.rackAt[r+1])
		if hi-lo > 1 && draw < 32 {
			return p.rackNode[lo+k.IntN(draw, hi-lo)]
		}
	}
	return simcore.NodeID(k.IntN(draw, all))
}

// locality returns how far a map's input is from a node.
func (p *placement) locality(s *Sim, t simcore.Task, n simcore.NodeID) simcore.Locality {
	if !p.on {
		return simcore.NodeLocal
	}
	hosts := p.replicas(s, t)
	near := simcore.OffSwitch
	for _, h := range hosts {
		if h == n {
			return simcore.NodeLocal
		}
		if p.rackOf[h] == p.rackOf[n] {
			near = simcore.RackLocal
		}
	}
	if len(hosts) == 0 {
		return simcore.NodeLocal
	}
	return near
}

// nearest returns the pending map of the job whose input is nearest to the
// node; the job must have a pending map.
func (s *Sim) nearest(j simcore.JobID, n simcore.NodeID) (int32, simcore.Locality) {
	q := s.place.jobs[j]
	if q == nil {
		return s.firstPending(j, simcore.Map), simcore.NodeLocal
	}
	state := s.task[s.jobs[j].task:]
	if i := q.byNode.first(int32(n), state); i >= 0 {
		return i, simcore.NodeLocal
	}
	if i := q.byNode.first(int32(len(s.nodes)), state); i >= 0 {
		return i, simcore.NodeLocal
	}
	if i := q.byRack.first(s.place.rackOf[n], state); i >= 0 {
		return i, simcore.RackLocal
	}
	return s.firstPending(j, simcore.Map), simcore.OffSwitch
}

// build sorts pairs of key and item by key, keeping their order within a key;
// count is scratch, all zero before and after.
func (g *groupIndex) build(each func(add func(key, item int32)), count []int32) {
	g.keys = g.keys[:0]
	each(func(key, _ int32) {
		if count[key] == 0 {
			g.keys = append(g.keys, key)
		}
		count[key]++
	})
	slices.Sort(g.keys)
	g.off, g.cur = kernel.Zeroed(g.off, len(g.keys)+1), kernel.Zeroed(g.cur, len(g.keys))
	at := int32(0)
	for i, k := range g.keys {
		g.off[i], g.cur[i] = at, at
		at += count[k]
		count[k] = g.off[i]
	}
	g.off[len(g.keys)] = at
	g.items = kernel.Zeroed(g.items, int(at))
	each(func(key, item int32) {
		g.items[count[key]] = item
		count[key]++
	})
	for _, k := range g.keys {
		count[k] = 0
	}
}

// first returns the first pending item of a key, -1 if there is none.
func (g *groupIndex) first(key int32, state []uint8) int32 {
	i := int(key)
	if i >= len(g.keys) || g.keys[i] != key { // large jobs have every key at its place
		var ok bool
		if i, ok = slices.BinarySearch(g.keys, key); !ok {
			return -1
		}
	}
	c, end := g.cur[i], g.off[i+1]
	for c < end && state[g.items[c]] != taskPending {
		c++
	}
	g.cur[i] = c
	if c == end {
		return -1
	}
	return g.items[c]
}

func (g *groupIndex) rewind() { copy(g.cur, g.off) }
