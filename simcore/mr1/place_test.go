package mr1

import (
	"slices"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
)

// Replicas by the HDFS rule: distinct nodes, the second in another rack than the first,
// the third in the second's rack; every node is the first as often as any other. Two racks of two nodes
// and one of six: of 6000 maps 600 begin on a node, standard deviation 23.
func TestHDFSRule(t *testing.T) {
	c := &simcore.Cluster{Racks: []string{"/a", "/b", "/c"}}
	for n := range 10 {
		c.Nodes = append(c.Nodes, simcore.Node{Rack: int32(min(n/2, 2)), Slots: simcore.Vec{1, 1}})
	}
	w := &simcore.Workload{Queues: []string{"q"}, Users: []string{"u"}, Dists: []simcore.Dist{{A: 1}},
		Jobs: []simcore.Job{{Class: -1, Maps: 6000, FirstTask: -1, ReduceDist: -1}}}
	s := NewSim()
	for _, replication := range []int{1, 2, 3, 5, 7} {
		cfg := Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: 4}, Replication: replication}
		cfg.setDefaults(10)
		s.reset(cfg, c, w, nil)
		first := map[simcore.NodeID]int{}
		for i := range int32(6000) {
			task := simcore.Task{Kind: simcore.Map, Index: i}
			hosts := slices.Clone(s.place.replicas(s, task))
			if len(hosts) != replication {
				t.Fatalf("%d replicas on %v", replication, hosts)
			}
			first[hosts[0]]++
			rack := func(k int) int32 { return c.Nodes[hosts[k]].Rack }
			if replication > 1 && rack(0) == rack(1) || replication > 2 && rack(1) != rack(2) {
				t.Fatalf("replicas on %v", hosts)
			}
			sorted := slices.Clone(hosts)
			slices.Sort(sorted)
			if len(slices.Compact(sorted)) != len(hosts) {
				t.Fatalf("replicas on %v", hosts)
			}
			if i >= 50 {
				continue
			}
			for n := range simcore.NodeID(10) {
				want := simcore.OffSwitch
				for _, h := range hosts {
					if h == n {
						want = simcore.NodeLocal
						break
					}
					if c.Nodes[h].Rack == c.Nodes[n].Rack {
						want = simcore.RackLocal
					}
				}
				if got := s.place.locality(s, task, n); got != want {
					t.Fatalf("map %d, replicas on %v: locality %v on node %d, want %v", i, hosts, got, n, want)
				}
			}
		}
		for n := range simcore.NodeID(10) {
			if k := first[n]; k < 500 || k > 700 {
				t.Errorf("node %d is the first of %d maps of 6000, want about 600", n, k)
			}
		}
	}
	// One rack alone: the second replica has to stay in it, and so have all.
	c.Racks = c.Racks[:1]
	for n := range c.Nodes {
		c.Nodes[n].Rack = 0
	}
	cfg := Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled, Seed: 4}, Replication: 3}
	cfg.setDefaults(10)
	s.reset(cfg, c, w, nil)
	if hosts := s.place.replicas(s, simcore.Task{Kind: simcore.Map, Index: 1}); len(hosts) != 3 {
		t.Errorf("replicas on %v", hosts)
	}
}

// The pending map nearest to a node is that of a search over all maps: the first with
// its input on the node, else without input anywhere, else in the rack, else the first.
func TestNearestIsTheNearest(t *testing.T) {
	c := &simcore.Cluster{Racks: []string{"/a", "/b", "/c"}}
	for n := range 9 {
		c.Nodes = append(c.Nodes, simcore.Node{Rack: int32(n / 3), Slots: simcore.Vec{1, 0}})
	}
	k := rng.NewKey(3, 3)
	w := &simcore.Workload{Queues: []string{"q"}, Users: []string{"u"}, Dists: []simcore.Dist{{A: 1}},
		Jobs: []simcore.Job{{Class: -1, Maps: 40, ReduceDist: -1}, {Class: -1, Maps: 25, FirstTask: 40, ReduceDist: -1}}}
	w.Tasks.HostAt = []int32{0}
	for i := range uint64(65) {
		for r := range k.IntN(i, 4) {
			// node 8 holds nothing
			if h := int32(k.At(i).IntN(uint64(r), 8)); !slices.Contains(w.Tasks.Hosts[w.Tasks.HostAt[i]:], h) {
				w.Tasks.Hosts = append(w.Tasks.Hosts, h)
			}
		}
		w.Tasks.HostAt = append(w.Tasks.HostAt, int32(len(w.Tasks.Hosts)))
	}
	cfg := Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}
	cfg.setDefaults(9)
	s := NewSim()
	s.reset(cfg, c, w, nil)
	for j := range simcore.JobID(2) {
		s.ready(j)
	}
	var out []simcore.Task
	for step := range uint64(80) {
		j := simcore.JobID(step % 2)
		if s.jobs[j].of[simcore.Map].pending == 0 {
			continue
		}
		for n := range simcore.NodeID(9) {
			want, best := int32(-1), 9
			for i := range w.Jobs[j].Maps {
				at := w.Jobs[j].FirstTask + i
				if s.task[s.taskAt(j, simcore.Map, i)] != taskPending {
					continue
				}
				hosts := w.Tasks.Hosts[w.Tasks.HostAt[at]:w.Tasks.HostAt[at+1]]
				near := 3 // off switch
				for _, h := range hosts {
					if simcore.NodeID(h) == n {
						near = 0
					} else if c.Nodes[h].Rack == c.Nodes[n].Rack {
						near = min(near, 2)
					}
				}
				if len(hosts) == 0 {
					near = 1
				}
				if near < best {
					want, best = i, near
				}
			}
			got, l := s.nearest(j, n)
			if locality := []simcore.Locality{simcore.NodeLocal, simcore.NodeLocal, simcore.RackLocal,
				simcore.OffSwitch}[best]; got != want || l != locality {
				t.Fatalf("step %d, job %d, node %d: map %d, %v; want %d, %v", step, j, n, got, l, want, locality)
			}
		}
		// Take one, and now and then give the first that is out back.
		i, _ := s.nearest(j, simcore.NodeID(step%9))
		s.task[s.taskAt(j, simcore.Map, i)] = taskRunning
		s.addPending(j, simcore.Map, -1)
		out = append(out, simcore.Task{Job: j, Kind: simcore.Map, Index: i})
		if step%5 == 4 {
			s.requeue(out[0])
			out = out[1:]
		}
	}
}
