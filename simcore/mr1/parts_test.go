package mr1

import (
	"math"
	"slices"
	"strings"
	"testing"

	"schedtune/internal/rng"
	"schedtune/simcore"
	"schedtune/simcore/internal/kernel"
)

// A set of ranks is a set: against a map, over more ranks than one word of the upper
// level holds, with runs of empty words between.
func TestRankSetIsASet(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 4096, 9000} {
		var b rankSet
		b.reset(n)
		in := map[int32]bool{}
		k := rng.NewKey(uint64(n), 1)
		check := func(from int32) {
			want := int32(-1)
			for r := from; r < int32(n); r++ {
				if in[r] {
					want = r
					break
				}
			}
			if got := b.next(from); got != want {
				t.Fatalf("%d ranks: next from %d is %d, want %d", n, from, got, want)
			}
		}
		for i := range uint64(400) {
			r := int32(k.IntN(3*i, n))
			if k.IntN(3*i+1, 2) == 0 {
				if b.set(r) == in[r] {
					t.Fatalf("%d ranks: set of %d, which is there: %v", n, r, in[r])
				}
				in[r] = true
			} else {
				if i%2 == 0 { // one that is there, if any is
					if at := b.next(r); at >= 0 {
						r = at
					}
				}
				if b.unset(r) != in[r] {
					t.Fatalf("%d ranks: unset of %d, which is there: %v", n, r, in[r])
				}
				delete(in, r)
			}
			if b.count != len(in) {
				t.Fatalf("%d ranks: counts %d of %d", n, b.count, len(in))
			}
			for _, from := range []int32{0, r, r + 1, int32(k.IntN(3*i+2, n)), int32(n)} {
				check(from)
			}
		}
		for r := range in {
			b.unset(r)
		}
		if b.next(0) != -1 || b.count != 0 {
			t.Errorf("%d ranks: an empty set has %d from 0 on and counts %d", n, b.next(0), b.count)
		}
	}
}

// The next rank of several sets is the nearest of theirs, in cyclic order; a mask of 4
// means every rank.
func TestRingFindsTheNearest(t *testing.T) {
	var r idleRing
	r.reset(simcore.Second, 200, 1)
	if !slices.IsSorted(r.phase) {
		t.Error("ranks do not follow the phases")
	}
	for rank, n := range r.node {
		if r.rank[n] != int32(rank) {
			t.Errorf("node %d has rank %d, the place %d", n, r.rank[n], rank)
		}
	}
	r.free[0].set(70)
	r.free[0].set(150)
	r.free[1].set(100)
	for _, c := range []struct {
		from    int32
		mask    uint8
		want    int32
		wrapped bool
	}{
		{0, 1, 70, false}, {70, 1, 70, false}, {71, 1, 150, false}, {151, 1, 70, true}, {71, 3, 100, false},
		{0, 2, 100, false}, {101, 2, 100, true},
		{0, 3, 70, false}, {101, 3, 150, false}, {199, 4, 199, false}, {200, 4, 0, true}, {3, 4, 3, false}, {3, 5, 3, false},
		{5, 0, -1, true},
	} {
		got, wrapped := r.next(c.from, c.mask)
		if got != c.want || wrapped != c.wrapped {
			t.Errorf("from %d with mask %d: %d, wrapped %v; want %d, %v", c.from, c.mask, got, wrapped, c.want, c.wrapped)
		}
	}
	for _, at := range []simcore.Time{0, r.phase[0], r.phase[40], r.phase[40] + 1, simcore.Second - 1, 7*simcore.Second +
		r.phase[199] + 1} {
		rank, base := r.rankAt(at)
		if base != at/simcore.Second*simcore.Second {
			t.Errorf("%d lies in the period from %d", at, base)
		}
		for i, p := range r.phase {
			if (base+p >= at) != (int32(i) >= rank) {
				t.Errorf("at %d rank %d is next, phase %d is %d", at, rank, i, p)
			}
		}
	}
}

