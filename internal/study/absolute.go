package study

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"schedtune/tune"
	"schedtune/yarnconf"
)

// Absolute resources. The memory of siblings moves like shares, the sum of a level
// stays, and vcores follow. What a parent gets its children get in proportion, so
// that they never have more together than it has. Maxima move between what a queue
// has and what its parent may have.

// absoluteTree holds the queues with absolute resources of one node label ("":
// none) of which something may move, parents before children.
type absoluteTree struct {
	b      *spaceBuilder
	label  string
	queues []absoluteQueue
	at     map[string]int // by path
}

// absoluteQueue is one queue as the file has it.
type absoluteQueue struct {
	path   string
	parent int // in the tree; -1: none that moves
	level  int // index of the first sibling
	now    yarnconf.Resource
	most   yarnconf.Resource // maximum-capacity of its own; none where it is inherited
	above  yarnconf.Resource // the parent's maximum; the cluster where it has none
}

// absolutes finds or makes the tree of a label.
func (b *spaceBuilder) absolutes(label string) *absoluteTree {
	i := slices.IndexFunc(b.trees, func(t *absoluteTree) bool { return t.label == label })
	if i < 0 {
		i, b.trees = len(b.trees), append(b.trees, &absoluteTree{b: b, label: label, at: map[string]int{}})
	}
	return b.trees[i]
}

// level adds the queues below one parent and reports whether it could: levels with
// other resources in their vectors stay, and so do those above them.
func (t *absoluteTree) level(lv yarnconf.Level) bool {
	queues := t.sharers(lv.Queues)
	for _, q := range queues {
		if !t.follows(q) {
			return false
		}
	}
	parent := -1
	if i, ok := t.at[lv.Parent]; ok {
		parent = i
	}
	first, total := len(t.queues), int64(0)
	above := t.above(lv.Parent)
	for _, q := range queues {
		now, _ := t.resource(q, yarnconf.Capacity)
		most, _ := t.resource(q, yarnconf.MaximumCapacity)
		t.at[q] = len(t.queues)
		t.queues = append(t.queues, absoluteQueue{q, parent, first, now, most, above})
		total += now.Memory
	}
	step := powerStep(total)
	for _, q := range t.queues[first:] {
		bounded := !t.moves(q.path, yarnconf.MaximumCapacity) && !q.most.IsNone()
		most := total
		if bounded {
			most = min(total, max(q.most.Memory, q.now.Memory))
		}
		if len(queues) > 1 {
			t.add(q.path, yarnconf.Capacity, tune.Param{Kind: tune.Share, Group: t.group(lv.Parent),
				Present: strconv.FormatInt(q.now.Memory, 10),
				Total:   float64(total), Step: float64(step), Min: float64(min(step, q.now.Memory)), Max: float64(most)})
		}
	}
	for _, q := range t.queues[first:] {
		t.maximum(&q)
	}
	return true
}

// maximum adds the memory of a queue's maximum.
func (t *absoluteTree) maximum(q *absoluteQueue) {
	present := q.above.Memory
	if text := t.text(q.path, yarnconf.MaximumCapacity); text != "" {
		if present = q.most.Memory; q.most.IsNone() {
			return // a percentage beside absolute resources says nothing
		}
	}
	if q.now.Memory >= q.above.Memory || q.above.VCores <= 0 {
		return
	}
	t.add(q.path, yarnconf.MaximumCapacity, tune.Param{Kind: tune.Linear, Min: float64(q.now.Memory),
		Max:  float64(q.above.Memory),
		Step: float64(powerStep(q.above.Memory)), Present: strconv.FormatInt(present, 10)})
}

func (t *absoluteTree) group(parent string) string {
	if t.label == "" {
		return parent
	}
	return parent + " on " + t.label
}

func (t *absoluteTree) text(queue, name string) string {
	return strings.TrimSpace(t.b.c.Doc.Value(yarnconf.LabelKey(queue, t.label, name)))
}

func (t *absoluteTree) name(queue, name string) string {
	return strings.TrimPrefix(yarnconf.LabelKey(queue, t.label, name), yarnconf.Prefix)
}

// sharers are the queues of a level that have a capacity of the label.
func (t *absoluteTree) sharers(queues []string) []string {
	if t.label == "" {
		return queues
	}
	return slices.DeleteFunc(slices.Clone(queues), func(q string) bool { return t.text(q, yarnconf.Capacity) == "" })
}

