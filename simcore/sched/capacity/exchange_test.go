package capacity

import (
	"fmt"
	"slices"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
	"schedtune/yarnconf"
)

// TestExchanges: repeated exchanges come to what walks come to, in events, answers,
// figures and counters, in full worlds in which mostly one container ends at a time.
func TestExchanges(t *testing.T) {
	t.Parallel()
	seeds, repeats := testdata.Cases(60), 0
	for seed := range uint64(seeds) {
		w := newBusy(t, seed)
		w.s.noShortcuts = true
		want := w.histories(t, seed)
		w = newBusy(t, seed)
		got := w.histories(t, seed)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("seed %d, verb %d:\n%s\nwith walks alone\n%s", seed, i, got[i], want[i])
			}
		}
		repeats += w.s.repeats
	}
	if repeats < 16*seeds {
		t.Errorf("%d repeated exchanges, want %d or more", repeats, 16*seeds)
	}
}

// TestExchangesNear: the same where most asks name nodes and racks too, among them strict
// rows and rows of another size, with all kinds of delays.
func TestExchangesNear(t *testing.T) {
	t.Parallel()
	var repeats [3]int
	seeds := testdata.Cases(60)
	for seed := range uint64(seeds) {
		w := newNear(t, seed)
		w.s.noShortcuts = true
		want := w.histories(t, seed)
		w = newNear(t, seed)
		got := w.histories(t, seed)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("seed %d, verb %d:\n%s\nwith walks alone\n%s", seed, i, got[i], want[i])
			}
		}
		for loc, n := range w.repeated {
			repeats[loc] += n
		}
	}
	if min(repeats[nodeLocal], repeats[rackLocal], repeats[offSwitch]) < seeds {
		t.Errorf("%d repeated exchanges by locality, expected dozens of each", repeats)
	}
}

// TestExchangeAfterNothing: a walk that comes to nothing may hand a leaf a lower limit
// than an exchange does, where another leaf is served first and keeps its headroom; the
// next exchange hands the limit of before. Leaf a has 6 of 18 GiB, one more than its
// user's limit, and leaf b 8 of at most 10.8, too few for the 3 that it asks: these 2.8
// are kept from a where a comes second, as it does but after an end.
func TestExchangeAfterNothing(t *testing.T) {
	limits := func(thorough bool) (shown []int64) {
		s := small(t, map[string]string{"root.a.capacity": "40", "root.b.capacity": "60", "root.b.maximum-capacity": "60",
			"root.a.user-limit-factor": "0.65"},
			yarn.NodeSpec{Name: "n0", Rack: "/r", Resource: yarn.Resource{Memory: 8192, VCores: 99}},
			yarn.NodeSpec{Name: "n1", Rack: "/r", Resource: yarn.Resource{Memory: 10240, VCores: 99}})
		s.noShortcuts = thorough
		var resp yarn.AskResponse
		beat := func(n yarn.NodeID, done ...yarn.Container) {
			s.Beat(n, done, nil)
			s.Ask(0, nil, nil, &resp)
			shown = append(shown, s.apps[0].queue.shownLimit.Memory, s.apps[0].queue.cachedLimit.Memory)
		}
		for i, count := range []int32{100, 7} {
			a := submit(t, s, "u", []string{"a", "b"}[i])
			s.Beat(0, nil, nil)
			s.Ask(a, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: oneGiB, Count: count}}, nil, &resp)
		}
		for i := range 40 {
			beat(yarn.NodeID(i % 2))
		}
		s.Ask(1, []yarn.Ask{{Priority: 2, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: 3072, VCores: 1}, Count: 9}},
			nil, &resp)
		shown = shown[:0]
		for range 4 {
			for _, c := range s.appendLive(nil, s.apps[0])[1:3] { // the first is the master
				beat(c.node.id, yarn.Container{App: 0, Ordinal: c.ordinal})
			}
			beat(1)
		}
		if !thorough && s.repeats < 4 {
			t.Errorf("%d exchanges were repeated, expected at least one in each round", s.repeats)
		}
		return shown
	}
	want := slices.Repeat([]int64{10240, 10240, 10240, 10240, 7168, 7168}, 4)
	if got, walked := limits(false), limits(true); !slices.Equal(got, want) || !slices.Equal(walked, want) {
		t.Errorf("limits shown and handed down: %v, with walks alone %v; want %v", got, walked, want)
	}
}

