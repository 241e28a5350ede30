package capacity

import (
	"fmt"
	"hash/fnv"
	"testing"

	"schedtune/simcore/yarn"
)

// TestExchanges: repeated exchanges come to what walks come to, in events, answers,
// figures and counters, in full worlds in which mostly one container ends at a time.
func TestExchanges(t *testing.T) {
	repeats := 0
	for seed := range uint64(60) {
		w := newBusy(t, seed)
		w.s.thorough = true
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
	if repeats < 1000 {
		t.Errorf("%d repeated exchanges, expected more than a thousand", repeats)
	}
}

// busy is a world with applications of three users in every leaf.
type busy struct {
	*world
	held yarn.Resource // on node 0, see Hold
}

func newBusy(t *testing.T, seed uint64) *busy {
	w := &busy{world: newWorld(t, seed)}
	for i := range 16 {
		q := []string{"root.a", "root.b.b1", "b2", "root.c"}[i%4]
		id, err := w.s.Submit(yarn.AppSpec{Name: "x", User: fmt.Sprintf("u%d", i%3), Queue: q, AM: yarn.Resource{Memory: 1024, VCores: 1}})
		if err != nil {
			t.Fatal(err)
		}
		w.apps = append(w.apps, id)
	}
	return w
}

// histories does some of the random verbs of world among many ends of single
// containers and asks for more, and returns what each came to.
func (w *busy) histories(t *testing.T, seed uint64) (all []string) {
	h := fnv.New64a()
	for i := range 900 {
		w.ev, w.resp = w.ev[:0], yarn.AskResponse{}
		switch x := w.r.IntN(100); {
		case x < 1:
			w.step(t)
		case x < 5:
			w.askMore()
		case x < 20:
			w.s.Ask(w.apps[w.r.IntN(len(w.apps))], nil, nil, &w.resp)
		case x < 20+w.r.IntN(2):
			w.hold()
		default:
			w.end(yarn.NodeID(w.r.IntN(len(w.s.nodes))), x)
		}
		if i%3 == 0 {
			fmt.Fprintln(h, w.figures()...)
		}
		all = append(all, fmt.Sprintf("%v %v, figures %x", w.ev, w.resp, h.Sum64()))
	}
	return all
}

// askMore asks under few keys for many containers, mostly anywhere.
func (w *busy) askMore() {
	id := w.apps[w.r.IntN(len(w.apps))]
	p := int32(5 + w.r.IntN(20)/19)
	size := yarn.Resource{Memory: 1024 * (1 + int64(p)%5 + int64(id)%7/6), VCores: 1}
	rows := []yarn.Ask{{Priority: p, Where: yarn.AnyPlace, Size: size, Count: int32(50 + w.r.IntN(200))}}
	var release []int32
	switch w.r.IntN(40) {
	case 0:
		rows[0].Count = 0
	case 1:
		rows[0].Count = 1
	case 2:
		rows[0].Size.Memory += 1024
	case 3:
		rows = append(rows, yarn.Ask{Priority: p, Where: w.s.Place(fmt.Sprintf("n%d", 1+w.r.IntN(w.next))), Size: size, Count: 2})
	case 4:
		if live := w.s.apps[id].appendLive(nil); len(live) > 1 {
			release = append(release, live[len(live)-1].ordinal)
		}
	}
	w.s.Ask(id, rows, release, &w.resp)
}

// hold takes what is free on a node and more, and gives it back the next time.
func (w *busy) hold() {
	if n := w.s.nodes[0]; w.held == (yarn.Resource{}) {
		w.held = yarn.Resource{Memory: n.free.Memory + 512, VCores: 1}
		w.s.Hold(0, w.held)
	} else {
		w.s.Unhold(0, w.held)
		w.held = yarn.Resource{}
	}
}

// end is a beat of a node, mostly with the end of one container.
func (w *busy) end(n yarn.NodeID, x int) {
	var done []yarn.Container
	if live := w.s.nodes[n].live; len(live) > 0 && x < 92 {
		if c := live[w.r.IntN(len(live))]; !c.am && (c.acquired || x < 25) {
			done = append(done, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
		}
	}
	w.ev = w.s.Beat(n, done, w.ev)
}

// figures are what a scheduler keeps by differences, and the counters that decide.
func (w *world) figures() (figures []any) {
	s := w.s
	for _, q := range s.queues {
		figures = append(figures, q.shownLimit, q.used, q.pending, q.users.waitingOnly, q.users.ratio, q.users.version)
	}
	for _, a := range s.apps {
		figures = append(figures, a.used, a.pending, a.live, a.mostLive, a.lastID)
		for i := range a.keys {
			figures = append(figures, a.keys[i].missed, a.keys[i].rereserve)
		}
	}
	return append(figures, s.clock, s.sequence, s.births)
}
