package replay

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Difference is where this project's scheduler and the recorded one part.
type Difference struct {
	Scenario string
	Step     int // counted from 1; 0 is the header
	Line     string
	What     string
	Before   []string // the steps before, oldest first
}

// String renders the difference with its context.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, step %d: %s\n", d.Scenario, d.Step, d.What)
	for _, l := range d.Before {
		fmt.Fprintf(&b, "    before: %s\n", clip(l))
	}
	if d.Line != "" {
		fmt.Fprintf(&b, "    step:   %s", clip(d.Line))
	}
	return strings.TrimRight(b.String(), "\n")
}

func clip(s string) string {
	if len(s) > 2000 {
		return s[:2000] + "…"
	}
	return s
}

// context is how many steps before a difference are shown.
const context = 3

// Options vary how a scenario is played; the outcome must not depend on them.
type Options struct {
	SkipIdle bool // leave out beats that Pending says change nothing
}

// Play runs a scenario and returns the first difference, nil when there is
// none, and how many steps agreed.
func Play(sc *Scenario) (*Difference, int) { return PlayWith(sc, Options{}) }

// PlayWith is Play with options.
func PlayWith(sc *Scenario, opt Options) (*Difference, int) {
	if sc.Of == "fair" {
		return playFair(sc, opt)
	}
	r, what := begin(sc, opt)
	if r != nil && what == "" {
		what = diffMaps("queue", sc.Shape, r.shape())
	}
	if what != "" || r == nil { // refused by both
		return sc.differs(what)
	}
	return sc.play(func(i int) string { return r.step(&sc.Steps[i]) })
}

// differs returns what is wrong before the first step, if anything is.
func (s *Scenario) differs(what string) (*Difference, int) {
	if what == "" {
		return nil, 0
	}
	return &Difference{Scenario: s.Scenario, What: what}, 0
}

// play does one step after the other until one differs.
func (s *Scenario) play(step func(i int) string) (*Difference, int) {
	for i, line := range s.Raw {
		if what := step(i); what != "" {
			return &Difference{Scenario: s.Scenario, Step: i + 1, Line: line, What: what, Before: s.Raw[max(0, i-context):i]}, i
		}
	}
	return nil, len(s.Raw)
}

// run is a scenario in play.
type run struct {
	s     *capacity.Scheduler
	props yarnconf.Map
	known
	last       map[string]Figures
	named      []yarn.Container    // containers that the events at hand kill
	firstUse   *firstUse           // nil: the scenario makes no queues
	lastOrder  []string            // of the nodes in a round
	partitions []string            // in the order of a round
	endless    bool                // a round of this scenario would not have ended
	offered    map[int32][]string  // nodes by partition, as last told
	seen       uint32              // the last proposal that was found waiting
	most       map[yarn.NodeID]int // containers that a node reported ended at a time
}

// properties are what the recorder sets: scheduling by heartbeats unless a
// scenario says otherwise, whatever the version's default is.
func properties(conf map[string]string) yarnconf.Props {
	const async = yarnconf.Prefix + "schedule-asynchronously.enable"
	m := yarnconf.Map(conf)
	if _, set := m[async]; !set {
		m = maps.Clone(m)
		if m == nil {
			m = yarnconf.Map{}
		}
		m[async] = "false"
	}
	return m
}

// begin makes a scenario's cluster; nil where the original and this project refuse the
// configuration.
func begin(sc *Scenario, opt Options) (*run, string) {
	version, err := sc.version()
	if err != nil {
		return nil, err.Error()
	}
	conf, err := yarnconf.EvaluateAs(properties(sc.Conf), version, yarnconf.Resource{})
	if err != nil || sc.Rejected != nil {
		if err != nil != (sc.Rejected != nil) {
			return nil, fmt.Sprintf("the configuration: recorded %s, ours %v", text(sc.Rejected), yarnconf.Rejected(err))
		}
		return nil, ""
	}
	s, err := capacity.New(conf)
	if err != nil {
		return nil, err.Error()
	}
	r := &run{s: s, props: maps.Clone(sc.Conf), known: nothingKnown(s, opt),
		most: map[yarn.NodeID]int{}, last: map[string]Figures{}}
	if len(sc.Labels) > 0 {
		if err := r.declare(sc.Labels); err != nil {
			return nil, err.Error()
		}
	}
	r.offered = map[int32][]string{}
	s.ByRounds()
	for _, n := range sc.Nodes {
		if err := r.register(n); err != nil {
			return nil, err.Error()
		}
	}
	r.watchQueues(sc)
	r.figures()
	return r, ""
}

