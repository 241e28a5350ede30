package replay

import (
	"encoding/json"
	"fmt"

	"schedtune/fairconf"
	"schedtune/simcore/sched/yarnfair"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// fairHeader begins a scenario of the Fair Scheduler.
type fairHeader struct {
	Conf        map[string]string    `json:"conf"`
	Allocations string               `json:"allocations"` // the text of the allocation file
	Nodes       []Node               `json:"nodes"`
	Rejected    *string              `json:"rejected"`
	Shape       map[string]fairShape `json:"shape"`
}

// fairShape is what the allocation file came to for a queue.
type fairShape struct {
	Leaf         bool    `json:"leaf"`
	Dynamic      bool    `json:"dynamic"`
	Weight       float32 `json:"weight"`
	Policy       string  `json:"policy"`
	Min          Pair    `json:"min"`
	Max          Pair    `json:"max"`
	MaxApps      int     `json:"maxApps"`
	MaxAMShare   float32 `json:"maxAMShare"`
	MaxContainer Pair    `json:"maxContainer"`
	MinTimeout   int64   `json:"minTimeout"`
	FairTimeout  int64   `json:"fairTimeout"`
	Threshold    float32 `json:"threshold"`
	Preemptable  bool    `json:"preemptable"`
	Steady       Pair    `json:"steady"`
}

// fairStep is one line after the header.
type fairStep struct {
	Step
	Allocations string   `json:"allocations"`
	MS          int64    `json:"ms"`
	Out         *fairOut `json:"out"`
}

// fairQueue are the running figures of a queue.
type fairQueue struct {
	Used    Pair  `json:"used"`
	Demand  Pair  `json:"demand"`
	Fair    Pair  `json:"fair"`
	Steady  Pair  `json:"steady"`
	Active  int   `json:"active"`
	AMUsed  *Pair `json:"amUsed,omitempty"` // leaves only, as the next
	Waiting *int  `json:"waiting,omitempty"`
}

// fairApp are the running figures of an application.
type fairApp struct {
	Used     Pair `json:"used"`
	Demand   Pair `json:"demand"`
	Fair     Pair `json:"fair"`
	Reserved Pair `json:"reserved"`
}

// fairOut is what came of a step. Of a refusal only that it happened counts.
type fairOut struct {
	Common
	Shape  map[string]fairShape `json:"shape,omitempty"`
	Queues map[string]fairQueue `json:"queues,omitempty"`
	Apps   map[string]fairApp   `json:"apps,omitempty"`
}

// fairRun is a scenario of the Fair Scheduler in play.
type fairRun struct {
	s *yarnfair.Scheduler
	known
	lastQueue map[string]string
	lastApp   map[string]string
	now       int64
}

func playFair(sc *Scenario, opt Options) (*Difference, int) {
	var h fairHeader
	if err := json.Unmarshal([]byte(sc.Head), &h); err != nil {
		return sc.differs(err.Error())
	}
	s, err := buildFair(&h)
	if (err != nil) != (h.Rejected != nil) {
		return sc.differs(fmt.Sprintf("the configuration: recorded %s, ours %v", text(h.Rejected), err))
	}
	if err != nil {
		return nil, 0 // refused by both
	}
	return newFairRun(s, opt).play(sc, &h)
}

func newFairRun(s *yarnfair.Scheduler, opt Options) *fairRun {
	return &fairRun{s: s, known: nothingKnown(s, opt), lastQueue: map[string]string{}, lastApp: map[string]string{}}
}

func buildFair(h *fairHeader) (*yarnfair.Scheduler, error) {
	site, errs := fairconf.ReadSite(yarnconf.Map(h.Conf))
	if len(errs) > 0 {
		return nil, errs[0]
	}
	alloc, err := fairconf.Parse("allocations", []byte(h.Allocations))
	if err != nil {
		return nil, err
	}
	return yarnfair.New(alloc, site)
}

func (r *fairRun) play(sc *Scenario, h *fairHeader) (*Difference, int) {
	for _, n := range h.Nodes {
		if err := r.register(n); err != nil {
			return sc.differs(err.Error())
		}
	}
	r.changed(&fairOut{})
	if d := diffMaps("queue", h.Shape, r.shape()); d != "" {
		return sc.differs(d)
	}
	return sc.play(func(i int) string {
		var st fairStep
		if err := json.Unmarshal([]byte(sc.Raw[i]), &st); err != nil {
			return err.Error()
		}
		return r.step(&st)
	})
}

func fairPair(r fairconf.Resource) Pair { return Pair{r.Memory, min(r.VCores, 1<<31-1)} }

func (r *fairRun) shape() map[string]fairShape {
	m := map[string]fairShape{}
	for _, q := range r.s.Queues() {
		m[q.Path] = fairShape{Leaf: q.Leaf, Dynamic: q.Dynamic, Weight: q.Weight, Policy: q.Policy.String(),
			Min: fairPair(q.Min), Max: fairPair(q.Limit),
			MaxApps: q.MaxApps, MaxAMShare: q.MaxAMShare, MaxContainer: fairPair(q.MaxContainer), MinTimeout: q.MinTimeout,
			FairTimeout: q.FairTimeout,
			Threshold:   q.FairThreshold, Preemptable: !q.Fixed, Steady: fairPair(q.Steady)}
	}
	return m
}

// changed fills in the figures that changed since the last call.
func (r *fairRun) changed(out *fairOut) {
	out.Queues, out.Apps = map[string]fairQueue{}, map[string]fairApp{}
	for _, q := range r.s.Queues() {
		f := fairQueue{Used: fairPair(q.Used), Demand: fairPair(q.Demand), Fair: fairPair(q.Fair),
			Steady: fairPair(q.Steady), Active: q.Active}
		if q.Leaf {
			am := fairPair(q.AMUsed)
			f.AMUsed, f.Waiting = &am, &q.Waiting
		}
		if t := text(f); r.lastQueue[q.Path] != t {
			r.lastQueue[q.Path] = t
			out.Queues[q.Path] = f
		}
	}
	for id, name := range r.apps {
		a := r.s.App(yarn.AppID(id))
		if a.Ended {
			continue
		}
		f := fairApp{Used: fairPair(a.Used), Demand: fairPair(a.Demand), Fair: fairPair(a.Fair),
			Reserved: fairPair(a.Reserved)}
		if t := text(f); r.lastApp[name] != t {
			r.lastApp[name] = t
			out.Apps[name] = f
		}
	}
}

// step does one step and says how the outcome differs from the recorded one.
func (r *fairRun) step(st *fairStep) string {
	if st.Out == nil {
		return "a step without an outcome"
	}
	got := &fairOut{}
	if what := r.do(st, got); what != "" {
		return what
	}
	got.Ended = r.over(func(id yarn.AppID) bool { return r.s.App(id).Ended })
	r.changed(got)
	if st.Out.Rejected != nil { // how far a refused reload comes differs between runs of the original
		got.Shape = st.Out.Shape
	}
	return diffStep(st.Out, got, &st.Out.Common, &got.Common)
}

// do does one step and returns a text only where it cannot be done.
func (r *fairRun) do(st *fairStep, got *fairOut) string {
	if what, is := r.known.do(&st.Step, &got.Common); is {
		return what
	}
	switch st.Do {
	case "submit":
		r.submit(st, got)
	case "beat":
		return r.beat(st, got)
	case "wait":
		r.now += st.MS
		r.s.SetClock(r.now)
		got.Gone = r.names(r.s.KillDue(r.now, nil))
	case "preempt":
		got.Selected = r.names(r.s.Choose())
	case "update":
		r.s.Recount(r.now)
	case "tidy":
		r.s.Tidy()
	case "refresh":
		r.refresh(st, got)
	default:
		return "unknown step " + st.Do
	}
	return ""
}

// refresh loads a changed allocation file.
func (r *fairRun) refresh(st *fairStep, got *fairOut) {
	a, err := fairconf.Parse("allocations", []byte(st.Allocations))
	if err == nil {
		err = r.s.Refresh(a)
	}
	if err != nil {
		got.reject(err)
	}
	got.Loaded = err == nil
	got.Shape = r.shape()
}

func (r *fairRun) submit(st *fairStep, got *fairOut) {
	r.now += 2
	r.s.SetClock(r.now)
	id, err := r.s.Submit(yarn.AppSpec{Name: st.App, User: st.User, Queue: st.Queue, AM: yarn.Resource{Memory: st.AM[0],
		VCores: st.AM[1]}})
	if err != nil {
		got.reject(err)
		return
	}
	got.State, got.Queue = "ACCEPTED", r.s.App(id).Queue
	r.accept(st.App, id)
}

func (r *fairRun) beat(st *fairStep, got *fairOut) string {
	id, done, what := r.reported(&st.Step)
	if what != "" {
		return what
	}
	r.known.beat(id, done)
	for i := range r.evs {
		e := r.known.event(&r.evs[i])
		if r.evs[i].Kind == yarn.Allocate {
			e.Locality = localities[r.evs[i].Locality]
		}
		got.Events = append(got.Events, e)
	}
	return ""
}
