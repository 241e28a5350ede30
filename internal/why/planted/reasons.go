package planted

import (
	"fmt"
	"strconv"

	"schedtune/conformance/replay"
	"schedtune/internal/why"
	"schedtune/yarnconf"
)

// reason is one way to make an application wait.
type reason struct {
	kind  string
	plant func(*world)
}

// all lists the reasons; a seed takes them in turn.
func all() []reason {
	return []reason{
		{why.KindParallelQueue, parallelQueue}, {why.KindParallelUser, parallelUser},
		{why.KindMastersQueue, mastersQueue}, {why.KindMastersQueue, mastersQueueLabel}, {why.KindMastersUser, mastersUser},
		{why.KindQueueMaximum, queueMaximum}, {why.KindQueueMaximum, queueMaximumRunning}, {why.KindQueueMaximum, queueMaximumLabel}, {why.KindQueueMaximum, headroom},
		{why.KindUserLimit, userLimit}, {why.KindUserLimit, userLimitPercent},
		{why.KindNoRoom, noRoom}, {why.KindNoRoom, noRoomLabel}, {why.KindHolds, holds}, {why.KindReserved, reserved}, {why.KindTooSmall, tooSmall},
		{why.KindRackDelay, rackDelay}, {why.KindAnyDelay, anyDelay}, {why.KindStrict, strict},
		{why.KindOrder, blockedByApp}, {why.KindSiblings, siblings}, {why.KindOrder, priority},
		{why.KindStopped, stopped}, {why.KindApplications, applications}, {why.KindUserApps, userApplications}, {why.KindClusterApps, clusterApplications},
	}
}

const me = "alice"

func parallelQueue(w *world) {
	leaf := w.leaf()
	ups := w.up[leaf]
	w.Queue = ups[w.r.IntN(len(ups))]
	n := 1 + w.r.IntN(3)
	before := 0 // of the noise
	for _, s := range w.Setup {
		if q, ok := s["queue"].(string); ok && (q == w.Queue || len(q) > len(w.Queue) && q[:len(w.Queue)+1] == w.Queue+".") {
			before++
		}
	}
	for i := range n {
		w.start(fmt.Sprintf("user%d", i), leaf, 0, "")
	}
	w.set(w.Queue+".max-parallel-apps", fmt.Sprint(before+n))
	w.twin(w.Queue+".max-parallel-apps", "")
	w.wait(me, leaf, "")
}

func parallelUser(w *world) {
	n := 1 + w.r.IntN(3)
	key := "user." + me + ".max-parallel-apps"
	w.set(key, fmt.Sprint(n))
	w.twin(key, "")
	for range n {
		w.start(me, w.leaf(), 0, "")
	}
	w.wait(me, w.leaf(), "")
}

// mastersQueue: masters of several users reach the queue's share for masters, of
// all that the queue may use.
func mastersQueue(w *world) {
	leaf := w.leaf()
	w.Queue = leaf
	limit := int64(1+w.r.IntN(3)) * am
	w.set(leaf+".maximum-am-resource-percent", fmt.Sprintf("%.4f", float64(limit)/float64(w.total)))
	w.twin(leaf+".maximum-am-resource-percent", "")
	w.fill(leaf, "", limit/am)
}

// fill submits more masters than a limit allows; the last of them waits.
func (w *world) fill(leaf, label string, n int64) {
	for i := range n + 3 { // rounding may let one or two more start
		w.start(fmt.Sprintf("user%d", i), leaf, 0, label)
	}
	w.wait(me, leaf, label)
}

func mastersQueueLabel(w *world) {
	leaf := w.leaf()
	w.Queue = leaf
	w.labels(3, 8192)
	w.set(leaf+".accessible-node-labels.x.maximum-am-resource-percent", "0.05")
	w.twin(leaf+".accessible-node-labels.x.maximum-am-resource-percent", "10")
	w.fill(leaf, "x", 4)
}

