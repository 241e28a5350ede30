package scenario

import (
	"maps"
	"slices"

	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"schedtune/internal/fileio"
	"schedtune/internal/text"
	"schedtune/simcore"
)

// group is one entry of nodes: count equal machines.
type group struct {
	node  simcore.Node
	rack  string
	name  string
	count int64
	line  int
}

// maxYAML bounds a YAML text in bytes: its syntax tree takes a hundred times that.
const maxYAML = 4 << 20

// readYAML walks the syntax tree rather than decoding into a struct, so that
// every error can name its line and unknown keys are refused.
func (b *clusterBuilder) readYAML(data []byte) error {
	if len(data) > maxYAML {
		return b.fail(0, "", "%d bytes: must be at most 4 MiB of YAML; write count: N for N equal nodes, or use JSON or CSV",
			len(data))
	}
	if line := fileio.YAMLDepth(data); line > 0 {
		return b.fail(line, "", "nested deeper than any cluster file")
	}
	file, err := parseYAML(data)
	if err != nil {
		return b.yamlError(err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return b.fail(0, "", "%d YAML documents: must be one", len(file.Docs))
	}
	var groups, labels, changes, scaling ast.Node
	err = b.eachKey(file.Docs[0].Body, "", map[string]reading{
		"nodes":       func(n ast.Node, _ string) error { groups = n; return nil },
		"labels":      func(n ast.Node, _ string) error { labels = n; return nil },
		"changes":     func(n ast.Node, _ string) error { changes = n; return nil },
		"scaling":     func(n ast.Node, _ string) error { scaling = n; return nil },
		"expiry":      b.span(&b.cluster.Elastic.Expiry, simcore.Millisecond),
		"unreachable": b.span(&b.cluster.Elastic.Unreachable, simcore.Millisecond),
		"uplink":      b.number(&b.cluster.UplinkRate, math.MaxFloat64, "bytes/s, 0 or more"),
	})
	if err != nil {
		return err
	}
	if groups == nil {
		return b.fail(1, "nodes", "missing: must be like [{count: 20, memory: 16384, vcores: 16, rack: /r1}]")
	}
	if labels != nil {
		if err := b.readLabels(labels); err != nil {
			return err
		}
	}
	if err := b.eachEntry(groups, "nodes", b.readGroup); err != nil {
		return err
	}
	return b.readElastic(changes, scaling)
}

// parseYAML turns a panic of the parser on hostile input into an error.
func parseYAML(data []byte) (f *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML can't be read: %v", r)
		}
	}()
	return parser.ParseBytes(data, 0)
}

func (b *clusterBuilder) yamlError(err error) error {
	var ye yaml.Error
	if errors.As(err, &ye) {
		line := 0
		if t := ye.GetToken(); t != nil && t.Position != nil {
			line = t.Position.Line
		}
		return b.fail(line, "", "YAML: %s", ye.GetMessage())
	}
	return b.fail(0, "", "%s", err)
}

const maxInt32 = math.MaxInt32

func (b *clusterBuilder) readGroup(n ast.Node, place string) error {
	g := group{count: 1, rack: defaultRack, line: lineOf(n)}
	rate := func(dst *float64, allowed string) reading { return b.number(dst, math.MaxFloat64, allowed) }
	small := func(dst *int32) reading { return whole(b, dst, 0, 1<<20) }
	err := b.eachKey(n, place, map[string]reading{
		"count":    whole(b, &g.count, 0, maxNodes),
		"kind":     b.text(&g.node.Kind),
		"spot":     func(n ast.Node, p string) error { return b.spot(n, p, &g.node) },
		"memory":   b.memory(&g.node.Capacity[simcore.Memory]),
		"vcores":   whole(b, &g.node.Capacity[simcore.VCores], 1, maxInt32),
		"name":     b.text(&g.name),
		"rack":     b.text(&g.rack),
		"label":    b.text(&g.node.Label),
		"speed":    rate(&g.node.Speed, "a number above 0, 1 = reference"),
		"cores":    small(&g.node.Cores),
		"disks":    small(&g.node.Disks),
		"diskRate": rate(&g.node.DiskRate, "bytes/s, 0 or more"),
		"nicRate":  rate(&g.node.NICRate, "bytes/s, 0 or more"),
		"price":    rate(&g.node.Price, "a price per hour, 0 or more"),
		"slots":    func(n ast.Node, p string) error { return b.slots(n, p, &g.node.Slots) },
	})
	if err == nil {
		err = b.checkGroup(g, place)
	}
	if err != nil {
		return err
	}
	return b.addGroup(g, place)
}

// reading reads a value of the file; place names it in errors.
type reading = func(n ast.Node, place string) error

