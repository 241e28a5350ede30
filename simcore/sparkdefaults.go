package simcore

// SparkDefaults holds the cluster-wide defaults of dynamic allocation (spark-defaults.conf) that
// a run changes. An application with the current default takes the new one; one with another
// value has set its own and keeps it. Equal values change nothing.
type SparkDefaults struct {
	Max, Initial  SparkMove // spark.dynamicAllocation.maxExecutors, .initialExecutors; executors
	Idle, Backlog SparkMove // .executorIdleTimeout, .schedulerBacklogTimeout; microseconds, as Time
}

// SparkMove is the change of a default.
type SparkMove struct {
	From, To int64 // in the setting's unit
}

// Apply changes the settings of one application. The sustained backlog timeout follows the
// backlog timeout where both are equal, as they are unless set; the maximum stays at least the
// minimum, and the initial number at most the maximum.
func (d *SparkDefaults) Apply(s *SparkSettings) {
	if d == nil || s == nil || !s.Dynamic {
		return
	}
	move(&s.Max, d.Max)
	s.Max = max(s.Max, s.Min, 1)
	move(&s.Initial, d.Initial)
	s.Initial = min(max(s.Initial, s.Min), s.Max)
	move(&s.Idle, d.Idle)
	if s.Sustained == s.Backlog {
		move(&s.Sustained, d.Backlog)
	}
	move(&s.Backlog, d.Backlog)
}

// move applies the change of a default to a setting.
func move[T ~int32 | ~int64](v *T, m SparkMove) {
	if int64(*v) == m.From {
		*v = T(m.To)
	}
}
