package replay

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// verbs do the steps of a scenario. Each fills in what came of it and returns a
// text only where the step cannot be done.
var verbs = map[string]func(r *run, st *Step, got *Out) string{
	"submit":  always((*run).submit),
	"beat":    (*run).beat,
	"refresh": always((*run).refresh),
	"preempt": always((*run).preempt),
	"round":   (*run).round,
	"commit":  always((*run).commit),

	"decommission": (*run).decommission,
	"label":        (*run).label,
	"sort":         always(func(r *run, _ *Step, _ *Out) { r.s.SortNodes() }),
	"expire":       always(func(r *run, _ *Step, _ *Out) { r.s.Expire(nil) }),
	"manage":       always(func(r *run, _ *Step, _ *Out) { r.s.Manage() }),
}

// always is a verb that can be done in any state.
func always(do func(*run, *Step, *Out)) func(*run, *Step, *Out) string {
	return func(r *run, st *Step, got *Out) string {
		do(r, st, got)
		return ""
	}
}

// do does a step. It returns a text only where the step cannot be done.
func (r *run) do(st *Step, got *Out) string {
	what, is := r.known.do(st, &got.Common)
	if is {
		for _, o := range r.resp.Withdrawn {
			got.Gone = append(got.Gone, fmt.Sprintf("%s#%d", st.App, o))
		}
		r.resp.Withdrawn = r.resp.Withdrawn[:0]
		slices.Sort(got.Gone)
		return what
	}
	if do := verbs[st.Do]; do != nil {
		return do(r, st, got)
	}
	return "unknown step " + st.Do
}

func (r *run) submit(st *Step, got *Out) {
	id, err := r.s.Submit(r.submission(st))
	if err != nil {
		got.reject(err)
		got.Failed = errors.Is(err, yarnconf.ErrFails)
		return
	}
	got.State = "ACCEPTED"
	if r.firstUse != nil {
		got.Queue = r.s.QueueOf(id)
	}
	r.accept(st.App, id)
}

func (r *run) beat(st *Step, got *Out) string {
	id, done, what := r.reported(st)
	if what != "" {
		return what
	}
	r.orders(nil, got)
	if len(done) > 0 {
		r.most[id] = max(r.most[id], len(done))
		r.s.ReportOrder(done, r.most[id])
	}
	r.known.beat(id, done)
	r.named = r.s.Named()
	for i := range r.evs {
		got.Events = append(got.Events, r.event(&r.evs[i]))
	}
	return ""
}

// kills takes the names of what a proposal kills.
func (r *run) kills(e *yarn.Event) []yarn.Container {
	n := min(int(e.Kills), len(r.named))
	cs := r.named[:n]
	r.named = r.named[n:]
	return cs
}

// decommission puts a node into the state in which it is emptied. When it may leave
// is not the scheduler's matter: a step says so.
func (r *run) decommission(st *Step, _ *Out) string {
	id, what := r.node(st)
	if what == "" {
		r.s.Decommission(id)
	}
	return what
}

// startedIn reports whether a container was started in the step at hand: what
// ends in the step in which it began is not told.
func startedIn(got *Out, name string) bool {
	return slices.ContainsFunc(got.Events, func(e Event) bool {
		return e.Kind == "allocate" && e.Container != nil && fmt.Sprintf("%s#%d", e.App, *e.Container) == name
	})
}

func (r *run) refresh(st *Step, got *Out) {
	next := maps.Clone(r.props)
	maps.Copy(next, st.Conf)
	for _, k := range st.Unset {
		delete(next, k)
	}
	if errs := r.s.Refresh(properties(next)); len(errs) > 0 {
		got.reject(errs[0])
		return
	}
	r.props = next
	got.Loaded = true
	got.Shape = r.shape()
}

func (r *run) preempt(_ *Step, got *Out) {
	_, killed := r.s.Preempt(nil, nil)
	got.Gone = r.names(killed)
	for _, m := range r.s.Moved() {
		got.Moved = append(got.Moved, [3]string{r.apps[m.App], r.nodes[m.From], r.nodes[m.To]})
	}
	slices.SortFunc(got.Moved, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	got.Killable = r.names(r.s.Killable())
	for _, c := range r.s.Candidates() {
		what := fmt.Sprint(c.Ordinal)
		if c.Ordinal < 0 {
			what = "reserved@" + r.nodes[c.Node]
		}
		got.Selected = append(got.Selected, r.apps[c.App]+"#"+what)
	}
	slices.Sort(got.Selected)
}

func (r *run) submission(st *Step) yarn.AppSpec {
	spec := yarn.AppSpec{Name: st.App, User: st.User, Queue: st.Queue, AM: yarn.Resource{Memory: st.AM[0],
		VCores: st.AM[1]},
		Label: st.Label, AMLabel: expression(st.AMLabel), ByRules: r.firstUse != nil, Groups: groupsOf(st.User)}
	if st.Priority != nil {
		spec.Priority, spec.PrioritySet = *st.Priority, true
	}
	return spec
}