// labels adds nodes with label x that every queue may use.
func (w *world) labels(n int, memory int64) {
	w.Label = []replay.Label{{Name: "x", Exclusive: true}}
	w.Conf["yarn.node-labels.enabled"] = "true"
	w.set("root.accessible-node-labels", "x")
	w.set("root.accessible-node-labels.x.capacity", "100")
	for _, p := range w.paths {
		w.set(p+".accessible-node-labels", "x")
		w.set(p+".accessible-node-labels.x.capacity", w.Conf["yarn.scheduler.capacity."+p+".capacity"])
		w.set(p+".accessible-node-labels.x.maximum-am-resource-percent", "1.0")
	}
	for range n {
		i := len(w.Nodes) + 1
		w.Nodes = append(w.Nodes, replay.Node{ID: fmt.Sprintf("n%d", i), Rack: "/r1", Memory: memory, VCores: 32, Label: "x"})
	}
}

// mastersUser: the user's share for masters, of the guarantee, while the queue's is
// of all that it may use.
func mastersUser(w *world) {
	leaf := w.leaf()
	w.Queue = leaf
	w.set(leaf+".user-limit-factor", "1")
	w.set(leaf+".maximum-am-resource-percent", "0.2")
	w.twin(leaf+".user-limit-factor", "100")
	for range int(w.guaranteed(leaf)/5/am) + 2 {
		w.submit(me, leaf, 0, "")
	}
	w.beats(1)
	w.wait(me, leaf, "")
}

// guaranteed is the leaf's part of the nodes without label, in MiB.
func (w *world) guaranteed(leaf string) int64 {
	part := float64(w.total)
	for _, p := range w.up[leaf] {
		share, _ := strconv.ParseFloat(w.Conf[yarnconf.Key(p, yarnconf.Capacity)], 64)
		part *= share / 100
	}
	return int64(part)
}

// limited sets the maximum of a queue of the leaf's path and fills it up to less
// than an ask.
func (w *world) limited(leaf string, gap int64, label string) (limit int64) {
	ups := w.up[leaf]
	k := w.r.IntN(len(ups))
	w.Queue = ups[k]
	total := w.total
	name := ".maximum-capacity"
	if label != "" {
		total, name = 0, ".accessible-node-labels.x.maximum-capacity"
		for _, n := range w.Nodes {
			if n.Label != "" {
				total += n.Memory
			}
		}
	}
	percent := int64(45 + w.r.IntN(25))
	base := total
	for i := len(ups) - 1; i > k; i-- { // maxima multiply; those above are 100 %
		base = base * 100 / 100
	}
	w.set(w.Queue+name, fmt.Sprint(percent))
	w.twin(w.Queue+name, "")
	for _, p := range ups { // capacities at most the maximum
		w.lower(p, percent, label)
	}
	return base * percent / 100 / 512 * 512
}

// lower keeps the maximum of a queue above its capacity: where it is not, the
// capacities of it and its siblings are made equal.
func (w *world) lower(path string, percent int64, label string) {
	for _, p := range w.paths {
		name := ".capacity"
		if parent(p) != parent(path) {
			continue
		}
		n := 0
		for _, x := range w.paths {
			if parent(x) == parent(p) {
				n++
			}
		}
		share := 100 / n
		last := ""
		for _, x := range w.paths {
			if parent(x) == parent(p) {
				last = x
			}
		}
		if p == last {
			share = 100 - share*(n-1)
		}
		w.set(p+name, fmt.Sprint(share))
		if label != "" || len(w.Label) > 0 {
			w.set(p+".accessible-node-labels.x"+name, fmt.Sprint(share))
		}
	}
}

func parent(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return path[:i]
		}
	}
	return ""
}

// inside is what the setup so far holds below a queue.
func (w *world) inside(queue string) (sum int64) {
	leafOf := map[string]string{}
	for _, s := range w.Setup {
		app, _ := s["app"].(string)
		if q, ok := s["queue"].(string); ok {
			leafOf[app] = q
		}
		q := leafOf[app]
		if q != queue && !(len(q) > len(queue) && q[:len(queue)+1] == queue+".") {
			continue
		}
		if s["do"] == "submit" {
			sum += am
		}
		if rows, ok := s["asks"].([]any); ok {
			for _, r := range rows {
				row := r.(map[string]any)
				sum += row["memory"].(int64) * int64(row["count"].(int))
			}
		}
	}
	return sum
}