// resource is a queue's resource as the file has it, if it names memory and vcores
// and nothing else.
func (t *absoluteTree) resource(queue, name string) (r yarnconf.Resource, ok bool) {
	text := t.text(queue, name)
	if !strings.HasPrefix(text, "[") || !memoryAndVCores(text) {
		return r, false
	}
	q := &t.b.conf.Queues[t.b.conf.Find(queue)]
	least, most := q.ConfiguredMin, q.ConfiguredMax
	if l := q.LabelOf(t.label); l != nil {
		least, most = l.ConfiguredMin, l.ConfiguredMax
	}
	if r = least; name == yarnconf.MaximumCapacity {
		r = most
	}
	return r, r.Memory > 0 && r.VCores > 0
}

// follows reports whether a queue and all below it can be written anew.
func (t *absoluteTree) follows(queue string) bool {
	if _, ok := t.resource(queue, yarnconf.Capacity); !ok {
		return false
	}
	if text := t.text(queue, yarnconf.MaximumCapacity); strings.HasPrefix(text, "[") && !memoryAndVCores(text) {
		return false
	}
	var below []string
	for _, i := range t.b.conf.Queues[t.b.conf.Find(queue)].Children {
		below = append(below, t.b.conf.Queues[i].Path)
	}
	return !slices.ContainsFunc(t.sharers(below), func(q string) bool { return !t.follows(q) })
}

// above is the most that queues below a parent may have: its maximum, else that of
// the partition.
func (t *absoluteTree) above(parent string) yarnconf.Resource {
	q := &t.b.conf.Queues[t.b.conf.Find(parent)]
	most := q.ConfiguredMax
	if l := q.LabelOf(t.label); l != nil {
		most = l.ConfiguredMax
	}
	if most.IsNone() {
		most = t.b.partition(t.label)
	}
	return most
}

// partition is what the nodes with a label offer together.
func (b *spaceBuilder) partition(label string) (total yarnconf.Resource) {
	for i := range b.c.Cluster.Nodes {
		if n := &b.c.Cluster.Nodes[i]; n.Label == label {
			total = total.Add(yarnconf.Resource{Memory: n.Capacity[0], VCores: n.Capacity[1]})
		}
	}
	return total
}

// moves reports whether a setting of a queue may move.
func (t *absoluteTree) moves(queue, name string) bool {
	if t.label == "" {
		return t.b.wanted(t.name(queue, name), name)
	}
	ok, named := t.b.chosen(t.name(queue, name), name)
	return ok && (named || t.b.asked[queue][t.label] && !t.b.keeps(queue, t.label))
}

func (t *absoluteTree) add(queue, setting string, p tune.Param) {
	name, key := t.name(queue, setting), yarnconf.LabelKey(queue, t.label, setting)
	if p.Fixed = !t.moves(queue, setting); p.Fixed && p.Kind != tune.Share {
		return // the shares of siblings have a sum
	}
	t.b.put(name, key, p)
	t.b.resources[name] = t
}

// changes are those of the resources and maxima of all queues under settings.
func (t *absoluteTree) changes(set tune.Settings) []yarnconf.Change {
	memory := func(q *absoluteQueue, setting string, otherwise int64) (int64, bool) {
		text, ok := set.Get(t.name(q.path, setting))
		if !ok {
			return otherwise, false
		}
		return int64(math.Round(value(text))), true
	}
	// What each queue has, its maximum, and the most that those below it may have.
	now, most, top := make([]yarnconf.Resource, len(t.queues)), make([]yarnconf.Resource, len(t.queues)),
		make([]yarnconf.Resource, len(t.queues))
	var out []yarnconf.Change
	for first := 0; first < len(t.queues); {
		last := first
		for last < len(t.queues) && t.queues[last].level == first {
			last++
		}
		want := make([]int64, last-first)
		for i := range want {
			want[i], _ = memory(&t.queues[first+i], yarnconf.Capacity, t.queues[first+i].now.Memory)
		}
		if !t.share(first, want, now) {
			return nil // fewer units than queues: nothing of the tree moves
		}
		for i := first; i < last; i++ {
			q := &t.queues[i]
			above := q.above
			if q.parent >= 0 {
				above = top[q.parent]
			}
			m, moved := memory(q, yarnconf.MaximumCapacity, q.most.Memory)
			most[i] = q.ceiling(m, moved, now[i], above)
			if top[i] = most[i]; top[i].IsNone() {
				top[i] = above
			}
			if now[i] != q.now {
				out = append(out, yarnconf.Change{Key: yarnconf.LabelKey(q.path, t.label, yarnconf.Capacity),
					Value: vectorText(now[i])})
			}
			if most[i] != q.most && !most[i].IsNone() {
				out = append(out, yarnconf.Change{Key: yarnconf.LabelKey(q.path, t.label, yarnconf.MaximumCapacity),
					Value: vectorText(most[i])})
			}
		}
		first = last
	}
	if !t.hold(now) {
		return nil
	}
	return out
}

