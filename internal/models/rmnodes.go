package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"schedtune/trace"
)

// rmColumns are the numeric columns of a ResourceManager's node.
var rmColumns = []string{
	"containers", "used_memory", "total_memory", "used_vcores", "total_vcores",
	"memory", "vcores", "cpu", "physical_memory",
}

// rmAnswer is an answer of /ws/v1/cluster/nodes, bare or in an envelope with
// the time of asking.
type rmAnswer struct {
	Millis *float64  `json:"t_ms"`
	Body   *rmAnswer `json:"body"`
	Nodes  *struct {
		Node []rmNode `json:"node"`
	} `json:"nodes"`
}

type rmNode struct {
	trace.RMNode
	Containers  float64  `json:"numContainers"`
	Updated     *float64 `json:"lastHealthUpdate"`
	Utilisation *struct {
		Memory float64 `json:"nodePhysicalMemoryMB"`
		CPU    float64 `json:"nodeCPUUsage"` // percent of one core, summed over cores
	} `json:"resourceUtilization"`
}

// isRM reports whether the first line of a log looks like such an answer: the
// key nodes holds an object, or null. A heartbeat may have a column nodes, but
// that is a number.
func isRM(line []byte) bool {
	head := line[:min(len(line), 4096)]
	i := bytes.Index(head, []byte(`"nodes"`))
	if i < 0 {
		return false
	}
	value := bytes.TrimLeft(head[i+len(`"nodes"`):], ": \t")
	return bytes.HasPrefix(value, []byte("{")) || bytes.HasPrefix(value, []byte("null"))
}

// rmDecoder hands out the nodes of one answer as rows.
type rmDecoder struct {
	nodes []rmNode
	at    int
	time  float64
}

func (d *rmDecoder) more() bool { return d.at < len(d.nodes) }

func decodeRM(r *Reader, line []byte, _ *Row) error {
	var a rmAnswer
	if err := json.Unmarshal(line, &a); err != nil {
		return err
	}
	nodes := a.Nodes
	if a.Body != nil {
		nodes = a.Body.Nodes
	}
	if nodes == nil {
		return fmt.Errorf("no nodes in the answer; use an answer of /ws/v1/cluster/nodes")
	}
	d := &r.rm
	d.nodes, d.at, d.time = nodes.Node, 0, math.NaN()
	if a.Millis != nil {
		d.time = *a.Millis / 1000
	}
	return nil
}

// take turns the next node into the reader's row.
func (d *rmDecoder) take(r *Reader) {
	n := &d.nodes[d.at]
	d.at++
	r.row.reset()
	r.row.Node, r.row.Time = string(n.ID), d.time
	if math.IsNaN(d.time) && n.Updated != nil {
		r.row.Time = *n.Updated / 1000
	}
	used, cores := float64(n.Used.V), float64(n.UsedCores.V)
	memory, allCores := used+float64(n.Free.V), cores+float64(n.FreeCores.V)
	v := r.row.Values
	v[0], v[1], v[2], v[3], v[4] = n.Containers, used, memory, cores, allCores
	v[5], v[6] = used/memory, cores/allCores // 0/0 of a lost node is NaN: unknown
	if n.Utilisation != nil {
		v[7], v[8] = n.Utilisation.CPU, n.Utilisation.Memory/memory
	}
}
