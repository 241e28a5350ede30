package replay

import (
	"encoding/json"
	"fmt"
	"math"

	"schedtune/simcore/yarn"
)

// known are the applications and nodes of a scenario in play, by the names that its steps use.
type known struct {
	ids  map[string]yarn.AppID
	byID map[string]yarn.NodeID
}

func nothingKnown() known {
	return known{ids: map[string]yarn.AppID{}, byID: map[string]yarn.NodeID{}}
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
