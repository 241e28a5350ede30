package study

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"schedtune/tune"
	"schedtune/yarnconf"
)

// Capacities without legacy rules (legacy-queue-mode.enabled=false). Of the
// siblings below a parent, what is written in one form moves like shares: single
// percentages, single weights, and in vectors each resource by its unit. The sum
// of each form stays, so what the others get stays too.

// vectorPart stands for the number of one resource in a property.
type vectorPart struct {
	key, text, resource string
}

var vectorNumber = regexp.MustCompile(`(memory|vcores)(\s*=\s*)([0-9]+(?:\.[0-9]+)?)(%|w|)(\s*[,\]])`)

// put replaces the number of the part's resource.
func (p vectorPart) put(text, number string) string {
	return vectorNumber.ReplaceAllStringFunc(text, func(m string) string {
		f := vectorNumber.FindStringSubmatch(m)
		if f[1] != p.resource {
			return m
		}
		return f[1] + f[2] + number + f[4] + f[5]
	})
}

// form is what siblings have written alike.
type form struct {
	name    string
	unit    string
	params  []tune.Param
	keys    []string
	parts   []vectorPart // empty for single numbers
	total   float64
	integer bool
}

// forms adds the capacities of one group of siblings.
func (b *spaceBuilder) forms(lv yarnconf.Level) {
	var all []*form
	of := func(name, unit string) *form {
		if i := slices.IndexFunc(all, func(f *form) bool { return f.name == name }); i >= 0 {
			return all[i]
		}
		all = append(all, &form{name: name, unit: unit, integer: unit == "" && name != "%"})
		return all[len(all)-1]
	}
	for _, q := range lv.Queues {
		key := yarnconf.Key(q, yarnconf.Capacity)
		text := strings.TrimSpace(b.c.Doc.Value(key))
		if n, err := strconv.ParseFloat(strings.TrimSuffix(text, "w"), 64); err == nil && n > 0 {
			f := of("%", "")
			if strings.HasSuffix(text, "w") {
				f = of("w", "w")
			}
			f.add(q+"."+yarnconf.Capacity, key, text, n, vectorPart{})
			continue
		}
		for _, m := range vectorNumber.FindAllStringSubmatch(text, -1) {
			if n, err := strconv.ParseFloat(m[3], 64); err == nil && n > 0 {
				of(m[1]+m[4], m[4]).add(q+"."+yarnconf.Capacity+"-"+m[1], key, m[3], n, vectorPart{key, text, m[1]})
			}
		}
	}
	for _, f := range all {
		b.form(lv.Parent, f)
	}
}

func (f *form) add(name, key, present string, n float64, part vectorPart) {
	f.params = append(f.params, tune.Param{Name: name, Kind: tune.Share, Present: present, Min: n})
	f.keys, f.parts, f.total = append(f.keys, key), append(f.parts, part), f.total+n
}

// form adds what siblings have written alike, if there are several.
func (b *spaceBuilder) form(parent string, f *form) {
	if len(f.params) < 2 {
		return
	}
	step := niceStep(f.total / 100)
	if f.integer {
		step = float64(powerStep(int64(f.total)))
	}
	for i, p := range f.params {
		now := p.Min
		p.Group, p.Total, p.Step, p.Max = parent+" "+f.name, f.total, step, f.total
		switch {
		case f.integer:
			queue, _, _ := strings.Cut(p.Name, "."+yarnconf.Capacity+"-")
			if most, ok := b.plainBound(queue, f.parts[i].resource); ok {
				p.Max = math.Min(f.total, math.Max(now, float64(most)))
			}
		default:
			p.Max = math.Min(f.total, math.Max(now, mostOf(f.unit)))
		}
		p.Min = math.Min(step, now)
		if f.parts[i].key == "" {
			p.Suffix = f.unit
		}
		b.add(p.Name, f.keys[i], yarnconf.Capacity, p)
		if f.parts[i].key != "" {
			b.vectors[p.Name] = f.parts[i]
		}
	}
}

// vectorChanges are the changes of properties of which parameters are parts.
func (s *Space) vectorChanges(set tune.Settings) []yarnconf.Change {
	var out []yarnconf.Change
	for _, v := range set {
		part, ok := s.vectors[v.Name]
		if !ok {
			continue
		}
		i := slices.IndexFunc(out, func(c yarnconf.Change) bool { return c.Key == part.key })
		if i < 0 {
			out = append(out, yarnconf.Change{Key: part.key, Value: part.text})
			i = len(out) - 1
		}
		out[i].Value = part.put(out[i].Value, v.Value)
	}
	return slices.DeleteFunc(out, func(c yarnconf.Change) bool { // what is as it was
		for _, part := range s.vectors {
			if part.key == c.Key {
				return part.text == c.Value
			}
		}
		return false
	})
}

