package yarnfair

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"schedtune/fairconf"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// world drives a scheduler with random verbs.
type world struct {
	s    *Scheduler
	r    *rand.Rand
	next int
	now  int64
	ev   []yarn.Event
	resp yarn.AskResponse
}

func (w *world) pick(vs ...string) string { return vs[w.r.IntN(len(vs))] }

func (w *world) allocations(t *testing.T) *fairconf.Allocations {
	text := "<allocations><defaultQueueSchedulingPolicy>" + w.pick("fair", "drf") + "</defaultQueueSchedulingPolicy>"
	text += "<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout><userMaxAppsDefault>" +
		w.pick("3", "20") + "</userMaxAppsDefault>"
	text += fmt.Sprintf(`<queue name="a"><weight>%d</weight><maxAMShare>%s</maxAMShare></queue>`, w.r.IntN(4),
		w.pick("0.3", "-1.0"))
	text += `<queue name="b"><maxResources>` + w.pick("60%", "20000 mb, 30 vcores") +
		`</maxResources><queue name="x"><schedulingPolicy>fifo</schedulingPolicy></queue>`
	text += `<queue name="y"><minResources>4096 mb, 3 vcores</minResources><maxRunningApps>` + w.pick("1", "4") +
		`</maxRunningApps></queue></queue></allocations>`
	a, err := fairconf.Parse("world", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 7))}
	site, errs := fairconf.ReadSite(yarnconf.Map{
		"yarn.scheduler.maximum-allocation-vcores":                   "8",
		"yarn.scheduler.increment-allocation-mb":                     "512",
		fairconf.Prefix + "assignmultiple":                           w.pick("true", "false"),
		fairconf.Prefix + "locality.threshold.node":                  w.pick("-1", "0.3"),
		fairconf.Prefix + "locality.threshold.rack":                  "0.5",
		fairconf.Prefix + "reservable-nodes":                         "0.5",
		fairconf.Prefix + "preemption":                               w.pick("true", "false"),
		fairconf.Prefix + "preemption.cluster-utilization-threshold": "0.2",
		fairconf.Prefix + "waitTimeBeforeKill":                       "1000",
		fairconf.Prefix + "sizebasedweight":                          w.pick("true", "false"),
		"yarn.scheduler.reservation-threshold.increment-multiple":    "1",
	})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	s, err := New(w.allocations(t), site)
	if err != nil {
		t.Fatal(err)
	}
	w.s = s
	for range 6 {
		w.add(t)
	}
	return w
}

func (w *world) add(t *testing.T) {
	w.next++
	spec := yarn.NodeSpec{Name: fmt.Sprintf("n%d", w.next), Rack: fmt.Sprintf("/r%d", w.next%3),
		Resource: yarn.Resource{Memory: int64(4096 * (1 + w.r.IntN(4))), VCores: int64(4 + w.r.IntN(8))}}
	if _, err := w.s.AddNode(spec); err != nil {
		t.Fatal(err)
	}
}