func queueMaximum(w *world) {
	leaf := w.leaf()
	limit := w.limited(leaf, 0, "")
	from := leaf
	if w.Queue != leaf && w.r.IntN(2) == 0 {
		from = w.sibling(leaf)
	}
	w.hold("hog", from, 512, int((limit-w.inside(w.Queue)-am)/512), "")
	w.wait(me, leaf, "")
}

func queueMaximumRunning(w *world) {
	leaf := w.leaf()
	limit := w.limited(leaf, 0, "")
	w.App = w.start(me, leaf, 0, "")
	w.hold("hog", leaf, 512, int((limit-w.inside(w.Queue)-am)/512), "")
	w.do(asking(w.App, 1024, 2, "", 1))
	w.probeAll()
}

func queueMaximumLabel(w *world) {
	leaf := w.leaf()
	w.labels(3, 8192)
	limit := w.limited(leaf, 0, "x")
	w.hold("hog", leaf, 512, int((limit-am)/512), "x")
	w.wait(me, leaf, "x")
}

// headroom leaves less than the ask below the maximum, but something.
func headroom(w *world) {
	leaf := w.leaf()
	limit := w.limited(leaf, 0, "")
	w.App = w.start(me, leaf, 0, "")
	left := int64(1+w.r.IntN(3)) * 512
	w.hold("hog", leaf, 512, int((limit-w.inside(w.Queue)-am-left)/512), "")
	w.do(asking(w.App, left+512*int64(1+w.r.IntN(2)), 1, "", 1))
	w.probeAll()
}

// userLimit: user-limit-factor below what the queue may use.
func userLimit(w *world) {
	leaf := w.leaf()
	w.Queue = leaf
	w.set(leaf+".user-limit-factor", fmt.Sprintf("%.1f", 0.5+float64(w.r.IntN(6))/10))
	w.twin(leaf+".user-limit-factor", "100")
	w.App = w.start(me, leaf, 0, "")
	second := w.start(me, leaf, 0, "")
	w.do(asking(second, 512, int((w.total*6/10-w.used())/512), "", 1))
	w.beats(2)
	if w.r.IntN(2) == 0 {
		w.do(asking(w.App, 512, 1, "", 1))
		w.probeAll()
		return
	}
	w.wait(me, leaf, "")
}

// userLimitPercent: users that ask share the queue evenly, and the first has more
// than that.
func userLimitPercent(w *world) {
	leaf := w.leaf()
	w.Queue = leaf
	w.set(leaf+".minimum-user-limit-percent", "25")
	w.set(leaf+".maximum-capacity", "100")
	w.App = w.start(me, leaf, 0, "")
	w.hold(me, leaf, 512, int(w.total*4/10/512), "")
	for i := range 2 { // others that ask for more than any node has, so that they count and get nothing
		b := w.start(fmt.Sprintf("user%d", i), leaf, 0, "")
		rack := w.Nodes[0].Rack // strictly for a node that is not empty
		w.do(Step{"do": "ask", "app": b, "asks": []any{row(1, w.Nodes[0].ID, 8192, 1, true), row(1, rack, 8192, 1, false), row(1, "*", 8192, 1, false)}, "release": []any{}})
		w.Without = append(w.Without, b)
	}
	w.do(asking(w.App, 512, 1, "", 1))
	w.probeAll()
	w.twin(leaf+".minimum-user-limit-percent", "100")
}

// packed takes what the nodes have left but for gap MiB on each.
func (w *world) packed(gap int64, label string) {
	leaf := w.leaf()
	name := w.start("hog", leaf, 0, label)
	// One ask for each node, strict, of what it has left: the recorder says how much
	// only while it plays, so asks of the minimum fill up.
	w.do(asking(name, 512, 100_000, label, 1))
	w.beats(2)
	w.do(asking(name, 512, 0, label, 1))
	_ = gap
}

func noRoom(w *world) {
	w.Queue = ""
	w.packed(0, "")
	w.grown("")
	w.wait(me, w.leaf(), "")
}

