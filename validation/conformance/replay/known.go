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

// known are the applications and nodes of a scenario in play, by the names that its steps use.
type known struct {
	ids   map[string]yarn.AppID
	byID  map[string]yarn.NodeID
	apps  []string // names by id
	ended map[string]bool
	nodes []string // names by id
	count int      // nodes registered so far: part of a node's address
}

func nothingKnown() known {
	return known{ids: map[string]yarn.AppID{}, byID: map[string]yarn.NodeID{}, ended: map[string]bool{}}
}

// accept notes an application.
func (k *known) accept(name string, id yarn.AppID) {
	k.ids[name] = id
	k.apps = append(k.apps, name)
}

// register adds a node under the address that the recording gave it.
func (k *known) register(n Node, add func(yarn.NodeSpec) (yarn.NodeID, error)) error {
	k.count++
	rack, _ := strconv.Atoi(strings.TrimPrefix(n.Rack, "/r"))
	id, err := add(yarn.NodeSpec{Name: n.ID, Rack: n.Rack, Resource: yarn.Resource{Memory: n.Memory, VCores: n.VCores},
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

// add does a step that registers a node and returns what is wrong with it.
func (k *known) add(st *Step, add func(yarn.NodeSpec) (yarn.NodeID, error)) string {
	var n Node
	err := json.Unmarshal(st.Node, &n)
	if err == nil {
		err = k.register(n, add)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// end does a step that ends an application.
func (k *known) end(st *Step, end func(yarn.AppID), got *Told) {
	id, ok := k.ids[st.App]
	if got.Ignored = !ok || k.ended[st.App]; !got.Ignored {
		end(id)
	}
}

// lose does a step that takes a node away and returns what is wrong with it.
func (k *known) lose(st *Step, lose func(yarn.NodeID, []yarn.Container) []yarn.Container, got *Common) string {
	id, what := k.node(st)
	if what == "" {
		got.Gone = k.names(lose(id, nil))
	}
	return what
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
