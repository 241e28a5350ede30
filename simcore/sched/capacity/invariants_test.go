package capacity

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// world drives a scheduler with random verbs.
type world struct {
	s    *Scheduler
	r    *rand.Rand
	conf yarnconf.Map
	apps []yarn.AppID
	next int
	ev   []yarn.Event
	resp yarn.AskResponse

	specs []yarn.NodeSpec // of the nodes, by id
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 1))}
	pick := func(vs ...string) string { return vs[w.r.IntN(len(vs))] }
	w.conf = yarnconf.Map{
		"yarn.scheduler.maximum-allocation-mb":                                            "8192",
		"yarn.scheduler.maximum-allocation-vcores":                                        "8",
		"yarn.cluster.max-application-priority":                                           "5",
		"yarn.resourcemanager.scheduler.monitor.enable":                                   "true",
		"yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill":           "3000",
		"yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled": pick("true", "false"),
		"yarn.scheduler.capacity.resource-calculator":                                     "org.apache.hadoop.yarn.util.resource." + pick("DefaultResourceCalculator", "DominantResourceCalculator"),
	}
	for k, v := range map[string]string{
		"root.queues": "a,b,c", "root.a.capacity": "20", "root.b.capacity": "50", "root.c.capacity": "30",
		"root.b.queues": "b1,b2", "root.b.b1.capacity": "60", "root.b.b2.capacity": "40",
		"root.a.user-limit-factor": "3", "root.b.b1.user-limit-factor": "-1", "root.c.minimum-user-limit-percent": "25",
		"maximum-am-resource-percent": "0.7",
	} {
		w.conf[yarnconf.Prefix+k] = v
	}
	w.conf[yarnconf.Prefix+"root.b.b1.ordering-policy"] = pick("fifo", "fair")
	w.conf[yarnconf.Prefix+"root.ordering-policy"] = pick("utilization", "priority-utilization")
	w.conf[yarnconf.Prefix+"per-node-heartbeat.maximum-offswitch-assignments"] = pick("1", "4")
	w.conf[yarnconf.Prefix+"reservations-continue-look-all-nodes"] = pick("true", "false")
	c, err := yarnconf.Evaluate(w.conf)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(c)
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
	w.specs = append(w.specs, spec)
}

// step does one random verb.
func (w *world) step(t *testing.T) {
	switch x := w.r.IntN(100); {
	case x < 8:
		q := []string{"root.a", "root.b.b1", "b2", "root.c"}[w.r.IntN(4)]
		id, err := w.s.Submit(yarn.AppSpec{Name: "x", User: fmt.Sprintf("u%d", w.r.IntN(4)), Queue: q,
			Priority: int32(w.r.IntN(6)), AM: yarn.Resource{Memory: 1000, VCores: 1}})
		if err == nil {
			w.apps = append(w.apps, id)
		}
	case x < 30 && len(w.apps) > 0:
		w.ask(w.apps[w.r.IntN(len(w.apps))])
	case x < 33 && len(w.apps) > 0:
		w.s.End(w.apps[w.r.IntN(len(w.apps))])
	case x < 34:
		w.add(t)
	case x < 35 && w.s.liveNodes > 2:
		w.s.LoseNode(yarn.NodeID(w.r.IntN(len(w.s.nodes))), nil)
	case x < 37:
		w.conf[yarnconf.Prefix+"root.c.user-limit-factor"] = fmt.Sprint(1 + w.r.IntN(3))
		w.conf[yarnconf.Prefix+"root.b.b1.ordering-policy"] = []string{"fifo", "fair"}[w.r.IntN(2)]
		if errs := w.s.Refresh(w.conf); len(errs) > 0 {
			t.Fatal(errs)
		}
	case x < 41:
		w.s.Preempt(nil, nil)
	default:
		w.beat(yarn.NodeID(w.r.IntN(len(w.s.nodes))))
	}
}

func (w *world) ask(id yarn.AppID) {
	p := int32(1 + w.r.IntN(2))
	// One size a key: see fill for what the original does otherwise.
	size := yarn.Resource{Memory: 1024 * (1 + int64(id)%4), VCores: 1 + int64(p)%3}
	rows := []yarn.Ask{{Priority: p, Where: yarn.AnyPlace, Size: size, Count: int32(w.r.IntN(6)),
		Strict: w.r.IntN(20) == 0}}
	if w.r.IntN(2) == 0 {
		n := w.r.IntN(w.next) + 1
		rows = append(rows, yarn.Ask{Priority: p, Where: w.s.Place(fmt.Sprintf("n%d", n)), Size: size, Count: 2},
			yarn.Ask{Priority: p, Where: w.s.Place(fmt.Sprintf("/r%d", n%3)), Size: size, Count: 2})
	}
	var release []int32
	if f := w.s.appendLive(nil, w.s.apps[id]); len(f) > 1 && w.r.IntN(5) == 0 {
		if c := f[w.r.IntN(len(f))]; !c.am {
			release = append(release, c.ordinal)
		}
	}
	w.s.Ask(id, rows, release, &w.resp)
}