// grown has the twin one node more.
func (w *world) grown(label string) {
	i := len(w.Nodes) + 1
	w.UnplantedNodes = append(append([]replay.Node{}, w.Nodes...), replay.Node{ID: fmt.Sprintf("n%d", i), Rack: "/r1", Memory: 8192, VCores: 32, Label: label})
}

func noRoomLabel(w *world) {
	w.Queue = ""
	w.labels(2, 4096)
	w.packed(0, "x")
	w.grown("x")
	w.wait(me, w.leaf(), "x")
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
		rows = append(rows, row(2+i, n.ID, size, 1, true), row(2+i, n.Rack, size, 1, false), row(2+i, "*", size, 1, false))
	}
	w.do(Step{"do": "ask", "app": name, "asks": rows, "release": []any{}})
	w.beats(2)
	w.do(Step{"do": "ask", "app": name, "asks": []any{}, "release": []any{}})
}

func row(priority int, where string, size int64, count int, relax bool) map[string]any {
	return map[string]any{"priority": priority, "where": where, "memory": size, "vcores": 1, "count": count, "relax": relax, "alloc": 0}
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
	w.do(asking(w.App, 4096, 1, "", 1))
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
	at := w.Nodes[len(w.Nodes)-1].ID
	w.spreadTo(func(n replay.Node) int64 {
		if n.ID == at {
			return n.Memory - 4096
		}
		return n.Memory - 2560 // masters may be there
	})
	w.do(Step{"do": "ask", "app": big, "asks": []any{row(1, at, 5120, 1, true), row(1, w.Nodes[len(w.Nodes)-1].Rack, 5120, 1, false), row(1, "*", 5120, 1, false)}, "release": []any{}})
	w.do(Step{"do": "beat", "node": at, "done": []any{}})
	w.do(asking(w.App, 3072, 1, "", 1))
	w.Without = []string{big}
	w.probeAll()
	w.Queue = leaf
}

// tooSmall: the nodes with the label are smaller than the ask, others are not.
func tooSmall(w *world) {
	w.labels(2, 4096)
	leaf := w.leaf()
	w.Queue = leaf
	w.App = w.start(me, leaf, 0, "x")
	w.do(asking(w.App, 4096+512*int64(1+w.r.IntN(6)), 1, "x", 1))
	w.grown("x")
	w.probeAll()
}

// placed asks for a node that is full.
func (w *world) placed(relaxRack, relaxAny bool, fillRack bool) (at replay.Node) {
	w.quiet()
	leaf := w.leaf()
	w.Queue = leaf
	w.App = w.start(me, leaf, 0, "")
	at = w.Nodes[1+w.r.IntN(len(w.Nodes)-1)]
	name := w.start("hog", w.leaf(), 0, "")
	priority := 2
	for _, n := range w.Nodes {
		if n.ID == at.ID || fillRack && n.Rack == at.Rack {
			for size := int64(4096); size >= 512; size /= 2 { // whatever masters are there
				w.do(Step{"do": "ask", "app": name, "asks": []any{row(priority, n.ID, size, 1, true), row(priority, n.Rack, size, 1, false), row(priority, "*", size, 1, false)}, "release": []any{}})
				w.do(Step{"do": "beat", "node": n.ID, "done": []any{}})
				w.do(Step{"do": "beat", "node": n.ID, "done": []any{}})
				priority++
			}
		}
	}
	// What did not fit is no longer asked for.
	for p := 2; p < priority; p++ {
		w.do(Step{"do": "ask", "app": name, "asks": []any{row(p, "*", 512, 0, true)}, "release": []any{}})
	}
	w.beats(1)
	w.do(Step{"do": "ask", "app": w.App, "asks": []any{row(1, at.ID, 1024, 8, true), row(1, at.Rack, 1024, 8, relaxRack), row(1, "*", 1024, 8, relaxAny)}, "release": []any{}})
	return at
}

func (w *world) other(at replay.Node, sameRack bool) string {
	for _, n := range w.Nodes {
		if n.ID != at.ID && (n.Rack == at.Rack) == sameRack {
			return n.ID
		}
	}
	return at.ID
}

