package yarnconf

import (
	"maps"
	"strings"

	"schedtune/internal/text"
)

// scope says where a queue setting counts.
type scope uint8

const (
	anyQueue scope = iota
	leafOnly
	parentOnly
)

// queueNames lists the per-queue settings of Hadoop 3.4 (CapacitySchedulerConfiguration,
// read by AbstractCSQueue, LeafQueue and ParentQueue). A name that ends in "." stands
// for everything below it.
func queueNames() map[string]scope {
	m := names(leafOnly, `minimum-user-limit-percent user-limit-factor maximum-applications maximum-am-resource-percent
		ordering-policy. default-application-priority`)
	maps.Copy(m, names(parentOnly, `allow-zero-capacity-sum`))
	maps.Copy(m, names(anyQueue, `queues capacity maximum-capacity user-settings. max-parallel-apps maximum-allocation-mb
		maximum-allocation-vcores maximum-allocation state ordering-policy priority disable_preemption
		intra-queue-preemption.disable_preemption accessible-node-labels accessible-node-labels.
		default-node-label-expression acl_submit_applications acl_administer_queue
		acl_application_max_priority acl_administer_reservations acl_list_reservations
		acl_submit_reservations maximum-application-lifetime default-application-lifetime reservable
		reservation-window average-capacity instantaneous-max-capacity reservation-policy reservation-agent
		reservation-planner reservation-move-on-expiry show-reservations-as-queues
		reservation-enforcement-window auto-create-child-queue. leaf-queue-template. auto-queue-creation-v2.
		multi-node-sorting.policy offswitch-per-heartbeat-limit default-maximum-am-resource-percent
		queue-management-monitoring-interval`))
	return m
}

// globalNames lists the settings of the scheduler as a whole.
func globalNames() map[string]scope {
	return names(anyQueue, `maximum-applications maximum-am-resource-percent resource-calculator node-locality-delay
		rack-locality-additional-delay rack-locality-full-reset
		per-node-heartbeat.multiple-assignments-enabled per-node-heartbeat.maximum-container-assignments
		per-node-heartbeat.maximum-offswitch-assignments reservations-continue-look-all-nodes
		skip-allocate-on-nodes-with-reserved-containers schedule-asynchronously.enable
		schedule-asynchronously.maximum-threads schedule-asynchronously.maximum-pending-backlogs
		schedule-asynchronously.scheduling-interval-ms global-queue-max-application
		minimum-user-limit-percent user-limit-factor max-parallel-apps user. user-metrics.enable
		application.fail-fast queue-mappings queue-mappings-override.enable mapping-rule-format
		mapping-rule-json mapping-rule-json-file workflow-priority-mappings
		workflow-priority-mappings-override.enable lazy-preemption-enabled legacy-queue-mode.enabled
		multi-node-placement-enabled multi-node-sorting. ordering-policy.priority-utilization.
		queue.auto.refresh.monitoring-interval auto-queue-creation-v2. queue-management-monitoring-interval
		configuration. app.fail-fast user-settings. reservation- reservations-`)
}

// names puts the words of a text in a table.
func names(s scope, text string) map[string]scope {
	m := map[string]scope{}
	for _, n := range strings.Fields(text) {
		m[n] = s
	}
	return m
}

// group finds the names that a group may have: those below a prefix of a name, and what
// is left of the name there. Of a group that is not listed it may have any.
func group(name string) (prefix, rest string, table map[string]scope) {
	for _, p := range []string{v2 + "template.", v2 + "leaf-template.", v2 + "parent-template.", leafTmpl + "."} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return p, rest, queueNames()
		}
	}
	list := ""
	switch {
	case strings.HasPrefix(name, v2):
		prefix, list = v2, "enabled max-queues maximum-queue-depth queue-auto-removal.enable queue-expiration-time"
	case strings.HasPrefix(name, v1):
		prefix, list = v1, "enabled max-queues fail-on-exceeding-parent-capacity management-policy"
	case strings.HasPrefix(name, "accessible-node-labels."):
		prefix, list = "accessible-node-labels.", "capacity maximum-capacity maximum-am-resource-percent"
		label, _, ok := strings.Cut(name[len(prefix):], ".")
		if !ok {
			return "", name, nil
		}
		prefix += label + "."
	default:
		return "", name, nil
	}
	return prefix, name[len(prefix):], names(anyQueue, list)
}

// knownName reports whether a name, or its group, is in a table.
func knownName(name string, table map[string]scope) (scope, bool) {
	if s, ok := table[name]; ok {
		return s, true
	}
	if prefix, rest, names := group(name); prefix != "" {
		if _, ok := knownName(rest, names); !ok {
			return 0, false
		}
		return anyQueue, true
	}
	for group, s := range table {
		if last := group[len(group)-1]; (last == '.' || last == '-') && strings.HasPrefix(name, group) {
			return s, true
		}
	}
	return 0, false
}

// nearestName returns the table's name that a misspelt one most likely means,
// or "" if none is close: abbreviations are written out, then the edit
// distance decides. In a group the names of that group count.
func nearestName(name string, table map[string]scope) string {
	if prefix, rest, names := group(name); prefix != "" {
		if near := nearestName(rest, names); near != "" {
			return prefix + near
		}
		return ""
	}
	best, bestDistance := "", 4
	long := longWords(name)
	for n := range table {
		n = strings.TrimSuffix(n, ".")
		d := min(text.Distance(long, n), text.Distance(name, n))
		if len(name) >= 5 && strings.HasPrefix(n, name+"-") { // cut short
			d = min(d, 3)
		}
		if d < bestDistance || d == bestDistance && best != "" && n < best {
			best, bestDistance = n, d
		}
	}
	return best
}

// longWords writes max and min out, the commonest slip.
func longWords(name string) string {
	parts := strings.Split(name, "-")
	for i, p := range parts {
		switch p {
		case "max":
			parts[i] = "maximum"
		case "min":
			parts[i] = "minimum"
		}
	}
	return strings.Join(parts, "-")
}
