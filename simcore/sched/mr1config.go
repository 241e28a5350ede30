package sched

import (
	"fmt"
	"math"

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
	var sum float64
	for i := range c.Queues {
		q := &c.Queues[i]
		fail := func(setting string, value any, allowed string) error {
			return fmt.Errorf("queue %s: %s %v: must be %s", q.Name, setting, value, allowed)
		}
		switch {
		case !(q.Capacity >= 0 && q.Capacity <= 100):
			return fail("capacity", q.Capacity, "0 to 100")
		case q.MaxCapacity != -1 && !(q.MaxCapacity >= q.Capacity && q.MaxCapacity <= 100):
			return fail("maximum-capacity", q.MaxCapacity, fmt.Sprintf("-1, or %v (the capacity) to 100", q.Capacity))
		case !(q.UserLimit > 0 && q.UserLimit <= 100):
			return fail("minimum-user-limit-percent", q.UserLimit, "above 0, at most 100")
		case !(q.UserFactor >= 0):
			return fail("user-limit-factor", q.UserFactor, "0 or more")
		case min(q.MaxActiveTasks, q.MaxActiveTasksPerUser) < 0:
			return fail("maximum-initialized-active-tasks", min(q.MaxActiveTasks, q.MaxActiveTasksPerUser), "0 or more")
		case q.InitAcceptJobsFactor < 1:
			return fail("init-accept-jobs-factor", q.InitAcceptJobsFactor, "1 or more")
		}
		sum += q.Capacity
	}
	switch {
	case sum > 100+1e-9:
		return fmt.Errorf("capacities of the queues: sum %v must be at most 100", sum)
	case c.MaxSystemJobs < 1:
		return fmt.Errorf("maximum-system-jobs %d: must be 1 or more", c.MaxSystemJobs)
	case c.InitPollInterval < 1:
		return fmt.Errorf("init-poll-interval %d ms: must be 1 or more", c.InitPollInterval)
	case c.InitWorkerThreads < 1:
		return fmt.Errorf("init-worker-threads %d: must be 1 or more", c.InitWorkerThreads)
	case c.MaxTasksPerHeartbeat < 1:
		return fmt.Errorf("maximum-tasks-per-heartbeat %d: must be 1 or more", c.MaxTasksPerHeartbeat)
	case c.MaxTasksAfterOffSwitch < 0:
		return fmt.Errorf("max-tasks-to-assign-after-off-switch %d: must be 0 or more", c.MaxTasksAfterOffSwitch)
	}
	return nil
}

// Limits of job initialisation as section 3.3.2 computes them.

// maxJobsToInit is ceil(Maximum-System-Jobs * QueueCapacity/100).
func maxJobsToInit(c *yarnconf.MR1, q *yarnconf.MR1Queue) int {
	return int(math.Ceil(float64(c.MaxSystemJobs) * q.Capacity / 100))
}

// maxJobsPerUserToInit is ceil(Maximum-System-Jobs * QueueCapacity/100 *
// Minimum-User-Limit-Percent/100).
func maxJobsPerUserToInit(c *yarnconf.MR1, q *yarnconf.MR1Queue) int {
	return int(math.Ceil(float64(c.MaxSystemJobs) * q.Capacity / 100 * q.UserLimit / 100))
}
