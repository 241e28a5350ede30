package study

import (
	"math"
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
		b.weighted(lv, info)
		return true
	case lv.Mode == yarnconf.Absolute && lv.Fixed == yarnconf.FixedAbsolute:
		return b.absolutes("").level(lv)
	}
	return false
}

// weighted adds the weights of one group of siblings, in steps of about a
// hundredth of their sum. None gets a weight whose part of the sum is above the
// queue's maximum-capacity.
func (b *spaceBuilder) weighted(lv yarnconf.Level, info map[string]yarnconf.QueueInfo) {
	total := 0.0
	for _, q := range lv.Queues {
		total += info[q].Capacity
	}
	step := niceStep(total / 100)
	level := weightLevel{queues: lv.Queues, now: map[string]float64{}}
	for _, q := range lv.Queues {
		level.now[q] = info[q].Capacity
	}
	b.weights = append(b.weights, level)
	for _, q := range lv.Queues {
		now := info[q].Capacity
		b.add(q+"."+yarnconf.Capacity, yarnconf.Key(q, yarnconf.Capacity), yarnconf.Capacity, tune.Param{
			Kind: tune.Share, Group: lv.Parent, Present: b.presentWeight(q, now), Suffix: "w", Total: total, Step: step,
			Min: math.Min(step, now), Max: math.Min(math.Min(total, mostOf("w")), math.Max(now, total*info[q].MaxCapacity/100)),
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

// mostOf is the largest number that a load takes of a unit: of a percentage ("" or "%")
// and of a weight ("w").
func mostOf(unit string) float64 {
	if unit == "w" {
		return 10000
	}
	return 100
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
