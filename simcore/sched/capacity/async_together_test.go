package capacity

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"schedtune/simcore/yarn"
)

// together is the configuration of asynchronous placement on several nodes.
func together() map[string]string {
	return map[string]string{
		"multi-node-placement-enabled": "true", "schedule-asynchronously.enable": "true",
		"multi-node-sorting.policy.names": "usage", "multi-node-sorting.policy": "usage",
		"multi-node-sorting.policy.usage.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy",
		"root.a.user-limit-factor":              "10", "root.b.user-limit-factor": "10",
	}
}

// With placement on several nodes rounds that only count may be left out too: each, made in
// a copy, makes as many proposals as was said and allocates nothing; after any number of them
// figures, counters of keys and the number of proposals are those of the scheduler for which
// they were counted. A round that is said to change nothing changes nothing.
func TestRoundsTogetherMayBeLeftOut(t *testing.T) {
	t.Parallel()
	found, refused, idle := 0, 0, 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 77))
		s := small(t, together())
		s.ByRounds()
		for i := range 4 {
			if _, err := s.AddNode(yarn.NodeSpec{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("/r", i%2),
				Resource: yarn.Resource{Memory: 8 << 10, VCores: 8}}); err != nil {
				t.Fatal(err)
			}
		}
		s.SortNodes()
		var apps []yarn.AppID
		var resp yarn.AskResponse
		for range 120 {
			switch x := r.IntN(10); {
			case x < 1 && len(apps) < 8:
				id, err := s.Submit(yarn.AppSpec{Name: "p", User: fmt.Sprint("u", r.IntN(2)),
					Queue: []string{"root.a", "root.b"}[r.IntN(2)], AM: yarn.Resource{Memory: 1024, VCores: 1}})
				if err != nil {
					t.Fatal(err)
				}
				apps = append(apps, id)
			case x < 3 && len(apps) > 0:
				id, size := apps[r.IntN(len(apps))], yarn.Resource{Memory: 1024 * int64(1+r.IntN(6)), VCores: 1}
				rows := []yarn.Ask{{Priority: int32(size.Memory >> 10), Where: yarn.AnyPlace, Size: size, Count: int32(r.IntN(4))}}
				if r.IntN(3) == 0 {
					n := r.IntN(4)
					rows = append(rows, yarn.Ask{Priority: rows[0].Priority, Where: s.Place(fmt.Sprint("n", n)), Size: size,
						Count: 1}, yarn.Ask{Priority: rows[0].Priority, Where: s.Place(fmt.Sprint("/r", n%2)), Size: size, Count: 1})
				}
				s.Ask(id, rows, nil, &resp)
			case x < 4:
				finishSome(s, r)
			default:
				s.Round(0, 0, nil, nil)
			}
			if s.Idle() {
				idle++
				c := s.Clone()
				for _, l := range c.lists {
					l.quiet = 0 // not remembered: the round is made
				}
				if ev := c.Round(0, 0, nil, nil); len(ev) > 0 || figuresOf(c) != figuresOf(s) {
					t.Fatalf("seed %d: a round that is said to change nothing came to %v,\n%s\nbefore\n%s", seed, ev, figuresOf(c),
						figuresOf(s))
				}
			}
			st := s.Counting()
			if st == nil {
				continue
			}
			if len(st.First) > 0 {
				t.Fatalf("seed %d: got proposals by node %v, want none", seed, st.First)
			}
			found++
			refused += st.Each
			made, times := cloneKeeping(s), min(1+r.IntN(3), st.Left)
			for range times {
				was := made.async.made
				if ev := made.Round(0, 0, nil, nil); int(made.async.made-was) != st.Each ||
					slices.ContainsFunc(ev, func(e yarn.Event) bool { return e.Kind == yarn.Allocate && !e.Refused }) {
					t.Fatalf("seed %d: a round left out makes %d proposals, want %d: %v", seed, made.async.made-was, st.Each, ev)
				}
			}
			st.Skipped, st.Left = st.Skipped+times, st.Left-times
			s.settle()
			if a, b := insideOf(made), insideOf(s); a != b {
				t.Fatalf("seed %d: %d rounds made come to\n%s\nleft out\n%s", seed, times, a, b)
			}
		}
	}
	if found < 50 || refused < 20 || idle < 50 {
		t.Errorf("known %d times with %d proposals, %d idle rounds: too few to tell", found, refused, idle)
	}
}

// A node that is full but for less than what is asked comes to rounds that only count: each
// renews the reservation and proposes one more, which is refused. What changes the cluster
// ends that.
func TestReservationsComeToCount(t *testing.T) {
	for what, change := range map[string]func(*Scheduler){
		"":                  func(*Scheduler) {},
		"a submission":      func(s *Scheduler) { submit(t, s, "w", "root.b") },
		"a node":            func(s *Scheduler) { _, _ = s.AddNode(big("more")) },
		"an end":            func(s *Scheduler) { s.End(1) },
		"a round of policy": func(s *Scheduler) { s.Preempt(nil, nil) },
		"a lost node":       func(s *Scheduler) { s.LoseNode(2, nil) },
	} {
		t.Run(what, func(t *testing.T) {
			s := small(t, together())
			s.ByRounds()
			for i := range 3 {
				if _, err := s.AddNode(yarn.NodeSpec{Name: fmt.Sprint("n", i), Rack: "/r", Resource: yarn.Resource{Memory: 8 << 10,
					VCores: 8}}); err != nil {
					t.Fatal(err)
				}
			}
			s.SortNodes()
			var resp yarn.AskResponse
			a := submit(t, s, "u", "root.a")
			submit(t, s, "v", "root.b")
			s.Round(0, 0, nil, nil)
			s.Ask(a, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 5 << 10, VCores: 1}, Count: 4}},
				nil, &resp)
			for range 30 {
				s.Round(0, 0, nil, nil)
			}
			if st := s.Counting(); st == nil || st.Each != 2 || s.async.reservations != 1 || s.App(a).Live != 4 {
				t.Fatalf("got %+v, %d reservations, %+v; want 2 proposals a round, 1 reservation, 4 containers", st,
					s.async.reservations, s.App(a))
			}
			change(s)
			if st := s.Counting(); (st != nil) != (what == "") {
				t.Errorf("after %q: rounds that only count %+v", what, st)
			}
		})
	}
}

// finishSome ends some containers that are no masters at the heartbeats of their nodes.
func finishSome(s *Scheduler, r *rand.Rand) {
	for id := range s.nodes {
		var done []yarn.Container
		for _, c := range s.onNode(id) {
			if !c.am && r.IntN(3) == 0 {
				done = append(done, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
			}
		}
		s.Beat(yarn.NodeID(id), done, nil)
	}
}