// A node's first heartbeat at or after a time is that of exact division, at the edges of
// a period and far out, where floating point is off by one.
func TestBeatAt(t *testing.T) {
	for _, period := range []simcore.Time{1, 3, 7, 300000, 999983, 5000000} {
		s := &Sim{clock: clock{period: period, perPeriod: 1 / float64(period)}}
		for _, phase := range []simcore.Time{0, min(1, period-1), period / 2, period - 1} {
			node := &nodeState{phase: phase}
			for _, n := range []simcore.Time{0, 1, 2, 1000, 123456789, 1 << 33} {
				for _, off := range []simcore.Time{-2, -1, 0, 1, 2} {
					at := phase + n*period + off
					if at < 0 {
						continue
					}
					want := phase
					if at > phase {
						want += (at - phase + period - 1) / period * period
					}
					if got := s.beatAt(node, at); got != want {
						t.Fatalf("period %d, phase %d: heartbeat at or after %d is %d, want %d", period, phase, at, got, want)
					}
				}
			}
		}
	}
}

// Hadoop 1's interval: a hundred heartbeats a second over the cluster, 300 ms at least
// and 5 s at most.
func TestHeartbeatInterval(t *testing.T) {
	for nodes, want := range map[int]simcore.Time{1: 300, 30: 300, 31: 310, 100: 1000, 500: 5000, 501: 5000, 10000: 5000} {
		if got := HeartbeatInterval(nodes); got != want*simcore.Millisecond {
			t.Errorf("%d nodes: %v ms, want %d", nodes, got/simcore.Millisecond, want)
		}
	}
}

// What a zero means, and that nothing else is touched.
func TestDefaults(t *testing.T) {
	var c Config
	c.setDefaults(100)
	if c.Heartbeat != simcore.Second || c.Stall != simcore.Hour || c.Until != simcore.Never ||
		c.Failures.MaxAttempts != 4 ||
		c.Speculation != (Speculation{Cap: 0.1, Slow: 0.25, After: simcore.Minute}) {
		t.Errorf("%+v", c)
	}
	set := Config{Heartbeat: 1, Stall: 2, Until: 3, Failures: Failures{MaxAttempts: 1},
		Speculation: Speculation{Cap: 1, Slow: 1, After: 1}}
	got := set
	got.setDefaults(100)
	if got.Heartbeat != 1 || got.Stall != 2 || got.Until != 3 || got.Failures != set.Failures ||
		got.Speculation != set.Speculation {
		t.Errorf("%+v became %+v", set, got)
	}
}

