package simcore

// DefaultMoves are the cluster-wide defaults of Spark and Tez (spark-defaults.conf, tez-site.xml)
// that a run changes. An application with the current default takes the new one; one with another
// value has set its own and keeps it.
type DefaultMoves []DefaultMove

// DefaultMove is the change of a default.
type DefaultMove struct {
	Of       DefaultOf
	From, To float64 // as in the settings: a number, a share or microseconds
}

// DefaultOf points at a setting in those of an application: at a *int32, *Time or *float64. One of
// the two is set.
type DefaultOf struct {
	Spark func(*SparkSettings) any
	Tez   func(*TezSettings) any
}

// Value returns a job's value. Jobs that do not follow the default have none: those of other kinds,
// and Spark applications with static allocation.
func (d DefaultOf) Value(j *Job) (v float64, ok bool) {
	switch {
	case d.Spark != nil && j.Spark != nil && j.Spark.Settings.Dynamic:
		v, _ = setting(d.Spark(&j.Spark.Settings))
	case d.Tez != nil && j.Tez != nil:
		v, _ = setting(d.Tez(&j.Tez.Settings))
	default:
		return 0, false
	}
	return v, true
}

// setting returns the value of a setting, and what sets it.
func setting(at any) (now float64, set func(float64)) {
	switch v := at.(type) {
	case *int32:
		return float64(*v), func(x float64) { *v = int32(x) }
	case *Time:
		return float64(*v), func(x float64) { *v = Time(x) }
	}
	v := at.(*float64)
	return *v, func(x float64) { *v = x }
}

// move applies the change to a setting.
func (d *DefaultMove) move(at any) {
	if now, set := setting(at); now == d.From {
		set(d.To)
	}
}

// Spark changes the settings of a Spark application. The sustained backlog timeout follows the
// backlog timeout where both are equal, as they are unless set; the maximum stays at least the
// minimum, and the initial number at most the maximum.
func (m DefaultMoves) Spark(s *SparkSettings) {
	follows, moved := s.Sustained == s.Backlog, false
	for _, d := range m {
		if d.Of.Spark != nil && s.Dynamic {
			d.move(d.Of.Spark(s))
			moved = true
		}
	}
	if !moved {
		return
	}
	if follows {
		s.Sustained = s.Backlog
	}
	s.Max = max(s.Max, s.Min, 1)
	s.Initial = min(max(s.Initial, s.Min), s.Max)
}

// Tez changes the settings of a Tez application. Upper ends of ranges stay at least the lower ones.
func (m DefaultMoves) Tez(s *TezSettings) {
	for _, d := range m {
		if d.Of.Tez != nil {
			d.move(d.Of.Tez(s))
		}
	}
	s.IdleMax, s.MaxSource = max(s.IdleMax, s.IdleMin), max(s.MaxSource, s.MinSource)
}
