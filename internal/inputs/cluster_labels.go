package inputs

import (
	"cmp"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"schedtune/simcore"
)

// readLabels reads {gpu: {exclusive: false}}. As in YARN a label is exclusive
// unless it says otherwise.
func (b *clusterBuilder) readLabels(n ast.Node) error {
	entries, ok := n.(*ast.MappingNode)
	if !ok {
		return b.fail(lineOf(n), "labels", "labels: {gpu: {exclusive: false}}", "not a mapping")
	}
	for _, e := range entries.Values {
		name := e.Key.String()
		place := "labels." + name
		l := simcore.NodeLabel{Name: name, Exclusive: true}
		if _, empty := e.Value.(*ast.NullNode); !empty {
			err := b.eachKey(e.Value, place, map[string]func(ast.Node, string) error{
				"exclusive": func(n ast.Node, p string) error {
					v, ok := n.(*ast.BoolNode)
					if !ok {
						return b.fail(lineOf(n), p, "true or false", "%s", n.String())
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
