package yarnconf

import "slices"

// figures computes effective figures. Where the file does not load, those of a
// queue mean something as long as nothing is wrong with the shares of its
// siblings, of its ancestors, and of their siblings.
func (k *checker) figures(errs []*PropError) {
	k.wrong = map[string]bool{}
	for _, e := range errs {
		k.wrong[e.Key] = true
	}
	k.sound = make([]bool, len(k.c.Queues))
	switch {
	case k.measured():
		k.eff = k.effectiveOn()[""]
	case !k.c.LegacyMode && k.c.plainAmounts():
		return // they mean something on a cluster of known size only
	default:
		k.eff = k.c.Effective(Resource{1 << 20, 1 << 12}) // shares: any size does, but of absolute resources
	}
	for i := range k.c.Queues { // parents come before their children
		q := &k.c.Queues[i]
		if q.Parent < 0 {
			k.sound[i] = !k.anyWrong(q, Capacity, MaximumCapacity)
		}
		below := k.sound[i] && !k.anyWrong(q, "queues")
		for _, c := range q.Children {
			below = below && !k.anyWrong(&k.c.Queues[c], Capacity, MaximumCapacity)
		}
		for _, c := range q.Children {
			k.sound[c] = below
		}
	}
}

// measured reports whether the cluster is known and has nodes without label.
func (k *checker) measured() bool {
	return slices.ContainsFunc(k.groups, func(g NodeGroup) bool {
		return g.Label == "" && g.Total.Memory > 0 && g.Total.VCores > 0
	})
}

// effectiveOn computes the figures of the nodes by label.
func (k *checker) effectiveOn() map[string][]Effective {
	var cluster Resource
	parts, out := []Partition{{}}, [][]Effective{make([]Effective, len(k.c.Queues))}
	eff := map[string][]Effective{"": out[0]}
	for _, g := range k.groups {
		cluster = cluster.Add(g.Total)
		if g.Label == "" {
			parts[0].Total = g.Total
			continue
		}
		eff[g.Label] = make([]Effective, len(k.c.Queues))
		parts, out = append(parts, Partition{Name: g.Label, Total: g.Total}), append(out, eff[g.Label])
	}
	k.c.EffectivePartitions(cluster, parts, out)
	return eff
}

// anyWrong reports whether a load rejects any of a queue's settings named.
func (k *checker) anyWrong(q *Queue, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return k.wrong[Key(q.Path, n)] || k.wrong[Prefix+n] })
}

// plainAmounts reports whether a capacity names MiB or cores.
func (c *Config) plainAmounts() bool {
	plain := func(v *Vector) bool { return v.Set && (v.Memory.Unit == Plain || v.VCores.Unit == Plain) }
	return slices.ContainsFunc(c.Queues, func(q Queue) bool { return plain(&q.Vector) || plain(&q.MaxVector) })
}
