package capacity

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// small is a scheduler with two leaves a (60 %) and b, further properties and nodes.
func small(t *testing.T, conf map[string]string, nodes ...yarn.NodeSpec) *Scheduler {
	t.Helper()
	m := map[string]string{"root.queues": "a,b", "root.a.capacity": "60", "root.b.capacity": "40",
		"maximum-am-resource-percent": "0.5"}
	maps.Copy(m, conf)
	return scheduler(t, yarnconf.Hadoop34, m, nodes...)
}

// alone is a scheduler of a version of Hadoop with root.a as the only queue, which
// masters may fill, and what conf says besides.
func alone(t *testing.T, v yarnconf.Version, conf map[string]string, nodes ...yarn.NodeSpec) *Scheduler {
	t.Helper()
	m := map[string]string{"root.queues": "a", "root.a.capacity": "100", "maximum-am-resource-percent": "1"}
	maps.Copy(m, conf)
	return scheduler(t, v, m, nodes...)
}

// scheduler is one of a version of Hadoop; keys without "yarn." are those behind the
// prefix of the Capacity Scheduler.
func scheduler(t *testing.T, v yarnconf.Version, conf map[string]string, nodes ...yarn.NodeSpec) *Scheduler {
	t.Helper()
	m := yarnconf.Map{}
	for k, v := range conf {
		if !strings.HasPrefix(k, "yarn.") {
			k = yarnconf.Prefix + k
		}
		m[k] = v
	}
	c, err := yarnconf.EvaluateAs(m, v, yarnconf.Resource{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		if _, err := s.AddNode(n); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func big(name string) yarn.NodeSpec {
	return yarn.NodeSpec{Name: name, Rack: "/r", Resource: yarn.Resource{Memory: 100 << 10, VCores: 100}}
}

// What the masters of one user may use: the queue's share for masters by the larger of
// the minimum user limit and one part of the active users, by the user's weight, to the
// whole at most, and by the user limit factor; rounded up to the minimum allocation and
// no more than all masters may use. Of 100 GiB leaf a has 60, half of it for masters.
func TestMastersOfOneUser(t *testing.T) {
	for _, c := range []struct {
		conf map[string]string
		user string
		want int64 // MiB
	}{
		{nil, "u", 30 << 10},
		// nobody is active: one part is the whole
		{map[string]string{"root.a.minimum-user-limit-percent": "25"}, "u", 30 << 10},
		{map[string]string{"root.a.user-limit-factor": "0.5"}, "u", 15 << 10},
		{map[string]string{"root.a.user-limit-factor": "0.01"}, "u", 1 << 10}, // 307 MiB, rounded up
		// all masters: half of what the leaf may grow to
		{map[string]string{"root.a.user-limit-factor": "3"}, "u", 50 << 10},
	} {
		t.Run(c.user, func(t *testing.T) {
			s := small(t, c.conf, big("n"))
			if one := s.UserLimits(s.byName["a"].place(s), 0, c.user).AM; one.Memory != c.want {
				t.Errorf("%v: %d MiB, want %d", c.conf, one.Memory, c.want)
			}
		})
	}
	// With four active users of the weights 1, 1, 1 and 2 and a minimum of 40 % a user of
	// weight 1 has two fifths, one of weight 2 four.
	s := small(t, map[string]string{"root.a.minimum-user-limit-percent": "40", "root.a.user-settings.w.weight": "2"},
		big("n"))
	var resp yarn.AskResponse
	for _, u := range []string{"x", "y", "z", "w"} {
		t.Run(u, func(t *testing.T) {
			id, err := s.Submit(yarn.AppSpec{Name: u, User: u, Queue: "root.a", AM: yarn.Resource{Memory: 1024, VCores: 1}})
			if err != nil {
				t.Fatal(err)
			}
			s.Beat(0, nil, nil)
			s.Ask(id, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 8 << 10, VCores: 1},
				Count: 100}}, nil, &resp)
		})
	}
	a := s.byName["a"].place(s)
	for user, want := range map[string]int64{"x": 12 << 10, "w": 24 << 10} {
		t.Run(user, func(t *testing.T) {
			if one := s.UserLimits(a, 0, user).AM; one.Memory != want {
				t.Errorf("user %s of four: %d MiB, want %d", user, one.Memory, want)
			}
		})
	}
}

