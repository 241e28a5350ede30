package trace

import (
	"cmp"

	"encoding/json"
	"errors"
	"fmt"

	"schedtune/internal/fileio"
	"schedtune/simcore"
)

// readInventory adds the machines of an inventory to a trace. In a folder with
// job histories they become its cluster.
func readInventory(in *input, t *Trace, n *notes) error {
	rest := newRESTReader(t, n)
	defer t.finishNodes()
	return eachObject(in, func(raw *json.RawMessage, _ int64) error {
		keys := topKeys(*raw)
		switch {
		case keys["rack"]:
			return addRack(t, *raw)
		case keys["children"]:
			return addTopology(t, *raw)
		case keys["t_ms"] || keys["nodes"]:
			var d restDoc
			if err := json.Unmarshal(*raw, &d); err != nil {
				return describe(err)
			}
			if in, at := d.inner(); in.Nodes != nil {
				rest.inventory(*in.Nodes, at)
			}
			return nil
		}
		return errors.New("not an inventory: must be SLS nodes, a Rumen topology, or answers of /ws/v1/cluster/nodes")
	})
}

// slsRack is one object of the Scheduler Load Simulator's list of nodes.
type slsRack struct {
	Rack  text      `json:"rack"`
	Nodes []slsNode `json:"nodes"`
}

// slsNode is a node of such a list; Hadoop's own sample ends with one without a name.
type slsNode struct {
	Node   text `json:"node"`
	Memory num  `json:"memory-mb,omitzero"` // MiB
	VCores num  `json:"vcores,omitzero"`
}

// addRack adds one object of an SLS nodes file.
func addRack(t *Trace, raw []byte) error {
	var rack slsRack
	if err := json.Unmarshal(raw, &rack); err != nil {
		return describe(err)
	}
	for _, n := range rack.Nodes {
		if n.Node != "" {
			t.Nodes = append(t.Nodes, Node{Name: string(n.Node), Rack: string(rack.Rack),
				Size: Size{n.Memory.Or(0), n.VCores.Or(0)}})
		}
	}
	return nil
}

// Topology is a node of Rumen's tree: root, racks, hosts. Dots of names have a backslash before them.
type Topology struct {
	Name     string     `json:"name"`
	Children []Topology `json:"children"`
}

// Unescaped is the name without backslashes.
func (t *Topology) Unescaped() string { return unescapeHost(t.Name) }

// addTopology adds the leaves of a tree root → racks → hosts.
func addTopology(t *Trace, raw []byte) error {
	var root Topology
	if err := json.Unmarshal(raw, &root); err != nil {
		return describe(err)
	}
	for _, rack := range root.Children {
		for _, host := range rack.Children {
			t.Nodes = append(t.Nodes, Node{Name: host.Unescaped(), Rack: rack.Unescaped()})
		}
	}
	return nil
}

// Cluster returns the recorded machines as a cluster, which changes as recorded; its
// times count from the first submission. It is false where the
// source has no inventory with sizes, for then nothing can be run on it.
func (t *Trace) Cluster() (*simcore.Cluster, bool) {
	c := &simcore.Cluster{}
	var racks fileio.Index
	seen := map[string]bool{}
	origin, _ := t.Begin()
	for _, n := range t.Nodes {
		n, ok := n.since(origin)
		if !ok {
			continue
		}
		for k := 2; seen[n.Name]; k++ { // names of nodes must differ
			n.Name = fmt.Sprintf("%s#%d", n.Name, k)
		}
		seen[n.Name] = true
		if n.MiB <= 0 || n.VCores <= 0 {
			return nil, false
		}
		t.changing(c, &n, simcore.Node{Name: n.Name, Rack: racks.ID(&c.Racks, cmp.Or(n.Rack, "/default-rack")),
			Capacity: simcore.Vec{n.MiB, n.VCores}})
	}
	c.Elastic.SortChanges()
	return c, len(c.Nodes) > 0
}
