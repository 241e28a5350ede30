package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"schedtune/internal/diagnose"
	"schedtune/validation/conformance/replay"
	"schedtune/yarnconf"
)

// reason is one way to make an application wait.
type reason struct {
	kind  string
	plant func(*world)
	mode  string
	once  bool   // not repeated in other modes
	not   string // nor in this one: there such a wait ends at once, or does not come about
}

// all lists the reasons; a seed takes them in turn.
func all() []reason {
	return slices.Concat(plain(), more(), inModes(), switches())
}

// plain are the reasons met with the scheduler's defaults.
func plain() []reason {
	return []reason{
		{kind: diagnose.KindParallelQueue, plant: parallelQueue}, {kind: diagnose.KindParallelUser, plant: parallelUser},
		{kind: diagnose.KindMastersQueue, plant: mastersQueue}, {kind: diagnose.KindMastersQueue, plant: mastersQueueLabel},
		{kind: diagnose.KindMastersUser, plant: mastersUser},
		{kind: diagnose.KindQueueMaximum, plant: queueMaximum}, {kind: diagnose.KindQueueMaximum, plant: queueMaximumRunning},
		{kind: diagnose.KindQueueMaximum, plant: queueMaximumLabel}, {kind: diagnose.KindQueueMaximum, plant: headroom},
		{kind: diagnose.KindUserLimit, plant: userLimit}, {kind: diagnose.KindUserLimit, plant: userLimitPercent},
		{kind: diagnose.KindNoRoom, plant: full("")}, {kind: diagnose.KindNoRoom, plant: full("x")},
		{kind: diagnose.KindHolds, plant: holds},
		{kind: diagnose.KindReserved, plant: reserved, not: Together}, {kind: diagnose.KindTooSmall, plant: tooSmall},
		{kind: diagnose.KindRackDelay, plant: delayed(false), not: Together}, {kind: diagnose.KindAnyDelay, plant: delayed(true),
			not: Together}, {kind: diagnose.KindStrict, plant: strict},
		{kind: diagnose.KindOrder, plant: blockedByApp}, {kind: diagnose.KindSiblings, plant: siblings},
		{kind: diagnose.KindOrder, plant: priority},
		{kind: diagnose.KindStopped, plant: stopped, once: true}, {kind: diagnose.KindApplications, plant: applications,
			once: true},
		{kind: diagnose.KindUserApps, plant: userApplications, once: true},
		{kind: diagnose.KindClusterApps, plant: clusterApplications, once: true},
	}
}

// inModes are the reasons whose outcome the mode of placing and counting could change.
func inModes() (out []reason) {
	for _, mode := range []string{InRounds, Together, ByCores} {
		for _, r := range slices.Concat(plain(), more()) {
			if r.once || r.not == mode {
				continue
			}
			r.mode = mode
			out = append(out, r)
		}
	}
	return out
}

const me = "alice"

func parallelQueue(w *world) {
	leaf := w.leaf()
	w.above(leaf)
	n := 1 + w.r.IntN(3)
	before := 0 // of the noise
	for _, s := range w.Setup {
		if q, ok := s["queue"].(string); ok && (q == w.Queue || len(q) > len(w.Queue) && q[:len(w.Queue)+1] == w.Queue+".") {
			before++
		}
	}
	w.starts(n, leaf)
	w.plant(w.Queue+".max-parallel-apps", fmt.Sprint(before+n), "")
	w.wait(leaf, "")
}

func parallelUser(w *world) {
	n := 1 + w.r.IntN(3)
	key := "user." + me + ".max-parallel-apps"
	w.plant(key, fmt.Sprint(n), "")
	for range n {
		w.start(me, w.leaf(), 0, "")
	}
	w.wait(w.leaf(), "")
}

// mastersQueue: AMs of several users reach the queue's share for AMs, of
// all that the queue may use.
func mastersQueue(w *world) {
	leaf := w.own()
	limit := int64(1+w.r.IntN(3)) * am
	w.plant(leaf+".maximum-am-resource-percent", fmt.Sprintf("%.4f", float64(limit)/float64(w.total)), "")
	w.fill(leaf, "", limit/am)
}

// fill submits more masters than a limit allows; the last of them waits.
func (w *world) fill(leaf, label string, n int64) {
	for i := range n + 3 { // rounding may let one or two more start
		w.start(fmt.Sprintf("user%d", i), leaf, 0, label)
	}
	w.wait(leaf, label)
}

func mastersQueueLabel(w *world) {
	leaf := w.own()
	w.labels(3, 8192)
	w.plant(leaf+".accessible-node-labels.x.maximum-am-resource-percent", "0.05", "10")
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
		w.set(p+".accessible-node-labels.x.maximum-am-resource-percent", "10")
	}
	for range n {
		i := len(w.Nodes) + 1
		w.Nodes = append(w.Nodes, replay.Node{ID: fmt.Sprintf("n%d", i), Rack: "/r1", Memory: memory, VCores: 32, Label: "x"})
	}
}