func (r *run) shape() map[string]Shape {
	c := r.s.Config()
	m := map[string]Shape{}
	for i := range c.Queues {
		f := r.s.Figures(i, 0)
		s := shapeOf(c, i, &f.Effective, f.State, f.AMLimit)
		r.labelled(i, &s)
		m[c.Queues[i].Path] = s
	}
	return m
}

// figures returns the leaves whose figures changed since the last call.
func (r *run) figures() map[string]Figures {
	c := r.s.Config()
	m := map[string]Figures{}
	for i := range c.Queues {
		if !c.Queues[i].Leaf {
			continue
		}
		f := r.s.Figures(i, 0)
		g := Figures{labelFigures{pair(f.Used), pair(f.Reserved), pair(f.Pending), pair(f.AMUsed)}, f.Active, f.Waiting,
			r.byLabel(i)}
		p := c.Queues[i].Path
		if last, seen := r.last[p]; !seen || !reflect.DeepEqual(last, g) {
			r.last[p] = g
			m[p] = g
		}
	}
	return m
}

func pair(r yarn.Resource) Pair { return Pair{r.Memory, r.VCores} }

// step does one step and says how the outcome differs from the recorded one.
func (r *run) step(st *Step) string {
	if st.Out == nil {
		return "a step without an outcome"
	}
	got, want := Out{}, *st.Out
	want.Detail = nil
	if what := r.do(st, &got); what != "" {
		return what
	}
	if endless := r.endless || r.s.Endless(); want.Endless || endless {
		if want.Endless != endless {
			return fmt.Sprintf("endless: recorded %v, ours %v", want.Endless, endless)
		}
		return ""
	}
	if want.Failed || got.Failed {
		if want.Failed != got.Failed {
			return fmt.Sprintf("failed: recorded %v, ours %v", want.Failed, got.Failed)
		}
		return ""
	}
	r.after(&got)
	if want.Shape != nil && got.Shape == nil && r.firstUse != nil { // told where only the order of queues has changed
		got.Shape = r.shape()
	}
	slices.SortFunc(want.Moved, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	if d := diffEvents(want.Made, got.Made); d != "" {
		return "waiting " + d
	}
	want.Made, got.Made = nil, nil
	return diffStep(&want, &got, &want.Common, &got.Common)
}

func (r *run) after(got *Out) {
	got.Ended = r.over(r.s.Ended)
	if killed := r.s.Killed(nil); len(killed) > 0 {
		names := slices.DeleteFunc(r.names(killed), func(name string) bool { return startedIn(got, name) })
		got.Gone = append(got.Gone, names...)
		slices.Sort(got.Gone)
	}
	r.waiting(got)
	r.firstUse.report(r, got)
	if f := r.figures(); len(f) > 0 {
		got.Queues = f
	}
}

var localities = [...]string{"NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH"}

func (r *run) event(e *yarn.Event) Event {
	v := r.known.event(e)
	if e.Kind == yarn.Release {
		v = Event{Kind: v.Kind}
		for _, n := range e.Unreserved {
			v.Release = append(v.Release, Reservation{App: r.apps[e.App], Node: r.nodes[n]})
		}
	} else {
		v.Locality, v.Partition, v.Shared = localities[e.Locality], r.partition(e), e.Shared
	}
	v.Refused, v.Proposal = e.Refused, e.Proposal
	if e.Kind == yarn.Release {
		return v
	}
	for _, n := range e.Unreserved {
		v.Unreserve = append(v.Unreserve, r.nodes[n])
	}
	for _, c := range r.kills(e) {
		v.Kill = append(v.Kill, fmt.Sprintf("%s#%d", r.apps[c.App], c.Ordinal))
	}
	return v
}
