package faults

import (
	"strings"

	"schedtune/internal/diagnose"
	"schedtune/yarnconf"
)

// Reasons that preemption would end: all space is held by what has no claim to it, and
// something of preemption is switched off. The twin has it on.

const preemption = "yarn.resourcemanager.monitor.capacity.preemption."

// Who has no claim: a queue above its guarantee, a user above the user limit, or an
// application of lower priority.
const (
	ofQueue = iota
	ofUser
	ofPriority
)

// switched is a setting of preemption with the value that keeps it from acting, and the
// value with which it does; "" leaves it out.
type switched struct{ key, off, on string }

// The queue of the holder stands for %.
var (
	monitorOff = switched{"yarn.resourcemanager.scheduler.monitor.enable", "", "true"}
	leafOff    = switched{yarnconf.Prefix + "%.disable_preemption", "true", ""}
	rootOff    = switched{yarnconf.Prefix + "root.disable_preemption", "true", ""}
	observing  = switched{preemption + "observe_only", "true", ""}
	ignoring   = switched{preemption + "max_ignored_over_capacity", "20", ""}
	unhurried  = switched{preemption + "natural_termination_factor", "0.0", ""}
	noRound    = switched{preemption + "total_preemption_per_round", "0.0", ""}
	patient    = switched{preemption + "max_wait_before_kill", "7200000", ""}
	intraOff   = switched{preemption + "intra-queue-preemption.enabled", "", "true"}
	intraLeaf  = switched{yarnconf.Prefix + "%.intra-queue-preemption.disable_preemption", "true", ""}
	threshold  = switched{preemption + "intra-queue-preemption.minimum-threshold", "20.0", ""}
	mostWithin = switched{preemption + "intra-queue-preemption.max-allowable-limit", "0.0", ""}
	byUsers    = switched{preemption + "intra-queue-preemption.preemption-order-policy", "", "priority_first"}
)

// switches lists them.
func switches() (out []reason) {
	for _, p := range []struct {
		holder int
		off    []switched
	}{
		{ofQueue, []switched{monitorOff}}, {ofQueue, []switched{leafOff}}, {ofQueue, []switched{rootOff}},
		{ofQueue, []switched{observing}}, {ofQueue, []switched{ignoring}}, {ofQueue, []switched{unhurried}},
		{ofQueue, []switched{noRound}}, {ofQueue, []switched{patient}}, {ofQueue, []switched{monitorOff, leafOff}},
		{ofQueue, []switched{rootOff, ignoring}},
		{ofUser, []switched{intraOff}}, {ofUser, []switched{monitorOff}}, {ofUser, []switched{intraLeaf}},
		{ofUser, []switched{threshold}}, {ofUser, []switched{mostWithin}}, {ofUser, []switched{monitorOff, intraOff}},
		{ofUser, []switched{intraOff, leafOff}},
		{ofPriority, []switched{byUsers}}, {ofPriority, []switched{intraOff}}, {ofPriority, []switched{intraOff, byUsers}},
	} {
		for _, mode := range []string{ByHeartbeats, InRounds, ByCores} {
			out = append(out, reason{kind: diagnose.KindNoRoom, mode: mode,
				plant: func(w *world) { w.withheld(p.holder, p.off) }})
		}
	}
	return out
}

// policyRounds is how many rounds of the policy follow the question: the first kills come
// after five (max_wait_before_kill), and a round may choose a part only.
const policyRounds = 14

// withheld fills the nodes with what has no claim to them and switches settings off.
func (w *world) withheld(holder int, off []switched) {
	w.quiet()
	leaf, hog, user, priority := w.leaf(), w.leaf(), "hog", 0
	for holder == ofQueue && hog == leaf {
		hog = w.leaf()
	}
	needed := []switched{monitorOff}
	if holder != ofQueue {
		hog = leaf
		needed = append(needed, intraOff)
		w.set(leaf+".minimum-user-limit-percent", "50")
	}
	if holder == ofPriority {
		needed, user, priority = append(needed, byUsers), me, 1+w.r.IntN(9)
		w.Conf["yarn.cluster.max-application-priority"] = "10"
	}
	for _, s := range needed {
		w.Conf[s.key] = s.on
	}
	for _, s := range off {
		key := strings.Replace(s.key, "%", hog, 1)
		w.Conf[key] = s.off
		if s.off == "" {
			delete(w.Conf, key)
		}
		w.unplanted(key, s.on)
	}
	running := w.r.IntN(2) == 0
	if running {
		w.App = w.start(me, leaf, priority, "")
	}
	w.greedy(user, hog, 100_000, "")
	if running {
		w.do(asking(w.App, 512, 1+w.r.IntN(4), ""))
	} else {
		w.App = w.submit(me, leaf, priority, "")
	}
	w.Probe = append(w.Probe, w.policy()...)
}

// policy lets the preemption policy work and the nodes report.
func (c *Case) policy() (out []Step) {
	times := 1
	if c.Mode == InRounds {
		times = perReport
	}
	for range policyRounds {
		out = append(append(out, Step{"do": "preempt"}), c.reports(c.Nodes, times)...)
	}
	return out
}
