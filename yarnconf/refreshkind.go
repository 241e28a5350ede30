package yarnconf

import (
	"strings"
)

// RefreshKind tells what it takes for a changed setting to count.
type RefreshKind uint8

// Kinds of refresh.
const (
	// AtRefresh: yarn rmadmin -refreshQueues, or a scheduler-conf mutation.
	AtRefresh RefreshKind = iota
	// NeedsRestart: read only when the ResourceManager starts.
	NeedsRestart
	// OtherCommand: read by another rmadmin command than -refreshQueues.
	OtherCommand
	// PerJob: read by each job when it is submitted; no part of the scheduler.
	PerJob
	// Unknown: no setting of the Capacity Scheduler.
	Unknown
)

// String says what the administrator has to do.
func (k RefreshKind) String() string {
	return word(k, "RefreshKind", "refresh", "restart", "other command", "next job", "unknown")
}

// refreshRule maps a name, or all names below it, to its kind. The first rule
// that matches counts.
type refreshRule struct {
	name string // ends in "." or "*": a prefix
	kind RefreshKind
	note string
}

// refreshRules follows Hadoop 3.4.1: what reinitialize reads again, and what
// only serviceInit reads.
func refreshRules() []refreshRule {
	return []refreshRule{
		{Prefix + "resource-calculator", NeedsRestart, "the calculator is made once, at start"},
		{Prefix + "schedule-asynchronously.*", NeedsRestart, "the scheduling threads are made at start"},
		{Prefix + "multi-node-placement-enabled", NeedsRestart, "node sorting is set up at start"},
		{Prefix + "multi-node-sorting.*", NeedsRestart, "node sorting is set up at start"},
		{Prefix + "user-metrics.enable", NeedsRestart, "metrics are registered when a queue is made"},
		{Prefix + "*", AtRefresh, ""},
		{minMB, NeedsRestart, "yarn-site.xml: read at start"},
		{maxMB, NeedsRestart, "yarn-site.xml: read at start"},
		{minVC, NeedsRestart, "yarn-site.xml: read at start"},
		{maxVC, NeedsRestart, "yarn-site.xml: read at start"},
		{"yarn.scheduler.*", NeedsRestart, "yarn-site.xml: read at start"},
		{preemptKey + "*", AtRefresh, "the policy looks for a changed configuration in each round"},
		{"yarn.resourcemanager.scheduler.monitor.*", NeedsRestart, "the monitor is started with the scheduler"},
		{"yarn.cluster.max-application-priority", OtherCommand, "yarn rmadmin -refreshClusterMaxPriority"},
		{"yarn.resourcemanager.*", NeedsRestart, "yarn-site.xml: read at start"},
		{"mapreduce.*", PerJob, "mapred-site.xml or the job's own configuration"},
		{"yarn.app.mapreduce.*", PerJob, "mapred-site.xml or the job's own configuration"},
	}
}

// RefreshKindOf returns what it takes for a change of a property to count, and
// why where that is not a plain refresh.
func RefreshKindOf(key string) (RefreshKind, string) {
	for _, r := range refreshRules() {
		if base, ok := strings.CutSuffix(r.name, "*"); ok && strings.HasPrefix(key, base) || key == r.name {
			return r.kind, r.note
		}
	}
	return Unknown, ""
}
