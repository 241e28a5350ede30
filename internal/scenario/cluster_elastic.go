package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"schedtune/simcore"
)

// What changes in a cluster while it runs, as the YAML says it:
//
//	nodes:
//	  - {kind: core, count: 10, memory: 16384, vcores: 16, price: 0.40}
//	  - {kind: task, count: 0, name: task-%d, memory: 16384, vcores: 16, price: 0.12, spot: {rate: 0.05, notice: 2m}}
//	changes:
//	  - {at: 30m, join: task, count: 5}
//	  - {at: 2h, decommission: task, count: 5, timeout: 1h}
//	  - {at: 3h, lose: core}
//	scaling:
//	  - {rule: pending-memory, kind: task, min: 0, max: 20, cooldown: 2m, delay: 90s, timeout: 1h, up: 0.5, down: 0.5}
//	expiry: 10m
//	unreachable: 3m
//
// Times count from the first instant of the trace. join, decommission and lose name
// a kind, or one node. kind names the machines of a group; of one with count 0 none
// is there at the start. spot: losses per hour and node (rate), and how long before
// the loss the node hears of it and is decommissioned (notice, default 0). A decommissioned
// node leaves when its applications are over, at the latest after timeout (default
// 1h; 0s = at once, never = no limit). expiry is how long the ResourceManager waits
// for a lost node's heartbeat (yarn.nm.liveness-monitor.expiry-interval-ms), unreachable
// how long MapReduce masters try to stop containers there
// (yarn.client.nodemanager-connect.max-wait-ms).
//
// Scaling rules keep a kind between min and max nodes; delay is the time from an
// order to the node's registration, cooldown that between decisions. pending-memory:
// up, down (0 to 1, default 1), upFraction, downFraction (default 0). utilisation:
// low, high (free share of memory below which and above which step nodes join and
// leave, default 0.15 and 0.75), pending (ratio to allocated memory, default 0.75,
// 0 = not looked at), step (default 1).

// Bounds on times in a cluster file.
const (
	maxSpan    = 400 * 24 * simcore.Hour
	defaultOut = simcore.Hour // yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs
)

// span reads a time such as 1h30m.
func (b *clusterBuilder) span(dst *simcore.Time, least simcore.Time) reading {
	return func(n ast.Node, place string) error {
		d, err := time.ParseDuration(strings.Trim(show(n), `"'`))
		t := simcore.Time(d / time.Microsecond)
		if err != nil || t < least || t > maxSpan {
			return b.fail(lineOf(n), place, "%s: must be a duration from %v to %v, such as 30s, 10m or 1h30m", show(n),
				least.Std(), maxSpan.Std())
		}
		*dst = t
		return nil
	}
}

// timeout reads a span of a decommissioning, or never.
func (b *clusterBuilder) timeout(dst *simcore.Time) reading {
	return func(n ast.Node, place string) error {
		if show(n) == "never" {
			*dst = simcore.Never
			return nil
		}
		return b.span(dst, 0)(n, place)
	}
}

// spot reads {rate: 0.05, notice: 2m}.
func (b *clusterBuilder) spot(n ast.Node, place string, node *simcore.Node) error {
	return b.eachKey(n, place, map[string]reading{
		"rate":   b.number(&node.Spot, 3600, "losses per hour and node, 0 to 3600"),
		"notice": b.span(&node.Notice, 0),
	})
}

// readElastic reads changes and scaling, and makes the nodes that may join.
func (b *clusterBuilder) readElastic(changes, scaling ast.Node) error {
	e := &b.cluster.Elastic
	if changes != nil {
		if err := b.eachEntry(changes, "changes", b.readChange); err != nil {
			return err
		}
		e.SortChanges()
	}
	if scaling != nil {
		if err := b.eachEntry(scaling, "scaling", b.readScaling); err != nil {
			return err
		}
	}
	return b.addSpare()
}

// eachEntry reads the entries of a list, or one that stands alone.
func (b *clusterBuilder) eachEntry(n ast.Node, place string, read reading) error {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		return b.fail(lineOf(n), place, "must be a list")
	}
	for i, v := range seq.Values {
		if err := read(v, fmt.Sprintf("%s[%d]", place, i)); err != nil {
			return err
		}
	}
	return nil
}

func (b *clusterBuilder) readChange(n ast.Node, place string) error {
	c := simcore.NodeChange{At: -1, Timeout: -1}
	count, whats := int64(1), 0
	what := func(k simcore.ChangeKind) reading {
		return func(n ast.Node, p string) error {
			c.What = k
			whats++
			return b.kindOrNode(n, p, &c)
		}
	}
	err := b.eachKey(n, place, map[string]reading{
		"at":           b.span(&c.At, 0),
		"join":         what(simcore.Join),
		"decommission": what(simcore.Decommission),
		"lose":         what(simcore.Lose),
		"count":        whole(b, &count, 1, maxNodes),
		"timeout":      b.timeout(&c.Timeout),
	})
	switch {
	case err != nil:
		return err
	case whats != 1:
		return b.fail(lineOf(n), place, "must have exactly one of join, decommission, lose (has %d)", whats)
	case c.At < 0:
		return b.fail(lineOf(n), place+".at", "missing: must be a duration such as 30m")
	case c.Timeout >= 0 && c.What != simcore.Decommission:
		return b.fail(lineOf(n), place+".timeout", "must stand with decommission, not with %v", c.What)
	case c.Node != "" && count > 1:
		return b.fail(lineOf(n), place+".count", "%d: must be 1 for a single node", count)
	case c.Timeout < 0 && c.What == simcore.Decommission:
		c.Timeout = defaultOut
	}
	c.Timeout, c.Count = max(c.Timeout, 0), int32(count)
	b.cluster.Elastic.Changes = append(b.cluster.Elastic.Changes, c)
	return nil
}

