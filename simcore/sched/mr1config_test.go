package sched

import (
	"strings"
	"testing"

	"schedtune/yarnconf"
)

func TestMR1ErrorsNameSettingAndRange(t *testing.T) {
	for want, change := range map[string]func(*yarnconf.MR1){
		"queue a: capacity 120: must be 0 to 100":   func(c *yarnconf.MR1) { c.Queues[0].Capacity = 120 },
		"maximum-capacity 20: must be -1, or 50":    func(c *yarnconf.MR1) { c.Queues[0].MaxCapacity = 20 },
		"sum 110: must be at most 100":              func(c *yarnconf.MR1) { c.Queues[1].Capacity = 60 },
		"minimum-user-limit-percent 0: must be":     func(c *yarnconf.MR1) { c.Queues[0].UserLimit = 0 },
		"maximum-system-jobs 0: must be 1 or more":  func(c *yarnconf.MR1) { c.MaxSystemJobs = 0 },
		"maximum-tasks-per-heartbeat 0: must be 1 ": func(c *yarnconf.MR1) { c.MaxTasksPerHeartbeat = 0 },
	} {
		t.Run(want, func(t *testing.T) {
			c := NewMR1([]string{"a", "b"}, []float64{50, 50})
			change(c)
			if err := checkMR1(c); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error with %q", err, want)
			}
		})
	}
}
