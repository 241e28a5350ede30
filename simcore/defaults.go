package simcore

import "math"

// DefaultMoves are the cluster-wide defaults of Spark and Tez (spark-defaults.conf, tez-site.xml)
// that a run changes. An application with the current default takes the new one; one with another
// value has set its own and keeps it.
type DefaultMoves []DefaultMove

// DefaultMove is the change of a default.
type DefaultMove struct {
	Of       DefaultOf
	From, To float64 // as Value returns them
}

// DefaultOf points at a setting in those of an application, a *int32, *Time or *float64. One of the
// two is set.
type DefaultOf struct {
	Spark func(*SparkSettings) any
	Tez   func(*TezSettings) any
}

// Value returns a job's value: a number, a share or seconds, without bound +Inf. Jobs that do not
// follow the default have none: those of other kinds, and Spark applications with static allocation.
func (d DefaultOf) Value(j *Job) (v float64, ok bool) {
	switch {
	case d.Spark != nil && j.Spark != nil && j.Spark.Settings.Dynamic:
		return settingValue(d.Spark(&j.Spark.Settings)), true
	case d.Tez != nil && j.Tez != nil:
		return settingValue(d.Tez(&j.Tez.Settings)), true
	}
	return 0, false
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

// move applies the change to a setting.
func (d *DefaultMove) move(setting any) {
	switch v := setting.(type) {
	case *int32:
		change(v, d, math.MaxInt32, func(n float64) int32 { return int32(n) })
	case *Time:
		change(v, d, Never, Seconds)
	case *float64:
		change(v, d, math.Inf(1), func(x float64) float64 { return x })
	}
}

// change sets a setting that has the present value to the new one; without stands for no bound.
func change[T comparable](v *T, d *DefaultMove, without T, of func(float64) T) {
	value := func(x float64) T {
		if math.IsInf(x, 1) {
			return without
		}
		return of(x)
	}
	if *v == value(d.From) {
		*v = value(d.To)
	}
}

// settingValue returns the value of a setting.
func settingValue(setting any) float64 {
	switch v := setting.(type) {
	case *int32:
		if *v < math.MaxInt32 {
			return float64(*v)
		}
	case *Time:
		if *v < Never {
			return v.Seconds()
		}
	case *float64:
		return *v
	}
	return math.Inf(1)
}
