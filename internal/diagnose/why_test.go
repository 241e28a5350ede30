package diagnose

import (
	"math"
	"strings"
	"testing"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
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

// From figures alone: maximum-am-resource-percent grows with what is needed, user
// limits likewise, and a cause without a setting gives nothing.
func TestEstimate(t *testing.T) {
	conf, err := yarnconf.Evaluate(yarnconf.Map{yarnconf.Prefix + "root.queues": "a", yarnconf.Prefix +
		"root.a.capacity": "100", yarnconf.Prefix + "root.a.maximum-am-resource-percent": "0.1"})
	if err != nil {
		t.Fatal(err)
	}
	st := &capacity.Standing{Queue: "root.a", User: "u", Masters: capacity.MasterLimits{Percent: 0.1}}
	steps := Estimate(conf, st, []Cause{{Kind: KindMastersQueue, Binding: true, Queue: "root.a", Limit: mib(1024),
		Used: mib(1024), Asked: mib(512)}})
	if len(steps) != 1 || steps[0].Key != yarnconf.Key("root.a", yarnconf.AMShare) || steps[0].Value != "0.15" ||
		steps[0].Present != "0.1" {
		t.Errorf("%+v", steps)
	}
	both := []Cause{{Kind: KindMastersQueue, Binding: true, Queue: "root.a", Limit: mib(1024), Used: mib(1024),
		Asked: mib(512)},
		{Kind: KindMastersUser, Binding: true, Queue: "root.a", Limit: mib(1024), Used: mib(1024), Asked: mib(512)}}
	if steps = Estimate(conf, st, both); len(steps) != 1 || steps[0].Value != "0.15" { // the user's limit is the queue's
		t.Errorf("%+v", steps)
	}
	both[1].Limit = mib(768)
	if steps = Estimate(conf, st, both); len(steps) != 2 {
		t.Errorf("%+v", steps)
	}
	steps = Estimate(conf, st, []Cause{{Kind: KindUserLimit, Binding: true, Queue: "root.a", Limit: mib(1024),
		Used: mib(1024), Asked: mib(1024)}})
	if len(steps) != 1 || steps[0].Key != yarnconf.Key("root.a", yarnconf.UserFactor) || steps[0].Value != "2" {
		t.Errorf("%+v", steps)
	}
	if steps = Estimate(conf, st, []Cause{{Kind: KindNoRoom, Binding: true}}); steps != nil {
		t.Errorf("%+v", steps)
	}
	if f := factor(&Cause{Used: mib(1), Asked: mib(1)}); math.IsInf(f, 0) || f < 1 {
		t.Error(f)
	}
}
