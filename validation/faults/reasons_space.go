package faults

import (
	"fmt"

	"schedtune/validation/conformance/replay"
)

// Reasons that are space: full nodes, reservations, places, the order of applications,
// and what is refused at submission.

// full: the nodes with a label are full.
func full(label string) func(*world) {
	return func(w *world) {
		if w.Queue = ""; label != "" {
			w.labels(2, 4096)
		}
		w.greedy("hog", w.leaf(), 100_000, label) // all that the nodes have left
		w.grown(label)
		w.wait(w.leaf(), label)
	}
}

// grown has the twin one node more.
func (w *world) grown(label string) {
	i := len(w.Nodes) + 1
	w.UnplantedNodes = append(append([]replay.Node{}, w.Nodes...), replay.Node{ID: fmt.Sprintf("n%d", i), Rack: "/r1",
		Memory: 8192, VCores: 32, Label: label})
}

// spread puts a container on every node so that each has free MiB left.
func (w *world) spread(free int64) {
	w.spreadTo(func(n replay.Node) int64 { return n.Memory - free })
}

// spreadTo puts a container of a size on every node.
func (w *world) spreadTo(sizeOf func(replay.Node) int64) {
	leaf := w.leaf()
	name := w.start("hog", leaf, 0, "")
	var rows []any
	for i, n := range w.Nodes {
		size := sizeOf(n)
		rows = append(rows, rowsAt(n, 2+i, size, 1, false, false)...)
	}
	w.do(ask(name, rows...))
	w.beats(2)
	w.collect(name)
}

// quiet drops the noise: what is left on a node must be known.
func (w *world) quiet() { w.Setup, w.apps = nil, 0 }

// holds: every node has space left, none enough; a reservation waits.
func holds(w *world) {
	w.quiet()
	w.Queue = ""
	w.grown("")
	leaf := w.leaf()
	w.App = w.start(me, leaf, 0, "")
	w.spread(2048)
	w.do(asking(w.App, 4096, 1, ""))
	w.beats(1)
	w.probeAll()
	w.Queue = leaf
}

// reserved: the one node with enough space is kept for an application that asks for
// more than it has.
func reserved(w *world) {
	w.quiet()
	leaf := w.leaf()
	big := w.start("big", leaf, 0, "")
	w.App = w.start(me, leaf, 0, "")
	at := w.Nodes[len(w.Nodes)-1]
	w.spreadTo(func(n replay.Node) int64 {
		if n.ID == at.ID {
			return n.Memory - 4096
		}
		return n.Memory - 2560 // masters may be there
	})
	w.do(ask(big, rowsAt(at, 1, 5120, 1, false, false)...))
	w.beat(at)
	w.do(asking(w.App, 3072, 1, ""))
	w.Without = []string{big}
	w.probeAll()
	w.Queue = leaf
}

// tooSmall: the nodes with the label are smaller than the ask, others are not.
func tooSmall(w *world) {
	w.labels(2, 4096)
	leaf := w.own()
	w.App = w.start(me, leaf, 0, "x")
	w.do(asking(w.App, 4096+512*int64(1+w.r.IntN(6)), 1, "x"))
	w.grown("x")
	w.probeAll()
}

// placed asks for a node that is full.
func (w *world) placed(relaxRack, relaxAny bool, fillRack bool) (at replay.Node) {
	w.quiet()
	leaf := w.own()
	w.App = w.start(me, leaf, 0, "")
	at = w.Nodes[1+w.r.IntN(len(w.Nodes)-1)]
	name := w.start("hog", w.leaf(), 0, "")
	priority := 2
	for _, n := range w.Nodes {
		if n.ID == at.ID || fillRack && n.Rack == at.Rack {
			for size := int64(4096); size >= 512; size /= 2 { // whatever masters are there
				w.do(ask(name, rowsAt(n, priority, size, 1, false, false)...))
				w.beat(n)
				w.beat(n)
				priority++
			}
		}
	}
	// What did not fit is no longer asked for.
	for p := 2; p < priority; p++ {
		w.do(ask(name, row(p, "*", 512, 0, true)))
	}
	w.beats(1)
	w.do(ask(w.App, rowsAt(at, 1, 1024, 8, relaxRack, relaxAny)...))
	return at
}

// other is another node, of the same rack or of another.
func (w *world) other(at replay.Node, sameRack bool) replay.Node {
	for _, n := range w.Nodes {
		if n.ID != at.ID && (n.Rack == at.Rack) == sameRack {
			return n
		}
	}
	return at
}

