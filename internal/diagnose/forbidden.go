package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"schedtune/internal/scenario"
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

// limits gathers what groups held.
type limits struct {
	c         *scenario.Case
	conf      *yarnconf.Config
	effective []yarnconf.Effective
	leaf      map[string]int // index of a queue by its path
	groups    []*held        // in the order of their first container
	of        map[string]*held
}

// Forbidden lists what the record holds beyond the limits.
func Forbidden(c *scenario.Case) []string {
	conf, err := yarnconf.Evaluate(c.Doc)
	if err != nil || len(c.Cluster.Labels) > 0 {
		return nil
	}
	l := limits{c: c, conf: conf, effective: conf.Effective(c.Total()), leaf: map[string]int{}, of: map[string]*held{}}
	for i := range conf.Queues {
		l.leaf[conf.Queues[i].Path] = i
	}
	jobs := map[string]*trace.Job{}
	for i := range c.Recorded.Jobs {
		jobs[c.Recorded.Jobs[i].ID] = &c.Recorded.Jobs[i]
	}
	for i := range c.Work.Jobs {
		if j := jobs[c.Work.Jobs[i].ID]; j != nil && j.Spark == nil {
			l.job(&c.Work.Jobs[i], j)
		}
	}
	var out []string
	for _, h := range l.groups {
		if peak := h.peak(); peak > h.limit {
			out = append(out, fmt.Sprintf("%s held %d MiB at a time, %s allows %d", h.group, peak, h.what, h.limit))
		}
	}
	return out
}

// job adds what a job held to its leaf, to its user there, and to the masters there.
func (l *limits) job(w *simcore.Job, j *trace.Job) {
	name := l.c.Work.Queues[w.Queue]
	q, known := l.leaf[name]
	if !known || len(l.conf.Queues[q].UserWeights) > 0 {
		return
	}
	leaf, factor := &l.effective[q], l.conf.Queues[q].UserLimitFactor
	most := max(l.size(w.MapAsk), l.size(w.ReduceAsk), l.size(w.AMAsk))
	user := int64(float64(leaf.Min.Memory)*float64(factor)) + l.step() + most
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
			l.take(name, "its maximum", leaf.Max.Memory+most, at.Start, at.Finish, l.size(ask))
			if factor > 0 {
				l.take(name+" "+l.c.Work.Users[w.User], "guarantee times user-limit-factor", user, at.Start, at.Finish, l.size(ask))
			}
		}
	}
	masters, master := name+" masters", l.size(w.AMAsk)
	l.take(masters, "maximum-am-resource-percent", max(leaf.AMLimit.Memory, master), start, j.Finish, master)
	if h := l.of[masters]; h != nil {
		h.limit = max(h.limit, master)
	}
}

// step is the smallest container, of which all are multiples.
func (l *limits) step() int64 { return max(l.conf.MinAllocation.Memory, 1) }

func (l *limits) size(ask simcore.Vec) int64 {
	return (max(ask[simcore.Memory], 1) + l.step() - 1) / l.step() * l.step()
}

// take adds memory that a group held for a time. The group has the limit of its first.
func (l *limits) take(group, what string, limit int64, from, to trace.Millis, mib int64) {
	if !from.Known() || to <= from || mib <= 0 {
		return
	}
	h := l.of[group]
	if h == nil {
		h = &held{group: group, what: what, limit: limit}
		l.of[group] = h
		l.groups = append(l.groups, h)
	}
	h.events = append(h.events, event{from, mib}, event{to, -mib})
}

// peak is the most memory at a time; what ends goes before what begins.
func (h *held) peak() int64 {
	slices.SortFunc(h.events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step))
	})
	now, most := int64(0), int64(0)
	for _, e := range h.events {
		now += e.step
		most = max(most, now)
	}
	return most
}
