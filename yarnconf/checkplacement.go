package yarnconf

// placement looks at the rules that decide where applications go, and at parents
// that make queues on first use.
func (k *checker) placement(errs []*PropError) {
	rules := k.c.Placement
	if rules == nil || len(errs) > 0 {
		return
	}
	k.unnamed(rules.Len())
	key := rules.Key()
	if f := rules.Missing; f != "" {
		k.warn("missing-file", key, "put it there", "the file of mapping rules does not exist: %s", f)
	}
	for i, o := range rules.Outlines() {
		if o.After > 0 {
			whom := "everybody"
			if o.Same {
				whom = o.Who
			}
			k.warn("unreachable-rule",
				key, "remove it, or put it before", "rule %d (%s) is never asked: rule %d decides for %s", i+1, o.Text,
				o.After, whom)
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
			k.warn("dynamic-queues", Key(m.Parent, name), "", "no queue can be created below %s: %s", m.Parent, m.Reason)
		}
		if m.Managed && k.d.Value(Key(m.Parent, "leaf-queue-template."+Capacity)) == "" {
			k.warn("dynamic-queues", Key(m.Parent, name), "set "+m.Parent+".leaf-queue-template.capacity",
				"leaves made below %s are guaranteed nothing: the template has no capacity", m.Parent)
		}
	}
}

// unnamed looks at what becomes of applications that name no queue: YARN's client asks for
// the queue default then, and only mapping rules lead elsewhere.
func (k *checker) unnamed(rules int) {
	if rules > 0 || len(k.c.Queues) < 2 || k.dynamicParent("root.default") {
		return
	}
	key := Key("root", "queues")
	switch i := k.c.Find("default"); {
	case k.c.Queues[0].State != Running: // is named already
	case i < 0:
		k.warn("no-default",
			key, "add a queue default, or "+Prefix+"queue-mappings", "applications that name no queue are refused: "+
				"YARN's clients submit them to a queue default, which does not exist")
	case k.c.Queues[i].State != Running:
		k.warn("no-default",
			Key(k.c.StateFrom(i), "state"), "start it, or add "+Prefix+"queue-mappings", "applications that name no queue "+
				"are refused: %s is %s, and no mapping names another queue", k.c.Queues[i].Path, k.c.Queues[i].State)
	}
}

// Keeps reports whether the policy runs that shares the capacity of managed parents
// out among their leaves.
func (c *Config) Keeps() bool { return c.Keeping.ShareEvery > 0 }
