package diagnose

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/yarnconf"
)

// growth lists what bounds the resources of the user, alone in the queue of an idle cluster.
func (w *world) growth() []Limit {
	user := w.user().Alone
	// The user may exceed the limit once (used > limit is tested): one container more.
	alone := w.source(Limit{What: "user limit", Resource: user, Count: w.fit(user, w.container) + 1, Share: w.share(user)},
		w.otherwise("1", "-1"), append([]string{w.key(w.leaf(), yarnconf.UserFactor)}, w.global(yarnconf.UserFactor)...)...)
	// The cluster is the first of equal ones: a queue that may have all is not what binds.
	ls := []Limit{{What: "the cluster", Resource: w.total, Count: w.onNodes(), Share: 1, Key: "nodes",
		Value: strconv.Itoa(len(w.nodes))}, alone}
	for i := w.at; w.c.Queues[i].Parent >= 0; i = w.c.Queues[i].Parent {
		most := w.c.Calculator.RoundDown(w.figures(i).Max, w.c.MinAllocation)
		l := Limit{What: "maximum of " + w.c.Queues[i].Path, Resource: most, Count: w.fit(most, w.container),
			Share: w.share(most)}
		ls = append(ls, w.source(l, "100", w.key(&w.c.Queues[i], yarnconf.MaximumCapacity)))
	}
	return byCount(ls)
}

// onNodes counts the containers that fit on the nodes one by one.
func (w *world) onNodes() (n int64) {
	for i := range w.nodes {
		n += w.fit(capacityOf(&w.nodes[i]), w.container)
	}
	return n
}

// sharing lists the user limit with one active user, with two, and with as many as
// minimum-user-limit-percent allows to share the queue.
func (w *world) sharing() []Share {
	most := 1
	if percent := w.leaf().UserLimit; percent > 0 && percent <= 100 {
		most = int(math.Ceil(100 / float64(percent)))
	}
	if w.q.Load != nil {
		most = max(most, w.q.Load.PeakUsers)
	}
	var out []Share
	for _, n := range []int{1, 2, most} {
		if len(out) > 0 && n <= out[len(out)-1].Users {
			continue
		}
		r := w.user().Alone
		if n > 1 {
			r = w.s.SharedLimit(w.at, w.part, w.q.User, n)
		}
		out = append(out, Share{Users: n, Limit: r, Of: w.share(r)})
	}
	return out
}

// running lists what bounds the applications that run at a time.
func (w *world) running() []Limit {
	amKeys := append([]string{w.key(w.leaf(), yarnconf.AMShare)}, w.global(yarnconf.AMShare)...)
	if w.label != "" {
		amKeys = append([]string{yarnconf.LabelKey(w.leaf().Path, w.label, yarnconf.AMShare)}, amKeys...)
	}
	masters := func(of string, r yarnconf.Resource) Limit { // the first application always starts
		l := Limit{What: "application masters of the " + of, Resource: r, Count: max(1, w.fit(r, w.am)), Share: w.share(r)}
		return w.source(l, w.otherwise("0.1", "1.0"), amKeys...)
	}
	parallel := func(what string, n int, keys ...string) Limit {
		l := Limit{What: "parallel applications " + what, Count: int64(n)}
		if n == yarnconf.MaxInt {
			l.Count = Unlimited
		}
		return w.source(l, "no limit", keys...)
	}
	const name = "max-parallel-apps"
	ls := []Limit{masters("queue", w.figures(w.at).AMLimit), masters("user", w.user().AM),
		parallel("of the user", w.c.UserParallel(w.q.User), yarnconf.Prefix+"user."+w.q.User+"."+name,
			yarnconf.Prefix+"user."+name)}
	for i := w.at; i >= 0; i = w.c.Queues[i].Parent {
		q := &w.c.Queues[i]
		ls = append(ls, parallel("in "+q.Path, q.MaxParallelApps, yarnconf.Key(q.Path, name), yarnconf.Prefix+name))
	}
	return byCount(ls)
}

// admission lists how many applications, running and waiting, are accepted
// before a submission is refused.
func (w *world) admission() []Limit {
	f := w.figures(w.at)
	system := yarnconf.Prefix + "maximum-applications"
	keys := []string{w.key(w.leaf(), "maximum-applications"), yarnconf.Prefix + "global-queue-max-application", system}
	limit := func(what string, n int, keys ...string) Limit {
		return w.source(Limit{What: "applications " + what, Count: int64(n)}, "10000", keys...)
	}
	return byCount([]Limit{limit("of the user", f.MaxApplicationsPerUser, keys...),
		limit("in "+w.leaf().Path, f.MaxApplications, keys...),
		limit("in the cluster", w.c.MaxSystemApps, system)})
}

// rate returns the bound at one heartbeat a second and node.
func (w *world) rate() Rate {
	per := w.c.MaxOffSwitch
	if !w.c.MultipleAssign {
		per = 1
	} else if w.c.MaxAssign > 0 {
		per = min(per, w.c.MaxAssign)
	}
	return Rate{OffSwitchPerBeat: per, PerSecond: float64(per) * float64(len(w.nodes))}
}

// findings lists what else is in the way.
func (w *world) findings(a *LimitsAnswer) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	q := w.leaf()
	if q.State != yarnconf.Running {
		add("the queue is %s: it refuses every submission", q.State)
	}
	if q.LabelExpression != "" && q.LabelExpression != w.label {
		add("default-node-label-expression %q: applications that say nothing run on those nodes only; the figures here "+
			"are for nodes %s", q.LabelExpression, w.nodesText())
	}
	out = append(out, w.foreign()...)
	if w.onNodes() == 0 {
		add("no node can hold a container of %s: it waits for ever", show(w.c, w.container))
	}
	if a.TooLarge {
		add("no node can hold an application master of %s: the application stays ACCEPTED", show(w.c, w.am))
	}
	if ask := w.q.Container; ask.Memory > q.MaxAllocation.Memory || ask.VCores > q.MaxAllocation.VCores {
		add("containers of %s exceed the maximum allocation %s: the request is refused", show(w.c, ask),
			show(w.c, q.MaxAllocation))
	}
	if ask := w.q.AM; ask.Memory > q.MaxAllocation.Memory || ask.VCores > q.MaxAllocation.VCores {
		add("application masters of %s exceed the maximum allocation %s: the submission is refused", show(w.c, ask),
			show(w.c, q.MaxAllocation))
	}
	if !w.c.Preemption.Enabled && a.Guaranteed.Memory > 0 {
		add("preemption is off in what was given: while other queues hold the space, the guarantee is reached only as " +
			"their containers end")
	}
	if w.c.Asynchronous {
		add("scheduling is asynchronous: the limits per heartbeat do not apply")
	}
	if n := len(w.q.Cluster.Nodes); w.c.NodeLocalityDelay > n {
		add("node-locality-delay %d is more than the %s and works as %d", w.c.NodeLocalityDelay, plural(int64(n), "node"), n)
	}
	if l := w.q.Load; l != nil && l.UserJobs == 0 {
		add("the trace has no application of user %s in %s", w.q.User, q.Path)
	}
	return out
}

// show gives a size; vcores only where they are scheduled.
func show(c *yarnconf.Config, r yarnconf.Resource) string {
	if c.Calculator.Dominant {
		return fmt.Sprintf("%d MiB, %d vcores", r.Memory, r.VCores)
	}
	return fmt.Sprintf("%d MiB", r.Memory)
}