// mastersUser: the user's share for masters, of the guarantee, while the queue's is
// of all that it may use.
func mastersUser(w *world) {
	leaf := w.own()
	w.set(leaf+".user-limit-factor", "1")
	w.set(leaf+".maximum-am-resource-percent", "0.2")
	w.twin(leaf+".user-limit-factor", "100")
	for range int(w.guaranteed(leaf)/5/am) + 2 {
		w.submit(me, leaf, 0, "")
	}
	w.beats(1)
	w.wait(leaf, "")
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

// limited sets the maximum of a queue of the leaf's path, on the labelled nodes where
// there is a label, and returns it in MiB, a multiple of 512. The maxima above are 100 %.
func (w *world) limited(leaf, label string) int64 {
	w.above(leaf)
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
	w.plant(w.Queue+name, fmt.Sprint(percent), "")
	for _, p := range w.up[leaf] { // capacities at most the maximum
		w.even(p, label)
	}
	return total * percent / 100 / 512 * 512
}

// even makes the capacities of a queue and its siblings equal, so that a maximum of 45 %
// or more is above them.
func (w *world) even(path, label string) {
	var level []string
	for _, p := range w.paths {
		if parent(p) == parent(path) {
			level = append(level, p)
		}
	}
	share := 100 / len(level)
	for i, p := range level {
		if i == len(level)-1 {
			share = 100 - share*i
		}
		w.set(p+".capacity", fmt.Sprint(share))
		if label != "" || len(w.Label) > 0 {
			w.set(p+".accessible-node-labels.x.capacity", fmt.Sprint(share))
		}
	}
}

func parent(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// inside is what the setup so far holds at most in and below a queue, in MiB.
func (w *world) inside(queue string) (sum int64) {
	leafOf := map[string]string{}
	for _, s := range w.Setup {
		app, _ := s["app"].(string)
		if q, ok := s["queue"].(string); ok {
			leafOf[app] = q
		}
		if !strings.HasPrefix(leafOf[app]+".", queue+".") {
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
	limit := w.limited(leaf, "")
	from := leaf
	if w.Queue != leaf && w.r.IntN(2) == 0 {
		from = w.sibling(leaf)
	}
	w.hold("hog", from, int((limit-w.inside(w.Queue)-am)/512), "")
	w.wait(leaf, "")
}

func queueMaximumRunning(w *world) {
	leaf := w.leaf()
	limit := w.limited(leaf, "")
	w.App = w.start(me, leaf, 0, "")
	w.hold("hog", leaf, int((limit-w.inside(w.Queue)-am)/512), "")
	w.request(1024, 2, "")
}

func queueMaximumLabel(w *world) {
	leaf := w.leaf()
	w.labels(3, 8192)
	limit := w.limited(leaf, "x")
	w.hold("hog", leaf, int((limit-am)/512), "x")
	w.wait(leaf, "x")
}

// headroom leaves less than the ask below the maximum, but something.
func headroom(w *world) {
	leaf := w.leaf()
	limit := w.limited(leaf, "")
	w.App = w.start(me, leaf, 0, "")
	left := int64(1+w.r.IntN(3)) * 512
	w.hold("hog", leaf, int((limit-w.inside(w.Queue)-am-left)/512), "")
	w.request(left+512*int64(1+w.r.IntN(2)), 1, "")
}

// userLimit: user-limit-factor below what the queue may use.
func userLimit(w *world) {
	leaf := w.own()
	w.plant(leaf+".user-limit-factor", fmt.Sprintf("%.1f", 0.5+float64(w.r.IntN(6))/10), "100")
	w.App = w.start(me, leaf, 0, "")
	second := w.start(me, leaf, 0, "")
	w.do(asking(second, 512, int((w.total*6/10-w.used())/512), ""))
	w.beats(2)
	if w.r.IntN(2) == 0 {
		w.do(asking(w.App, 512, 1, ""))
		w.probeAll()
		return
	}
	w.wait(leaf, "")
}

// userLimitPercent: users that ask share the queue evenly, and the first has more
// than that.
func userLimitPercent(w *world) {
	leaf := w.own()
	w.set(leaf+".minimum-user-limit-percent", "25")
	w.set(leaf+".maximum-capacity", "100")
	w.App = w.start(me, leaf, 0, "")
	w.hold(me, leaf, int(w.total*4/10/512), "")
	for i := range 2 { // others that ask for more than any node has, so that they count and get nothing
		b := w.start(fmt.Sprintf("user%d", i), leaf, 0, "")
		w.do(ask(b, rowsAt(w.Nodes[0], 1, 8192, 1, false, false)...)) // strictly for a node that is not empty
		w.Without = append(w.Without, b)
	}
	w.request(512, 1, "")
	w.twin(leaf+".minimum-user-limit-percent", "100")
}
