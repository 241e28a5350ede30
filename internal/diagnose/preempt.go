package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"schedtune/simcore/sched/capacity"
	"schedtune/simcore/yarn"
	"schedtune/yarnconf"
)

// Preemption as an answer: which of its switches have to change so that what others hold
// comes free. The policy takes its time, so every try plays rounds of it on a copy.

// Properties of preemption.
const (
	monitor    = "yarn.resourcemanager.scheduler.monitor.enable"
	preemption = "yarn.resourcemanager.monitor.capacity.preemption."
	within     = preemption + "intra-queue-preemption."
	balance    = preemption + "preemption-to-balance-queue-after-satisfied."
)

// levers lists the switches of preemption that may be in the way, those that people leave
// off first. conf has the monitor on: else no queue tells whether it may be preempted.
func levers(conf *yarnconf.Config, st *capacity.Standing, on bool) (out []Step) {
	p := &conf.Preemption
	add := func(off bool, key, present, value string) {
		if off && !slices.ContainsFunc(out, func(s Step) bool { return s.Key == key }) {
			out = append(out, step(key, present, value))
		}
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	// least moves a threshold to its default where that is lower, else all the way.
	least := func(v, usual, far float64, key string) {
		value := usual
		if (far < usual) != (v > usual) || v == usual {
			value = far
		}
		add(v != far, key, number(v), number(value))
	}
	add(!on, monitor, "false", "true")
	add(p.ObserveOnly, preemption+"observe_only", "true", "false")
	mine, lower := false, false
	for i := range st.Holders {
		h := &st.Holders[i]
		q := queueOf(conf, h.Queue)
		if h.App == st.App || q == nil {
			continue
		}
		if h.Queue != st.Queue {
			add(q.PreemptionDisabled && over(h) > 0, conf.Setting(h.Queue, "disable_preemption"), "true", "false")
			continue
		}
		mine, lower = true, lower || h.Priority < st.Priority
	}
	if q := queueOf(conf, st.Queue); mine && q != nil {
		add(q.PreemptionDisabled, conf.Setting(q.Path, "disable_preemption"), "true", "false")
		add(!p.Intra, within+"enabled", "false", "true")
		add(p.Intra && q.IntraPreemptionDisabled && !q.PreemptionDisabled,
			conf.Setting(q.Path, "intra-queue-preemption.disable_preemption"), "true", "false")
		add(lower && !p.IntraPriorityFirst, within+"preemption-order-policy", "userlimit_first", "priority_first")
		add(q.UserLimit >= 100 && st.ActiveUsers > 1, conf.Setting(q.Path, yarnconf.MinimumUser),
			number(float64(q.UserLimit)),
			strconv.Itoa(100/max(st.ActiveUsers, 1)))
		least(float64(p.IntraMinThreshold), 0.5, 0, within+"minimum-threshold")
		least(float64(p.IntraMaxLimit), 0.2, 1, within+"max-allowable-limit")
	}
	if own := &st.Levels[0]; own.Used.Memory >= own.Guaranteed.Memory { // nobody is below a guarantee
		add(!p.BalanceAfterSatisfied, balance+"enabled", "false", "true")
		// Choices are forgotten after twice max_wait_before_kill, so that a longer wait never ends.
		add(p.BalanceWaitBeforeKill > 2*p.MaxWaitBeforeKill, balance+"max-wait-before-kill",
			fmt.Sprint(p.BalanceWaitBeforeKill), fmt.Sprint(p.MaxWaitBeforeKill))
	}
	add(p.MaxWaitBeforeKill > 15000, preemption+"max_wait_before_kill", fmt.Sprint(p.MaxWaitBeforeKill), "15000")
	least(float64(p.TotalPerRound), 0.1, 1, preemption+"total_preemption_per_round")
	least(p.NaturalTermination, 0.2, 1, preemption+"natural_termination_factor")
	least(p.MaxIgnoredOver, 0.1, 0, preemption+"max_ignored_over_capacity")
	return out
}

// step is one change of a setting, with what it takes beyond a refresh.
func step(key, present, value string) Step {
	s := Step{Key: key, Present: present, Value: value}
	if kind, why := yarnconf.RefreshKindOf(key); kind != yarnconf.AtRefresh {
		s.Restart = kind.String() + ": " + why
	}
	return s
}

// over is by how much the leaf of an application is above its guarantee, in MiB.
func over(h *capacity.Holding) int64 { return h.QueueUsed.Memory - h.QueueShare.Memory }

// preemption finds the fewest switches with which preemption gives the application a
// container, and after how many ms. False: none do. No steps: it comes without a change.
func (s *search) preemption(st *capacity.Standing) (steps []Step, in int64, ok bool) {
	if in, ok = preempts(s.Scheduler.Clone(), s.App); ok {
		return nil, in, true
	}
	on := s.Scheduler.Config().Preemption.Enabled
	s = &search{PendingQuestion: s.PendingQuestion}
	c := s.with(step(monitor, "false", "true"))
	if c == nil {
		return nil, 0, false
	}
	all := levers(c.Config(), st, on)
	tried := func(steps []Step) bool {
		c := s.with(steps...)
		if c == nil {
			return false
		}
		ms, ok := preempts(c, s.App)
		if ok {
			in = ms
		}
		return ok
	}
	if len(all) == 0 || !tried(all) {
		return nil, 0, false
	}
	for i := len(all) - 1; i >= 0; i-- { // what people rarely set goes first
		if less := slices.Delete(slices.Clone(all), i, i+1); len(less) > 0 && tried(less) {
			all = less
		}
	}
	return all, in, tried(all)
}

// changesOf are the changes of steps.
func changesOf(steps []Step) (out []yarnconf.Change) {
	for _, s := range steps {
		out = append(out, s.Change())
	}
	return out
}

// Rounds of the policy that a try plays beyond those that pass before the first kill, and
// all of them at most.
const (
	laterRounds = 8
	mostRounds  = 40
)

// preempts plays rounds of preemption, after each of which every node reports, and returns
// after how many ms the application gets a container. It changes the scheduler.
func preempts(c *capacity.Scheduler, app yarn.AppID) (ms int64, ok bool) {
	p := &c.Config().Preemption
	if !p.Enabled {
		return 0, false
	}
	every := max(p.MonitoringInterval, 1)
	rounds := cmp.Or(min(p.MaxWaitBeforeKill/every+laterRounds, mostRounds), mostRounds)
	begin, acts := c.Clock(), false
	for ms = every; ms <= rounds*every; ms += every {
		c.SetClock(begin + ms)
		marked, killed := c.Preempt(nil, nil)
		acts = acts || len(marked)+len(killed) > 0
		if starts(c, app) {
			return ms, acts
		}
	}
	return 0, false
}
