package sched

import (
	"fmt"
	"math"

	"schedtune/simcore"
	"schedtune/yarnconf"
)

// MR1Config is the configuration of the Hadoop 1 Capacity Scheduler: the
// settings of the thesis's table 2.1 and the two hidden ones of section 2.1.3.
type MR1Config struct {
	Queues []MR1Queue // of the workload's queues, by name

	MaximumSystemJobs int          // concurrently initialised jobs of the cluster, default 3000
	InitPollInterval  simcore.Time // between two rounds of initialisation, default 5 s
	InitWorkerThreads int          // threads that initialise jobs, default 5
	// MaximumTasksPerHeartbeat is the most maps assigned in one heartbeat (hidden),
	// default 1: "typically, one map and one reduce". More than one reduce never is.
	MaximumTasksPerHeartbeat int
	// MaxTasksToAssignAfterOffSwitch is the most maps assigned in the same
	// heartbeat after an off-switch one (hidden), default 0; they are near their
	// input, as "a second remote task is not scheduled even if slots are available".
	MaxTasksToAssignAfterOffSwitch int
	// PendingFirst asks the queue with the most pending tasks first, instead of
	// the one with the fewest running tasks over its capacity. Hadoop has no
	// such setting: the thesis's tables ask for it, where its text does not.
	PendingFirst bool
}

// MR1Queue is one queue.
type MR1Queue struct {
	Name                       string  // as in Workload.Queues
	Capacity                   float64 // percent of the slots guaranteed
	MaximumCapacity            float64 // percent of the slots it may reach; -1 = no limit
	MinimumUserLimitPercent    float64 // least percent of the queue a user gets under competition, default 100
	UserLimitFactor            float64 // multiple of the queue's capacity one user may take, default 1
	SupportsPriority           bool    // job priority orders the queue
	MaxInitializedTasks        int     // tasks of initialised jobs, default 200000
	MaxInitializedTasksPerUser int     // of one user, default 100000
	InitAcceptJobsFactor       int     // multiple of maximum-system-jobs * capacity accepted, default 10
}

// NewMR1Config returns the defaults of table 2.1 with the given queues and
// as many capacities in percent; it panics where these are fewer.
func NewMR1Config(names []string, capacities []float64) *MR1Config {
	c := &MR1Config{
		MaximumSystemJobs: 3000, InitPollInterval: 5 * simcore.Second, InitWorkerThreads: 5,
		MaximumTasksPerHeartbeat: 1, MaxTasksToAssignAfterOffSwitch: 0,
	}
	for i, n := range names {
		c.Queues = append(c.Queues, MR1Queue{
			Name: n, Capacity: capacities[i], MaximumCapacity: -1,
			MinimumUserLimitPercent: 100, UserLimitFactor: 1,
			MaxInitializedTasks: 200000, MaxInitializedTasksPerUser: 100000, InitAcceptJobsFactor: 10,
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

// MR1FromConf takes the configuration of a Hadoop 1 capacity-scheduler.xml; nil of nil.
func MR1FromConf(m *yarnconf.MR1) *MR1Config {
	if m == nil {
		return nil
	}
	c := &MR1Config{
		MaximumSystemJobs: m.MaxSystemJobs, InitPollInterval: simcore.Time(m.InitPollInterval) * simcore.Millisecond,
		InitWorkerThreads: m.InitWorkerThreads, MaximumTasksPerHeartbeat: m.MaxTasksPerHeartbeat,
		MaxTasksToAssignAfterOffSwitch: m.MaxTasksAfterOffSwitch,
	}
	for _, q := range m.Queues {
		c.Queues = append(c.Queues, MR1Queue{
			Name: q.Name, Capacity: q.Capacity, MaximumCapacity: q.MaxCapacity,
			MinimumUserLimitPercent: float64(q.UserLimit), UserLimitFactor: q.UserFactor, SupportsPriority: q.SupportsPriority,
			MaxInitializedTasks: q.MaxActiveTasks, MaxInitializedTasksPerUser: q.MaxActiveTasksPerUser,
			InitAcceptJobsFactor: q.InitAcceptJobsFactor,
		})
	}
	return c
}

// Validate makes the checks of "Queue Setup" (thesis 3.3.2) and names the
// first violation.
func (c *MR1Config) Validate() error {
	var sum float64
	for i := range c.Queues {
		q := &c.Queues[i]
		fail := func(setting string, value any, allowed string) error {
			return fmt.Errorf("queue %s: %s %v: must be %s", q.Name, setting, value, allowed)
		}
		switch {
		case !(q.Capacity >= 0 && q.Capacity <= 100):
			return fail("capacity", q.Capacity, "0 to 100")
		case q.MaximumCapacity != -1 && !(q.MaximumCapacity >= q.Capacity && q.MaximumCapacity <= 100):
			return fail("maximum-capacity", q.MaximumCapacity, fmt.Sprintf("-1, or %v (the capacity) to 100", q.Capacity))
		case !(q.MinimumUserLimitPercent > 0 && q.MinimumUserLimitPercent <= 100):
			return fail("minimum-user-limit-percent", q.MinimumUserLimitPercent, "above 0, at most 100")
		case !(q.UserLimitFactor >= 0):
			return fail("user-limit-factor", q.UserLimitFactor, "0 or more")
		case q.MaxInitializedTasks < 0 || q.MaxInitializedTasksPerUser < 0:
			return fail("maximum-initialized-active-tasks", min(q.MaxInitializedTasks, q.MaxInitializedTasksPerUser),
				"0 or more")
		case q.InitAcceptJobsFactor < 1:
			return fail("init-accept-jobs-factor", q.InitAcceptJobsFactor, "1 or more")
		}
		sum += q.Capacity
	}
	switch {
	case sum > 100+1e-9:
		return fmt.Errorf("capacities of the queues: sum %v must be at most 100", sum)
	case c.MaximumSystemJobs < 1:
		return fmt.Errorf("maximum-system-jobs %d: must be 1 or more", c.MaximumSystemJobs)
	case c.InitPollInterval <= 0:
		return fmt.Errorf("init-poll-interval %v: must be above 0", c.InitPollInterval.Std())
	case c.InitWorkerThreads < 1:
		return fmt.Errorf("init-worker-threads %d: must be 1 or more", c.InitWorkerThreads)
	case c.MaximumTasksPerHeartbeat < 1:
		return fmt.Errorf("maximum-tasks-per-heartbeat %d: must be 1 or more", c.MaximumTasksPerHeartbeat)
	case c.MaxTasksToAssignAfterOffSwitch < 0:
		return fmt.Errorf("max-tasks-to-assign-after-off-switch %d: must be 0 or more", c.MaxTasksToAssignAfterOffSwitch)
	}
	return nil
}

// Limits of job initialisation as section 3.3.2 computes them.

// maxJobsToInit is ceil(Maximum-System-Jobs * QueueCapacity/100).
func (c *MR1Config) maxJobsToInit(q *MR1Queue) int {
	return int(math.Ceil(float64(c.MaximumSystemJobs) * q.Capacity / 100))
}

// maxJobsPerUserToInit is ceil(Maximum-System-Jobs * QueueCapacity/100 *
// Minimum-User-Limit-Percent/100).
func (c *MR1Config) maxJobsPerUserToInit(q *MR1Queue) int {
	return int(math.Ceil(float64(c.MaximumSystemJobs) * q.Capacity / 100 * q.MinimumUserLimitPercent / 100))
}
