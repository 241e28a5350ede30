package yarnconf

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// mr1Prefix begins every property of Hadoop 1's Capacity Scheduler.
const mr1Prefix = "mapred.capacity-scheduler."

// mr1Queues lists a cluster's queues; it is in mapred-site.xml.
const mr1Queues = "mapred.queue.names"

// MR1 is a configuration of Hadoop 1's Capacity Scheduler: flat queues whose
// unit is the slot.
type MR1 struct {
	MaxSystemJobs          int        // maximum-system-jobs
	InitPollInterval       int        // ms
	InitWorkerThreads      int        // init-worker-threads
	MaxTasksPerHeartbeat   int        // maximum-tasks-per-heartbeat
	MaxTasksAfterOffSwitch int        // maximum-tasks-after-offswitch
	Queues                 []MR1Queue // alphabetical, or in the order of mapred.queue.names
}

// MR1Queue is one queue of Hadoop 1, defaults filled in.
type MR1Queue struct {
	Name                  string  // as in mapred.queue.names
	Capacity              float64 // percent of the slots
	MaxCapacity           float64 // percent, -1 = none
	UserLimit             float64 // minimum-user-limit-percent, a whole number in a file
	UserFactor            float64 // user-limit-factor
	SupportsPriority      bool    // supports-priority
	MaxActiveTasks        int     // maximum-initialized-active-tasks
	MaxActiveTasksPerUser int     // maximum-initialized-active-tasks-per-user
	InitAcceptJobsFactor  int     // init-accept-jobs-factor
}

// JobsToInit returns how many jobs of a queue are initialised at a time,
// ceil(maximum-system-jobs · capacity/100), and how many of one user,
// ceil(maximum-system-jobs · capacity/100 · user limit/100). InitAcceptJobsFactor times as many
// are accepted.
func (c *MR1) JobsToInit(q *MR1Queue) (all, perUser int) {
	share := float64(c.MaxSystemJobs) * q.Capacity / 100
	return int(math.Ceil(share)), int(math.Ceil(share * q.UserLimit / 100))
}

// IsMR1 reports whether a file is of Hadoop 1's Capacity Scheduler.
func IsMR1(p Props) bool {
	mr1 := false
	for _, k := range given(p).Keys() {
		if strings.HasPrefix(k, Prefix) {
			return false
		}
		mr1 = mr1 || strings.HasPrefix(k, mr1Prefix)
	}
	return mr1
}

// EvaluateMR1 reads a Hadoop 1 configuration with its defaults. The error is
// Errors: unknown or out-of-range numbers, capacities that do not sum to
// 100 (the code wants floor(sum) = 100), maximum-capacity below capacity.
func EvaluateMR1(p Props) (*MR1, error) {
	c, errs := evaluateMR1(p)
	return c, Errors(errs).orNil()
}

func evaluateMR1(p Props) (*MR1, []*PropError) {
	p = given(p)
	r := &Reader{p: p}
	c := &MR1{
		MaxSystemJobs:          r.atLeast(mr1Prefix+"maximum-system-jobs", 5000, 1),
		InitPollInterval:       r.atLeast(mr1Prefix+"init-poll-interval", 3000, 1),
		InitWorkerThreads:      r.atLeast(mr1Prefix+"init-worker-threads", 5, 1),
		MaxTasksPerHeartbeat:   r.atLeast(mr1Prefix+"maximum-tasks-per-heartbeat", 32767, 1),
		MaxTasksAfterOffSwitch: r.atLeast(mr1Prefix+"maximum-tasks-after-offswitch", 0, 0),
	}
	names := r.mr1Names()
	for _, n := range names {
		c.Queues = append(c.Queues, r.mr1Queue(n))
	}
	r.mr1Sum(c)
	return c, r.errs
}

func (r *Reader) atLeast(key string, def, least int) int {
	n := r.Integer(key, def)
	if n < least {
		r.Fail(key, fmt.Sprintf("must be %d or more", least))
	}
	return n
}

