package yarnconf

import (
	_ "embed"
	"schedtune/internal/text"
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
	return text.Word(k, "RefreshKind", "refresh", "restart", "other command", "next job", "unknown")
}

// MarshalText writes it as String does.
func (k RefreshKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// refresh.txt follows Hadoop 3.4.1: what reinitialize reads again, and what only serviceInit reads:
// NAME: KIND: NOTE. The first name that matches counts; one that ends in "*" stands for all that
// begin so.
//
//go:embed refresh.txt
var refreshText string

// RefreshKindOf returns what it takes for a change of a property to count, and
// why where that is not a plain refresh.
func RefreshKindOf(key string) (RefreshKind, string) {
	for line := range strings.Lines(refreshText) {
		rule := strings.SplitN(strings.TrimRight(line, "\n"), ": ", 3)
		if base, ok := strings.CutSuffix(rule[0], "*"); ok && strings.HasPrefix(key, base) || key == rule[0] {
			kind := AtRefresh
			for kind.String() != rule[1] {
				kind++
			}
			return kind, rule[2]
		}
	}
	return Unknown, ""
}
