package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"schedtune/internal/scenario"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/trace"
	"schedtune/yarnconf"
)

// FromTrace counts a queue's and a user's applications in a trace and returns
// the sizes they ask for most: of containers the larger of a job's map and
// reduce, and of application masters; zero where the trace does not say.
func FromTrace(t *trace.Trace, queuePath, user string) (l *Load, container, am yarnconf.Resource) {
	l = &Load{}
	var all, own []event
	var asleep, idle idleSpans
	byUser := map[string][]event{}
	sizes, ams := map[yarnconf.Resource]int{}, map[yarnconf.Resource]int{}
	short := queuePath[strings.LastIndexByte(queuePath, '.')+1:]
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if j.Queue != queuePath && j.Queue != short { // traces name queues by either
			continue
		}
		l.Jobs++
		if j.Tez != nil {
			masters, containers := j.TezIdle()
			asleep.add(j.ID, masters, j.AMSize.MiB)
			idle.add(j.ID, containers, j.MapSize.MiB)
		}
		var span []event
		if j.Submit.Known() && j.Finish.Known() {
			span = []event{{j.Submit, 1}, {max(j.Finish, j.Submit), -1}}
		}
		all, byUser[j.User] = append(all, span...), append(byUser[j.User], span...)
		if j.User == user {
			l.UserJobs++
			own = append(own, span...)
			sizes[resource(j.MapSize).MaxEach(resource(j.ReduceSize))]++
			ams[resource(j.AMSize)]++
		}
	}
	l.Users, l.Peak, l.UserPeak = len(byUser), int(peak(all)), int(peak(own))
	var users []event
	for _, events := range byUser {
		users = append(users, merged(events)...)
	}
	l.PeakUsers = int(peak(users))
	l.held = append(asleep.note("AMs of Tez sessions without a DAG"), idle.note("idle containers of Tez")...)
	return l, commonest(sizes), commonest(ams)
}

// idleSpans are the spans in which something held memory without working.
type idleSpans struct {
	events []event // in MiB
	time   trace.Millis
	apps   []TezHolding // the most that each held at a time
}

func (s *idleSpans) add(app string, spans [][2]trace.Millis, mib int64) {
	begin := len(s.events)
	for _, x := range spans {
		s.events, s.time = append(s.events, event{x[0], mib}, event{x[1], -mib}), s.time+x[1]-x[0]
	}
	if n := peak(s.events[begin:]); n > 0 {
		s.apps = append(s.apps, TezHolding{App: app, MiB: n})
	}
}

// note returns how much memory something holds; none where it holds none.
func (s *idleSpans) note(what string) []string {
	top := peak(s.events)
	if top == 0 {
		return nil
	}
	slices.SortStableFunc(s.apps, func(a, b TezHolding) int { return cmp.Compare(b.MiB, a.MiB) })
	var parts []string
	for _, a := range s.apps {
		parts = append(parts, fmt.Sprintf("%s up to %d MiB", a.App, a.MiB))
	}
	return []string{fmt.Sprintf("the trace has %s in the queue that hold up to %d MiB at a time, each for %.1f s on "+
		"average: %s", what, top, float64(s.time)/float64(len(s.events)/2)/1000, leading(parts))}
}

func resource(s trace.Size) yarnconf.Resource {
	return yarnconf.Resource{Memory: s.MiB, VCores: s.VCores}
}

// commonest returns the most frequent size, of equally frequent ones the
// largest, so that the result does not depend on the order of the map.
func commonest(m map[yarnconf.Resource]int) (best yarnconf.Resource) {
	for r, n := range m {
		if cmp.Or(cmp.Compare(n, m[best]), cmp.Compare(r.Memory, best.Memory), cmp.Compare(r.VCores, best.VCores)) > 0 {
			best = r
		}
	}
	return best
}

// event is a change of an amount: of memory in use, or of running applications.
type event struct {
	at   trace.Millis
	step int64
}

// peak returns the largest amount at a time, at which ends come before starts.
func peak(events []event) (most int64) {
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) })
	now := int64(0)
	for _, e := range events {
		now += e.step
		most = max(most, now)
	}
	return most
}

