package scenario

import (
	"slices"
	"strconv"
	"strings"

	"schedtune/yarnconf"
)

// noteUnmodelled collects what the files ask for and the simulator does not do:
// a verdict that rests on simulations has to carry it.
func (c *Case) noteUnmodelled(conf *yarnconf.Config) {
	add := func(what string) {
		if !slices.Contains(c.Unmodelled, what) {
			c.Unmodelled = append(c.Unmodelled, what)
		}
	}
	value := func(key string) string { return c.Doc.Value(key) }
	if class := value("yarn.resourcemanager.scheduler.class"); class != "" &&
		!strings.HasSuffix(class, ".CapacityScheduler") {
		add("the scheduler that yarn-site.xml names, " + class[strings.LastIndexByte(class, '.')+1:])
	}
	for _, label := range c.unknownLabels {
		add("node label " + label + ", which no node of the cluster file has")
	}
	if conf.Placement != nil && conf.Placement.Missing != "" {
		add("the placement rules of " + conf.Placement.Missing + ", which is missing")
	}
	for _, key := range c.Doc.Keys() {
		queue, isQueue := strings.CutPrefix(key, yarnconf.Prefix)
		switch {
		case !isQueue:
		case strings.HasSuffix(key, ".reservable") && value(key) == "true":
			add("reservations of " + strings.TrimSuffix(queue, ".reservable"))
		case strings.HasSuffix(key, ".acl_application_max_priority") && strings.Contains(value(key), "default_priority") &&
			value("yarn.acl.enable") == "true":
			add("the priorities of applications by user in " + strings.TrimSuffix(queue, ".acl_application_max_priority"))
		}
	}
	lifetimes := slices.ContainsFunc(conf.Queues, func(q yarnconf.Queue) bool {
		return q.Leaf && (q.MaxLifetime > 0 || q.DefaultLifetime > 0)
	})
	for _, m := range conf.MakesQueues() {
		for _, l := range m.Leaf {
			n, err := strconv.Atoi(l.Value)
			lifetimes = lifetimes || strings.HasSuffix(l.Key, "-application-lifetime") && err == nil && n > 0
			if m.Managed && strings.HasPrefix(l.Key, "accessible-node-labels.") {
				add("node labels in the template of " + m.Parent)
			}
		}
	}
	if lifetimes {
		add("the lifetimes of applications")
	}
	if types := value("yarn.resource-types"); types != "" {
		add("the resources " + types)
	}
	if value("yarn.resourcemanager.application-tag-based-placement.enable") == "true" {
		add("the placement of jobs by application tags")
	}
	if value("yarn.resourcemanager.opportunistic-container-allocation.enabled") == "true" {
		add("opportunistic containers")
	}
}