// hold reports whether every parent has what its children have together, as a load compares
// it before there are nodes and a refresh by shares of the nodes. A file may give children
// more vcores than their parent, as long as its memory is the larger share.
func (t *absoluteTree) hold(now []yarnconf.Resource) bool {
	sum := make([]yarnconf.Resource, len(now))
	for i := range t.queues {
		if p := t.queues[i].parent; p >= 0 {
			sum[p] = sum[p].Add(now[i])
		}
	}
	calc, total := t.b.conf.Calculator, t.b.partition(t.label)
	for i := range now {
		if now[i] != t.queues[i].now && (calc.Compare(yarnconf.Resource{}, now[i], sum[i]) < 0 ||
			calc.Compare(total, now[i], sum[i]) < 0) {
			return false
		}
	}
	return true
}

// share deals a level's resources by memory; vcores go by what a queue had, times
// the growth of its memory.
func (t *absoluteTree) share(first int, memory []int64, now []yarnconf.Resource) bool {
	var had yarnconf.Resource
	moved := false
	for i, m := range memory {
		had = had.Add(t.queues[first+i].now)
		moved = moved || m != t.queues[first+i].now.Memory
	}
	have := had
	if p := t.queues[first].parent; p >= 0 {
		was := t.queues[p].now
		moved = moved || now[p] != was
		have.Memory = int64(float64(had.Memory) * float64(now[p].Memory) / float64(was.Memory))
		have.VCores = int64(float64(had.VCores) * float64(now[p].VCores) / float64(was.VCores))
	}
	mib, cores := make([]float64, len(memory)), make([]float64, len(memory))
	for i, m := range memory {
		q := &t.queues[first+i]
		mib[i], cores[i] = float64(m), float64(q.now.VCores)*float64(m)/float64(q.now.Memory)
		now[first+i] = q.now
	}
	if !moved {
		return true
	}
	dealt, err := yarnconf.RoundShares(mib, float64(have.Memory), 0)
	if err != nil {
		return false
	}
	with, err := yarnconf.RoundShares(cores, float64(have.VCores), 0)
	if err != nil {
		return false
	}
	for i := range memory {
		now[first+i] = yarnconf.Resource{Memory: int64(dealt[i]), VCores: int64(with[i])}
	}
	return true
}

// ceiling is a queue's maximum: at least what it has and at most what its parent may
// have; none where it is inherited and stays so.
func (q *absoluteQueue) ceiling(memory int64, moved bool, now, above yarnconf.Resource) yarnconf.Resource {
	of := q.most
	switch {
	case !of.IsNone() && memory == of.Memory && now == q.now && above == q.above:
		return of
	case !of.IsNone():
	case !moved || memory == q.above.Memory:
		return yarnconf.Resource{}
	default:
		of = q.above
	}
	r := of
	if memory != of.Memory {
		r = yarnconf.Resource{Memory: memory, VCores: int64(math.Round(float64(of.VCores) * float64(memory) /
			float64(of.Memory)))}
	}
	return now.MaxEach(r.MinEach(above))
}

func vectorText(r yarnconf.Resource) string {
	return fmt.Sprintf("[memory=%d,vcores=%d]", r.Memory, r.VCores)
}

// resourceChanges are the changes of absolute resources.
func (s *Space) resourceChanges(set tune.Settings) []yarnconf.Change {
	seen := map[*absoluteTree]bool{}
	var out []yarnconf.Change
	for _, name := range slices.Sorted(maps.Keys(s.resources)) {
		if t := s.resources[name]; !seen[t] {
			seen[t] = true
			out = append(out, t.changes(set)...)
		}
	}
	return out
}

// Vector is the property's value where a parameter stands for the memory of
// absolute resources.
func (s *Space) Vector(name string, set tune.Settings) (string, bool) {
	t := s.resources[name]
	if t == nil {
		return "", false
	}
	for _, ch := range t.changes(set) {
		if ch.Key == s.keys[name] {
			return ch.Value, true
		}
	}
	return "", false
}
