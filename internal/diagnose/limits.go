package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// growth lists what bounds the resources of the user, alone in the queue of an idle cluster.
func (w *world) growth() []Limit {
	user := w.user().Alone
	// The user may exceed the limit once (used > limit is tested): one container more.
	alone := w.source(Limit{What: "user limit", Resource: user, Count: w.fit(user, w.container) + 1, Share: w.share(user)},
		w.otherwise("1", "-1"), append([]string{w.key(w.leaf(), yarnconf.UserFactor)}, w.global(yarnconf.UserFactor)...)...)
	// The cluster is the first of equal ones: a queue that may have all is not what binds.
	ls := []Limit{{What: "the cluster", Resource: w.total, Count: w.holds(w.nodes, w.container), Share: 1,
		Key:   "nodes",
		Value: strconv.Itoa(len(w.nodes))}, alone}
	for i := w.at; w.c.Queues[i].Parent >= 0; i = w.c.Queues[i].Parent {
		most := w.c.Calculator.RoundDown(w.figures(i).Max, w.c.MinAllocation)
		l := Limit{What: "maximum of " + w.c.Queues[i].Path, Resource: most, Count: w.fit(most, w.container),
			Share: w.share(most)}
		ls = append(ls, w.source(l, "100", w.key(&w.c.Queues[i], yarnconf.MaximumCapacity)))
	}
	return byCount(ls)
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
		out = append(out, Share{n, r, r.Memory, w.share(r)})
	}
	return out
}

// masterFigures are the figures of a queue where application masters are requested.
func (w *world) masterFigures(i int) capacity.Figures { return w.s.Figures(i, w.amPart) }

// capacityLimit begins the name of a limit that is a label's missing capacity.
const capacityLimit = "capacity of "

// running lists what bounds the applications that run at a time: the limits on application
// masters where these are requested, the maxima of queues and the nodes there, and parallel
// applications.
func (w *world) running() []Limit {
	amKeys := append([]string{w.key(w.leaf(), yarnconf.AMShare)}, w.global(yarnconf.AMShare)...)
	if w.amLabel != "" {
		amKeys = append([]string{yarnconf.LabelKey(w.leaf().Path, w.amLabel, yarnconf.AMShare)}, amKeys...)
	}
	masters := func(of string, r yarnconf.Resource) Limit { // the first application always starts
		l := Limit{What: "AMs of the " + of, Resource: r, Count: max(1, w.fit(r, w.am)),
			Share: w.shareOf(r, w.amTotal)}
		return w.source(l, w.otherwise("0.1", "1.0"), amKeys...)
	}
	var room []Limit
	for i := w.at; w.c.Queues[i].Parent >= 0; i = w.c.Queues[i].Parent {
		q, most := &w.c.Queues[i], w.masterFigures(i).Max
		what, name, def := "maximum of ", yarnconf.MaximumCapacity, "100"
		if w.amLabel != "" && most.IsNone() {
			what, name, def = capacityLimit, yarnconf.Capacity, "0"
		}
		l := Limit{What: what + q.Path, Resource: most,
			Count: w.fit(w.c.Calculator.RoundDown(most, w.c.MinAllocation), w.am), Share: w.shareOf(most, w.amTotal)}
		room = append(room, w.source(l, def, w.labelled(q, w.amLabel, name)))
	}
	room = append(room, Limit{What: "the nodes", Resource: w.amTotal, Count: w.holds(w.amNodes, w.am), Share: 1, Key: "nodes",
		Value: strconv.Itoa(len(w.amNodes))})
	parallel := func(what string, n int, keys ...string) Limit {
		l := Limit{What: "parallel applications " + what, Count: int64(n)}
		if n == yarnconf.MaxInt {
			l.Count = Unlimited
		}
		return w.source(l, "no limit", keys...)
	}
	const name = "max-parallel-apps"
	user := w.s.UserLimits(w.at, w.amPart, w.q.User).AM
	ls := []Limit{masters("queue", w.masterFigures(w.at).AMLimit), masters("user", user),
		parallel("of the user", w.c.UserParallel(w.q.User), yarnconf.Prefix+"user."+w.q.User+"."+name,
			yarnconf.Prefix+"user."+name)}
	for i := w.at; i >= 0; i = w.c.Queues[i].Parent {
		q := &w.c.Queues[i]
		ls = append(ls, parallel("in "+q.Path, q.MaxParallelApps, yarnconf.Key(q.Path, name), yarnconf.Prefix+name))
	}
	return byCount(append(ls, room...))
}