func rackDelay(w *world) {
	at := w.placed(true, true, false)
	w.probe(Step{"do": "beat", "node": w.other(at, true), "done": []any{}})
	w.twin("node-locality-delay", "0")
}

func anyDelay(w *world) {
	at := w.placed(true, true, true)
	w.probe(Step{"do": "beat", "node": w.other(at, false), "done": []any{}})
	w.twin("node-locality-delay", "0")
	w.twin("rack-locality-additional-delay", "0")
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
	limit := w.limited(leaf, 0, "")
	first := w.start("first", leaf, 0, "")
	w.App = w.start(me, leaf, 0, "")
	w.hold("hog", leaf, 512, int((limit-w.inside(w.Queue)-am-1024)/512), "")
	w.do(asking(first, 2048, 1, "", 1))
	w.do(asking(w.App, 512, 1, "", 1))
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
	w.lower(up, 60, "")
	w.lower(leaf, 100, "")
	limit := w.total * 60 / 100 / 512 * 512
	starving := w.start("starving", other, 0, "")
	w.App = w.start(me, leaf, 0, "")
	w.hold("hog", leaf, 512, int((limit-w.inside(up)-am-1024)/512), "")
	w.do(asking(starving, 2048, 1, "", 1))
	w.do(asking(w.App, 512, 1, "", 1))
	w.Queue = leaf
	w.Without = []string{starving}
	w.probeAll()
}

// priority: an application of higher priority in the same queue takes what is left.
func priority(w *world) {
	leaf := w.leaf()
	w.Queue = leaf
	w.Conf["yarn.cluster.max-application-priority"] = "10"
	w.App = w.start(me, leaf, 0, "")
	first := w.start("first", leaf, 1+w.r.IntN(9), "")
	w.do(asking(first, 1024, 400, "", 1))
	w.do(asking(w.App, 512, 400, "", 1))
	w.Without = []string{first}
	// One look shows who is served: more would only fill the nodes.
	w.probe(Step{"do": "beat", "node": w.Nodes[0].ID, "done": []any{}})
}

func (w *world) refused(leaf string) {
	w.apps++
	w.App = fmt.Sprintf("app%d", w.apps)
	w.Refused = true
	w.probe(submission(w.App, me, leaf, 0, ""))
}

func stopped(w *world) {
	leaf := w.leaf()
	ups := w.up[leaf]
	w.Queue = ups[w.r.IntN(len(ups))]
	w.quiet()
	w.set(w.Queue+".state", "STOPPED")
	w.twin(w.Queue+".state", "")
	if w.Queue != leaf { // leaves of a stopped parent are stopped, and named first
		w.Queue = leaf
	}
	w.refused(leaf)
}

func applications(w *world) {
	leaf := w.leaf()
	w.Queue = leaf
	w.quiet()
	n := 1 + w.r.IntN(4)
	w.set(leaf+".maximum-applications", fmt.Sprint(n))
	w.twin(leaf+".maximum-applications", "")
	for i := range n {
		w.submit(fmt.Sprintf("user%d", i), leaf, 0, "")
	}
	w.refused(leaf)
}

func userApplications(w *world) {
	leaf := w.leaf()
	w.Queue = leaf
	w.quiet()
	n := 2 + w.r.IntN(4)
	w.set(leaf+".maximum-applications", fmt.Sprint(4*n))
	w.set(leaf+".minimum-user-limit-percent", "25")
	w.set(leaf+".user-limit-factor", "1")
	w.twin(leaf+".user-limit-factor", "100")
	for range n {
		w.submit(me, leaf, 0, "")
	}
	w.refused(leaf)
}

func clusterApplications(w *world) {
	w.Queue = ""
	w.quiet()
	n := 2 + w.r.IntN(4)
	w.set("maximum-applications", fmt.Sprint(n))
	w.twin("maximum-applications", "")
	for _, l := range w.leaves {
		w.set(l+".maximum-applications", "1000")
	}
	for i := range n {
		w.submit(fmt.Sprintf("user%d", i), w.leaf(), 0, "")
	}
	w.refused(w.leaf())
}