// TestExchangeEnds: what makes the walk come to something else ends the repetition.
// Application 1 exchanges containers on node 1; application 0, before it in the leaf,
// has a container reserved on node 0 and, with continue-looking off, asks for more only
// as it asks for more than is reserved or as the reservation has been renewed often. Node
// 2 has the space for that and no heartbeat.
func TestExchangeEnds(t *testing.T) {
	ask := func(p int32, m int64, count int32) yarn.Ask {
		return yarn.Ask{Priority: p, Where: yarn.AnyPlace, Size: yarn.Resource{Memory: m, VCores: 1}, Count: count}
	}
	node := func(i int) yarn.NodeSpec {
		return yarn.NodeSpec{Name: fmt.Sprint("n", i), Rack: "/r", Resource: yarn.Resource{Memory: 8192, VCores: 99}}
	}
	for what, change := range map[string]func(s *Scheduler, resp *yarn.AskResponse){
		"place": func(s *Scheduler, resp *yarn.AskResponse) {
			near, rack := ask(2, 1024, 5), ask(2, 1024, 5)
			near.Where, rack.Where = s.Place("n1"), s.Place("/r")
			s.Ask(1, []yarn.Ask{ask(2, 1024, 50), near, rack}, nil, resp)
		},
		"strict": func(s *Scheduler, resp *yarn.AskResponse) {
			strict := ask(2, 1024, 50)
			strict.Strict = true
			s.Ask(1, []yarn.Ask{strict}, nil, resp)
		},
		"few": func(s *Scheduler, resp *yarn.AskResponse) {
			s.Ask(1, []yarn.Ask{ask(2, 1024, 2)}, nil, resp)
		},
		"none": func(s *Scheduler, resp *yarn.AskResponse) {
			s.Ask(1, []yarn.Ask{ask(2, 1024, 0)}, nil, resp)
		},
		"size": func(s *Scheduler, resp *yarn.AskResponse) {
			s.Ask(1, []yarn.Ask{ask(2, 2048, 50)}, nil, resp)
		},
		"key": func(s *Scheduler, resp *yarn.AskResponse) {
			s.Ask(1, []yarn.Ask{ask(1, 1024, 50)}, nil, resp)
		},
		"beyond the reserved": func(s *Scheduler, resp *yarn.AskResponse) {
			s.Ask(0, []yarn.Ask{ask(1, 6144, 2)}, nil, resp)
		},
		"renewals": func(s *Scheduler, _ *yarn.AskResponse) {
			for range 5 {
				s.Beat(0, nil, nil)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			run := func(thorough bool) (h string) {
				s := small(t, map[string]string{"reservations-continue-look-all-nodes": "false", "root.a.user-limit-factor": "5",
					"root.a.maximum-capacity": "100"}, node(0), node(1), node(2))
				s.noShortcuts = thorough
				var resp yarn.AskResponse
				end := func(n, k int) {
					c := s.onNode(n)[k]
					h += fmt.Sprint(s.Beat(yarn.NodeID(n), []yarn.Container{{App: c.app.id, Ordinal: c.ordinal}}, nil),
						s.apps[0].pending, s.apps[1].pending)
					s.Ask(1, nil, nil, &resp)
				}
				for range 2 {
					submit(t, s, "u", "root.a")
					s.Beat(0, nil, nil)
				}
				s.Ask(1, []yarn.Ask{ask(2, 1024, 100)}, nil, &resp)
				for i := range 20 {
					s.Beat(yarn.NodeID(i%2), nil, nil)
				}
				s.Ask(1, nil, nil, &resp)
				s.Ask(0, []yarn.Ask{ask(1, 6144, 1)}, nil, &resp)
				end(0, 3) // what is free now is reserved
				for range 3 {
					end(1, 0)
				}
				if s.async.reservations != 1 || !thorough && s.repeats != 2 {
					t.Fatalf("%s: %d reservations, %d repeated exchanges", what, s.async.reservations, s.repeats)
				}
				change(s, &resp)
				for range 5 {
					end(1, 0)
				}
				return h
			}
			if got, want := run(false), run(true); got != want {
				t.Errorf("%s:\n%s\nwith walks alone\n%s", what, got, want)
			}
		})
	}
}

