package scenario

import (
	"cmp"
	"maps"
	"slices"

	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"schedtune/internal/fileio"
	"schedtune/internal/text"
	"schedtune/simcore"
	"schedtune/trace"
)

// formOf tells a JSON file's kind by the keys of its first object, "" for another. A broken
// file is recognised by the keys before the break, so that its error speaks of the
// right form.
func formOf(data []byte) string {
	d := json.NewDecoder(bytes.NewReader(data))
	_, _ = d.Token() // the brace
	key, _ := d.Token()
	switch key {
	case "rack":
		return "sls-nodes"
	case "children", "name":
		return "rumen-topology"
	case "nodes":
		if t, err := d.Token(); err == nil && (t == json.Delim('{') || t == nil) { // null: it has none yet
			return "rm-nodes"
		}
	}
	return ""
}

// jsonError names the line of a JSON mistake in data, of which base bytes were decoded before.
func (b *clusterBuilder) jsonError(data []byte, base int64, err error) error {
	reason, at := fileio.JSONCause(err)
	if at += base; at < base {
		at = int64(len(data))
	}
	return b.fail(lineAt(data, at), "", "JSON: %s", reason)
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
}

// readRM reads a /ws/v1/cluster/nodes answer. Nodes that take no containers
// are left out with a note.
func (b *clusterBuilder) readRM(data []byte) error {
	var doc struct {
		Nodes struct {
			Node []trace.RMNode `json:"node"`
		} `json:"nodes"`
		Labels json.RawMessage `json:"partitions"` // beside the answer, see WithLabels
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return b.jsonError(data, 0, err)
	}
	labels, err := parseLabels(doc.Labels)
	if err != nil {
		return b.fail(0, "partitions", "%v: must be the answer of /ws/v1/cluster/get-node-labels", err)
	}
	b.cluster.Labels = append(b.cluster.Labels, labels...)
	hosts := map[string]int{}
	for _, n := range doc.Nodes.Node {
		if takesContainers(n.State) {
			hosts[string(n.Host)]++
		}
	}
	left := map[string]int{}
	for i := range doc.Nodes.Node {
		n := &doc.Nodes.Node[i]
		if !takesContainers(n.State) {
			left[string(n.State)]++
			continue
		}
		if err := b.addRM(n, fmt.Sprintf("nodes.node[%d]", i), hosts); err != nil {
			return err
		}
	}
	b.noteLeft(left)
	return nil
}

func takesContainers(state fileio.Scalar) bool {
	return state == "" || state == "RUNNING" || state == "NEW"
}

// addRM names a node by its host, or by host:port where several node managers
// share a host.
func (b *clusterBuilder) addRM(n *trace.RMNode, place string, hosts map[string]int) error {
	size := n.Size()
	if size.MiB <= 0 || size.VCores <= 0 {
		return b.fail(0, place, "%q offers %d MiB and %d vcores: must be at least 1 of each", n.ID, size.MiB, size.VCores)
	}
	name := string(n.Host)
	if name == "" || hosts[name] > 1 {
		name = string(n.ID)
	}
	if name == "" {
		return b.fail(0, place, "the node has no name: must have id or nodeHostName")
	}
	return b.add(0, place, simcore.Node{Name: name, Rack: b.rack(cmp.Or(string(n.Rack), defaultRack)),
		Capacity: simcore.Vec{size.MiB, size.VCores}, Speed: 1, Label: n.Label()})
}

func (b *clusterBuilder) noteLeft(left map[string]int) {
	for _, s := range slices.Sorted(maps.Keys(left)) {
		b.note("left out %s in state %s", text.Count(left[s], "node"), s)
	}
}

// slsRack is one object of a node list of the Scheduler Load Simulator.
type slsRack struct {
	Rack  string    `json:"rack"`
	Nodes []slsNode `json:"nodes"`
}

type slsNode struct {
	Node   string `json:"node"`
	Memory *int64 `json:"memory-mb"`
	VCores *int64 `json:"vcores"`
}

// readSLS reads the node list of the Scheduler Load Simulator: one object per
// rack, one after another. Sizes missing get the simulator's defaults; an
// entry without a name is skipped, as the simulator's own sample has one.
func (b *clusterBuilder) readSLS(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	for r := 1; ; r++ {
		start := d.InputOffset()
		var rack slsRack
		if err := d.Decode(&rack); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return b.jsonError(data, baseOf(err, start), err)
		}
		line := lineAt(data, d.InputOffset())
		if rack.Rack == "" {
			return b.fail(line, fmt.Sprintf("rack %d", r), `the rack has no name: must be like {"rack": …, "nodes": […]}`)
		}
		if err := b.addRack(&rack, line); err != nil {
			return err
		}
	}
	b.noteAssumed()
	return nil
}

func (b *clusterBuilder) noteAssumed() {
	if b.assumed > 0 {
		b.note("%d nodes have no size: taken as %d MiB, %d vcores", b.assumed, defaultMemory, defaultVCores)
	}
}

// addRack adds a rack's nodes.
func (b *clusterBuilder) addRack(rack *slsRack, line int) error {
	for i, n := range rack.Nodes {
		place := fmt.Sprintf("%s.nodes[%d]", rack.Rack, i)
		if n.Node == "" {
			b.note("%s has no name and was left out", place)
			continue
		}
		c := simcore.Vec{defaultMemory, defaultVCores}
		if n.Memory != nil {
			c[0] = *n.Memory
		}
		if n.VCores != nil {
			c[1] = *n.VCores
		}
		if n.Memory == nil || n.VCores == nil {
			b.assumed++
		}
		if c[0] <= 0 || c[1] <= 0 {
			return b.fail(line, place, "%d MiB, %d vcores: must be at least 1 of each", c[0], c[1])
		}
		if err := b.add(line, place, simcore.Node{Name: n.Node, Rack: b.rack(rack.Rack), Capacity: c, Speed: 1}); err != nil {
			return err
		}
	}
	return nil
}

// baseOf: a stream decoder's syntax errors count from the stream's start, its
// type errors from the value's start.
func baseOf(err error, start int64) int64 {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		return start
	}
	return 0
}

// readRumen reads a Rumen topology: root, racks, hosts. Names carry escaped
// dots, which are undone.
func (b *clusterBuilder) readRumen(data []byte) error {
	var root trace.Topology
	if err := json.Unmarshal(data, &root); err != nil {
		return b.jsonError(data, 0, err)
	}
	for _, branch := range root.Children {
		rack := slsRack{Rack: branch.Unescaped()}
		for _, h := range branch.Children {
			if len(h.Children) > 0 {
				return b.fail(0, rack.Rack, "the tree is deeper than three levels (root, racks, hosts)")
			}
			rack.Nodes = append(rack.Nodes, slsNode{Node: h.Unescaped()})
		}
		if err := b.addRack(&rack, 0); err != nil {
			return err
		}
	}
	b.noteAssumed()
	return nil
}