// Every range of a configuration is held at both ends.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		ok   bool
		set  func(*Config)
	}{
		{"", true, func(c *Config) {}},
		{"Model", false, func(c *Config) { c.Model = simcore.Resources + 1 }},
		{"", true, func(c *Config) { c.Model = simcore.Resources }},
		{"Heartbeat", false, func(c *Config) { c.Heartbeat = -1 }},
		{"JobInit", false, func(c *Config) { c.JobInit = -1 }},
		{"Launch", false, func(c *Config) { c.Launch = -1 }},
		{"Launch", false, func(c *Config) { c.LaunchJitter = -1 }},
		{"", true, func(c *Config) { c.JobInit, c.Launch, c.LaunchJitter, c.Heartbeat = 1, 1, 1, 1 }},
		{"Replication", false, func(c *Config) { c.Replication = 17 }},
		{"Replication", false, func(c *Config) { c.Replication = -1 }},
		{"", true, func(c *Config) { c.Replication = 16 }},
		{"Failures.Attempt", false, func(c *Config) { c.Failures.Attempt = 1 }},
		{"Failures.Attempt", false, func(c *Config) { c.Failures.Attempt = -0.1 }},
		{"Failures.Attempt", false, func(c *Config) { c.Failures.Attempt = math.NaN() }},
		{"", true, func(c *Config) { c.Failures.Attempt = 0.99 }},
		{"Failures.MaxAttempts", false, func(c *Config) { c.Failures.MaxAttempts = 256 }},
		{"Failures.MaxAttempts", false, func(c *Config) { c.Failures.MaxAttempts = -1 }},
		{"", true, func(c *Config) { c.Failures.MaxAttempts = 255 }},
		{"Prompt", false, func(c *Config) { c.Prompt = true }},
		{"Prompt", false, func(c *Config) { c.Prompt, c.Model, c.OutOfBand = true, simcore.Resources, true }},
		{"", true, func(c *Config) { c.Prompt, c.Model = true, simcore.Resources }},
		{"Resource.WriteCost", false, func(c *Config) { c.Resource.WriteCost = -1 }},
		{"Resource.WriteCost", false, func(c *Config) { c.Resource.SpillBuffer = -1 }},
		{"Resource.MergeFactor", false, func(c *Config) { c.Resource.MergeFactor = 1 }},
		{"", true, func(c *Config) { c.Resource.MergeFactor = 2 }},
		{"StragglerShare", false, func(c *Config) { c.StragglerShare = 1.1 }},
		{"StragglerShare", false, func(c *Config) { c.StragglerShare = -0.1 }},
		{"", true, func(c *Config) { c.StragglerShare = 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var cfg Config
			c.set(&cfg)
			if err := cfg.validate(); (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(),
				"Config."+c.name+" ") {
				t.Errorf("%+v: %v, want an error of %q: %v", cfg, err, c.name, !c.ok)
			}
		})
	}
}

// The time that a predictor gives a job on a node, by hand. Recorded: ten maps of 6 s
// on two slots of a node twice as fast take 15 s, three reduces of 4 s on one slot 6 s.
// Distributions: means of 8 and 2 s. Resources: 100 MB at 1e-7 s a byte are 10 s of
// computing on two cores, 2.5 s at twice the speed, reading and writing 150 MB at 40
// MB/s on two disks 1.875 s; the reduces compute 50 MB in 5 s on one slot, 2.5 s, and
// read 50 and write 350 MB in 5 s.
func TestJobTimeByHand(t *testing.T) {
	c := &simcore.Cluster{Racks: []string{"/a"}, Nodes: []simcore.Node{{Slots: simcore.Vec{2, 1}, Speed: 2, Cores: 8,
		Disks: 2, DiskRate: 40e6}}}
	w := &simcore.Workload{Queues: []string{"q"}, Users: []string{"u"}, Dists: []simcore.Dist{{A: 8}, {A: 2}}}
	job := simcore.Job{Class: -1, Maps: 10, Reduces: 3, MapDist: -1, ReduceDist: -1, InputBytes: 100e6,
		ShuffleBytes: 50e6, OutputBytes: 350e6}
	recorded, drawn, both := job, job, job
	drawn.FirstTask, drawn.MapDist, drawn.ReduceDist = -1, 0, 1
	both.MapDist, both.ReduceDist = 0, 1
	computing, mapOnly := job, job
	computing.FirstTask, computing.MapCPU, computing.ReduceCPU = -1, 1e-7, 1e-7
	mapOnly.FirstTask, mapOnly.Reduces, mapOnly.MapCPU = -1, 0, 1e-7
	neither := job
	neither.FirstTask = -1
	for i := range 13 {
		d := 5 * simcore.Second
		if i >= 10 {
			d = 3 * simcore.Second
		}
		w.Tasks.Duration = append(w.Tasks.Duration, d+simcore.Time(i%3)*simcore.Second) // means of 5.9 and 4 s
	}
	w.Jobs = []simcore.Job{recorded, drawn, both, computing, mapOnly, neither}
	const means = 59.0/2/2 + 12.0/2
	for _, x := range []struct {
		model simcore.Model
		job   simcore.JobID
		want  float64
	}{
		{simcore.Replay, 0, means}, {simcore.Sampled, 0, means}, {simcore.Replay, 1, 80.0/2/2 + 6.0/2},
		{simcore.Replay, 2, means},
		{simcore.Sampled, 2, 80.0/2/2 + 6.0/2}, {simcore.Replay, 5, 0},
		{simcore.Resources, 3, 2.5 + 5}, {simcore.Resources, 4, max(2.5, 450.0/80)},
		{simcore.Resources, 1, max(80.0/2/2, 150.0/80) + max(6.0/2, 400.0/80)}, {simcore.Resources, 5, 150.0/80 + 400.0/80},
	} {
		cfg := Config{DurationConfig: simcore.DurationConfig{Model: x.model}}
		cfg.setDefaults(1)
		s := NewSim()
		s.reset(cfg, c, w, nil)
		if got := s.view.JobTime(x.job, 0); math.Abs(got-x.want) > 1e-9 {
			t.Errorf("%v, job %d: %v s, want %v", x.model, x.job, got, x.want)
		}
	}
	c.Nodes[0].Slots, c.Nodes[0].Cores = simcore.Vec{4, 0}, 0
	cfg := Config{DurationConfig: simcore.DurationConfig{Model: simcore.Resources}}
	cfg.setDefaults(1)
	s := NewSim()
	s.reset(cfg, c, w, nil)
	if got := s.view.JobTime(3, 0); math.Abs(got-5) > 1e-9 { // one core, no slot for reduces
		t.Errorf("one core: %v s, want 5", got)
	}
}

