package diagnose

import (
	"strings"
	"testing"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
)

func mib(n int64) yarn.Resource { return yarn.Resource{Memory: n, VCores: 1} }

// A waiting master: the limits that fail come in the order of the scheduler, those
// with something left after them, the tightest first.
func TestOrder(t *testing.T) {
	st := &capacity.Standing{User: "u", Queue: "root.a", Stage: capacity.Waiting, UserOpen: true, UserLimit: mib(8192),
		UserUsed: mib(1024),
		Masters: capacity.MasterLimits{Size: mib(512), QueueUsed: mib(1024), QueueMost: mib(1024), UserUsed: mib(512),
			UserMost: mib(512)},
		Levels: []capacity.LevelStanding{
			{Queue: "root.a", Maximum: mib(4096), Used: mib(4096)},
			{Queue: "root", Maximum: mib(16384), Used: mib(12288), Open: true, Holds: true}}}
	var got []string
	for _, c := range Causes(st, nil) {
		got = append(got, c.Kind+map[bool]string{true: "!", false: ""}[c.Binding])
	}
	want := KindMastersQueue + "! " + KindMastersUser + "! " + KindQueueMaximum + "! " + KindNoRoom + " " + KindUserLimit
	if strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// Every kind of cause has a sentence of its own.
func TestTexts(t *testing.T) {
	seen := map[string]string{}
	for _, k := range []string{KindNone, KindEnded, KindNothingAsked, KindLaunching, KindParallelUser, KindParallelQueue,
		KindMastersQueue, KindMastersUser, KindQueueMaximum,
		KindUserLimit, KindSiblings, KindOrder, KindQueueOrder, KindRackDelay, KindAnyDelay, KindStrict, KindReserved,
		KindHolds, KindEnoughReserved, KindFragmented,
		KindTooSmall, KindNoRoom, KindNoAccess, KindNoNodes, KindSharedDelay, KindSharedMasters, KindCommit, KindStopped,
		KindApplications, KindUserApps, KindClusterApps} {
		c := Cause{Kind: k, Queue: "root.a", User: "u", Partition: "x", Limit: mib(3), Used: mib(2), Asked: mib(1)}
		text := c.Text()
		if other, twice := seen[text]; twice || len(text) < 10 {
			t.Errorf("%s and %s: %q", k, other, text)
		}
		seen[text] = k
	}
}

// firstStep finds the least step that passes, from any guess.
func TestFirstStep(t *testing.T) {
	for first := 1; first <= 40; first++ {
		for guess := range 45 {
			tries := 0
			got := firstStep(guess, 40, func(i int) bool { tries++; return i >= first })
			if got != first || tries > 14 {
				t.Errorf("first %d, guess %d: %d after %d tries", first, guess, got, tries)
			}
		}
	}
	if firstStep(3, 40, func(int) bool { return false }) != 0 {
		t.Error("a step where none passes")
	}
}