// beside returns how many of n applications at a time leave room for a container in the queue's maximum and, wherever
// their masters are, on a node, where they run on the same nodes.
func (w *world) beside(n int64) int64 {
	if w.part != w.amPart {
		return n
	}
	full := int64(0) // masters that leave no node room for a container
	for i := range w.nodes {
		if node := resourceOf(w.nodes[i].Capacity); w.fit(node, w.container) > 0 {
			full += w.fit(node.Sub(w.container), w.am) + 1
		}
	}
	if full > 0 {
		n = min(n, full-1)
	}
	for i := w.at; i >= 0; i = w.c.Queues[i].Parent {
		most := w.c.Calculator.RoundDown(w.figures(i).Max, w.c.MinAllocation).Sub(w.container)
		n = min(n, w.fit(most, w.am))
	}
	return n
}

// room returns how many containers fit beside n application masters that are spread over the nodes.
func (w *world) room(n int64) (fit int64) {
	of := int64(len(w.nodes))
	for i := range of {
		masters := (n + of - 1 - i) / of
		if w.part != w.amPart {
			masters = 0
		}
		fit += w.fit(resourceOf(w.nodes[i].Capacity).Sub(w.am.Times(masters)), w.container)
	}
	for i := w.at; i >= 0 && w.part == w.amPart; i = w.c.Queues[i].Parent {
		fit = min(fit, w.fit(w.figures(i).Max.Sub(w.am.Times(n)), w.container))
	}
	return fit
}

// refusal returns why a submission is refused, or else a request for containers; "" where neither is.
func (w *world) refusal(a *LimitsAnswer) string {
	ask, most := w.q.AM, largest(w.q.Cluster.Nodes)
	if ask.IsNone() {
		ask = usualMaster
	}
	if c := tooLarge(w.leaf(), most, ask); c != nil {
		return "its application master: " + c.Text()
	}
	refused := admission(w.s, yarn.AppSpec{User: w.q.User, Groups: w.q.Groups, Queue: w.leaf().Path, AMLabel: w.amLabel})
	if len(refused) > 0 && refused[0].Binding {
		return refused[0].Text() + w.origin(refused[0].Property)
	}
	if c := barred(w.c, w.at, w.q.User, w.q.Groups); c != nil {
		return c.Text()
	}
	if c := tooLarge(w.leaf(), most, w.q.Container); c != nil {
		a.Starts = true
		return c.Text()
	}
	return ""
}

// origin names a property and the line that sets it.
func (w *world) origin(key string) string {
	if n := w.doc.Line(key); n > 0 {
		return fmt.Sprintf(" (%s, line %d)", explainShort(key), n)
	}
	return " (" + explainShort(key) + ")"
}

// largest is the largest memory and the most cores of a node: no request may exceed them.
func largest(nodes []simcore.Node) (r yarnconf.Resource) {
	for i := range nodes {
		r = r.MaxEach(resourceOf(nodes[i].Capacity))
	}
	return r
}

// admission lists how many applications, running and waiting, are accepted
// before a submission is refused.
func (w *world) admission() []Limit {
	f := w.s.Figures(w.at, 0) // whatever the label
	system := yarnconf.Prefix + "maximum-applications"
	keys := []string{w.key(w.leaf(), "maximum-applications"), yarnconf.Prefix + "global-queue-max-application", system}
	limit := func(what string, n int, keys ...string) Limit {
		return w.source(Limit{What: "applications " + what, Count: int64(n)}, "10000", keys...)
	}
	ls := []Limit{limit("of the user", f.MaxApplicationsPerUser, keys...),
		limit("in "+w.leaf().Path, f.MaxApplications, keys...), limit("in the cluster", w.c.MaxSystemApps, system)}
	if w.leaf().Managed { // which accepts all
		return ls[2:]
	}
	return byCount(ls)
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
	if q.LabelExpression != "" && q.LabelExpression != w.label {
		add("default-node-label-expression %q: applications that say nothing run on those nodes only; the figures here "+
			"are for nodes %s", q.LabelExpression, w.nodesText())
	}
	out = append(out, w.foreign()...)
	if n := a.Running[0].Count; a.Beside < n && n > 0 {
		add("%s", w.hangs(a))
	}
	if !a.Starts && w.holds(w.nodes, w.container) == 0 {
		add("no node can hold a container of %s: it waits for ever", w.amount(w.container))
	}
	if why := withoutCapacity(w.c, q.Path); why != "" && w.figures(w.at).Max.IsNone() {
		add("%s", why)
	}
	if a.TooLarge && a.Refusal == "" {
		add("no node can hold an application master of %s: the application stays ACCEPTED", w.amount(w.am))
	}
	if w.figures(w.at).Min.Memory < 0 {
		key := w.key(q, yarnconf.Capacity)
		add("%s %s is below 0: the queue is guaranteed nothing", explainShort(key), w.doc.Value(key))
	}
	if !w.c.Preemption.Enabled && a.Guaranteed.Memory > 0 {
		given := "preemption is off"
		if !w.doc.HasSite() {
			given = "no yarn-site.xml given: preemption is assumed to be off"
		}
		add("%s; while other queues hold the space, the guarantee is reached only as their containers end", given)
	}
	if w.c.Asynchronous {
		add("scheduling is asynchronous: the limits per heartbeat do not apply")
	}
	if n := len(w.q.Cluster.Nodes); w.c.NodeLocalityDelay > n && w.doc.Value(yarnconf.LocalityDelay) != "" {
		add("node-locality-delay %d is more than the %s and works as %d", w.c.NodeLocalityDelay, plural(n, "node"), n)
	}
	if l := w.q.Load; l != nil && l.UserJobs == 0 {
		add("the trace has no application of user %s in %s", w.q.User, q.Path)
	}
	if w.q.Load != nil {
		out = append(out, w.q.Load.held...)
	}
	return out
}

