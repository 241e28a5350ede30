package yarnconf

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// Names of the queue settings that a search may move. With a queue's path and
// the prefix they make a property: Key("root.a", Capacity).
const (
	Capacity        = "capacity"
	MaximumCapacity = "maximum-capacity"
	MinimumUser     = "minimum-user-limit-percent"
	UserFactor      = "user-limit-factor"
	AMShare         = "maximum-am-resource-percent"
	OrderingPolicy  = "ordering-policy"
)

// DefaultPriority is a leaf's priority of applications that ask for none.
const DefaultPriority = "default-application-priority"

// Full names of the global settings that a search may move.
const (
	LocalityDelay  = Prefix + "node-locality-delay"
	OffSwitchLimit = Prefix + "per-node-heartbeat.maximum-offswitch-assignments"
	AssignLimit    = Prefix + "per-node-heartbeat.maximum-container-assignments"
)

// Key returns the full name of a queue's property.
func Key(queue, name string) string { return Prefix + queue + "." + name }

// QueueInfo is a queue's settings as they stand, defaults filled in. Unlike
// those of Config, its numbers are the written ones: percentages as percent
// and not yet rounded to 32 bits.
type QueueInfo struct {
	Path, Parent string   // root.a.b; empty Parent of root
	Children     []string // full paths, in the order of the file
	Leaf         bool
	Mode         Mode    // how its capacity is written
	State        State   // as configured or inherited
	Capacity     float64 // percent or weight, by Mode; 0 for Absolute
	MaxCapacity  float64 // percent of the parent; 100 when it is absolute
	UserLimit    float64 // minimum-user-limit-percent
	UserFactor   float64 // user-limit-factor, -1 = no cap
	AMShare      float64 // maximum-am-resource-percent, a fraction
	Ordering     string  // ordering-policy: of applications in a leaf, of queues in a parent
	Labelled     bool    // has capacities for node labels
}

// Queues returns the queues in depth-first order of the file, root first.
// A file that does not load gives its errors.
func (d *Document) Queues() ([]QueueInfo, error) {
	c, errs := evaluate(d, versionOf(d), Resource{})
	if len(errs) > 0 {
		return nil, d.locate(errs[0])
	}
	infos := make([]QueueInfo, len(c.Queues))
	for i := range c.Queues {
		infos[i] = d.info(c, i)
	}
	return infos, nil
}

func (d *Document) info(c *Config, i int) QueueInfo {
	q := &c.Queues[i]
	in := QueueInfo{Path: q.Path, Leaf: q.Leaf, Mode: q.Mode, State: q.State, Labelled: len(q.Labels) > 0}
	if q.Parent >= 0 {
		in.Parent = c.Queues[q.Parent].Path
	}
	for _, ch := range q.Children {
		in.Children = append(in.Children, c.Queues[ch].Path)
	}
	switch q.Mode {
	case Percentage:
		in.Capacity = d.number(float64(q.Capacity)*100, Key(q.Path, Capacity))
	case Weight:
		in.Capacity = float64(q.Weight)
	}
	in.MaxCapacity = 100
	if q.ConfiguredMax.IsNone() {
		in.MaxCapacity = d.number(float64(q.MaxCapacity)*100, Key(q.Path, MaximumCapacity))
	}
	if in.MaxCapacity < 0 { // -1 reads as 100
		in.MaxCapacity = 100
	}
	in.Ordering = q.Order.String()
	if q.Leaf {
		in.Ordering = q.AppOrder.String()
		in.UserLimit = d.number(float64(q.UserLimit), Key(q.Path, MinimumUser), Prefix+MinimumUser)
		in.UserFactor = d.number(float64(q.UserLimitFactor), Key(q.Path, UserFactor), Prefix+UserFactor)
		in.AMShare = d.number(float64(q.AMPercent), Key(q.Path, AMShare), Prefix+AMShare)
	}
	return in
}

// number reads the first of several properties that is a plain number.
func (d *Document) number(otherwise float64, keys ...string) float64 {
	for _, k := range keys {
		if v := d.Value(k); v != "" {
			if x, err := strconv.ParseFloat(v, 64); err == nil {
				return x
			}
			break
		}
	}
	// The nearest short decimal: 0.1 and not 0.10000000149.
	x, err := strconv.ParseFloat(strconv.FormatFloat(otherwise, 'g', 6, 64), 64)
	if err != nil {
		return otherwise
	}
	return x
}

// Level is a group of siblings, whose shares a tuner moves together.
type Level struct {
	Parent string   // path
	Queues []string // full paths, in the order of the file
	Mode   Mode     // of all of them
	// Fixed is why a tuner leaves the shares of this level alone; empty if it
	// may move them.
	Fixed string
}