// What a scheduler may ask of the workload and the cluster is what they say.
func TestViewOfTheStatic(t *testing.T) {
	c := &simcore.Cluster{Racks: []string{"/a", "/b"}, Nodes: []simcore.Node{{Slots: simcore.Vec{2, 1}},
		{Slots: simcore.Vec{3, 0}}, {Rack: 1, Slots: simcore.Vec{1, 1}}}}
	w := &simcore.Workload{Queues: []string{"q", "r"}, Users: []string{"u"}, Classes: []string{"x"},
		Dists: []simcore.Dist{{A: 1}},
		Jobs: []simcore.Job{{Class: 0, Queue: 1, Maps: 2, Priority: 4, Slowstart: 0.5, ShuffleBytes: 9, Submit: 7,
			FirstTask: -1, ReduceDist: -1}}}
	cfg := Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}
	cfg.setDefaults(3)
	s := NewSim()
	s.reset(cfg, c, w, nil)
	v := &s.view
	if v.Nodes() != 3 || v.Racks() != 2 || v.JobCount() != 1 || v.Rack(2) != 1 || v.Node(1).Slots[0] != 3 ||
		v.Period() != cfg.Heartbeat {
		t.Error("the cluster is another")
	}
	if v.Queue(0) != 1 || v.User(0) != 0 || v.Class(0) != 0 || v.Submit(0) != 7 || v.Priority(0) != 4 ||
		v.Slowstart(0) != 0.5 || v.ShuffleBytes(0) != 9 || v.Job(0).Maps != 2 {
		t.Error("the job is another")
	}
	if q := v.QueueNames(); !slices.Equal(q, w.Queues) || !slices.Equal(v.UserNames(), w.Users) ||
		!slices.Equal(v.ClassNames(), w.Classes) {
		t.Error("the names are others")
	} else if q[0] = "changed"; w.Queues[0] != "q" {
		t.Error("a name can be changed")
	}
	if v.Distance(0, 0) != 0 || v.Distance(0, 1) != 2 || v.Distance(1, 2) != 4 {
		t.Errorf("distances %d, %d, %d; want 0, 2, 4", v.Distance(0, 0), v.Distance(0, 1), v.Distance(1, 2))
	}
	if v.TotalSlots(simcore.Map) != 6 || v.TotalSlots(simcore.Reduce) != 2 || v.Pool() || v.Done(0, simcore.Map) != 0 {
		t.Error("slots are others")
	}
}