// amount is a size with the cores that the scheduler counts.
func (w *world) amount(r yarnconf.Resource) string { return amount(r, w.c.Calculator.Dominant) }

// hangs says that applications start that no container fits beside.
func (w *world) hangs(a *LimitsAnswer) string {
	if a.Beside == 0 {
		return fmt.Sprintf("beside an application master of %s no container of %s fits in the queue's maximum: the "+
			"application starts and hangs", w.amount(w.am), w.amount(w.container))
	}
	return fmt.Sprintf("%s may leave no room for a container of %s: if more than %d start before they get "+
		"containers, all hang (%s %d prevents that)", plural(a.Beside+1, "application master"), w.amount(w.container),
		a.Beside, explainShort(w.key(w.leaf(), "max-parallel-apps")), a.Beside)
}

// Terms are the limits of one queue on a cluster.
type Terms struct {
	Guaranteed int64 `json:"guaranteed_mib"` // effective minimum
	Maximum    int64 `json:"maximum_mib"`    // effective maximum
	// LoneUser is what a single user may use of the otherwise idle queue; 0, and null in JSON,
	// for parents, as are the two below.
	LoneUser int64 `json:"lone_user_mib"`
	// Running is how many applications with AMs of the given size may run at a time,
	// Accepted how many may run or wait before one is refused.
	Running  int64 `json:"running_applications"`
	Accepted int64 `json:"accepted_applications"`
}

// TermsChange is one queue's terms under two configurations.
type TermsChange struct {
	Queue  string `json:"queue"`
	Leaf   bool   `json:"leaf"`
	Before Terms  `json:"before"`
	After  Terms  `json:"after"`
}

// MarshalJSON writes null for what only leaf queues have.
func (c TermsChange) MarshalJSON() ([]byte, error) {
	type plain TermsChange
	return text.WithNulls(plain(c), !c.Leaf, "lone_user_mib", "running_applications", "accepted_applications")
}

// Same reports whether nothing has changed.
func (c *TermsChange) Same() bool { return c.Before == c.After }

// CompareTerms evaluates two queue files on a cluster and returns the terms of
// every queue that both have, in the order of the first. am is the size of an
// application master; zero means MapReduce's 1,536 MiB. Errors: a file that
// does not load.
func CompareTerms(before, after *yarnconf.Document, cluster *simcore.Cluster, am yarnconf.Resource) ([]TermsChange,
	error) {
	b, err := allTerms(before, cluster, am)
	if err != nil {
		return nil, err
	}
	a, err := allTerms(after, cluster, am)
	if err != nil {
		return nil, err
	}
	var out []TermsChange
	for _, t := range b {
		if i := slices.IndexFunc(a, func(o TermsChange) bool { return o.Queue == t.Queue }); i >= 0 {
			t.After = a[i].Before
			out = append(out, t)
		}
	}
	return out, nil
}

// allTerms returns the terms of all queues, as Before; none for a file without leaves.
func allTerms(doc *yarnconf.Document, cluster *simcore.Cluster, am yarnconf.Resource) ([]TermsChange, error) {
	conf, err := yarnconf.Evaluate(doc)
	if err != nil {
		return nil, err
	}
	first := slices.IndexFunc(conf.Queues, func(q yarnconf.Queue) bool { return q.Leaf })
	if first < 0 {
		return nil, nil
	}
	// A user who has no settings of its own: the name cannot be one.
	w, err := newWorld(doc, LimitsQuestion{Cluster: cluster, Queue: conf.Queues[first].Path, User: "\x00", AM: am})
	if err != nil {
		return nil, err
	}
	var out []TermsChange
	for i := range conf.Queues {
		q := &conf.Queues[i]
		f := w.figures(i)
		t := Terms{Guaranteed: f.Min.Memory, Maximum: f.Max.Memory}
		if q.Leaf {
			w.at = i
			w.am = w.normal(am, usualMaster)
			t.LoneUser, t.Running, t.Accepted = w.growth()[0].Resource.Memory, min(w.running()[0].Count, math.MaxInt32),
				int64(f.MaxApplications)
		}
		out = append(out, TermsChange{Queue: q.Path, Leaf: q.Leaf, Before: t})
	}
	return out, nil
}