// delayed: the node is full, and with the rack its rack is: others are taken after a delay.
func delayed(rack bool) func(*world) {
	return func(w *world) {
		at := w.placed(true, true, rack)
		w.probeAt(w.other(at, !rack))
		w.twin("node-locality-delay", "0")
		if rack {
			w.twin("rack-locality-additional-delay", "0")
		}
	}
}

func strict(w *world) {
	at := w.placed(false, false, false)
	w.probeAll()
	w.UnplantedNodes = append([]replay.Node{}, w.Nodes...)
	for i := range w.UnplantedNodes {
		if w.UnplantedNodes[i].ID == at.ID {
			w.UnplantedNodes[i].Memory += 4096
		}
	}
}

// blockedByApp: an earlier application asks for more than the queue has left.
func blockedByApp(w *world) {
	leaf := w.leaf()
	limit := w.limited(leaf, "")
	first := w.start("first", leaf, 0, "")
	w.App = w.start(me, leaf, 0, "")
	w.hold("hog", leaf, int((limit-w.inside(w.Queue)-am-1024)/512), "")
	w.do(asking(first, 2048, 1, ""))
	w.do(asking(w.App, 512, 1, ""))
	w.Queue = leaf
	w.UnplantedConf = nil
	w.Without = []string{first}
	w.probeAll()
}

// siblings: a queue with less than its share asks for more than the parent has left.
func siblings(w *world) {
	leaf := w.deep()
	up := w.up[leaf][1]
	other := w.sibling(leaf)
	w.set(up+".maximum-capacity", "60")
	w.even(up, "")
	w.even(leaf, "")
	limit := w.total * 60 / 100 / 512 * 512
	starving := w.start("starving", other, 0, "")
	w.App = w.start(me, leaf, 0, "")
	w.hold("hog", leaf, int((limit-w.inside(up)-am-1024)/512), "")
	w.do(asking(starving, 2048, 1, ""))
	w.do(asking(w.App, 512, 1, ""))
	w.Queue = leaf
	w.Without = []string{starving}
	w.probeAll()
}

// priority: an application of higher priority in the same queue takes what is left.
func priority(w *world) {
	leaf := w.own()
	w.Conf["yarn.cluster.max-application-priority"] = "10"
	w.App = w.start(me, leaf, 0, "")
	first := w.start("first", leaf, 1+w.r.IntN(9), "")
	w.do(asking(first, 1024, 400, ""))
	w.do(asking(w.App, 512, 400, ""))
	w.Without = []string{first}
	// One look shows who is served: more would only fill the nodes, and leave no room for what a change gives.
	w.set("per-node-heartbeat.maximum-offswitch-assignments", "1")
	w.probeAt(w.Nodes[0])
}

// refused submits the application that is refused.
func (w *world) refused(leaf, label string) {
	w.apps++
	w.App, w.Refused = fmt.Sprintf("app%d", w.apps), true
	w.Probe = append(w.Probe, submission(w.App, me, leaf, 0, label))
}

func stopped(w *world) {
	leaf := w.leaf()
	w.above(leaf)
	w.quiet()
	w.plant(w.Queue+".state", "STOPPED", "")
	if w.Queue != leaf { // leaves of a stopped parent are stopped, and named first
		w.Queue = leaf
	}
	w.refused(leaf, "")
}

func applications(w *world) {
	leaf := w.own()
	w.quiet()
	n := 1 + w.r.IntN(4)
	w.plant(leaf+".maximum-applications", fmt.Sprint(n), "")
	w.submits(n, leaf)
	w.refused(leaf, "")
}

func userApplications(w *world) {
	leaf := w.own()
	w.quiet()
	n := 2 + w.r.IntN(4)
	w.set(leaf+".maximum-applications", fmt.Sprint(4*n))
	w.set(leaf+".minimum-user-limit-percent", "25")
	w.plant(leaf+".user-limit-factor", "1", "100")
	for range n {
		w.submit(me, leaf, 0, "")
	}
	w.refused(leaf, "")
}

func clusterApplications(w *world) {
	w.Queue = ""
	w.quiet()
	n := 2 + w.r.IntN(4)
	w.plant("maximum-applications", fmt.Sprint(n), "")
	for _, l := range w.leaves {
		w.set(l+".maximum-applications", "1000")
	}
	for i := range n {
		w.submit(fmt.Sprintf("user%d", i), w.leaf(), 0, "")
	}
	w.refused(w.leaf(), "")
}
