package yarnconf

// managed looks at parents of the older form (auto-create-child-queue.enabled), which need
// policies of yarn-site.xml and bear one badly.
func (k *checker) managed(q *Queue) {
	if q.Leaf || !q.AutoCreateOld {
		return
	}
	key := Key(q.Path, "auto-create-child-queue.enabled")
	if q.TemplateOfPercent() && !k.c.Version.Rules().NoVectors {
		k.warn("leaf-without-capacity", Key(q.Path, leafTmpl+".capacity"), "write [memory=…,vcores=…]",
			"is a percentage, and %s has absolute resources: its leaf queues get no capacity, and nothing runs in them", q.Path)
	} else if why, fix := k.notKept(q); why != "" {
		k.warn("leaf-without-capacity", key, fix, "leaf queues beyond the capacity of %s never get any: %s", q.Path, why)
	}
	// FifoCandidatesSelector.selectCandidates takes the parent for a leaf: recorded with 3.4.1's own policy.
	p := &k.c.Preemption
	if p.Enabled && !p.ObserveOnly && !q.PreemptionDisabled && len(q.Children) == 0 &&
		!k.c.Version.Rules().LeaflessPreempts {
		k.warn("no-preemption",
			key, "set "+q.Path+".disable_preemption to true until it has a leaf, or run Hadoop 3.5",
			"nothing is preempted in the whole cluster while %s has no leaf: each round of Hadoop 3.4.1's preemption ends "+
				"with a NullPointerException (YARN-11801)", q.Path)
	}
}

// notKept says why the policy does not run that shares a managed parent's capacity out
// among its leaves; empty: it runs, is not needed, or yarn-site.xml is not there to tell.
func (k *checker) notKept(q *Queue) (why, fix string) {
	why, known := k.c.NotKept()
	if known = known || k.d.site != nil; !known || why == "" || q.Template != nil && q.Template.FailOnExceeding {
		return "", ""
	}
	return why, "list QueueManagementDynamicEditPolicy in " + policiesKey + " and set " + monitorKey + " to true; both " +
		"need a restart"
}

// NotKept says why the policy does not run that shares the capacity of managed parents out
// among their leaves; empty if it runs. Whether it does is set in yarn-site.xml: without a
// setting of the monitor known is false.
func (c *Config) NotKept() (why string, known bool) {
	r := Reader{p: c.layers()}
	_, known = r.p.Get(monitorKey)
	switch {
	case c.Keeps():
	case !r.Boolean(monitorKey, false):
		why = "no policy of the scheduler's monitor runs (" + monitorKey + " is false)"
	default:
		why = policiesKey + " does not list QueueManagementDynamicEditPolicy, which shares it out"
	}
	return why, known
}