// LATE's threshold: an attempt is slow whose rate of progress is at or below the slow
// share's percentile of its job's running tasks, and of the slow ones the one with the
// longest time left gets a second attempt; never one of another job or on the same node.
// Five maps that have run 100 s of 200, 400, 1000, 250 and 125 s progress by 1/200 … a
// second: a share of 0 means the slowest alone, 0.5 the slower half with the middle one.
func TestLateByHand(t *testing.T) {
	c := &simcore.Cluster{Racks: []string{"/a"}}
	for range 6 {
		c.Nodes = append(c.Nodes, simcore.Node{Slots: simcore.Vec{1, 0}})
	}
	w := &simcore.Workload{Queues: []string{"q"}, Users: []string{"u"},
		Jobs: []simcore.Job{{Class: -1, Maps: 5, MapDist: -1, ReduceDist: -1}}}
	lengths := []simcore.Time{200, 400, 1000, 250, 125}
	for _, l := range lengths {
		w.Tasks.Duration = append(w.Tasks.Duration, l*simcore.Second)
	}
	start := func(spec Speculation) *Sim {
		cfg := Config{Heartbeat: simcore.Second, Speculation: spec}
		cfg.Speculation.On = true
		cfg.setDefaults(6)
		s := NewSim()
		s.reset(cfg, c, w, nil)
		s.jobs[0].phase = jobInit
		s.ready(0)
		for i := range int32(5) {
			node := s.node(simcore.NodeID(i))
			s.beating = node
			if s.now = 0; i == 0 {
				s.now = 50 * simcore.Second // half as old, at the same rate
			}
			slot := s.launch(simcore.Task{Kind: simcore.Map, Index: i}, node, false)
			s.slots[slot].at = s.now + lengths[i]*simcore.Second
			s.beating = nil
		}
		s.now = 100 * simcore.Second
		return s
	}
	for share, want := range map[float64][]int32{0.0001: {2}, 0.25: {1, 2}, 0.5: {1, 2, 3}, 1: {0, 1, 2, 3, 4}} {
		s := start(Speculation{Slow: share})
		var slow []int32
		for i := range s.slots {
			if s.slots[i].job != simcore.None && s.slow(int32(i)) {
				slow = append(slow, s.slots[i].task)
			}
		}
		if slices.Sort(slow); !slices.Equal(slow, want) {
			t.Errorf("share %v: tasks %v are slow, want %v", share, slow, want)
		}
	}
	for _, x := range []struct {
		spec Speculation
		node simcore.NodeID
		want int32 // task, -1 for none
	}{{Speculation{}, 5, 2}, {Speculation{}, 2, 1}, {Speculation{After: 100 * simcore.Second}, 5, 2},
		{Speculation{After: 100*simcore.Second + 1}, 5, -1}} {
		s := start(x.spec)
		got := int32(-1)
		if i := s.latest(x.node, simcore.Map); i != simcore.None {
			got = s.slots[i].task
		}
		if got != x.want {
			t.Errorf("%+v, node %d: second attempt of %d, want %d", x.spec, x.node, got, x.want)
		}
	}
	// A tenth of six slots is less than one: one second attempt, not two.
	s := start(Speculation{})
	s.nodes[s.idle.rank[5]].free[0] = 1
	s.speculate(s.node(5))
	if s.secondAttempts(simcore.Map) != 1 || s.latest(5, simcore.Map) != simcore.None {
		t.Errorf("%d second attempts", s.secondAttempts(simcore.Map))
	}
	s = start(Speculation{Cap: 0.34}) // two of six
	s.speculate(s.node(5))
	if i := s.latest(0, simcore.Map); i == simcore.None || s.slots[i].task != 1 {
		t.Error("a third of six slots allows a second one, of task 1")
	}
	if l := kernel.Factor(0); l != 1 {
		t.Error("no speed is the reference's")
	}
}