// whole reads a whole number from least to most into a variable.
func whole[T int32 | int64](b *clusterBuilder, dst *T, least, most int64) reading {
	return func(n ast.Node, place string) error {
		v, ok := n.(*ast.IntegerNode)
		if !ok {
			return b.fail(lineOf(n), place, "%s: must be a whole number from %d to %d", show(n), least, most)
		}
		x, err := strconv.ParseInt(fmt.Sprint(v.Value), 10, 64)
		if err != nil || x < least || x > most {
			return b.fail(lineOf(n), place, "%s: must be between %d and %d", show(n), least, most)
		}
		*dst = T(x)
		return nil
	}
}

// number reads a number from 0 to most into a variable.
func (b *clusterBuilder) number(dst *float64, most float64, allowed string) reading {
	return func(n ast.Node, place string) error {
		x, err := strconv.ParseFloat(strings.ReplaceAll(show(n), "_", ""), 64)
		if err != nil || !(x >= 0 && x <= most) || math.IsInf(x, 0) {
			return b.fail(lineOf(n), place, "%s: must be %s", show(n), allowed)
		}
		*dst = x
		return nil
	}
}

// text reads a name into a variable.
func (b *clusterBuilder) text(dst *string) reading {
	return func(n ast.Node, place string) error {
		s, ok := n.(*ast.StringNode)
		if !ok || strings.TrimSpace(s.Value) == "" {
			return b.fail(lineOf(n), place, "%s: must be a name", show(n))
		}
		*dst = s.Value
		return nil
	}
}

func (b *clusterBuilder) checkGroup(g group, place string) error {
	c := g.node.Capacity
	switch {
	case (c[0] == 0) != (c[1] == 0):
		missing := "memory"
		if c[0] > 0 {
			missing = "vcores"
		}
		return b.fail(g.line, place+"."+missing, "missing: memory (MiB) and vcores must be given together")
	case c[0] == 0 && g.node.Slots == (simcore.Vec{}):
		return b.fail(g.line, place, "the group must have memory and vcores, or slots")
	case g.count == 0 && g.node.Kind == "":
		return b.fail(g.line, place+".count", "0: must be 1 or more, or 0 with a kind of which nodes join later")
	case g.count > 1 && g.name != "" && strings.Count(g.name, "%d") != 1:
		return b.fail(g.line, place+".name", "%q: must contain %%d once if count is above 1", g.name)
	}
	return nil
}

// addGroup names the group's machines: by its pattern counting from 1, else
// nodeN counting through the whole file.
func (b *clusterBuilder) addGroup(g group, place string) error {
	g.node.Rack = b.rack(g.rack)
	for i := int64(1); i <= g.count; i++ {
		n := g.node
		switch {
		case g.name == "":
			n.Name = "node" + strconv.Itoa(len(b.cluster.Nodes)+1)
		default:
			n.Name = strings.Replace(g.name, "%d", strconv.FormatInt(i, 10), 1)
		}
		if err := b.add(g.line, place, n); err != nil {
			return err
		}
	}
	if g.node.Kind != "" {
		b.groups = append(b.groups, g)
	}
	return nil
}

// slots reads {map: 2, reduce: 1} or [2, 1].
func (b *clusterBuilder) slots(n ast.Node, place string, dst *simcore.Vec) error {
	if seq, ok := n.(*ast.SequenceNode); ok {
		if len(seq.Values) != 2 {
			return b.fail(lineOf(n), place, "%d numbers: must be [map slots, reduce slots]", len(seq.Values))
		}
		for i, v := range seq.Values {
			if err := whole(b, &dst[i], 0, maxInt32)(v, place); err != nil {
				return err
			}
		}
		return nil
	}
	return b.eachKey(n, place, map[string]reading{"map": whole(b, &dst[simcore.MapSlots], 0, maxInt32),
		"reduce": whole(b, &dst[simcore.ReduceSlots], 0, maxInt32)})
}

// eachKey hands every value of a mapping to the reader of its key.
func (b *clusterBuilder) eachKey(n ast.Node, place string, readers map[string]reading) error {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		if place == "" {
			return b.fail(lineOf(n), "", "neither a mapping nor a table: must be "+clusterForms)
		}
		return b.fail(lineOf(n), place, "must be a mapping with the keys %s", keys(readers))
	}
	for _, kv := range values {
		key := keyName(kv.Key)
		p := key
		if place != "" {
			p = place + "." + key
		}
		read, ok := readers[key]
		if !ok {
			return b.fail(lineOf(kv.Key), p, "unknown key: must be one of %s", keys(readers))
		}
		if err := read(kv.Value, p); err != nil {
			return err
		}
	}
	return nil
}

// keyName gives a key without the quotes around it.
func keyName(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return text.OneLine(k.String())
}

func keys(m map[string]reading) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

func lineOf(n ast.Node) int {
	if n == nil {
		return 0
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

// show gives a value as it is in the file, cut short.
func show(n ast.Node) string {
	if n == nil {
		return "nothing"
	}
	s := text.OneLine(n.String())
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return s
}
