package yarnconf

// figures computes effective figures. Where the file does not load, those of a
// queue mean something as long as nothing is wrong with the shares of its
// siblings, of its ancestors, and of their siblings.
func (k *checker) figures(errs []*PropError) {
	k.wrong = map[string]bool{}
	for _, e := range errs {
		k.wrong[e.Key] = true
	}
	k.sound = make([]bool, len(k.c.Queues))
	if !k.c.LegacyMode && k.c.plainAmounts() {
		return // they mean something on a cluster of known size only
	}
	k.eff = k.c.Effective(Resource{1 << 20, 1 << 12})
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

// anyWrong reports whether a load rejects any of a queue's settings named.
func (k *checker) anyWrong(q *Queue, names ...string) bool {
	for _, n := range names {
		if k.wrong[Key(q.Path, n)] || k.wrong[Prefix+n] {
			return true
		}
	}
	return false
}

// plainAmounts reports whether a capacity names MiB or cores.
func (c *Config) plainAmounts() bool {
	for i := range c.Queues {
		for _, v := range []*Vector{&c.Queues[i].Vector, &c.Queues[i].MaxVector} {
			if v.Set && (v.Memory.Unit == Plain || v.VCores.Unit == Plain) {
				return true
			}
		}
	}
	return false
}
