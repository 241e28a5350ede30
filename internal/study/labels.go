package study

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"schedtune/simcore"
	"schedtune/simcore/yarn"
	"schedtune/tune"
	"schedtune/yarnconf"
)

// Shares of labelled nodes. Siblings share each node label apart from the nodes
// without one: per label and parent their shares move as a group of its own, with
// the sum they have now, and their maxima above them. What no job asks for stays:
// the share of a label in a queue whose jobs do not ask for it, and the share of
// the nodes without label in a queue whose jobs ask for labels only.

const ofLabel = ".accessible-node-labels."

// asked tells for which labels ("": nodes without one) the jobs of a queue, and of
// the queues below it, ask.
type asked map[string]map[string]bool

// askedLabels reads the expressions of all jobs as the scheduler does: what the ask
// says, else the application, else the queue.
func askedLabels(c *simcore.Cluster, w *simcore.Workload, conf *yarnconf.Config) asked {
	m := asked{}
	for i := range w.Jobs {
		j := &w.Jobs[i]
		queue := w.Queues[j.Queue]
		for _, label := range labelsOfJob(c, j, conf, queue) {
			for q := queue; q != ""; q = parentOf(q) {
				if m[q] == nil {
					m[q] = map[string]bool{}
				}
				m[q][label] = true
			}
		}
	}
	return m
}

func labelsOfJob(c *simcore.Cluster, j *simcore.Job, conf *yarnconf.Config, queue string) []string {
	if len(c.Labels) == 0 {
		return []string{""}
	}
	own := ""
	for q := queue; q != ""; q = parentOf(q) { // of one created dynamically, as its parent
		if i := conf.Find(q); i >= 0 {
			own = conf.Queues[i].LabelExpression
			break
		}
	}
	var says simcore.JobLabels
	if j.Labels != nil {
		says = *j.Labels
	}
	first := func(texts ...string) string {
		for _, t := range texts {
			if t == yarn.DefaultPartition {
				return ""
			}
			if t != "" {
				return t
			}
		}
		return own
	}
	if says.Master == yarn.DefaultPartition {
		says.Master = "" // as if left out
	}
	list := []string{first(conf.EnforcedLabel(says.App, says.Master), conf.MasterLabel, says.App)}
	if j.Spark != nil {
		return append(list, first(conf.EnforcedLabel(says.App, says.Executor), says.App))
	}
	if j.Maps > 0 {
		list = append(list, first(conf.EnforcedLabel(says.App, says.Map), says.App))
	}
	if j.Reduces > 0 {
		list = append(list, first(conf.EnforcedLabel(says.App, says.Reduce), says.App))
	}
	return list
}

// elsewhere returns the queues with jobs of which none asks for nodes without
// label.
func (a asked) elsewhere() map[string]bool {
	out := map[string]bool{}
	for q, labels := range a {
		if !labels[""] {
			out[q] = true
		}
	}
	return out
}

// labelShare is one queue's share of a label.
type labelShare struct {
	queue, key, text string // key is the property's without "capacity"
	now              float64
	moves            bool
}

// labels adds the shares of every node label below one parent.
func (b *spaceBuilder) labels(lv yarnconf.Level) {
	for _, l := range b.c.Cluster.Labels {
		list, unit, ok := b.labelShares(lv, l.Name)
		if !ok && b.conf.LegacyMode && b.absolutes(l.Name).level(lv) {
			continue
		}
		if !ok {
			b.notes = append(b.notes, fmt.Sprintf("capacities of node label %s below %s are not tuned: they are "+
				"neither all percentages nor all weights", l.Name, lv.Parent))
			continue
		}
		b.labelGroup(lv.Parent, l.Name, unit, list)
	}
}

