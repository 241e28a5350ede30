package diagnose

import (
	"slices"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore"
	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// kindsOf are the kinds of causes that an account of a run has for a limit. An application that
// waits for a heartbeat may be told that another comes first.
var kindsOf = map[capacity.Limit][]string{
	capacity.Unlimited:      {KindNone, KindOrder, KindQueueOrder, KindSiblings},
	capacity.ParallelUser:   {KindParallelUser},
	capacity.ParallelQueue:  {KindParallelQueue},
	capacity.MastersOfQueue: {KindMastersQueue},
	capacity.MastersOfUser:  {KindMastersUser},
	capacity.NoPartition:    {KindNoAccess, KindNoCapacity, KindNoNodes},
	capacity.QueueMaximum:   {KindQueueMaximum},
	capacity.UserFactor:     {KindUserLimit},
	capacity.UserShare:      {KindUserLimit},
	capacity.LocalityDelay:  {KindRackDelay, KindAnyDelay, KindStrict},
	capacity.Reservation:    {KindReserved, KindHolds},
	capacity.NoSpace:        {KindNoRoom, KindFragmented, KindTooSmall, KindPreempting},
}

// What the account of a run says stops a request is what tune why says at that instant, of 95 %
// of the applications at random instants; looking for it changes nothing in the run.
func TestBlockedAgrees(t *testing.T) {
	for name, changes := range map[string][]yarnconf.Change{
		"default": nil,
		"closed": {{Key: yarnconf.Key("root.batch", yarnconf.AMShare), Value: "0.03"},
			{Key: yarnconf.Key("root.batch", yarnconf.UserFactor), Value: "0.25"}},
		"few at a time": {{Key: yarnconf.Key("root.batch", "max-parallel-apps"), Value: "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := simulate.Load(scenario.Files{}, "default-1", simulate.Options{Jitter: simulate.Replications()})
			if err != nil {
				t.Fatal(err)
			}
			plain, err := r.Run(t.Context(), simulate.Item{Changes: changes, Slowstart: -1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			agree, all := 0, 0
			differ, met := map[[2]string]int{}, map[capacity.Limit]int{}
			for i := range 16 {
				var account simulate.Account
				at := plain.End * simcore.Time(2*i+1) / 32
				look := func(s yarn.Scheduler) bool {
					c := s.(*capacity.Scheduler)
					c.EachBlocked(func(b capacity.Blocked) {
						st, _ := c.Standing(b.App)
						kind := Causes(&st, c.NameOf)[0].Kind
						all++
						met[b.Limit]++
						if slices.Contains(kindsOf[b.Limit], kind) {
							agree++
						} else {
							differ[[2]string{kindsOf[b.Limit][0], kind}]++
						}
					})
					return false
				}
				res, err := r.Run(t.Context(), simulate.Item{Changes: changes, Slowstart: -1, Seed: 1, LookAt: at, Look: look,
					Account: &account})
				if err != nil {
					t.Fatal(err)
				}
				if res.End != plain.End || res.Beats != plain.Beats || res.Launches != plain.Launches {
					t.Fatalf("looked at, the run ends at %v, not %v", res.End.Std(), plain.End.Std())
				}
			}
			t.Logf("%d of %d agree; met %v; differ (account, tune why): %v", agree, all, met, differ)
			if all < 50 || agree*100 < all*95 {
				t.Errorf("%d of %d agree", agree, all)
			}
		})
	}
}
