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

// Rounds that are said to repeat may be left out: each of the rounds left out, made in a
// copy, makes as many proposals as was said and tells nothing; after any number of them
// figures, counters of keys and the number of proposals are those of a copy that
// was told to skip them. A round that is said to change nothing changes nothing.
func TestRepeatedRoundsMayBeSkipped(t *testing.T) {
	repeated, refused, idle := 0, 0, 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 77))
		s := small(t, together())
		s.ByRounds()
		for i := range 4 {
			if _, err := s.AddNode(yarn.NodeSpec{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("/r", i%2), Resource: yarn.Resource{Memory: 8 << 10, VCores: 8}}); err != nil {
				t.Fatal(err)
			}
		}
		s.SortNodes()
		var apps []yarn.AppID
		var resp yarn.AskResponse
		for range 120 {
			switch x := r.IntN(10); {
			case x < 1 && len(apps) < 8:
				id, err := s.Submit(yarn.AppSpec{Name: "p", User: fmt.Sprint("u", r.IntN(2)), Queue: []string{"root.a", "root.b"}[r.IntN(2)], AM: yarn.Resource{Memory: 1024, VCores: 1}})
				if err != nil {
					t.Fatal(err)
				}
				apps = append(apps, id)
			case x < 3 && len(apps) > 0:
				id, size := apps[r.IntN(len(apps))], yarn.Resource{Memory: 1024 * int64(1+r.IntN(6)), VCores: 1}
				rows := []yarn.Ask{{Priority: int32(size.Memory >> 10), Where: yarn.AnyPlace, Size: size, Count: int32(r.IntN(4))}}
				if r.IntN(3) == 0 {
					n := r.IntN(4)
					rows = append(rows, yarn.Ask{Priority: rows[0].Priority, Where: s.Place(fmt.Sprint("n", n)), Size: size, Count: 1}, yarn.Ask{Priority: rows[0].Priority, Where: s.Place(fmt.Sprint("/r", n%2)), Size: size, Count: 1})
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
					t.Fatalf("seed %d: a round that is said to change nothing came to %v,\n%s\nbefore\n%s", seed, ev, figuresOf(c), figuresOf(s))
				}
			}
			proposals, ok := s.Repeats()
			if !ok {
				continue
			}
			repeated++
			refused += proposals
			made, skipped, times := s.Clone(), s.Clone(), 1+r.IntN(3)
			for range times {
				was := made.async.made
				if ev := made.Round(0, 0, nil, nil); int(made.async.made-was) != proposals || slices.ContainsFunc(ev, func(e yarn.Event) bool { return e.Kind == yarn.Allocate }) {
					t.Fatalf("seed %d: a round that repeats made %d proposals, said %d: %v", seed, made.async.made-was, proposals, ev)
				}
			}
			skipped.Skip(times)
			if a, b := figuresOf(made), figuresOf(skipped); a != b || made.async.made != skipped.async.made {
				t.Fatalf("seed %d: after %d rounds %d proposals and\n%s\nskipped: %d and\n%s", seed, times, made.async.made, a, skipped.async.made, b)
			}
			if _, again := skipped.Repeats(); again {
				t.Fatalf("seed %d: after a jump rounds are said to repeat that were not compared", seed)
			}
			skipped.Skip(times) // without a comparison none is counted
			if made.async.made != skipped.async.made {
				t.Fatalf("seed %d: rounds were skipped twice", seed)
			}
		}
	}
	if repeated < 50 || refused < 20 || idle < 50 {
		t.Errorf("%d repetitions with %d proposals, %d idle rounds: too few to tell", repeated, refused, idle)
	}
}

// A node that is full but for less than what is asked comes to rounds that repeat: each
// renews the reservation and makes one more, which is refused. What changes the cluster
// ends the repetition.
func TestReservationsComeToRepeat(t *testing.T) {
	for what, change := range map[string]func(*Scheduler){
		"":                  func(*Scheduler) {},
		"a submission":      func(s *Scheduler) { submit(t, s, "w", "root.b") },
		"a node":            func(s *Scheduler) { _, _ = s.AddNode(big("more")) },
		"an end":            func(s *Scheduler) { s.End(1) },
		"a round of policy": func(s *Scheduler) { s.Preempt(nil, nil) },
		"a lost node":       func(s *Scheduler) { s.LoseNode(2, nil) },
	} {
		s := small(t, together())
		s.ByRounds()
		for i := range 3 {
			if _, err := s.AddNode(yarn.NodeSpec{Name: fmt.Sprint("n", i), Rack: "/r", Resource: yarn.Resource{Memory: 8 << 10, VCores: 8}}); err != nil {
				t.Fatal(err)
			}
		}
		s.SortNodes()
		var resp yarn.AskResponse
		a := submit(t, s, "u", "root.a")
		submit(t, s, "v", "root.b")
		s.Round(0, 0, nil, nil)
		s.Ask(a, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 5 << 10, VCores: 1}, Count: 4}}, nil, &resp)
		for range 30 {
			s.Round(0, 0, nil, nil)
		}
		if n, ok := s.Repeats(); !ok || n != 2 || s.async.reservations != 1 || s.App(a).Live != 4 {
			t.Fatalf("%d proposals, repeats: %v, %d reservations, %+v", n, ok, s.async.reservations, s.App(a))
		}
		change(s)
		if _, ok := s.Repeats(); ok != (what == "") {
			t.Errorf("after %q rounds repeat: %v", what, ok)
		}
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
