package replay

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/simcore/yarn"
)

// known is a scheduler in play, with the applications and nodes of its scenario by the names that
// steps use.
type known struct {
	sched yarn.Scheduler
	resp  yarn.AskResponse
	evs   []yarn.Event
	skip  bool // heartbeats that Pending says change nothing
	ids   map[string]yarn.AppID
	byID  map[string]yarn.NodeID
	apps  []string // names by id
	ended map[string]bool
	nodes []string // names by id
	count int      // nodes registered so far: part of a node's address
}

func nothingKnown(s yarn.Scheduler, opt Options) known {
	return known{sched: s, skip: opt.SkipIdle, ids: map[string]yarn.AppID{}, byID: map[string]yarn.NodeID{},
		ended: map[string]bool{}}
}

// accept notes an application.
func (k *known) accept(name string, id yarn.AppID) {
	k.ids[name] = id
	k.apps = append(k.apps, name)
}

// register adds a node under the address that the recording gave it.
func (k *known) register(n Node) error {
	k.count++
	rack, _ := strconv.Atoi(strings.TrimPrefix(n.Rack, "/r"))
	id, err := k.sched.AddNode(yarn.NodeSpec{Name: n.ID, Rack: n.Rack, Resource: yarn.Resource{Memory: n.Memory, VCores: n.VCores},
		Host: fmt.Sprintf("127.%d.%d.%d", rack, k.count/250, 1+k.count%250), Port: 1234, Label: n.Label})
	if err == nil {
		k.byID[n.ID] = id
		k.nodes = append(k.nodes, n.ID)
	}
	return err
}

// event is what both schedulers tell of a committed proposal.
func (k *known) event(e *yarn.Event) Event {
	v := Event{Kind: eventKinds[e.Kind], App: k.apps[e.App], Node: k.nodes[e.Node], Priority: e.Priority,
		Alloc: e.AllocID, Memory: e.Size.Memory, VCores: e.Size.VCores}
	if e.FromReservation {
		v.From = "reservation"
	}
	if e.Kind == yarn.Allocate && !e.Refused {
		o := e.Ordinal
		v.Container = &o
	}
	return v
}

var eventKinds = map[yarn.EventKind]string{yarn.Allocate: "allocate", yarn.Reserve: "reserve", yarn.Release: "release"}

// do does a step that is the same with both schedulers. It reports whether the step is one, and what
// is wrong with it.
func (k *known) do(st *Step, got *Common) (what string, is bool) {
	switch st.Do {
	case "ask":
		k.ask(st, &got.Told)
	case "end":
		id, ok := k.ids[st.App]
		if got.Ignored = !ok || k.ended[st.App]; !got.Ignored {
			k.sched.End(id)
		}
	case "add":
		var n Node
		err := json.Unmarshal(st.Node, &n)
		if err == nil {
			err = k.register(n)
		}
		if err != nil {
			return err.Error(), true
		}
	case "lose", "leave":
		id, what := k.node(st)
		if what != "" {
			return what, true
		}
		got.Gone = k.names(k.sched.LoseNode(id, nil))
	default:
		return "", false
	}
	return "", true
}

// ask plays one heartbeat of an application master.
func (k *known) ask(st *Step, t *Told) {
	id, ok := k.ids[st.App]
	if !ok {
		t.Ignored = true
		return
	}
	asks := make([]yarn.Ask, len(st.Asks))
	for i, a := range st.Asks {
		asks[i] = yarn.Ask{Priority: a.Priority, AllocID: a.Alloc, Where: k.sched.Place(a.Where),
			Size:  yarn.Resource{Memory: a.Memory, VCores: a.VCores},
			Count: a.Count, Strict: a.Relax != nil && !*a.Relax, Label: expression(a.Label)}
	}
	k.sched.Ask(id, asks, st.Release, &k.resp)
	switch {
	case k.resp.Ignored:
		t.Ignored = true
	case k.resp.Refused != nil:
		t.Error = "refused"
	default:
		h := pair(k.resp.Headroom)
		t.Headroom = &h
		t.Granted = append(t.Granted, k.resp.Granted...)
		t.Completed = append(t.Completed, k.resp.Completed...)
	}
}

// beat plays the heartbeat of a node that reports containers ended and keeps its events.
func (k *known) beat(id yarn.NodeID, done []yarn.Container) {
	if k.evs = k.evs[:0]; !k.skip || len(done) > 0 || k.sched.Pending(id) {
		k.evs = k.sched.Beat(id, done, k.evs)
	}
}

// names renders containers as recorded, in the order of their names.
func (k *known) names(cs []yarn.Container) []string {
	var ns []string
	for _, c := range cs {
		ns = append(ns, fmt.Sprintf("%s#%d", k.apps[c.App], c.Ordinal))
	}
	slices.Sort(ns)
	return ns
}

// over returns the applications that have ended since the last call.
func (k *known) over(ended func(yarn.AppID) bool) (names []string) {
	for id, name := range k.apps {
		if !k.ended[name] && ended(yarn.AppID(id)) {
			k.ended[name] = true
			names = append(names, name)
		}
	}
	return names
}

// node returns the node that a step names, or what is wrong with the name.
func (k *known) node(st *Step) (id yarn.NodeID, what string) {
	var name string
	if err := json.Unmarshal(st.Node, &name); err != nil {
		return -1, fmt.Sprintf("step %s without the name of a node", st.Do)
	}
	id, ok := k.byID[name]
	if !ok {
		return -1, fmt.Sprintf("step %s of node %q, which has not been added", st.Do, name)
	}
	return id, ""
}

// reported returns the node of a heartbeat and the containers that it reports ended.
func (k *known) reported(st *Step) (id yarn.NodeID, done []yarn.Container, what string) {
	if id, what = k.node(st); what != "" {
		return id, nil, what
	}
	for _, d := range st.Done {
		name, _ := d[0].(string)
		app, ok := k.ids[name]
		ordinal, number := d[1].(float64)
		if !ok || !number || !(ordinal >= 0 && ordinal <= math.MaxInt32) {
			return id, nil, fmt.Sprintf("a heartbeat reports container %v of application %v, which there is not", d[1], d[0])
		}
		done = append(done, yarn.Container{App: app, Ordinal: int32(ordinal)})
	}
	return id, done, ""
}