// step does one random verb.
func (w *world) step(t *testing.T) {
	n := yarn.NodeID(w.r.IntN(len(w.s.nodes)))
	a := yarn.AppID(w.r.IntN(len(w.s.apps) + 1))
	switch x := w.r.IntN(100); {
	case x < 8:
		_, _ = w.s.Submit(yarn.AppSpec{Name: "x", User: fmt.Sprintf("u%d", w.r.IntN(4)),
			Queue: w.pick("a", "root.b.x", "b.y", "default", "new", "b"),
			AM:    yarn.Resource{Memory: int64(1000 * (1 + w.r.IntN(3))), VCores: 1}, Unmanaged: w.r.IntN(6) == 0})
	case x < 30:
		w.ask(a)
	case x < 34:
		w.s.End(a)
	case x < 36:
		w.add(t)
	case x < 38 && w.s.liveNodes > 3:
		w.s.LoseNode(n, nil)
	case x < 40:
		_ = w.s.Refresh(w.allocations(t))
	case x < 41:
		w.s.Tidy()
	case x < 55:
		w.now += 500
		w.s.Update(w.now, nil)
	default:
		var done []yarn.Container
		for _, c := range w.s.nodes[n].live {
			if w.r.IntN(8) == 0 && c != c.app.master {
				done = append(done, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
			}
		}
		w.ev = w.s.Beat(n, done, w.ev[:0])
	}
}

func (w *world) ask(a yarn.AppID) {
	p := int32(5 * w.r.IntN(3))
	size := yarn.Resource{Memory: int64(512 * (1 + w.r.IntN(8))), VCores: int64(1 + w.r.IntN(3))}
	var rows []yarn.Ask
	for range w.r.IntN(3) {
		i := 1 + w.r.IntN(w.next)
		rows = append(rows, yarn.Ask{Priority: p, Where: w.s.Place(fmt.Sprintf("n%d", i)), Size: size,
			Count: int32(w.r.IntN(4))},
			yarn.Ask{Priority: p, Where: w.s.Place(fmt.Sprintf("/r%d", i%3)), Size: size, Count: int32(w.r.IntN(4)),
				Strict: w.r.IntN(9) == 0})
	}
	rows = append(rows, yarn.Ask{Priority: p, Where: yarn.AnyPlace, Size: size, Count: int32(w.r.IntN(12))})
	w.s.Ask(a, rows, []int32{int32(w.r.IntN(20))}, &w.resp)
}

// check compares every sum that is kept with what it is a sum of.
func (w *world) check(t *testing.T) {
	t.Helper()
	s := w.s
	keys, large, reservations := 0, 0, 0
	larges := map[*queue]int{}
	used, asking, running, amUsed := map[*queue]res{}, map[*queue]int{}, map[*queue]int{}, map[*queue]res{}
	for _, a := range s.apps {
		var live, resv res
		for _, c := range a.live {
			live = live.Add(c.size)
		}
		for _, c := range a.resv {
			resv = resv.Add(c.size)
			reservations++
			if c.node.reserved != c {
				t.Fatalf("application %d: reservation unknown to its node", a.id)
			}
		}
		if live != a.used || resv != a.reserved {
			t.Fatalf("application %d: used %v of %v, reserved %v of %v", a.id, a.used, live, a.reserved, resv)
		}
		n, big := 0, 0
		for i := range a.keys {
			if a.keys[i].listed {
				n++
			}
			if a.keys[i].large {
				big++
			}
		}
		large += big
		larges[a.queue] += big
		if big != a.large {
			t.Fatalf("application %d: %d large keys, %d counted", a.id, big, a.large)
		}
		keys += n
		if n != a.asking || a.ended && len(a.live)+len(a.resv)+n > 0 {
			t.Fatalf("application %d: %d keys listed, %d counted, ended %v", a.id, n, a.asking, a.ended)
		}
		for q := a.queue; q != nil && !a.ended; q = q.parent {
			used[q] = used[q].Add(a.used)
			asking[q] += n
			if a.runnable {
				running[q]++
			}
		}
		if a.runnable && !a.ended && a.amRunning {
			amUsed[a.queue] = amUsed[a.queue].Add(a.am)
		}
	}
	if keys != s.outstanding || large != s.large || reservations != s.reservations {
		t.Fatalf("keys %d of %d, large %d of %d, reservations %d of %d", s.outstanding, keys, s.large, large, s.reservations,
			reservations)
	}
	for path, q := range s.byPath {
		if q.leaf && q.large != larges[q] {
			t.Fatalf("queue %s: %d large keys, %d counted", path, larges[q], q.large)
		}
		if q.used != used[q] || q.asking != asking[q] || q.Running != running[q] || q.leaf && q.amUsed != amUsed[q] {
			t.Fatalf("queue %s: used %v of %v, asking %d of %d, running %d of %d, masters %v of %v", path, q.used, used[q],
				q.asking, asking[q], q.Running, running[q], q.amUsed, amUsed[q])
		}
	}
	for _, n := range s.nodes {
		free := n.total
		for _, c := range n.live {
			free = free.Sub(c.size)
		}
		if !n.lost && (free != n.free || free.Memory < 0 || free.VCores < 0) {
			t.Fatalf("node %d: free %v of %v", n.id, n.free, free)
		}
	}
	w.checkOrder(t)
	w.checkLists(t)
}

// checkLists looks for every application where it should be, and counts demand
// anew where nothing is said to have changed.
func (w *world) checkLists(t *testing.T) {
	t.Helper()
	wanted := map[*queue]res{}
	for _, a := range w.s.apps {
		q := a.queue
		live := a.runnable && !a.ended
		if served := slices.Contains(q.order, a); served != a.served || served != (live && (a.amRunning || a.unmanaged)) {
			t.Fatalf("application %d: in the order %v, said to be %v", a.id, served, a.served)
		}
		crowds := 0
		for i := range q.crowds {
			if slices.Contains(q.crowds[i].apps, a) {
				if crowds++; i != a.inCrowd {
					t.Fatalf("application %d: in crowd %d, said to be in %d", a.id, i, a.inCrowd)
				}
			}
		}
		if crowds == 1 != a.crowded || a.crowded != a.awaits() {
			t.Fatalf("application %d: in %d crowds, said to be %v, should %v", a.id, crowds, a.crowded, a.awaits())
		}
		if a.ended {
			continue
		}
		wanted[q] = wanted[q].Add(a.demand)
		if d := a.counted(); !a.uncounted && d != a.demand {
			t.Fatalf("application %d: demand %v, %v was counted", a.id, d, a.demand)
		}
	}
	for path, q := range w.s.byPath {
		byID := func(a, b *app) int { return int(a.id - b.id) }
		if q.wanted != wanted[q] || !slices.IsSortedFunc(q.runnable, byID) || !slices.IsSortedFunc(q.Held, byID) {
			t.Fatalf("queue %s: demand of applications %v, kept %v; or a list out of order", path, wanted[q], q.wanted)
		}
	}
}

// checkOrder sorts every list anew and compares it with the one that is kept.
func (w *world) checkOrder(t *testing.T) {
	t.Helper()
	for path, q := range w.s.byPath {
		if q.leaf {
			kept := append([]*app(nil), w.s.sortApps(q)...)
			q.unsort()
			for i, a := range w.s.sortApps(q) {
				if kept[i] != a {
					t.Fatalf("queue %s: application %d stands where %d should", path, kept[i].id, a.id)
				}
			}
			continue
		}
		kept := append([]*queue(nil), w.s.sortChildren(q)...)
		q.unsort()
		for i, c := range w.s.sortChildren(q) {
			if kept[i] != c {
				t.Fatalf("queue %s: %s stands where %s should", path, kept[i].path, c.path)
			}
		}
	}
}

// The books balance after every step, and an instance that was reset decides as
// a new one.
func TestBooksBalance(t *testing.T) {
	for seed := range uint64(40) {
		w := newWorld(t, seed)
		for i := range 600 {
			w.step(t)
			if i%5 == 0 {
				w.check(t)
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, i)
			}
		}
	}
}