func (w *world) beat(n yarn.NodeID) {
	var done []yarn.Container
	for _, c := range w.s.onNode(int(n)) {
		if !c.am && w.r.IntN(6) == 0 {
			done = append(done, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
		}
	}
	w.ev = w.s.Beat(n, done, w.ev[:0])
}

// TestInvariants: after every verb, all figures kept by differences equal what
// a count over containers, reservations and asks gives.
func TestInvariants(t *testing.T) {
	for seed := range uint64(40) {
		w := newWorld(t, seed)
		for i := range 400 {
			w.step(t)
			if what := w.check(); what != "" {
				t.Fatalf("seed %d, step %d: %s", seed, i, what)
			}
		}
	}
}

func (w *world) check() string {
	s := w.s
	used, reserved, pending := map[*queue]res{}, map[*queue]res{}, map[*queue]res{}
	users := map[*user]res{}
	for _, n := range s.nodes {
		if n.lost {
			continue
		}
		var on res
		for _, c := range s.onNode(int(n.id)) {
			on = on.Add(c.size)
		}
		if on.Add(n.free) != n.total {
			return fmt.Sprintf("node %d: %v on it and %v free of %v", n.id, on, n.free, n.total)
		}
	}
	for _, a := range s.apps {
		u, v, p := w.count(a)
		if a.used != u || a.reserved != v || !a.ended && a.pending != p {
			return fmt.Sprintf("application %d: used %v, reserved %v, pending %v; counted %v, %v, %v", a.id, a.used, a.reserved,
				a.pending, u, v, p)
		}
		for q := a.queue; q != nil; q = q.parent {
			used[q] = used[q].Add(u).Add(v)
			reserved[q] = reserved[q].Add(v)
			pending[q] = pending[q].Add(p)
		}
		if o := a.slot.u; o != nil {
			users[o] = users[o].Add(u).Add(v)
		}
	}
	for _, q := range s.queues {
		if q.used != used[q] || q.reserved != reserved[q] || q.pending != pending[q] {
			return fmt.Sprintf("%s: used %v, reserved %v, pending %v; counted %v, %v, %v", q.path, q.used, q.reserved,
				q.pending, used[q], reserved[q], pending[q])
		}
		if what := w.checkOrder(q); what != "" {
			return what
		}
		if what := w.checkWaiters(q); what != "" {
			return what
		}
		for _, sl := range q.users.order {
			if o := sl.u; o.used != users[o] {
				return fmt.Sprintf("%s, user %s: used %v, counted %v", q.path, sl.name, o.used, users[o])
			}
		}
	}
	return ""
}

func (w *world) checkWaiters(q *queue) string {
	n := 0
	for _, sl := range q.users.order {
		if sl.u.waitsOnly() {
			n++
		}
	}
	if n != q.users.waiters {
		return fmt.Sprintf("%s: %d users with only waiting applications, counted %d", q.path, q.users.waiters, n)
	}
	return ""
}

func (w *world) count(a *app) (used, reserved, pending res) {
	for _, c := range w.s.appendLive(nil, a) {
		used = used.Add(c.size)
	}
	for _, c := range a.reservations {
		reserved = reserved.Add(c.size)
	}
	for i := range a.keys {
		if k := &a.keys[i]; k.listed {
			pending = pending.Add(k.Any.Size.Times(int64(k.Any.Count)))
		}
	}
	return used, reserved, pending
}

// checkOrder compares the order kept by single moves with one sorted afresh.
func (w *world) checkOrder(q *queue) string {
	got := slices.Clone(w.s.inOrder(q, &q.queuePart))
	want := slices.Clone(got)
	slices.SortFunc(want, q.compareChildren(0))
	if !slices.Equal(got, want) {
		return fmt.Sprintf("%s: children in order %v, sorted afresh %v", q.path, got, want)
	}
	apps := q.policyOrder()
	if !slices.IsSortedFunc(apps, q.compareApps) {
		return q.path + ": applications out of order"
	}
	return ""
}

// TestErrors: what the scheduler turns down, with the reason.
func TestErrors(t *testing.T) {
	w := newWorld(t, 1)
	for _, c := range []struct {
		spec yarn.AppSpec
		want string
	}{
		{yarn.AppSpec{Name: "x", User: "u", Queue: "root.nowhere"}, "application x: no queue root.nowhere"},
		{yarn.AppSpec{Name: "x", User: "u", Queue: "root.b"}, "application x: queue root.b is not a leaf"},
		{yarn.AppSpec{Name: "x", User: "u", Queue: "root.a", AM: yarn.Resource{Memory: 9000, VCores: 1}},
			"application x: application master of 9000 MiB and 1 vcores: must be at most 8192 MiB and 8 vcores " +
				"(maximum-allocation-mb, maximum-allocation-vcores)"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if _, err := w.s.Submit(c.spec); err == nil || err.Error() != c.want {
				t.Errorf("%v: got %v, want %s", c.spec, err, c.want)
			}
		})
	}
	if _, err := w.s.AddNode(yarn.NodeSpec{Name: "n1"}); err == nil {
		t.Error("a node registered twice")
	}
	// Ids that never were are harmless.
	w.s.End(99)
	w.s.LoseNode(99, nil)
	w.s.Ask(-1, nil, nil, &w.resp)
	if !w.resp.Ignored || w.s.Pending(99) || len(w.s.Beat(99, nil, nil)) > 0 {
		t.Error("an unknown id had an effect")
	}
}
