package diagnose

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/yarnconf"
)

// growth lists what bounds the resources of the user, with so many active
// users in the queue and the rest of the cluster idle.
func (w *world) growth(users int) []Limit {
	var ls []Limit
	user := w.userLimit(users)
	ul := Limit{What: "user limit", Resource: user, Count: w.fit(user, w.container), Share: w.share(user)}
	// The test is used > limit, so one container more is granted.
	ul.Count, ul.Note = ul.Count+1, "the container that crosses the limit included"
	ls = append(ls, w.source(ul, w.otherwise("1", "-1"), append([]string{w.key(w.leaf(), yarnconf.UserFactor)}, w.global(yarnconf.UserFactor)...)...))
	for i := w.at; i >= 0; i = w.c.Queues[i].Parent {
		most := w.c.Calculator.RoundDown(w.eff[i].Max, w.c.MinAllocation)
		path := w.c.Queues[i].Path
		if w.c.Queues[i].Parent < 0 {
			// First of equal ones: a queue that may have all is not what binds.
			ls = append([]Limit{{What: "the cluster", Resource: w.total, Count: w.onNodes(), Share: 1,
				Key: "nodes", Value: strconv.Itoa(len(w.nodes)), Note: "whole containers on each node"}}, ls...)
			break
		}
		l := Limit{What: "maximum of " + path, Resource: most, Count: w.fit(most, w.container), Share: w.share(most)}
		ls = append(ls, w.source(l, "100", w.key(&w.c.Queues[i], yarnconf.MaximumCapacity)))
	}
	return byCount(ls)
}

// onNodes counts the containers that fit on the machines one by one.
func (w *world) onNodes() int64 {
	var n int64
	for _, node := range w.nodes {
		n += w.fit(yarnconf.Resource{Memory: node.Capacity[0], VCores: node.Capacity[1]}, w.container)
	}
	return n
}

func (w *world) weight(user string) float32 {
	if x, ok := w.leaf().UserWeights[user]; ok {
		return x
	}
	return 1
}

// userLimit is what the user may hold before the strict test stops it, with so
// many active users who all have as much as they may: the fixed point of
// UsersManager.computeUserLimit. A lone user grows up to the cap of the
// user-limit-factor; several share the queue.
func (w *world) userLimit(users int) yarnconf.Resource {
	q, calc, step := w.leaf(), w.c.Calculator, w.c.MinAllocation
	guarantee := calc.Max(w.total, w.eff[w.at].Min, step)
	limit := w.eff[w.at].Max
	if q.UserLimitFactor != -1 && !w.eff[w.at].Min.IsNone() {
		limit = guarantee.Scale(float64(q.UserLimitFactor))
	} else {
		limit = calc.RoundDown(limit, step)
	}
	if users > 1 {
		// Past its guarantee the queue keeps growing while anybody asks, so
		// the users' part is that of the maximum.
		most := calc.RoundDown(w.eff[w.at].Max, step)
		part := max(1/float64(users), min(float64(q.UserLimit)/100, 1))
		limit = calc.Min(w.total, limit, most.Scale(part))
	}
	limit = calc.RoundUp(limit, step)
	return calc.RoundDown(limit.Scale(float64(w.weight(w.q.User))), step)
}

// sharing shows the user's part with one user, with two, and with as many as
// minimum-user-limit-percent lets share.
func (w *world) sharing() []Share {
	most := 1
	if ulp := w.leaf().UserLimit; ulp > 0 && ulp <= 100 {
		most = int(math.Ceil(100 / float64(ulp)))
	}
	if w.q.Load != nil {
		most = max(most, w.q.Load.PeakUsers)
	}
	var out []Share
	for _, n := range []int{1, 2, most} {
		if len(out) > 0 && n <= out[len(out)-1].Users {
			continue
		}
		r := w.userLimit(n)
		out = append(out, Share{Users: n, Limit: r, Of: w.share(r)})
	}
	return out
}

