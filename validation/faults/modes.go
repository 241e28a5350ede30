package faults

import (
	"maps"
	"slices"

	"schedtune/validation/conformance/replay"
	"schedtune/yarnconf"
)

// Modes in which the scheduler places and counts: a case is drawn in one.
const (
	ByHeartbeats = ""
	InRounds     = "asynchronous"    // schedule-asynchronously.enable
	Together     = "several-nodes"   // multi-node-placement-enabled
	ByCores      = "dominant-vcores" // DominantResourceCalculator, and cores are what is short
)

// begin makes the settings of the mode.
func (w *world) begin() {
	switch w.Mode {
	case InRounds:
		w.need("async")
		w.set("schedule-asynchronously.enable", "true")
	case Together:
		w.need("multinode")
		w.set("multi-node-placement-enabled", "true")
		w.set("multi-node-sorting.policy.names", "usage")
		w.set("multi-node-sorting.policy.usage.class",
			"org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy")
		w.set("multi-node-sorting.policy.usage.sorting-interval.ms", "0")
		w.set("multi-node-sorting.policy", "usage")
	case ByCores:
		w.set("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")
		w.Conf["yarn.scheduler.maximum-allocation-vcores"] = "128"
	}
}

func (w *world) need(what string) {
	if !slices.Contains(w.Needs, what) {
		w.Needs = append(w.Needs, what)
	}
}

// finish puts a core in the place of every 512 MiB where cores are to be short. Memory
// is then plenty.
func (w *world) finish() {
	if w.Mode != ByCores {
		return
	}
	for _, nodes := range [][]replay.Node{w.Nodes, w.UnplantedNodes} {
		for i := range nodes {
			nodes[i].Memory, nodes[i].VCores = 8*nodes[i].Memory, nodes[i].Memory/am
		}
	}
	for _, steps := range [][]Step{w.Setup, w.Probe, w.Later} {
		for _, s := range steps {
			rows, _ := s["asks"].([]any)
			for _, r := range rows {
				row := r.(map[string]any)
				row["memory"], row["vcores"] = int64(am), (row["memory"].(int64)+am-1)/am
			}
		}
	}
}

// perReport is how many rounds stand for one heartbeat of every node: a round gives a
// node one container at most, and a node holds 16 of the smallest.
const perReport = 18

// reports lets nodes report.
func (c *Case) reports(nodes []replay.Node, times int) (out []Step) {
	if c.Mode == InRounds {
		var late []string
		for _, n := range c.Nodes {
			if !slices.ContainsFunc(nodes, func(m replay.Node) bool { return m.ID == n.ID }) {
				late = append(late, n.ID)
			}
		}
		for range times {
			s := Step{"do": "round", "start": 0, "lag": 0}
			if len(late) > 0 {
				s["late"] = late
			}
			out = append(out, s)
		}
		return out
	}
	for range times {
		for _, n := range nodes {
			s := Step{"do": "beat", "node": n.ID, "done": []any{}}
			if c.lost[n.ID] {
				s[inOnly] = inTwin
			}
			out = append(out, s)
		}
	}
	return out
}

// Steps may be of the case only, which are its reason, or of its twin.
const (
	inOnly = "only"
	inCase = "case"
	inTwin = "twin"
)

// only are the steps of a case or of its twin, as written.
func only(steps []Step, twin bool) (out []Step) {
	for _, s := range steps {
		if of, ok := s[inOnly]; ok && (of == inTwin) != twin {
			continue
		}
		s = maps.Clone(s)
		delete(s, inOnly)
		out = append(out, s)
	}
	return out
}

// unplanted sets what a property is in the twin; "" leaves it out.
func (w *world) unplanted(key, value string) {
	if w.UnplantedConf == nil {
		w.UnplantedConf = map[string]string{}
	}
	w.UnplantedConf[key] = value
}

// twin is unplanted for a setting of the scheduler.
func (w *world) twin(key, value string) { w.unplanted(yarnconf.Prefix+key, value) }