// TestExchangeNode: on a node that gives out nothing more no exchange is repeated that
// others have made in the same state, nor for a container that is not known. One
// application of two full nodes exchanges containers on the first while the second
// drains.
func TestExchangeNode(t *testing.T) {
	run := func(thorough bool) (h string, repeats int) {
		var spec []yarn.NodeSpec
		for i := range 2 {
			spec = append(spec, yarn.NodeSpec{Name: fmt.Sprint("n", i), Rack: "/r", Resource: yarn.Resource{Memory: 8192,
				VCores: 99}})
		}
		s := small(t, map[string]string{"root.a.user-limit-factor": "5", "root.a.maximum-capacity": "100"}, spec...)
		s.noShortcuts = thorough
		var resp yarn.AskResponse
		end := func(n, k int) {
			c := s.onNode(n)[k]
			h += fmt.Sprintln(s.Beat(yarn.NodeID(n), []yarn.Container{{App: c.app.id, Ordinal: c.ordinal}},
				[]yarn.Event{{App: 42}}), s.apps[0].pending, s.nodes[n].free)
			s.Ask(0, nil, nil, &resp)
		}
		a := submit(t, s, "u", "root.a")
		s.Beat(0, nil, nil)
		s.Ask(a, []yarn.Ask{{Priority: 1, Where: yarn.AnyPlace, Size: oneGiB, Count: 100}}, nil, &resp)
		for i := range 20 {
			s.Beat(yarn.NodeID(i%2), nil, nil)
		}
		s.Ask(a, nil, nil, &resp)
		s.Decommission(1)
		for range 3 {
			end(0, 3)
		}
		if repeats = s.repeats; !thorough && repeats != 2 {
			t.Errorf("%d repeated exchanges before the node's heartbeat, want 2", repeats)
		}
		end(1, 3)
		if s.repeats != repeats || thorough && repeats > 0 {
			t.Errorf("thorough %v: %d repeated exchanges, %d before the end on the node that drains", thorough, s.repeats,
				repeats)
		}
		for _, unknown := range []yarn.Container{{App: 7, Ordinal: 1}, {App: a, Ordinal: 99}} {
			h += fmt.Sprintln(s.Beat(0, []yarn.Container{unknown}, nil), s.apps[0].pending)
		}
		return h, repeats
	}
	got, _ := run(false)
	if want, _ := run(true); got != want {
		t.Errorf("%s\nwith walks alone\n%s", got, want)
	}
}

// newNear is a busy world whose asks name nodes and racks.
func newNear(t *testing.T, seed uint64) *busy {
	w := newBusy(t, seed)
	w.near = true
	w.conf[yarnconf.Prefix+"node-locality-delay"] = fmt.Sprint([]int{-1, 0, 2, 40}[w.r.IntN(4)])
	w.conf[yarnconf.Prefix+"rack-locality-additional-delay"] = fmt.Sprint([]int{-1, -1, 0, 2}[w.r.IntN(4)])
	w.conf[yarnconf.Prefix+"rack-locality-full-reset"] = fmt.Sprint(w.r.IntN(2) == 0)
	if errs := w.s.Refresh(w.conf); len(errs) > 0 {
		t.Fatal(errs)
	}
	return w
}

// limitNow is the limit of active users that would be found in a leaf now: as last
// computed where that was at the present version, else anew.
func (w *world) limitNow(q *queue) res {
	t := &q.users
	if !q.leaf || t.versions[forActive] == t.version {
		return t.limits[forActive]
	}
	return w.s.computeUserLimit(q, 0, forActive)
}

// figures are what a scheduler keeps by differences, and the counters that decide.
func (w *world) figures() (figures []any) {
	s := w.s
	for _, q := range s.queues {
		figures = append(figures, q.shownLimit, q.used, q.pending, q.users.waitingOnly, q.users.ratio, w.limitNow(q))
	}
	for _, a := range s.apps {
		figures = append(figures, a.used, a.pending, a.live, a.mostLive, a.lastID)
		for i := range a.keys {
			figures = append(figures, a.keys[i].missed, a.keys[i].rereserve)
		}
	}
	return append(figures, s.epoch, s.sequence, s.accepted)
}
