package study

import (
	"slices"
	"strconv"
	"strings"

	"schedtune/yarnconf"
)

// Absolute capacities and maxima without legacy rules. A load compares them wherever they
// are written as such: no capacity may be above the queue's maximum, no maximum above the
// parent's, and a queue with a capacity and without a maximum has its parent's
// (AbstractCSQueue.validateMinResourceIsNotGreaterThanMaxResource). Capacities and maxima
// move apart from each other, so the maxima of a file follow: down to the parent's, up to
// what the queue and those below it have.

// plainQueue is a queue as the file has it, parents before children.
type plainQueue struct {
	path        string
	parent      int // -1: root
	least, most string
}

// plainQueues lists the queues of a file without legacy rules, nil where no maximum
// is absolute.
func (b *spaceBuilder) plainQueues() []plainQueue {
	if b.conf.LegacyMode {
		return nil
	}
	var out []plainQueue
	some := false
	for i := range b.conf.Queues {
		q := &b.conf.Queues[i]
		p := plainQueue{q.Path, q.Parent, b.c.Doc.Value(yarnconf.Key(q.Path, yarnconf.Capacity)), b.c.Doc.Value(yarnconf.Key(q.Path, yarnconf.MaximumCapacity))}
		some = some || !yarnconf.AbsoluteResource(p.most).IsNone()
		out = append(out, p)
	}
	if !some {
		return nil
	}
	return out
}

// plainBound is what the maxima that stay allow an absolute capacity of one resource of a
// queue at most; no limit: false.
func (b *spaceBuilder) plainBound(queue, resource string) (most int64, ok bool) {
	for i := b.conf.Find(queue); i >= 0; i = b.conf.Queues[i].Parent {
		q := &b.conf.Queues[i]
		r := yarnconf.AbsoluteResource(b.c.Doc.Value(yarnconf.Key(q.Path, yarnconf.MaximumCapacity)))
		if r.IsNone() || b.wanted(q.Path+"."+yarnconf.MaximumCapacity+"-"+resource, yarnconf.MaximumCapacity) {
			continue
		}
		n := r.Memory
		if resource == "vcores" {
			n = r.VCores
		}
		if !ok || n < most {
			most, ok = n, true
		}
	}
	return most, ok
}

// followed adds the changes of absolute maxima that changed capacities and maxima ask for.
func (s *Space) followed(changes []yarnconf.Change) []yarnconf.Change {
	if len(s.plain) == 0 || len(changes) == 0 {
		return changes
	}
	text := func(key, otherwise string) string {
		if i := slices.IndexFunc(changes, func(c yarnconf.Change) bool { return c.Key == key }); i >= 0 {
			return changes[i].Value
		}
		return otherwise
	}
	n := len(s.plain)
	texts := make([]string, n)
	least, most, need := make([]yarnconf.Resource, n), make([]yarnconf.Resource, n), make([]yarnconf.Resource, n)
	for i := range s.plain {
		q := &s.plain[i]
		texts[i] = text(yarnconf.Key(q.path, yarnconf.MaximumCapacity), q.most)
		most[i] = yarnconf.AbsoluteResource(texts[i])
		least[i] = yarnconf.AbsoluteResource(text(yarnconf.Key(q.path, yarnconf.Capacity), q.least))
		need[i] = least[i]
	}
	for i := n - 1; i > 0; i-- { // children pass on what they need, unless nothing above them is compared with it
		if up := s.plain[i].parent; up >= 0 && !(most[i].IsNone() && least[i].IsNone()) {
			need[up] = need[up].MaxEach(need[i])
		}
	}
	for i := range s.plain {
		q := &s.plain[i]
		above := yarnconf.Resource{}
		if q.parent >= 0 {
			above = most[q.parent]
		}
		if most[i].IsNone() {
			if !least[i].IsNone() {
				most[i] = above
			}
			continue
		}
		want := most[i]
		if !above.IsNone() && s.calculator.Compare(yarnconf.Resource{}, want, above) > 0 {
			want = want.MinEach(above)
		}
		if s.calculator.Compare(yarnconf.Resource{}, need[i], want) > 0 {
			want = want.MaxEach(need[i])
		}
		if want == most[i] {
			continue
		}
		most[i] = want
		changes = slices.DeleteFunc(slices.Clone(changes), func(c yarnconf.Change) bool { return c.Key == yarnconf.Key(q.path, yarnconf.MaximumCapacity) })
		if to := plainText(texts[i], want); to != strings.TrimSpace(q.most) {
			changes = append(changes, yarnconf.Change{Key: yarnconf.Key(q.path, yarnconf.MaximumCapacity), Value: to})
		}
	}
	return changes
}

// plainText writes memory and vcores into an absolute vector, and keeps what else it names.
func plainText(text string, r yarnconf.Resource) string {
	text = vectorPart{resource: "memory"}.put(text, strconv.FormatInt(r.Memory, 10))
	text = vectorPart{resource: "vcores"}.put(text, strconv.FormatInt(r.VCores, 10))
	if yarnconf.AbsoluteResource(text) != r { // written with units, or without one of the two
		return vectorText(r)
	}
	return text
}