// Levels returns the groups of siblings from the root down.
func (d *Document) Levels() ([]Level, error) {
	queues, err := d.Queues()
	if err != nil {
		return nil, err
	}
	byPath := make(map[string]QueueInfo, len(queues))
	for _, q := range queues {
		byPath[q.Path] = q
	}
	var levels []Level
	for _, q := range queues {
		if len(q.Children) == 0 {
			continue
		}
		lv := Level{Parent: q.Path, Queues: q.Children, Mode: byPath[q.Children[0]].Mode}
		if lv.Fixed = whyFixed(lv, byPath); d.Value(Prefix+"legacy-queue-mode.enabled") == "false" {
			lv.Fixed = "capacities may have mixed units (legacy-queue-mode.enabled is false)"
		}
		levels = append(levels, lv)
	}
	return levels, nil
}

// FixedAbsolute is Level.Fixed of absolute resources.
const FixedAbsolute = "capacities are absolute resources"

func whyFixed(lv Level, byPath map[string]QueueInfo) string {
	sum, mixed := 0.0, false
	for _, p := range lv.Queues {
		sum += byPath[p].Capacity
		mixed = mixed || byPath[p].Mode != lv.Mode
	}
	switch {
	case mixed: // a percentage of 0 beside weights loads
		return "capacities are of different kinds"
	case lv.Mode == Absolute:
		return FixedAbsolute
	case len(lv.Queues) == 1:
		return "a single queue has the whole"
	case sum == 0:
		return "all capacities are 0"
	}
	return ""
}

// RoundShares scales shares to a total and rounds them to decimals so that the
// rounded numbers sum to exactly the (rounded) total: largest remainders first,
// of equal ones the earlier (Hamilton's method). A positive share stays
// positive.
func RoundShares(shares []float64, total float64, decimals int) ([]float64, error) {
	unit := math.Pow10(decimals)
	units := int64(math.Round(total * unit))
	sum := 0.0
	for _, s := range shares {
		if !(s >= 0) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("share %g: must be 0 or more", s)
		}
		sum += s
	}
	if sum <= 0 || units < int64(len(shares)) {
		return nil, fmt.Errorf("shares sum to %g: must be above 0, and at least one unit of the last decimal for each queue",
			sum)
	}
	out := make([]float64, len(shares))
	for i, n := range apportion(shares, sum, units) {
		out[i] = float64(n) / unit
	}
	return out, nil
}

// apportion deals whole units by the largest remainders.
func apportion(shares []float64, sum float64, units int64) []int64 {
	parts, rest, order := make([]int64, len(shares)), make([]float64, len(shares)), make([]int, len(shares))
	left := units
	for i, s := range shares {
		exact := s / sum * float64(units)
		parts[i], rest[i], order[i] = int64(exact), exact-math.Floor(exact), i
		if s > 0 && parts[i] == 0 {
			parts[i], rest[i] = 1, 0
		}
		left -= parts[i]
	}
	sort.SliceStable(order, func(a, b int) bool { return rest[order[a]] > rest[order[b]] })
	for k := 0; left > 0; k = (k + 1) % len(order) {
		if shares[order[k]] > 0 {
			parts[order[k]]++
			left--
		}
	}
	for ; left < 0; left++ { // lifting tiny shares to one unit took more than there was
		big := 0
		for i := range parts {
			if parts[i] > parts[big] {
				big = i
			}
		}
		parts[big]--
	}
	return parts
}

// locate gives an error of the evaluation its place in the file. A property
// that is missing is placed at the line of its queue's first setting.
func (d *Document) locate(e *PropError) Problem {
	p := Problem{File: d.name, Line: d.Line(e.Key), Key: e.Key, Reason: e.Reason}
	if prop, ok := d.Lookup(e.Key); ok {
		p.File = prop.File
		p.Reason = fmt.Sprintf("%q: %s", strings.TrimSpace(e.Value), e.Reason)
		return p
	}
	p.File, p.Line = d.nearest(e.Key)
	if e.Value == "" {
		p.Reason = "not set: " + e.Reason
	}
	return p
}

// nearest finds a place to show for a property that is not written: another
// setting of its queue, the list that names the queue, or the file's first
// line.
func (d *Document) nearest(key string) (string, int) {
	path := strings.TrimPrefix(key, Prefix)
	var first map[string]int
	if d.places != nil {
		first = d.places()
	}
	for strings.Contains(path, ".") {
		path = path[:strings.LastIndexByte(path, '.')]
		if i, ok := first[path]; ok {
			return d.props[i].File, d.props[i].Line
		}
		if i := strings.LastIndexByte(path, '.'); i >= 0 {
			if p, ok := d.Lookup(Key(path[:i], "queues")); ok {
				return p.File, p.Line
			}
		}
	}
	return d.name, 1
}

// firstBelow finds the first property below every path, without Prefix, for files of many queues.
func firstBelow(props []property) map[string]int {
	first := make(map[string]int, len(props))
	for i := range props {
		name, ok := strings.CutPrefix(props[i].Name, Prefix)
		for at := strings.LastIndexByte(name, '.'); ok && at >= 0; at = strings.LastIndexByte(name, '.') {
			name = name[:at]
			if _, known := first[name]; !known {
				first[name] = i
			}
		}
	}
	return first
}
