package faults

import (
	"fmt"
	"maps"
	"strconv"

	"schedtune/internal/diagnose"
)

// Reasons that are node labels, and those that come and go with time: nodes that
// leave, preemption, proposals that wait for their commit.

func more() []reason {
	return []reason{
		{kind: diagnose.KindUserLimit, plant: userLimitLabel},
		{kind: diagnose.KindNoAccess, plant: noAccess}, {kind: diagnose.KindNoAccess, plant: refusedLabel, once: true},
		{kind: diagnose.KindNoNodes, plant: noNodes},
		{kind: diagnose.KindSharedDelay, plant: sharedDelay}, {kind: diagnose.KindSharedMasters, plant: sharedMasters},
		{kind: diagnose.KindNoRoom, plant: away(drain)}, {kind: diagnose.KindNoRoom, plant: away(lose)},
		{kind: diagnose.KindPreempting, plant: preempting, not: ByCores}, {kind: diagnose.KindBacklog, plant: backlog,
			mode: InRounds, once: true},
		{kind: diagnose.KindQueueOrder, plant: queuePriority},
		{kind: diagnose.KindParallelQueue, plant: templateParallel},
		{kind: diagnose.KindMastersQueue, plant: templateMasters},
		{kind: diagnose.KindApplications, plant: templateApplications, once: true},
		{kind: diagnose.KindNotMade, plant: mostQueues, once: true}, {kind: diagnose.KindNotMade, plant: tooDeep, once: true},
		{kind: diagnose.KindNotMade, plant: beyondParent, once: true},
	}
}

const labelX = ".accessible-node-labels.x"

// userLimitLabel: the user's limit in a partition.
func userLimitLabel(w *world) {
	leaf := w.largest()
	w.Queue = leaf
	w.labels(3, 8192)
	w.plant(leaf+".user-limit-factor", fmt.Sprintf("%.1f", 0.5+float64(w.r.IntN(6))/10), "100")
	w.App = w.start(me, leaf, 0, "x")
	second := w.start(me, leaf, 0, "x")
	w.do(asking(second, 512, 3*8192/512-4, "x")) // the limit ends it earlier
	w.beats(2)
	w.request(512, 1, "x")
}

// closed takes a leaf's access to the label away, and gives its share of it to
// another queue of the same parent.
func (w *world) closed(leaf string) map[string]string {
	share := func(p string) int {
		n, _ := strconv.Atoi(w.Conf["yarn.scheduler.capacity."+p+labelX+".capacity"])
		return n
	}
	out := map[string]string{"yarn.scheduler.capacity." + leaf + ".accessible-node-labels": " ",
		"yarn.scheduler.capacity." + leaf + labelX + ".capacity": "0"}
	for _, p := range w.paths {
		if p != leaf && parent(p) == parent(leaf) {
			out["yarn.scheduler.capacity."+p+labelX+".capacity"] = fmt.Sprint(share(p) + share(leaf))
			break
		}
	}
	return out
}

// noAccess: a refresh has taken the label away from the queue of an application that
// asks for it.
func noAccess(w *world) {
	leaf := w.own()
	w.labels(3, 8192)
	w.App = w.start(me, leaf, 0, "")
	w.do(asking(w.App, 1024, 1, "x"))
	step := refreshStep(w.closed(leaf))
	step[inOnly] = inCase
	w.do(step)
	w.probeAll()
}

// refusedLabel: a submission asks for a label that its queue may not use.
func refusedLabel(w *world) {
	leaf := w.own()
	w.labels(3, 8192)
	maps.Copy(w.Conf, w.closed(leaf))
	w.twin(leaf+".accessible-node-labels", "x")
	w.refused(leaf, "x")
}

// noNodes: no node has the label.
func noNodes(w *world) {
	leaf := w.own()
	w.labels(0, 0)
	w.App = w.start(me, leaf, 0, "")
	w.do(asking(w.App, 1024, 1, "x"))
	w.grown("x")
	w.probeAll()
}

// shared adds nodes with a label whose idle resources others may use, and fills those
// without.
func (w *world) shared() (leaf string) {
	w.quiet()
	plain := w.Nodes
	w.labels(2, 8192)
	w.Label[0].Exclusive = false
	leaf = w.leaf()
	w.Queue = leaf
	w.App = w.start(me, leaf, 0, "")
	hog := w.start("hog", w.leaf(), 0, "")
	w.do(asking(hog, 512, int((w.total-w.used())/512), ""))
	w.Setup = append(w.Setup, w.reports(plain, w.times(2))...) // nodes with the label would count as opportunities
	return leaf
}

