package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"schedtune/simcore"
	"schedtune/trace"
)

// readLabels reads {gpu: {exclusive: false}}. As in YARN a label is exclusive
// unless it says otherwise.
func (b *clusterBuilder) readLabels(n ast.Node) error {
	entries, ok := n.(*ast.MappingNode)
	if !ok {
		return b.fail(lineOf(n), "labels", "must be a mapping like {gpu: {exclusive: false}}")
	}
	for _, e := range entries.Values {
		name := e.Key.String()
		place := "labels." + name
		l := simcore.NodeLabel{Name: name, Exclusive: true}
		if _, empty := e.Value.(*ast.NullNode); !empty {
			err := b.eachKey(e.Value, place, map[string]reading{
				"exclusive": func(n ast.Node, p string) error {
					v, ok := n.(*ast.BoolNode)
					if !ok {
						return b.fail(lineOf(n), p, "%s: must be true or false", n)
					}
					l.Exclusive = v.Value
					return nil
				},
			})
			if err != nil {
				return err
			}
		}
		b.cluster.Labels = append(b.cluster.Labels, l)
	}
	return nil
}

// gatherLabels adds the labels of nodes that the file does not declare, as
// exclusive ones, and sorts all by name.
func (b *clusterBuilder) gatherLabels() {
	for i := range b.cluster.Nodes {
		name := b.cluster.Nodes[i].Label
		if name == "" || slices.ContainsFunc(b.cluster.Labels, func(l simcore.NodeLabel) bool { return l.Name == name }) {
			continue
		}
		b.cluster.Labels = append(b.cluster.Labels, simcore.NodeLabel{Name: name, Exclusive: true})
		b.note("node label %s is taken as exclusive, the default of YARN", name)
	}
	slices.SortFunc(b.cluster.Labels, func(x, y simcore.NodeLabel) int { return cmp.Compare(x.Name, y.Name) })
}

// WithLabels puts the answer of /ws/v1/cluster/get-node-labels beside that of
// /ws/v1/cluster/nodes, which alone does not say which labels are exclusive.
func WithLabels(nodes, labels []byte) ([]byte, error) {
	if _, err := parseLabels(labels); err != nil {
		return nil, err
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(nodes, &doc); err != nil {
		return nil, err
	}
	doc["partitions"] = labels // sorts behind nodes, by which the form is known
	return json.Marshal(doc)
}

// parseLabels reads the labels of a cluster as the ResourceManager lists them: a
// lone one is no list, and the root has a name in some releases.
func parseLabels(data []byte) ([]simcore.NodeLabel, error) {
	if text := strings.TrimSpace(string(data)); text == "" || text == "null" {
		return nil, nil
	}
	var root struct {
		Inner  *json.RawMessage `json:"nodeLabelsInfo"`
		Labels trace.List[struct {
			Name      string `json:"name"`
			Exclusive any    `json:"exclusivity"` // true or "true"
		}] `json:"nodeLabelInfo"`
	}
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, err
	}
	if root.Inner != nil {
		return parseLabels(*root.Inner)
	}
	var out []simcore.NodeLabel
	for _, l := range root.Labels {
		known := slices.ContainsFunc(out, func(x simcore.NodeLabel) bool { return x.Name == l.Name })
		if l.Name == "" || known {
			return nil, fmt.Errorf("label %q: must be distinct names", l.Name)
		}
		out = append(out, simcore.NodeLabel{Name: l.Name, Exclusive: l.Exclusive == nil || fmt.Sprint(l.Exclusive) == "true"})
	}
	return out, nil
}
