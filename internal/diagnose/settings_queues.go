package diagnose

import (
	"math"
	"strings"

	"schedtune/simcore/sched/capacity"
	"schedtune/yarnconf"
)

// source is the property behind a cause: of a dynamic queue that of its
// template.
func source(conf *yarnconf.Config, c *Cause) string {
	if name, ok := strings.CutPrefix(c.Property, yarnconf.Key(c.Queue, "")); ok && c.Queue != "" {
		return conf.Setting(c.Queue, name)
	}
	return c.Property
}

// sourced names in every cause the property that an administrator has to change, and in
// what holds an application of a leaf of a managed parent without capacity why it has none.
func sourced(conf *yarnconf.Config, causes []Cause) []Cause {
	for i := range causes {
		c := &causes[i]
		c.Property = source(conf, c)
		if c.Bare != "" {
			c.Reason = withoutCapacity(conf, c.Bare)
		}
		if c.Kind == KindNoCapacity && c.Partition == conf.MasterLabel {
			c.Reason = "application masters are requested there (node-labels.am.default-node-label-expression)"
		}
	}
	return causes
}

// withoutCapacity says why a leaf of a managed parent has no capacity; empty for others.
func withoutCapacity(conf *yarnconf.Config, path string) string {
	q := queueOf(conf, path)
	if q == nil || !q.Managed {
		return ""
	}
	up := conf.Queues[q.Parent].Path
	why, known := conf.NotKept()
	switch {
	case !known:
		why = "it gets any only if QueueManagementDynamicEditPolicy runs, which yarn-site.xml tells"
	case why == "":
		why = "it gets some once applications of other leaves have ended"
	default:
		why = "and never gets any: " + why
	}
	return "queue " + path + " has no capacity, since other leaves of " + up + " have all that it shares out; " + why
}

// queuePriority raises the priority of the application's branch among its siblings
// where another of them is served first by priority.
func queuePriority(conf *yarnconf.Config, st *capacity.Standing, c *Cause) []setting {
	mine, other := branches(st.Queue, c.Queue)
	q, o := queueOf(conf, mine), queueOf(conf, other)
	if q == nil || o == nil || q.Parent < 0 || conf.Queues[q.Parent].Order != yarnconf.PriorityUtilization ||
		o.Priority < q.Priority {
		return nil
	}
	k := numbers(yarnconf.Key(mine, "priority"), float64(q.Priority), 1, float64(o.Priority+1))
	k.guess = o.Priority + 1 - q.Priority
	return []setting{k}
}

// branches are the queues of two paths right below what they have in common.
func branches(a, b string) (string, string) {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return strings.Join(x[:i+1], "."), strings.Join(y[:i+1], ".")
		}
	}
	return a, b
}

// access lets a queue, and those above that may not either, use a partition.
func access(conf *yarnconf.Config, path, label string) setting {
	var list []Step
	for i := conf.Find(path); i >= 0; i = conf.Queues[i].Parent {
		q := &conf.Queues[i]
		if q.Parent < 0 || q.Accessible(label) {
			continue
		}
		present := strings.Join(q.AccessibleLabels, ",")
		value := label
		if present != "" {
			value = present + "," + label
		}
		list = append(list, step(conf.Setting(q.Path, "accessible-node-labels"), present, value))
	}
	if len(list) == 0 {
		return setting{}
	}
	return toggle(list[0].Key, list[0].Present, list[0].Value, list[1:]...)
}

// capacityOfLabel gives a queue capacity of a node label: all that its siblings leave, or a
// tenth of the largest.
func capacityOfLabel(conf *yarnconf.Config, q *yarnconf.Queue, label string) setting {
	if q == nil || q.Parent < 0 {
		return setting{}
	}
	name := inPartition(label, yarnconf.Capacity)
	left, largest, most := 100.0, "", 0.0
	for _, i := range conf.Queues[q.Parent].Children {
		o := &conf.Queues[i]
		l := o.LabelOf(label)
		if l == nil || o.Path == q.Path {
			continue
		}
		if l.ConfiguredMin != (yarnconf.Resource{}) || l.Weight >= 0 {
			return setting{}
		}
		share := math.Round(float64(l.Capacity)*1e4) / 100
		if left -= share; share > most {
			largest, most = o.Path, share
		}
	}
	var with []Step
	if left < 0.01 {
		if left = math.Round(most*10) / 100; left <= 0 {
			return setting{}
		}
		with = []Step{step(conf.Setting(largest, name), whyShort(most), whyShort(most-left))}
	}
	return toggle(conf.Setting(q.Path, name), "0", whyShort(left), with...)
}

// moreQueues are the settings by which a parent would make one more queue.
func moreQueues(conf *yarnconf.Config, c *Cause) []setting {
	if c.Most > 0 || c.Count > 0 {
		k := numbers(c.Property, float64(c.Most), 1, float64(c.Count)+64)
		k.guess = c.Count - c.Most
		return []setting{k}
	}
	q := queueOf(conf, c.Queue)
	if q == nil || q.Template == nil {
		return nil
	}
	ks := []setting{toggle(c.Property, "true", "false")}
	if from := math.Floor(float64(q.Template.Capacity)*100 + 1e-4); from > 1 {
		ks = append(ks, numbers(yarnconf.Key(c.Queue, "leaf-queue-template."+yarnconf.Capacity), from, -1, 1))
	}
	return ks
}