// sharedDelay: opportunities must pass before idle resources of the partition are used.
func sharedDelay(w *world) {
	w.shared()
	w.do(asking(w.App, 1024, 1, ""))
	at := w.Nodes[len(w.Nodes)-1:]
	w.Probe = append(w.Probe, w.reports(at, 1)...)
	w.Later = w.reports(at, len(w.Nodes)+1)
	w.UnplantedNodes = append(w.UnplantedNodes, w.Nodes...)
	for i := range w.UnplantedNodes {
		w.UnplantedNodes[i].Label = ""
	}
}

// sharedMasters: masters may not use them at all.
func sharedMasters(w *world) {
	leaf := w.shared()
	w.App = w.submit(me, leaf, 0, "")
	w.Probe = append(w.Probe, w.reports(w.Nodes, len(w.Nodes))...)
	w.unplanted("yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation", "true")
}

// away: some nodes take no more containers, the others are full.
func away(steps func(w *world, node string)) func(*world) {
	return func(w *world) {
		w.quiet()
		w.Queue = ""
		n := 1 + w.r.IntN(2)
		for _, node := range w.Nodes[:n] {
			steps(w, node.ID)
		}
		w.greedy("hog", w.leaf(), int((w.total-int64(n)*8192-am)/512), "") // all but what these nodes hold
		w.wait(w.leaf(), "")
	}
}

// drain decommissions a node.
func drain(w *world, node string) {
	w.need("decommission")
	w.do(Step{"do": "decommission", "node": node, inOnly: inCase})
	w.do(Step{"do": "beat", "node": node, "done": []any{}})
}

// lose is a node that is not heard of any more.
func lose(w *world, node string) {
	do := "lose"
	if w.r.IntN(2) == 0 {
		do = "leave"
	}
	w.do(Step{"do": do, "node": node, inOnly: inCase})
	if w.lost == nil {
		w.lost = map[string]bool{}
	}
	w.lost[node] = true
}

// preempting: containers of a queue beyond its guarantee are marked and not killed yet.
func preempting(w *world) {
	w.quiet()
	const policy = "yarn.resourcemanager.monitor.capacity.preemption."
	w.Conf["yarn.resourcemanager.scheduler.monitor.enable"] = "true"
	w.Conf[policy+"total_preemption_per_round"], w.Conf[policy+"natural_termination_factor"] = "1.0", "1.0"
	leaf := w.largest()
	other := leaf
	for other == leaf {
		other = w.leaf()
	}
	w.Queue = leaf
	w.App = w.start(me, leaf, 0, "")
	w.greedy("hog", other, 100_000, "")
	w.do(asking(w.App, 512, 4+w.r.IntN(4), ""))
	for range 1 + w.r.IntN(3) {
		w.do(Step{"do": "preempt"})
	}
	w.grown("")
	w.probeAll()
	for range 7 {
		w.Later = append(w.Later, Step{"do": "preempt"})
	}
	w.Later = append(w.Later, w.reports(w.Nodes, w.times(2))...)
}

// backlog: too many proposals wait for their commit, and no round is made.
func backlog(w *world) {
	w.quiet()
	w.Queue = ""
	most := w.r.IntN(4)
	w.plant("schedule-asynchronously.maximum-pending-backlogs", fmt.Sprint(most), "1000")
	leaf := w.leaf()
	hog := w.start("hog", leaf, 0, "")
	w.do(asking(hog, 512, 20, ""))
	w.do(Step{"do": "round", "start": 0, "lag": -1, "left": most + 1})
	w.wait(w.leaf(), "")
	w.Later = append([]Step{{"do": "commit"}}, w.reports(w.Nodes, w.times(2))...)
}

// queuePriority: a queue of higher priority takes what is left.
func queuePriority(w *world) {
	w.quiet()
	leaf := w.leaf()
	top := w.up[leaf][len(w.up[leaf])-1]
	other := leaf
	for w.up[other][len(w.up[other])-1] == top {
		other = w.leaf()
	}
	w.Queue = other
	w.set("root.ordering-policy", "priority-utilization")
	w.set(w.up[other][len(w.up[other])-1]+".priority", fmt.Sprint(1+w.r.IntN(5)))
	w.set("per-node-heartbeat.maximum-container-assignments", "2")
	first := w.start("first", other, 0, "")
	w.App = w.start(me, leaf, 0, "")
	w.do(asking(first, 512, 400, ""))
	w.do(asking(w.App, 512, 400, ""))
	w.Without = []string{first}
	w.probeAt(w.Nodes[0])
}

// largest is the leaf with the largest guarantee.
func (w *world) largest() string {
	leaf := w.leaves[0]
	for _, l := range w.leaves {
		if w.guaranteed(l) > w.guaranteed(leaf) {
			leaf = l
		}
	}
	return leaf
}
