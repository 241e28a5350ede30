package simcore

// SparkDefaults are the cluster-wide defaults of dynamic allocation
// (spark-defaults.conf) that a run moves. An application whose value is the
// present default takes the new one; one with another value has set its own
// and keeps it. Equal figures move nothing.
type SparkDefaults struct {
	Max, Initial  SparkMove // spark.dynamicAllocation.maxExecutors, .initialExecutors; executors
	Idle, Backlog SparkMove // .executorIdleTimeout, .schedulerBacklogTimeout; microseconds, as Time
}

// SparkMove is a default that moves from one value to another.
type SparkMove struct {
	From, To int64 // in the setting's unit
}

// Apply moves the settings of one application. The sustained backlog timeout
// follows the backlog timeout where it has the same value, as it does unless
// set; the maximum never falls below the minimum, nor the initial number above
// the maximum.
func (d *SparkDefaults) Apply(s *SparkSettings) {
	if d == nil || s == nil || !s.Dynamic {
		return
	}
	if int64(s.Max) == d.Max.From {
		s.Max = max(int32(d.Max.To), s.Min, 1)
	}
	if int64(s.Initial) == d.Initial.From {
		s.Initial = max(int32(d.Initial.To), s.Min)
	}
	s.Initial = min(s.Initial, s.Max)
	if int64(s.Idle) == d.Idle.From {
		s.Idle = Time(d.Idle.To)
	}
	if int64(s.Backlog) == d.Backlog.From {
		if s.Sustained == s.Backlog {
			s.Sustained = Time(d.Backlog.To)
		}
		s.Backlog = Time(d.Backlog.To)
	}
}