// labelShares reads the siblings' shares of a label; false where they have no one
// form.
func (b *spaceBuilder) labelShares(lv yarnconf.Level, label string) (list []labelShare, unit string, ok bool) {
	for _, q := range lv.Queues {
		s := labelShare{queue: q, key: yarnconf.Prefix + q + ofLabel + label + "."}
		s.text = strings.TrimSpace(b.c.Doc.Value(s.key + yarnconf.Capacity))
		if s.text == "" {
			continue
		}
		of := ""
		if strings.HasSuffix(s.text, "w") {
			of = "w"
		}
		n, err := strconv.ParseFloat(strings.TrimSuffix(s.text, "w"), 64)
		if err != nil || len(list) > 0 && of != unit {
			return nil, "", false
		}
		if unit = of; n > 0 {
			s.now = n
			list = append(list, s)
		}
	}
	return list, unit, true
}

// labelGroup adds the shares of a label that siblings have, and their maxima.
func (b *spaceBuilder) labelGroup(parent, label, unit string, list []labelShare) {
	sum, smallest, moving := 0.0, math.Inf(1), 0
	for i := range list {
		s := &list[i]
		sum += s.now
		ok, named := b.chosen(s.queue+ofLabel+label+"."+yarnconf.Capacity, yarnconf.Capacity)
		if s.moves = ok && (named || b.asked[s.queue][label] && !b.keeps(s.queue, label)); s.moves {
			moving++
			smallest = math.Min(smallest, s.now)
		}
	}
	total := sum
	if unit == "" && math.Abs(sum-100) < 1e-9 {
		total, sum = 0, 100 // percentages of the parent's
	}
	for i := range list {
		s := &list[i]
		name := s.queue + ofLabel + label + "."
		if moving > 1 {
			step := niceStep(math.Min(2, smallest) / 2)
			if total > 0 {
				step = niceStep(sum / 100)
			}
			b.put(name+yarnconf.Capacity, s.key+yarnconf.Capacity, tune.Param{Kind: tune.Share, Group: parent + " on " + label,
				Present: s.text, Suffix: unit,
				Total: total, Min: math.Min(step, s.now), Max: math.Min(sum, mostOf(unit)), Step: step, Fixed: !s.moves})
		}
		if unit == "" {
			b.labelMaximum(name, s, moving > 1 && s.moves && total == 0, b.asked[s.queue][label])
		}
	}
}

// labelMaximum adds a queue's maximum of a label, in percent of the parent's.
func (b *spaceBuilder) labelMaximum(name string, s *labelShare, above, touched bool) {
	text := strings.TrimSpace(b.c.Doc.Value(s.key + yarnconf.MaximumCapacity))
	if text == "" {
		text = "100"
	}
	if ok, named := b.chosen(name+yarnconf.MaximumCapacity, yarnconf.MaximumCapacity); !ok || !named && !touched ||
		!isNumber(text) || s.now >= 100 {
		return
	}
	p := tune.Param{Kind: tune.Linear, Min: s.now, Max: 100, Step: 1, Present: text}
	if above {
		p = tune.Param{Kind: tune.Ceiling, Of: name + yarnconf.Capacity, Present: text}
	}
	b.put(name+yarnconf.MaximumCapacity, s.key+yarnconf.MaximumCapacity, p)
}

// put adds a parameter of which is known that it may move.
func (b *spaceBuilder) put(name, key string, p tune.Param) {
	p.Name = name
	b.keys[name] = key
	b.params = append(b.params, p)
}

// keeps reports whether a leaf below a queue has a share of a label that none of
// its jobs asks for: the shares above are part of what it is guaranteed.
func (b *spaceBuilder) keeps(queue, label string) bool {
	for i := range b.conf.Queues {
		q := &b.conf.Queues[i]
		if q.Leaf && strings.HasPrefix(q.Path, queue+".") && !b.asked[q.Path][label] &&
			b.c.Doc.Value(yarnconf.Prefix+q.Path+ofLabel+label+"."+yarnconf.Capacity) != "" {
			return true
		}
	}
	return false
}