// Shares add up: what the children of a queue get is its own share, unless all
// have their maximum. 3 queues of weights 1, 2, 3 on 6000 MiB: 1000, 2000, 3000;
// with a maximum of 600 for the first, the others divide 5400 by 2 to 3.
func TestShares(t *testing.T) {
	got := make([]int64, 3)
	ps := func(limit int64) []party {
		return []party{{weight: 1, max: limit, share: &got[0]}, {weight: 2, max: 1 << 40, share: &got[1]},
			{weight: 3, max: 1 << 40, share: &got[2]}}
	}
	divide(ps(1<<40), 6000, 0)
	if want := [3]int64{1000, 2000, 3000}; [3]int64(got) != want {
		t.Errorf("shares %v, want %v", got, want)
	}
	divide(ps(600), 6000, 0)
	if want := [3]int64{600, 2160, 3240}; [3]int64(got) != want {
		t.Errorf("shares %v, want %v", got, want)
	}
}

// A party that counts several times divides as if it were as many, also where the
// sum stops at the largest figure.
func TestSeveralShare(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var one, all []party
		shares := make([]int64, 400)
		for g := range 1 + r.IntN(4) {
			p := party{weight: 1 + 20*r.Float64(), max: 1<<63 - 1, several: int64(1 + r.IntN(40)), share: &shares[g]}
			one = append(one, p)
			for range p.several {
				all = append(all, party{weight: p.weight, max: p.max, share: &shares[10+len(all)]})
			}
		}
		total := r.Int64N(1<<62) >> r.IntN(60)
		divide(one, total, 0)
		divide(all, total, 0)
		i := 10
		for g, p := range one {
			for range p.several {
				if shares[i] != shares[g] {
					t.Fatalf("total %d, group %d of %d: %d together, %d one by one", total, g, p.several, shares[g], shares[i])
				}
				i++
			}
		}
	}
}
