package capacity

import (
	"fmt"
	"hash/fnv"
	"testing"

	"schedtune/simcore/yarn"
)

// busy is a world with applications of three users in every leaf.
type busy struct {
	*world
	held  yarn.Resource // on node 0, see Hold
	usual int           // one ask in so many is of each of some rare kinds
	near  bool          // most asks name nodes and racks

	repeated [3]int // exchanges by locality
}

func newBusy(t *testing.T, seed uint64) *busy {
	w := &busy{world: newWorld(t, seed), usual: []int{8, 40}[seed%2]}
	for i := range 16 {
		q := []string{"root.a", "root.b.b1", "b2", "root.c"}[i%4]
		id, err := w.s.Submit(yarn.AppSpec{Name: "x", User: fmt.Sprintf("u%d", i%3), Queue: q,
			AM: yarn.Resource{Memory: 1024, VCores: 1}})
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
	h, epoch := fnv.New64a(), uint64(0)
	for i := range 1100 {
		w.ev, w.resp = w.ev[:0], yarn.AskResponse{}
		switch x := w.r.IntN(100); {
		case x < 1:
			w.step(t)
		case x < 6:
			w.askMore()
		case x < 20:
			w.s.Ask(w.apps[w.r.IntN(len(w.apps))], nil, nil, &w.resp)
		case x < 20+w.r.IntN(2):
			w.hold()
		default:
			w.end(yarn.NodeID(w.r.IntN(len(w.s.nodes))), x)
		}
		if now := w.s.walkEpoch(); now < epoch {
			t.Fatalf("seed %d, verb %d: more epochs are neutral than there were", seed, i)
		} else {
			epoch = now
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
	switch w.r.IntN(w.usual) {
	case 0:
		rows[0].Count = 0
	case 1:
		rows[0].Count = 1
	case 2:
		rows[0].Size.Memory += 1024
	case 3:
		rows = append(rows, yarn.Ask{Priority: p, Where: w.s.Place(fmt.Sprintf("n%d", 1+w.r.IntN(w.next))), Size: size,
			Count: 2})
	case 4:
		if live := w.s.appendLive(nil, w.s.apps[id]); len(live) > 1 {
			release = append(release, live[len(live)-1].ordinal)
		}
	}
	if w.near {
		rows = w.addPlaces(rows)
	}
	w.s.Ask(id, rows, release, &w.resp)
}

// addPlaces adds rows for some nodes and their racks, as a rule of the size of the first
// row; now and then these are all that is sent.
func (w *busy) addPlaces(rows []yarn.Ask) []yarn.Ask {
	for range w.r.IntN(6) {
		n := 1 + w.r.IntN(w.next)
		for _, place := range []string{fmt.Sprintf("n%d", n), fmt.Sprintf("/r%d", n%3)} {
			r := rows[0]
			r.Where, r.Count, r.Strict = w.s.Place(place), int32(w.r.IntN(30)), w.r.IntN(60) == 0
			if w.r.IntN(8) == 0 {
				r.Size.Memory += 1024
			}
			rows = append(rows, r)
		}
	}
	if len(rows) > 1 && w.r.IntN(3) == 0 {
		return rows[1:]
	}
	return rows
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

// end is a beat of a node, mostly with the end of one container, which now and then is
// one of another node, as when recorded ends are told where other decisions were made.
func (w *busy) end(n yarn.NodeID, x int) {
	var done []yarn.Container
	if live := w.s.onNode(int(n)); len(live) > 0 && x < 92 {
		if c := live[w.r.IntN(len(live))]; !c.am && (c.acquired || x < 25) {
			done = append(done, yarn.Container{App: c.app.id, Ordinal: c.ordinal})
			if x > 89 {
				n = yarn.NodeID((int(n) + 1) % len(w.s.nodes))
			}
		}
	}
	before := w.s.repeats
	if w.ev = w.s.Beat(n, done, w.ev); w.s.repeats > before {
		w.repeated[w.ev[len(w.ev)-1].Locality]++
	}
}
