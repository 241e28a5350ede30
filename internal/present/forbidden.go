package present

import (
	"fmt"
	"slices"

	"schedtune/internal/inputs"
	"schedtune/simcore"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// What ran at a time in the record is held against the limits of the present file:
// what they forbid ran under another file or on other machines. The limits are
// those that no state of the cluster loosens: a leaf's maximum, its users' guarantee
// times factor (UsersManager.computeUserLimit), its masters' share (LeafQueue). A
// scheduler looks at the first two before it grants, so each may be passed by one
// container. Queues of clusters with labels are left out.

// held is memory over time of one group, in MiB.
type held struct {
	group  string
	limit  int64
	what   string
	events []event
}

type event struct {
	at   trace.Millis
	step int64
}

// forbidden lists what the record holds beyond the limits.
func forbidden(c *inputs.Case) []string {
	conf, err := yarnconf.Evaluate(c.Doc)
	if err != nil || len(c.Cluster.Labels) > 0 {
		return nil
	}
	total := c.Total()
	effective := conf.Effective(total)
	leaf := map[string]int{}
	for i := range conf.Queues {
		leaf[conf.Queues[i].Path] = i
	}
	jobs := map[string]*trace.Job{}
	for i := range c.Recorded.Jobs {
		jobs[c.Recorded.Jobs[i].ID] = &c.Recorded.Jobs[i]
	}
	var groups []*held
	of := map[string]*held{}
	take := func(group, what string, limit int64, from, to trace.Millis, mib int64) {
		if !from.Known() || to <= from || mib <= 0 {
			return
		}
		h := of[group]
		if h == nil {
			h = &held{group: group, what: what, limit: limit}
			of[group] = h
			groups = append(groups, h)
		}
		h.events = append(h.events, event{from, mib}, event{to, -mib})
	}
	for i := range c.Work.Jobs {
		w := &c.Work.Jobs[i]
		name := c.Work.Queues[w.Queue]
		q, known := leaf[name]
		j := jobs[w.ID]
		if !known || j == nil || j.Spark != nil || len(conf.Queues[q].UserWeights) > 0 {
			continue
		}
		step := max(conf.MinAllocation.Memory, 1)
		size := func(ask simcore.Vec) int64 {
			return (max(ask[simcore.Memory], 1) + step - 1) / step * step
		}
		most := max(size(w.MapAsk), size(w.ReduceAsk), size(w.AMAsk))
		user := int64(float64(effective[q].Min.Memory)*float64(conf.Queues[q].UserLimitFactor)) + step + most
		start := trace.Millis(trace.Unknown)
		for k := range j.Tasks {
			ask := w.MapAsk
			switch j.Tasks[k].Kind {
			case trace.Reduce:
				ask = w.ReduceAsk
			case trace.Map:
			default:
				continue
			}
			for a := range j.Tasks[k].Attempts {
				at := &j.Tasks[k].Attempts[a]
				if at.Start.Known() && (!start.Known() || at.Start < start) {
					start = at.Start
				}
				take(name, "its maximum", effective[q].Max.Memory+most, at.Start, at.Finish, size(ask))
				if conf.Queues[q].UserLimitFactor > 0 {
					take(name+" "+c.Work.Users[w.User], "guarantee times user-limit-factor", user, at.Start, at.Finish, size(ask))
				}
			}
		}
		take(name+" masters", "maximum-am-resource-percent", max(effective[q].AMLimit.Memory, size(w.AMAsk)), start, j.Finish, size(w.AMAsk))
		if h := of[name+" masters"]; h != nil {
			h.limit = max(h.limit, size(w.AMAsk))
		}
	}
	var out []string
	for _, h := range groups {
		if peak := h.peak(); peak > h.limit {
			out = append(out, fmt.Sprintf("%s held %d MiB at a time, %s allows %d", h.group, peak, h.what, h.limit))
		}
	}
	return out
}

// peak is the most memory at a time; what ends goes before what begins.
func (h *held) peak() int64 {
	slices.SortFunc(h.events, func(a, b event) int {
		switch {
		case a.at != b.at:
			return int(a.at - b.at)
		case a.step != b.step && a.step < b.step:
			return -1
		case a.step != b.step:
			return 1
		}
		return 0
	})
	now, most := int64(0), int64(0)
	for _, e := range h.events {
		now += e.step
		most = max(most, now)
	}
	return most
}
