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
// (AbstractCSQueue.validateMinResourceIsNotGreaterThanMaxResource), by shares of the nodes
// that there are. Capacities and maxima move apart from each other, so the maxima of a file
// follow: down to the parent's, up to what the queue and those below it have.

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
		p := plainQueue{q.Path, q.Parent, b.c.Doc.Value(yarnconf.Key(q.Path, yarnconf.Capacity)),
			b.c.Doc.Value(yarnconf.Key(q.Path, yarnconf.MaximumCapacity))}
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

// plainFigures are what a file says of its queues, resources as a load reads them.
type plainFigures struct {
	texts             []string            // of the maxima
	most, need, above []yarnconf.Resource // the maximum in force, the least that it must be, the parent's
	own               []bool              // the maximum is the queue's own
}

// plainFigures reads the file with changes.
func (s *Space) plainFigures(changes []yarnconf.Change) plainFigures {
	text := func(key, otherwise string) string {
		if i := slices.IndexFunc(changes, func(c yarnconf.Change) bool { return c.Key == key }); i >= 0 {
			return changes[i].Value
		}
		return otherwise
	}
	n := len(s.plain)
	f := plainFigures{make([]string, n), make([]yarnconf.Resource, n), make([]yarnconf.Resource, n),
		make([]yarnconf.Resource, n), make([]bool, n)}
	for i := range s.plain {
		q := &s.plain[i]
		f.texts[i] = text(yarnconf.Key(q.path, yarnconf.MaximumCapacity), q.most)
		f.most[i] = yarnconf.AbsoluteResource(f.texts[i])
		f.need[i] = yarnconf.AbsoluteResource(text(yarnconf.Key(q.path, yarnconf.Capacity), q.least))
		if f.own[i] = !f.most[i].IsNone(); q.parent >= 0 {
			f.above[i] = f.most[q.parent]
			if !f.own[i] && !f.need[i].IsNone() {
				f.most[i] = f.above[i]
			}
		}
	}
	for i := n - 1; i > 0; i-- { // a queue with neither is compared with nothing, nor are those below it
		if up := s.plain[i].parent; up >= 0 && !f.most[i].IsNone() {
			f.need[up] = f.need[up].MaxEach(f.need[i])
		}
	}
	return f
}

// followed adds the changes of absolute maxima that changed capacities and maxima ask for.
// Every resource is compared, whatever the calculator: by shares, what is more depends on
// the nodes of the moment.
func (s *Space) followed(changes []yarnconf.Change) []yarnconf.Change {
	if len(s.plain) == 0 || len(changes) == 0 {
		return changes
	}
	was, now := s.plainFigures(nil), s.plainFigures(changes)
	for i := range s.plain {
		q := &s.plain[i]
		if q.parent >= 0 {
			now.above[i] = now.most[q.parent]
		}
		if !now.own[i] {
			if !now.most[i].IsNone() {
				now.most[i] = now.above[i]
			}
			continue
		}
		if now.most[i] == was.most[i] && now.need[i] == was.need[i] && now.above[i] == was.above[i] {
			continue
		}
		want := now.most[i]
		if !now.above[i].IsNone() {
			want = want.MinEach(now.above[i])
		}
		if want = want.MaxEach(now.need[i]); want == now.most[i] {
			continue
		}
		now.most[i] = want
		key := yarnconf.Key(q.path, yarnconf.MaximumCapacity)
		changes = slices.DeleteFunc(slices.Clone(changes), func(c yarnconf.Change) bool { return c.Key == key })
		if to := plainText(now.texts[i], want); to != strings.TrimSpace(q.most) {
			changes = append(changes, yarnconf.Change{Key: key, Value: to})
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
