package yarnconf

// placement looks at the rules that decide where applications go, and at parents
// that make queues on first use.
func (k *checker) placement(errs []*PropError) {
	rules := k.c.Placement
	if rules == nil || len(errs) > 0 {
		return
	}
	key := rules.Key()
	if f := rules.Missing; f != "" {
		k.warn("missing-file", key, "put it there", "the file of mapping rules is not there: %s", f)
	}
	for i, o := range rules.Outlines() {
		if o.After > 0 {
			k.warn("unreachable-rule",
				key, "remove it, or put it before", "rule %d (%s) is never asked: rule %d decides for everybody", i+1,
				o.Text, o.After)
		}
	}
	for _, m := range k.c.MakesQueues() {
		name := "auto-queue-creation-v2.enabled"
		if m.Managed {
			name = "auto-create-child-queue.enabled"
		}
		if m.SchedulerFails {
			remedy := "give the template of " + m.Parent + " a weight, or no capacity"
			if m.Managed {
				remedy = "take the queues listed below " + m.Parent + " out of the file"
			}
			k.warn("dynamic-queues",
				Key(m.Parent, name), remedy, "the ResourceManager stops once a leaf is to be made below %s: %s", m.Parent,
				m.Reason)
		} else if m.Reason != "" {
			k.warn("dynamic-queues", Key(m.Parent, name), "", "no queue can be made below %s: %s", m.Parent, m.Reason)
		}
		if m.Managed && k.d.Value(Key(m.Parent, "leaf-queue-template."+Capacity)) == "" {
			k.warn("dynamic-queues", Key(m.Parent, name), "set "+m.Parent+".leaf-queue-template.capacity",
				"leaves made below %s are guaranteed nothing: the template has no capacity", m.Parent)
		}
	}
}

// Keeps reports whether the policy runs that shares the capacity of managed parents
// out among their leaves.
func (c *Config) Keeps() bool { return c.Keeping.ShareEvery > 0 }