// mr1Names takes the queues from mapred.queue.names if that is known, else
// from the names in the queues' own properties.
func (r *Reader) mr1Names() []string {
	names := splitNames(r.str(mr1Queues, ""))
	if len(names) > 0 {
		return names
	}
	seen := map[string]bool{}
	for _, k := range r.p.Keys() {
		if rest, ok := strings.CutPrefix(k, mr1Prefix+"queue."); ok {
			if i := strings.LastIndexByte(rest, '.'); i > 0 && !seen[rest[:i]] {
				seen[rest[:i]] = true
				names = append(names, rest[:i])
			}
		}
	}
	sort.Strings(names)
	return names
}

func (r *Reader) mr1Queue(name string) MR1Queue {
	own := func(s string) string { return mr1Prefix + "queue." + name + "." + s }
	q, userLimit := MR1Queue{Name: name}, 0
	q.Capacity = r.double(own("capacity"), -1)
	q.MaxCapacity = r.double(own("maximum-capacity"), -1)
	q.UserFactor = r.double(own("user-limit-factor"), r.double(mr1Prefix+"default-user-limit-factor", 1))
	q.SupportsPriority = r.Boolean(own("supports-priority"), r.Boolean(mr1Prefix+"default-supports-priority", false))
	for _, p := range []struct {
		name, all string // for the queue, for all queues
		def       int
		to        *int
	}{
		{"minimum-user-limit-percent", "default-minimum-user-limit-percent", 100, &userLimit},
		{"maximum-initialized-active-tasks", "default-maximum-active-tasks-per-queue", 200000, &q.MaxActiveTasks},
		{"maximum-initialized-active-tasks-per-user", "default-maximum-active-tasks-per-user", 100000,
			&q.MaxActiveTasksPerUser},
		{"init-accept-jobs-factor", "default-init-accept-jobs-factor", 10, &q.InitAcceptJobsFactor},
	} {
		if *p.to = r.Integer(own(p.name), r.Integer(mr1Prefix+p.all, p.def)); *p.to <= 0 {
			r.Fail(own(p.name), "must be 1 or more")
		}
	}
	q.UserLimit = float64(userLimit)
	r.mr1Ranges(q, own)
	return q
}

func (r *Reader) mr1Ranges(q MR1Queue, own func(string) string) {
	bad := func(cond bool, name, reason string) {
		if cond {
			r.Fail(own(name), reason)
		}
	}
	_, set := r.p.Get(own("capacity"))
	bad(!set, "capacity", "missing: must be between 0 and 100")
	bad(set && !(q.Capacity >= 0 && q.Capacity <= 100), "capacity", "must be between 0 and 100")
	bad(q.MaxCapacity != -1 && !(q.MaxCapacity > 0 && q.MaxCapacity <= 100), "maximum-capacity",
		"must be -1 (none), or between the capacity and 100")
	bad(q.MaxCapacity > 0 && q.MaxCapacity < q.Capacity, "maximum-capacity",
		fmt.Sprintf("below capacity %g: must be -1 (none), or %g to 100", q.Capacity, q.Capacity))
	bad(q.UserLimit > 100, "minimum-user-limit-percent", "must be between 1 and 100")
	bad(!(q.UserFactor > 0), "user-limit-factor", "must be above 0")
}

func (r *Reader) mr1Sum(c *MR1) {
	sum := 0.0
	for _, q := range c.Queues {
		sum += q.Capacity
	}
	switch {
	case len(c.Queues) == 0:
		r.Fail(mr1Queues, "no queue is known: list queue names here, or configure at least one queue")
	case math.Floor(sum) != 100:
		last := c.Queues[len(c.Queues)-1]
		r.Fail(mr1Prefix+"queue."+last.Name+".capacity", fmt.Sprintf("the capacities of all queues sum to %g: must be 100",
			sum))
	}
}
