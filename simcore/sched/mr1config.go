package sched

import (
	"fmt"

	"schedtune/simcore"
	"schedtune/yarnconf"
)

// NewMR1 returns the defaults of the thesis's table 2.1 with the given queues and as many
// capacities in percent; it panics where these are fewer. One map is assigned in a heartbeat
// ("typically, one map and one reduce"), and none after an off-switch one ("a second remote
// task is not scheduled even if slots are available").
func NewMR1(names []string, capacities []float64) *yarnconf.MR1 {
	c := &yarnconf.MR1{MaxSystemJobs: 3000, InitPollInterval: 5000, InitWorkerThreads: 5, MaxTasksPerHeartbeat: 1}
	for i, n := range names {
		c.Queues = append(c.Queues, yarnconf.MR1Queue{
			Name: n, Capacity: capacities[i], MaxCapacity: -1, UserLimit: 100, UserFactor: 1,
			MaxActiveTasks: 200000, MaxActiveTasksPerUser: 100000, InitAcceptJobsFactor: 10,
		})
	}
	return c
}

// MR1FileParams names the parameters of capacity-mr1 that a queue file sets (Options.MR1): all
// but slowstart and init-time.
func MR1FileParams() []string {
	var names []string
	for _, p := range params()["capacity-mr1"] {
		if p.Name != "slowstart" && p.Name != "init-time" {
			names = append(names, p.Name)
		}
	}
	return names
}

// checkMR1 makes the checks of "Queue Setup" (thesis 3.3.2) and names the first violation. A file
// has passed stricter ones when it was read.
func checkMR1(c *yarnconf.MR1) error {
	must, sum := simcore.Must, 0.0
	for i := range c.Queues {
		q := &c.Queues[i]
		active := min(q.MaxActiveTasks, q.MaxActiveTasksPerUser)
		if err := (simcore.Checks{
			must(q.Capacity >= 0 && q.Capacity <= 100, "capacity", q.Capacity, "0 to 100"),
			must(q.MaxCapacity == -1 || q.MaxCapacity >= q.Capacity && q.MaxCapacity <= 100, "maximum-capacity",
				q.MaxCapacity, fmt.Sprintf("-1, or %v (the capacity) to 100", q.Capacity)),
			must(q.UserLimit > 0 && q.UserLimit <= 100, "minimum-user-limit-percent", q.UserLimit, "above 0, at most 100"),
			must(q.UserFactor >= 0, "user-limit-factor", q.UserFactor, "0 or more"),
			must(active >= 0, "maximum-initialized-active-tasks", active, "0 or more"),
			must(q.InitAcceptJobsFactor >= 1, "init-accept-jobs-factor", q.InitAcceptJobsFactor, "1 or more"),
		}).Err("queue " + q.Name + ": "); err != nil {
			return err
		}
		sum += q.Capacity
	}
	return simcore.Checks{
		must(sum <= 100+1e-9, "capacities of the queues: sum", sum, "at most 100"),
		must(c.MaxSystemJobs >= 1, "maximum-system-jobs", c.MaxSystemJobs, "1 or more"),
		must(c.InitPollInterval >= 1, "init-poll-interval", c.InitPollInterval, "1 ms or more"),
		must(c.InitWorkerThreads >= 1, "init-worker-threads", c.InitWorkerThreads, "1 or more"),
		must(c.MaxTasksPerHeartbeat >= 1, "maximum-tasks-per-heartbeat", c.MaxTasksPerHeartbeat, "1 or more"),
		must(c.MaxTasksAfterOffSwitch >= 0, "max-tasks-to-assign-after-off-switch", c.MaxTasksAfterOffSwitch, "0 or more"),
	}.Err("")
}