// merged returns the events of one application in place of several that overlap or follow
// each other at once.
func merged(events []event) (out []event) {
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.step, a.step)) })
	now := int64(0)
	for _, e := range events {
		if now == 0 || now+e.step == 0 {
			out = append(out, e)
		}
		now += e.step
	}
	return out
}

// The recorded run against the limits of the current configuration: what exceeds them ran
// under another configuration or on other nodes. The limits are those that hold in every
// state of the cluster: a leaf's maximum, the user limit by user-limit-factor, and
// maximum-am-resource-percent. The scheduler tests the first two before it allocates, so
// each may be exceeded by one container. Clusters with node labels are left out.

// held is the memory that a group used over time, in MiB.
type held struct {
	group  string
	limit  int64
	what   string // property or limit
	events []event
}

// recordedUse collects what groups used.
type recordedUse struct {
	c      *scenario.Case
	s      *capacity.Scheduler
	groups []*held // in the order of their first container
	of     map[string]*held
}

// Forbidden lists where the recorded run exceeds the limits of the current configuration.
func Forbidden(c *scenario.Case) []string {
	conf, err := yarnconf.Evaluate(c.Doc)
	if err != nil || len(c.Cluster.Labels) > 0 {
		return nil
	}
	s, err := capacity.OnCluster(conf, c.Cluster)
	if err != nil {
		return nil
	}
	u := recordedUse{c: c, s: s, of: map[string]*held{}}
	jobs := map[string]*trace.Job{}
	for i := range c.Recorded.Jobs {
		jobs[c.Recorded.Jobs[i].ID] = &c.Recorded.Jobs[i]
	}
	for i := range c.Work.Jobs {
		if j := jobs[c.Work.Jobs[i].ID]; j != nil && j.Spark == nil {
			u.job(&c.Work.Jobs[i], j)
		}
	}
	var out []string
	for _, h := range u.groups {
		if most := peak(h.events); most > h.limit {
			out = append(out, fmt.Sprintf("%s held %d MiB at a time, %s allows %d", h.group, most, h.what, h.limit))
		}
	}
	return out
}

// job adds what a job used to its leaf, to its user there, and to the AMs there.
func (u *recordedUse) job(w *simcore.Job, j *trace.Job) {
	name := u.c.Work.Queues[w.Queue]
	conf := u.s.Config()
	q := conf.Find(name)
	if q < 0 || conf.Queues[q].Path != name || len(conf.Queues[q].UserWeights) > 0 {
		return
	}
	leaf, user := u.s.Figures(q, 0), u.c.Work.Users[w.User]
	most := max(u.size(w.MapAsk), u.size(w.ReduceAsk), u.size(w.AMAsk))
	alone := u.s.UserLimits(q, 0, user).Alone.Memory
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
			u.take(name, "its maximum", leaf.Max.Memory+most, at.Start, at.Finish, u.size(ask))
			if conf.Queues[q].UserLimitFactor > 0 {
				u.take(name+" "+user, "guarantee times user-limit-factor", alone+most, at.Start, at.Finish, u.size(ask))
			}
		}
	}
	masters, master := name+" masters", u.size(w.AMAsk)
	u.take(masters, "maximum-am-resource-percent", max(leaf.AMLimit.Memory, master), start, j.Finish, master)
	if h := u.of[masters]; h != nil {
		h.limit = max(h.limit, master)
	}
}

// size rounds an ask up to the minimum allocation.
func (u *recordedUse) size(ask simcore.Vec) int64 {
	step := max(u.s.Config().MinAllocation.Memory, 1)
	return (max(ask[simcore.Memory], 1) + step - 1) / step * step
}

// take adds memory that a group used for a time. The limit of a group is that of its first call.
func (u *recordedUse) take(group, what string, limit int64, from, to trace.Millis, mib int64) {
	if !from.Known() || to <= from || mib <= 0 {
		return
	}
	h := u.of[group]
	if h == nil {
		h = &held{group: group, what: what, limit: limit}
		u.of[group] = h
		u.groups = append(u.groups, h)
	}
	h.events = append(h.events, event{from, mib}, event{to, -mib})
}
