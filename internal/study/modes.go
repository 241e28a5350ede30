package study

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"schedtune/tune"
	"schedtune/yarnconf"
)

// Capacities that are no percentages. Weights and absolute resources of siblings
// move like shares: log-ratio coordinates, and the sum stays what it is, so a
// parent is never asked for more than it is now.

// otherMode adds the capacities of a level of weights or of absolute resources
// and reports whether it was one that may move.
func (b *spaceBuilder) otherMode(lv yarnconf.Level, info map[string]yarnconf.QueueInfo) bool {
	switch {
	case lv.Mode == yarnconf.Weight && lv.Fixed == "":
		b.weights(lv, info)
		return true
	case lv.Mode == yarnconf.Absolute && lv.Fixed == yarnconf.FixedAbsolute:
		return b.absolute(lv, info)
	}
	return false
}

// weights adds the weights of one group of siblings, in steps of about a
// hundredth of their sum. None gets a weight whose part of the sum is above the
// queue's maximum-capacity.
func (b *spaceBuilder) weights(lv yarnconf.Level, info map[string]yarnconf.QueueInfo) {
	total := 0.0
	for _, q := range lv.Queues {
		total += info[q].Capacity
	}
	step := niceStep(total / 100)
	level := weightLevel{queues: lv.Queues, now: map[string]float64{}}
	for _, q := range lv.Queues {
		level.now[q] = info[q].Capacity
	}
	b.weightLevels = append(b.weightLevels, level)
	for _, q := range lv.Queues {
		now := info[q].Capacity
		b.add(q+"."+yarnconf.Capacity, yarnconf.Key(q, yarnconf.Capacity), yarnconf.Capacity, tune.Param{
			Kind: tune.Share, Group: lv.Parent, Present: b.presentWeight(q, now), Suffix: "w", Total: total, Step: step,
			Min: math.Min(step, now), Max: math.Min(total, math.Max(now, total*info[q].MaxCapacity/100)),
		})
	}
}

// presentWeight is a weight as written, or as read.
func (b *spaceBuilder) presentWeight(queue string, weight float64) string {
	v := b.c.Doc.Value(yarnconf.Key(queue, yarnconf.Capacity))
	if w, err := strconv.ParseFloat(strings.TrimSuffix(v, "w"), 64); err == nil && w == weight {
		return v
	}
	return number(weight) + "w"
}

// niceStep is the largest of 5000, 2000, 1000, ..., 0.5, 0.2, 0.1, ... that is at
// most v, but no less than 0.001.
func niceStep(v float64) float64 {
	for e := 3; e >= -3; e-- {
		for _, m := range []float64{5, 2, 1} {
			if s := m * math.Pow10(e); s <= v*(1+1e-9) {
				return s
			}
		}
	}
	return 0.001
}

// resourceLevel is a group of siblings with absolute resources.
type resourceLevel struct {
	parent string
	queues []string
	now    []yarnconf.Resource
}

// absolute adds the memory, in MiB, of leaf queues with absolute resources; their
// vcores follow. Levels that hold parents stay, since their children's sums
// would have to follow, and so do levels with other resources in their vectors.
func (b *spaceBuilder) absolute(lv yarnconf.Level, info map[string]yarnconf.QueueInfo) bool {
	of := map[string]*yarnconf.Queue{}
	for i := range b.conf.Queues {
		of[b.conf.Queues[i].Path] = &b.conf.Queues[i]
	}
	r := &resourceLevel{parent: lv.Parent, queues: lv.Queues}
	total := int64(0)
	for _, q := range lv.Queues {
		min := of[q].ConfiguredMin
		if !info[q].Leaf || min.Memory <= 0 || min.VCores <= 0 || !memoryAndVCores(b.c.Doc.Value(yarnconf.Key(q, yarnconf.Capacity))) {
			return false
		}
		r.now = append(r.now, min)
		total += min.Memory
	}
	if b.resources == nil {
		b.resources = map[string]*resourceLevel{}
	}
	step := powerStep(total)
	for i, q := range lv.Queues {
		most := total
		if max := of[q].ConfiguredMax; !max.IsNone() {
			most = max.Memory
		}
		name := q + "." + yarnconf.Capacity
		b.add(name, yarnconf.Key(q, yarnconf.Capacity), yarnconf.Capacity, tune.Param{
			Kind: tune.Share, Group: lv.Parent, Present: strconv.FormatInt(r.now[i].Memory, 10), Total: float64(total), Step: float64(step),
			Min: float64(min(step, r.now[i].Memory)), Max: float64(min(total, max(most, r.now[i].Memory))),
		})
		b.resources[name] = r
	}
	return true
}

// memoryAndVCores reports that a resource vector names nothing else.
func memoryAndVCores(vector string) bool {
	for _, pair := range strings.Split(strings.Trim(strings.TrimSpace(vector), "[]"), ",") {
		name, _, _ := strings.Cut(pair, "=")
		if n := strings.TrimSpace(name); n != "memory" && n != "vcores" {
			return false
		}
	}
	return true
}

// powerStep is the largest power of two that divides total and is at most a
// hundredth of it.
func powerStep(total int64) int64 {
	step := int64(1)
	for 200*step <= total && total%(2*step) == 0 {
		step *= 2
	}
	return step
}

// resourceChanges are the changes of the levels with absolute resources.
func (s *Space) resourceChanges(set tune.Settings) []yarnconf.Change {
	var names []string
	seen := map[*resourceLevel]bool{}
	for name := range s.resources {
		names = append(names, name)
	}
	sort.Strings(names)
	var out []yarnconf.Change
	for _, name := range names {
		if r := s.resources[name]; !seen[r] {
			seen[r] = true
			out = append(out, r.changes(set)...)
		}
	}
	return out
}

// changes writes the resources of a level under settings: vcores go by what a
// queue had, times the growth of its memory, and keep their sum too.
func (r *resourceLevel) changes(set tune.Settings) []yarnconf.Change {
	memory, want := make([]int64, len(r.queues)), make([]float64, len(r.queues))
	cores, moved := 0.0, false
	for i, q := range r.queues {
		text, _ := set.Get(q + "." + yarnconf.Capacity)
		memory[i] = int64(math.Round(value(text)))
		moved = moved || memory[i] != r.now[i].Memory
		want[i] = float64(r.now[i].VCores) * float64(memory[i]) / float64(r.now[i].Memory)
		cores += float64(r.now[i].VCores)
	}
	if !moved {
		return nil
	}
	vcores, err := yarnconf.RoundShares(want, cores, 0)
	if err != nil {
		return nil // fewer vcores than queues: no such level is added
	}
	var out []yarnconf.Change
	for i, q := range r.queues {
		if memory[i] != r.now[i].Memory || int64(vcores[i]) != r.now[i].VCores {
			out = append(out, yarnconf.Change{Key: yarnconf.Key(q, yarnconf.Capacity), Value: fmt.Sprintf("[memory=%d,vcores=%.0f]", memory[i], vcores[i])})
		}
	}
	return out
}

// Vector is the property's value where a parameter stands for the memory of
// absolute resources.
func (s *Space) Vector(name string, set tune.Settings) (string, bool) {
	r := s.resources[name]
	if r == nil {
		return "", false
	}
	for _, ch := range r.changes(set) {
		if ch.Key == s.keys[name] {
			return ch.Value, true
		}
	}
	return "", false
}