// maximum adds the maximum-capacity, in percent of the parent's, of a queue whose
// capacity is no percentage: from what it is guaranteed now upwards.
func (b *spaceBuilder) maximum(q yarnconf.QueueInfo) {
	key := yarnconf.Key(q.Path, yarnconf.MaximumCapacity)
	text := strings.TrimSpace(b.c.Doc.Value(key))
	i := b.conf.Find(q.Path)
	if q.Parent == "" || i < 0 {
		return
	}
	if strings.HasPrefix(text, "[") {
		b.maximumVector(q, key, text, i)
		return
	}
	e := &b.onCluster()[i]
	least := math.Ceil(100 * float64(max(e.Capacity, e.WeightShare)))
	if !(least >= 1) {
		least = 1
	}
	if least < 100 {
		b.add(q.Path+"."+yarnconf.MaximumCapacity, key, yarnconf.MaximumCapacity, tune.Param{Kind: tune.Linear, Min: least,
			Max: 100, Step: 1, Present: b.present(key, q.MaxCapacity)})
	}
}

// onCluster returns what the queues have on the case's cluster.
func (b *spaceBuilder) onCluster() []yarnconf.Effective {
	if b.effective == nil {
		b.effective = b.conf.Effective(b.c.Total())
	}
	return b.effective
}

// maximumVector adds the parts of a maximum-capacity that names its resources one by
// one: from what the queue is guaranteed now to what its parent may have.
func (b *spaceBuilder) maximumVector(q yarnconf.QueueInfo, key, text string, i int) {
	all := b.onCluster()
	e, up := &all[i], &all[b.conf.Queues[i].Parent]
	for _, m := range vectorNumber.FindAllStringSubmatch(text, -1) {
		now, most := e.Min.Memory, up.Max.Memory
		if m[1] == "vcores" {
			now, most = e.Min.VCores, up.Max.VCores
		}
		n, err := strconv.ParseFloat(m[3], 64)
		if err != nil || most <= 0 || m[4] == "w" {
			continue
		}
		p := tune.Param{Kind: tune.Linear, Min: float64(max(now, 1)), Max: float64(most), Step: float64(powerStep(most)),
			Present: m[3]}
		if m[4] == "%" {
			p.Min, p.Max, p.Step = math.Max(1, math.Ceil(100*float64(now)/float64(most))), 100, 1
		}
		name := q.Path + "." + yarnconf.MaximumCapacity + "-" + m[1]
		if p.Min = math.Min(p.Min, n); p.Min < p.Max && b.add(name, key, yarnconf.MaximumCapacity, p) {
			b.vectors[name] = vectorPart{key, text, m[1]}
		}
	}
}

// weightLevel is a group of siblings with weights, whose maxima do not fall below
// their shares.
type weightLevel struct {
	queues []string
	now    map[string]float64
}

// raised are the changes that keep maxima of queues with weights at their shares.
func (s *Space) raised(set tune.Settings, changes []yarnconf.Change) []yarnconf.Change {
	present := s.PresentSettings()
	for _, l := range s.weights {
		total, of := 0.0, map[string]float64{}
		for _, q := range l.queues {
			of[q] = l.now[q]
			if text, ok := set.Get(q + "." + yarnconf.Capacity); ok {
				of[q] = value(strings.TrimSuffix(text, "w"))
			}
			total += of[q]
		}
		moved := slices.ContainsFunc(l.queues, func(q string) bool { return of[q] != l.now[q] })
		for _, q := range l.queues {
			text, ok := set.Get(q + "." + yarnconf.MaximumCapacity)
			if was, _ := present.Get(q + "." + yarnconf.MaximumCapacity); !ok || total <= 0 || !moved && text == was {
				continue
			}
			share := 100 * of[q] / total
			if most := value(text); most >= 0 && most < share {
				key, least := yarnconf.Key(q, yarnconf.MaximumCapacity), number(math.Min(100, math.Ceil(share)))
				changes = slices.DeleteFunc(changes, func(c yarnconf.Change) bool { return c.Key == key })
				changes = append(changes, yarnconf.Change{Key: key, Value: least})
			}
		}
	}
	return changes
}