// place is the queue's number in Config.
func (q *queue) place(s *Scheduler) int {
	for i := range s.queues {
		if s.queues[i] == q {
			return i
		}
	}
	return -1
}

// Keys of an ask are counted once each, by priority and allocation id.
func TestKeysOfAsks(t *testing.T) {
	row := func(p int32, id int64) yarn.Ask { return yarn.Ask{Priority: p, AllocID: id} }
	for want, asks := range map[int][]yarn.Ask{0: nil, 1: {row(1, 0), row(1, 0), row(1, 0)},
		2: {row(1, 0), row(2, 0), row(1, 0)}, 3: {row(1, 0), row(1, 1), row(2, 0), row(2, 0)},
		4: {row(4, 1), row(3, 1), row(3, 2), row(4, 2), row(4, 1)}} {
		if got := keysOf(asks); got != want {
			t.Errorf("%v: %d keys, want %d", asks, got, want)
		}
	}
}

// A heartbeat that changed nothing need not be made again: until something happens
// Pending says no of its node. After any verb that gives a node or an application more
// it is asked anew, and no heartbeat that Pending calls idle changes anything.
func TestIdleHeartbeatsAreKnown(t *testing.T) {
	t.Parallel()
	seeds, idle, quiet := testdata.Cases(30), 0, 0
	for seed := range uint64(seeds) {
		w := newWorld(t, seed)
		for range 250 {
			w.step(t)
			n := yarn.NodeID(w.r.IntN(len(w.s.nodes)))
			pending := w.s.Pending(n)
			before := figuresOf(w.s)
			w.ev = w.s.Beat(n, nil, w.ev[:0])
			changed := len(w.ev) > 0 || figuresOf(w.s) != before
			if !pending && changed {
				t.Fatalf("seed %d: a heartbeat called idle came to %v", seed, w.ev)
			}
			if changed || w.s.nodes[n].reserved != nil {
				continue
			}
			idle++
			if w.s.Pending(n) {
				t.Fatalf("seed %d: a heartbeat of node %d that changed nothing is to be made again", seed, n)
			}
			if !pending {
				quiet++
			}
		}
	}
	if idle < 33*seeds || quiet < 10*seeds {
		t.Errorf("%d heartbeats without effect, %d known before: too few to tell", idle, quiet)
	}
}

// The first place of a snapshot with room for a size is that of a search, however nodes
// get fuller and free again, for more sizes than are remembered.
func TestFirstRoomIsTheFirst(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		var specs []yarn.NodeSpec
		for i := range 30 {
			specs = append(specs, big(fmt.Sprint("n", i)))
		}
		s := small(t, nil, specs...)
		l := &nodeList{snapshot: s.nodes}
		for _, n := range s.nodes {
			n.listedIn = []int32{0}
			n.free = res{Memory: int64(r.IntN(12)) << 10, VCores: 1}
		}
		l.beginScans()
		if !l.scanning {
			t.Fatal("no marks are kept")
		}
		for range 500 {
			n := l.snapshot[r.IntN(len(l.snapshot))]
			was := n.free
			n.free.Memory = int64(r.IntN(12)) << 10
			if n.free.Memory > was.Memory {
				s.freed(l, n)
			}
			size := res{Memory: int64(1+r.IntN(11)) << 10, VCores: 1}
			want := len(l.snapshot) - 1
			for i, n := range l.snapshot {
				if n.free.Memory >= size.Memory {
					want = i
					break
				}
			}
			if got := s.firstRoom(l, size); got != want {
				t.Fatalf("seed %d: first room for %d MiB at %d, want %d", seed, size.Memory, got, want)
			}
			if len(l.scans) > mostScans {
				t.Fatalf("%d sizes are remembered", len(l.scans))
			}
		}
	}
}

// A timer's order of nodes is kept where the policy by usage has an interval.
func TestSortTimer(t *testing.T) {
	for _, c := range []struct {
		sortings []yarnconf.NodeSorting
		want     bool
	}{{nil, false}, {[]yarnconf.NodeSorting{{Class: "other", Interval: 5}}, false},
		{[]yarnconf.NodeSorting{{Class: yarnconf.ByUsage}}, false},
		{[]yarnconf.NodeSorting{{Class: yarnconf.ByUsage, Interval: 5}}, true},
		{[]yarnconf.NodeSorting{{Class: "other"}, {Class: yarnconf.ByUsage, Interval: 5}}, true}} {
		s := &Scheduler{settings: settings{conf: &yarnconf.Config{NodeSortings: c.sortings}}}
		if s.sortTimer() != c.want {
			t.Errorf("%v: kept %v", c.sortings, !c.want)
		}
	}
}