// kindOrNode reads which nodes a change is of: all of a kind, or one by its name.
func (b *clusterBuilder) kindOrNode(n ast.Node, place string, c *simcore.NodeChange) error {
	var name string
	if err := b.text(&name)(n, place); err != nil {
		return err
	}
	switch {
	case b.groupOf(name) != nil:
		c.Kind = name
	case b.names[name]:
		c.Node = name
	default:
		return b.fail(lineOf(n), place, "%q: must be a kind of nodes (%s) or the name of a node", name,
			strings.Join(b.kinds(), ", "))
	}
	return nil
}

func (b *clusterBuilder) readScaling(n ast.Node, place string) error {
	s := simcore.Scaling{Timeout: defaultOut, Delay: 90 * simcore.Second, Up: 1, Down: 1, Low: 0.15, High: 0.75,
		Pending: 0.75, Step: 1, Max: -1}
	rule := ""
	nodes := func(dst *int32, least int64) reading { return whole(b, dst, least, maxNodes) }
	part := func(dst *float64) reading { return b.number(dst, 1, "0 to 1") }
	err := b.eachKey(n, place, map[string]reading{
		"rule":         b.text(&rule),
		"kind":         b.text(&s.Kind),
		"min":          nodes(&s.Min, 0),
		"max":          nodes(&s.Max, 0),
		"cooldown":     b.span(&s.Cooldown, simcore.Second),
		"delay":        b.span(&s.Delay, 0),
		"timeout":      b.timeout(&s.Timeout),
		"up":           part(&s.Up),
		"down":         part(&s.Down),
		"upFraction":   part(&s.UpFraction),
		"downFraction": part(&s.DownFraction),
		"low":          part(&s.Low),
		"high":         part(&s.High),
		"pending":      b.number(&s.Pending, 1e6, "a ratio, 0 or more"),
		"step":         nodes(&s.Step, 1),
	})
	if err != nil {
		return err
	}
	switch rule {
	case simcore.PendingMemory.String():
		s.Cooldown = cmp.Or(s.Cooldown, 2*simcore.Minute)
	case simcore.Utilisation.String():
		s.Rule, s.Cooldown = simcore.Utilisation, cmp.Or(s.Cooldown, 5*simcore.Minute)
	default:
		return b.fail(lineOf(n), place+".rule", "%q: must be %v or %v", rule, simcore.PendingMemory, simcore.Utilisation)
	}
	return b.addScaling(n, place, s)
}

// addScaling adds a rule to the cluster if it fits it.
func (b *clusterBuilder) addScaling(n ast.Node, place string, s simcore.Scaling) error {
	switch {
	case b.groupOf(s.Kind) == nil:
		return b.fail(lineOf(n), place+".kind", "%q: must be a kind of nodes (%s)", s.Kind, strings.Join(b.kinds(), ", "))
	case s.Max < s.Min:
		return b.fail(lineOf(n), place+".max", "%d: must be min or more", s.Max)
	case s.Low > s.High:
		return b.fail(lineOf(n), place+".low", "%g: must be at most high %g", s.Low, s.High)
	case slices.ContainsFunc(b.cluster.Elastic.Scaling, func(o simcore.Scaling) bool { return o.Kind == s.Kind }):
		return b.fail(lineOf(n), place+".kind", "a second rule for %q", s.Kind)
	}
	b.cluster.Elastic.Scaling = append(b.cluster.Elastic.Scaling, s)
	return nil
}

// groupOf is the last group of a kind, nil if there is none.
func (b *clusterBuilder) groupOf(kind string) *group {
	for i := len(b.groups) - 1; i >= 0; i-- {
		if b.groups[i].node.Kind == kind {
			return &b.groups[i]
		}
	}
	return nil
}

func (b *clusterBuilder) kinds() []string {
	var list []string
	for i := range b.groups {
		if k := b.groups[i].node.Kind; !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// addSpare makes the nodes that may join: of each kind as many as its entries of the
// timetable bring and its rule may add.
func (b *clusterBuilder) addSpare() error {
	e := &b.cluster.Elastic
	for _, kind := range b.kinds() {
		g, need := b.groupOf(kind), int64(0)
		for i := range b.groups {
			if b.groups[i].node.Kind == kind {
				need -= b.groups[i].count
			}
		}
		most := int64(0)
		for i := range e.Scaling {
			if e.Scaling[i].Kind == kind {
				most = int64(e.Scaling[i].Max)
			}
		}
		need = max(need+2*most, 0) // while as many are being decommissioned
		for i := range e.Changes {
			if c := &e.Changes[i]; c.Kind == kind && c.What == simcore.Join {
				need += int64(c.Count)
			}
		}
		if total := int64(len(b.cluster.Nodes) + len(e.Spare)); need > maxNodes-total {
			return b.fail(g.line, "nodes", "%d of kind %s may join: must be at most %d nodes in all", need, kind, maxNodes)
		}
		for number := g.count + 1; need > 0; number++ {
			n := g.node
			if n.Name = strings.Replace(g.name, "%d", strconv.FormatInt(number, 10), 1); !strings.Contains(g.name, "%d") {
				n.Name = kind + "-" + strconv.FormatInt(number, 10)
			}
			if b.names[n.Name] {
				continue
			}
			b.names[n.Name] = true
			e.Spare = append(e.Spare, n)
			need--
		}
	}
	return nil
}