// running lists what bounds the applications that run at a time.
func (w *world) running() []Limit {
	q := w.leaf()
	queueAM := w.eff[w.at].AMLimit
	userAM := w.userAMLimit(queueAM)
	amKeys := append([]string{w.key(q, yarnconf.AMShare)}, w.global(yarnconf.AMShare)...)
	if w.label() != "" {
		amKeys = append([]string{yarnconf.LabelKey(q.Path, w.label(), yarnconf.AMShare)}, amKeys...)
	}
	note := "the first application always starts"
	ls := []Limit{
		w.source(Limit{What: "application masters of the queue", Resource: queueAM, Count: max(1, w.fit(queueAM, w.am)), Share: w.share(queueAM), Note: note}, w.otherwise("0.1", "1.0"), amKeys...),
		w.source(Limit{What: "application masters of the user", Resource: userAM, Count: max(1, w.fit(userAM, w.am)), Share: w.share(userAM), Note: note}, w.otherwise("0.1", "1.0"), amKeys...),
		w.parallel("parallel applications of the user", w.c.UserParallel(w.q.User), yarnconf.Prefix+"user."+w.q.User+".max-parallel-apps", yarnconf.Prefix+"user.max-parallel-apps"),
	}
	for i := w.at; i >= 0; i = w.c.Queues[i].Parent {
		p := w.c.Queues[i].Path
		ls = append(ls, w.parallel("parallel applications in "+p, w.c.Queues[i].MaxParallelApps, yarnconf.Key(p, "max-parallel-apps"), yarnconf.Prefix+"max-parallel-apps"))
	}
	return byCount(ls)
}

func (w *world) parallel(what string, n int, keys ...string) Limit {
	l := Limit{What: what, Count: int64(n)}
	if n == yarnconf.MaxInt {
		l.Count = Unlimited
	}
	return w.source(l, "no limit", keys...)
}

// userAMLimit is LeafQueue.getUserAMResourceLimitPerPartition for one active
// user.
func (w *world) userAMLimit(queueAM yarnconf.Resource) yarnconf.Resource {
	q, calc, step := w.leaf(), w.c.Calculator, w.c.MinAllocation
	share := min(max(float64(q.UserLimit)/100, 1)*float64(w.weight(w.q.User)), 1)
	by := float64(w.amPercent()) * share * float64(q.UserLimitFactor)
	if q.UserLimitFactor == -1 {
		by = float64(w.amPercent())
	}
	limit := calc.ScaleUp(w.eff[w.at].Min, by, step)
	return calc.Min(w.total, queueAM, limit)
}

// admission lists how many applications, running and waiting, are accepted
// before a submission is refused.
func (w *world) admission() []Limit {
	q, e := w.leaf(), w.eff[w.at]
	keys := []string{w.key(q, "maximum-applications"), yarnconf.Prefix + "global-queue-max-application", yarnconf.Prefix + "maximum-applications"}
	return byCount([]Limit{
		w.source(Limit{What: "applications of the user", Count: int64(e.MaxApplicationsPerUser)}, "10000", keys...),
		w.source(Limit{What: "applications in " + q.Path, Count: int64(e.MaxApplications)}, "10000", keys...),
		w.source(Limit{What: "applications in the cluster", Count: int64(w.c.MaxSystemApps)}, "10000", yarnconf.Prefix+"maximum-applications"),
	})
}

// rate: one heartbeat a second and node.
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
	if q.LabelExpression != "" && q.LabelExpression != w.label() {
		add("default-node-label-expression %q: applications that say nothing run on those nodes only; the figures here are for nodes %s", q.LabelExpression, w.nodesText())
	}
	out = append(out, w.foreign()...)
	if w.onNodes() == 0 {
		add("no node can hold a container of %s: it waits for ever", show(w.c, w.container))
	}
	if a.TooLarge {
		add("no node can hold an application master of %s: the application stays ACCEPTED", show(w.c, w.am))
	}
	if ask := w.q.Container; ask.Memory > q.MaxAllocation.Memory || ask.VCores > q.MaxAllocation.VCores {
		add("containers of %s exceed the maximum allocation %s: the request is refused", show(w.c, ask), show(w.c, q.MaxAllocation))
	}
	if ask := w.q.AM; ask.Memory > q.MaxAllocation.Memory || ask.VCores > q.MaxAllocation.VCores {
		add("application masters of %s exceed the maximum allocation %s: the submission is refused", show(w.c, ask), show(w.c, q.MaxAllocation))
	}
	if !w.c.Preemption.Enabled && a.Guaranteed.Memory > 0 {
		add("preemption is off in what was given: while other queues hold the space, the guarantee is reached only as their containers end")
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