// Of two leaves the one takes whose ancestor below their lowest common one has the
// higher priority; a queue has its guarantee from equality on, without reservations.
func TestWhoTakesByPriority(t *testing.T) {
	queueOf := func(parent *queue, priority int) *queue {
		return &queue{parent: parent, conf: &yarnconf.Queue{Priority: priority, Order: yarnconf.PriorityUtilization}}
	}
	root := queueOf(nil, 0)
	a, b := queueOf(root, 2), queueOf(root, 1)
	a1, a2, b1 := queueOf(a, 0), queueOf(a, 3), queueOf(b, 9)
	p := &priorityPass{}
	want := map[[2]*queue]bool{{a2, a1}: true, {a1, b1}: true, {a2, b1}: true}
	for _, x := range []*queue{a1, a2, b1} {
		for _, y := range []*queue{a1, a2, b1} {
			if got := takesFrom(x, y); got != want[[2]*queue{x, y}] {
				t.Errorf("priority %d takes from %d: got %v, want %v", x.conf.Priority, y.conf.Priority, got, !got)
			}
		}
	}
	x, y := &container{app: &app{queue: a2}, made: 9}, &container{app: &app{queue: a1}, made: 1}
	if p.compare(x, y) >= 0 || p.compare(y, x) <= 0 {
		t.Error("the higher queue does not come first")
	}
	z := &container{app: &app{queue: a1}, made: 2}
	if p.compare(y, z) >= 0 || p.compare(z, y) <= 0 || p.compare(y, y) != 0 {
		t.Error("the older of one queue does not come first")
	}
}

// Under the default calculator both components go by the first factor, halves up;
// under the dominant one each by its own, all up.
func TestScaleEach(t *testing.T) {
	for class, want := range map[string]res{"DefaultResourceCalculator": {Memory: 51, VCores: 5},
		"DominantResourceCalculator": {Memory: 51, VCores: 3}} {
		t.Run(class, func(t *testing.T) {
			s := small(t, map[string]string{"resource-calculator": "org.apache.hadoop.yarn.util.resource." + class}, big("n"))
			p := &preemptPass{s: s}
			got := p.scaleEach(res{Memory: 101, VCores: 10}, [2]float64{0.5, 0.25})
			if got.Memory != want.Memory || s.calc.Dominant && got != want {
				t.Errorf("%s: %v, want %v", class, got, want)
			}
		})
	}
}

// A key asks for any place alone where its only row is the lenient one for it.
func TestAnywhere(t *testing.T) {
	s := small(t, nil, big("n"))
	id, err := s.Submit(yarn.AppSpec{Name: "p", User: "u", Queue: "root.a", AM: yarn.Resource{Memory: 1024, VCores: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s.Beat(0, nil, nil)
	var resp yarn.AskResponse
	row := func(where yarn.Place, count int32, strict bool) yarn.Ask {
		return yarn.Ask{Priority: 1, Where: where, Size: yarn.Resource{Memory: 1024, VCores: 1}, Count: count, Strict: strict}
	}
	for i, c := range []struct {
		asks []yarn.Ask
		want bool
	}{
		{[]yarn.Ask{row(yarn.AnyPlace, 2, false)}, true}, {[]yarn.Ask{row(yarn.AnyPlace, 2, true)}, false},
		{[]yarn.Ask{row(yarn.AnyPlace, 2, false), row(s.Place("n"), 1, false), row(s.Place("/r"), 1, false)}, false},
	} {
		for k := range c.asks {
			c.asks[k].AllocID = int64(i + 1)
		}
		s.Ask(id, c.asks, nil, &resp)
		if k := s.apps[id].key(1, int64(i+1)); k.anywhere() != c.want || k.Any.Count != 2 {
			t.Errorf("%v: anywhere %v", c.asks, k.anywhere())
		}
	}
}
