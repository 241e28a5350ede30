package yarnconf

import (
	"fmt"
)

// What an administrator does not expect: values that are taken as not set, settings that a
// version does not read, and what a cluster makes of the file.

// odd names switches that are neither true nor false: Hadoop takes them as not set.
func (k *checker) odd(keys []string) {
	told := map[string]bool{}
	for _, key := range keys {
		if !told[key] {
			told[key] = true
			k.warn("not-boolean", key, "write true or false", "%q is taken as not set", k.d.Value(key))
		}
	}
	if !k.c.Version.Rules().NoGlobalUserLimits {
		return
	}
	for _, name := range []string{UserFactor, MinimumUser} {
		if k.d.Value(Prefix+name) != "" {
			k.warn("ignored",
				Prefix+name, "set it for each queue", "is ignored: Hadoop 3.3 reads it for single queues only (YARN-10928)")
		}
	}
}

// masters: where application masters are requested on nodes with a label, every leaf needs
// capacity there.
func (k *checker) masters() {
	label := k.c.MasterLabel
	if label == "" {
		return
	}
	key := "yarn.node-labels.am.default-node-label-expression"
	if other := "yarn.resourcemanager.node-labels.am.default-node-label-expression"; k.d.Value(other) != "" {
		key = other
	}
	for i := range k.c.Queues {
		q := &k.c.Queues[i]
		if !q.Leaf {
			continue
		}
		set := setCapacity(q, label)
		switch l := q.LabelOf(label); {
		case !q.Accessible(label):
			k.warn("label-without-capacity", key, "add "+label+" to "+q.Path+".accessible-node-labels and "+set,
				"application masters are requested on nodes with label %s, which %s may not use: every submission is refused",
				label,
				q.Path)
		case (l == nil || !l.set || k.d.Value(LabelKey(q.Path, label, Capacity)) == "") && q.Mode != Absolute:
			k.warn("label-without-capacity",
				key, set, "application masters are requested on nodes with label %s, and %s has no capacity there: no "+
					"application of it starts", label, q.Path)
		}
	}
}

// onCluster looks at what the nodes make of the file.
func (k *checker) onCluster() {
	if !k.measured() {
		return
	}
	c := k.c
	for _, g := range k.groups {
		if g.Label != "" || g.Nodes == 0 {
			continue
		}
		most, cores := g.Total.Memory/c.MinAllocation.Memory/int64(g.Nodes), g.Total.VCores/int64(g.Nodes)
		if !c.Calculator.Dominant && most > cores {
			k.warn("no-cores",
				Prefix+"resource-calculator", "DominantResourceCalculator counts them", "cores are not counted: the memory of a "+
					"node holds up to %d containers of the least allocation, and it has %d cores", most, cores)
		}
	}
	for i := range c.Queues {
		q := &c.Queues[i]
		if len(q.Children) > 0 {
			k.scaledDown(i)
		}
		if m := q.MaxAllocation; q.Leaf && m.Memory < c.MinAllocation.Memory {
			k.warn("no-resources",
				Key(q.Path, "maximum-allocation-mb"), "", "%d is below %s (%d): every request to %s is refused", m.Memory, minMB,
				c.MinAllocation.Memory, q.Path)
		}
		if m := k.eff[i].Max.Memory; q.Leaf && k.sound[i] && m > 0 && m < c.MinAllocation.Memory {
			k.warn("no-resources", Key(q.Path, MaximumCapacity), "", "%s may use at most %d MiB of the nodes without a label, "+
				"less than the least container (%d MiB): no application starts there", q.Path, m, c.MinAllocation.Memory)
		}
		if c.PreemptsForEver(i, k.eff[i].Min) {
			k.warn("no-cores",
				Key(q.Path, Capacity), "set "+q.Path+".disable_preemption to true, or give it at least one core", "the guaranteed "+
					"cores of %s come to 0, and Hadoop 3.3 preempts its containers again and again (YARN-11073)", q.Path)
		}
	}
}

// PreemptsForEver reports whether the containers of leaf i, guaranteed min, are preempted as often
// as they start (YARN-11073, PreemptableResourceCalculator.resetCapacity).
func (c *Config) PreemptsForEver(i int, min Resource) bool {
	q := &c.Queues[i]
	return q.Leaf && c.Preemption.Enabled && !q.PreemptionDisabled && c.Version.Rules().ShareOfGuarantee &&
		c.Calculator.Dominant && min.Memory > 0 && min.VCores == 0
}

// scaledDown: absolute resources beyond what there is are all made smaller.
func (k *checker) scaledDown(i int) {
	sum := k.c.minima(&k.c.Queues[i], "")
	have := k.eff[i].Min
	if sum.Memory <= have.Memory {
		return
	}
	for _, c := range k.c.Queues[i].Children {
		if q := &k.c.Queues[c]; q.ConfiguredMin.Memory > 0 {
			k.warn("beyond-cluster",
				Key(q.Path, Capacity), fmt.Sprintf("the children of %s may have %d MiB", k.c.Queues[i].Path, have.Memory),
				"the queues below %s ask for %d MiB of %d: all are scaled down, and %s gets %d MiB instead of %d",
				k.c.Queues[i].Path, sum.Memory, have.Memory, q.Path, k.eff[c].Min.Memory, q.ConfiguredMin.Memory)
		}
	}
}
