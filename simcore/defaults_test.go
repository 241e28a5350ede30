package simcore

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSparkMoves(t *testing.T) {
	spark := func(f func(*SparkSettings) any) DefaultOf { return DefaultOf{Spark: f} }
	d := DefaultMoves{{spark(func(s *SparkSettings) any { return &s.Max }), math.MaxInt32, 10},
		{spark(func(s *SparkSettings) any { return &s.Initial }), 0, 3},
		{spark(func(s *SparkSettings) any { return &s.Idle }), float64(Minute), float64(20 * Second)},
		{spark(func(s *SparkSettings) any { return &s.Backlog }), float64(Second), float64(5 * Second)}}
	settings := func(change func(*SparkSettings)) SparkSettings {
		s := DefaultSparkSettings()
		s.Dynamic = true
		change(&s)
		return s
	}
	for _, c := range []struct {
		name      string
		have, end func(*SparkSettings)
	}{
		{"all at the defaults", func(*SparkSettings) {}, func(s *SparkSettings) {
			s.Max, s.Initial, s.Idle, s.Backlog, s.Sustained = 10, 3, 20*Second, 5*Second, 5*Second
		}},
		{"own values stay", func(s *SparkSettings) { s.Max, s.Initial, s.Idle, s.Backlog = 2, 1, 30*Second, 2*Second },
			func(s *SparkSettings) { s.Max, s.Initial, s.Idle, s.Backlog = 2, 1, 30*Second, 2*Second }},
		{"a sustained timeout of its own stays", func(s *SparkSettings) { s.Sustained = 2 * Second }, func(s *SparkSettings) {
			s.Max, s.Initial, s.Idle, s.Backlog, s.Sustained = 10, 3, 20*Second, 5*Second, 2*Second
		}},
		{"a minimum above the new maximum", func(s *SparkSettings) { s.Min, s.Initial = 12, 12 }, func(s *SparkSettings) {
			s.Min, s.Initial, s.Max, s.Idle, s.Backlog, s.Sustained = 12, 12, 12, 20*Second, 5*Second, 5*Second
		}},
		{"an own maximum below the new initial number", func(s *SparkSettings) { s.Max = 2 }, func(s *SparkSettings) {
			s.Max, s.Initial, s.Idle, s.Backlog, s.Sustained = 2, 2, 20*Second, 5*Second, 5*Second
		}},
		{"static allocation", func(s *SparkSettings) { s.Dynamic = false }, func(s *SparkSettings) { s.Dynamic = false }},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, want := settings(c.have), settings(c.end)
			if d.Spark(&got); cmp.Diff(want, got) != "" {
				t.Errorf("settings differ (-want +got):\n%s", cmp.Diff(want, got))
			}
		})
	}
}

// Defaults of Tez: own values stay, and the upper end of a range never falls below the lower one, which Tez refuses.
func TestTezMoves(t *testing.T) {
	idle := func(f func(*TezSettings) any, from, to float64) DefaultMove {
		return DefaultMove{DefaultOf{Tez: f}, from, to}
	}
	d := DefaultMoves{idle(func(s *TezSettings) any { return &s.IdleMin }, float64(5*Second), float64(20*Second)),
		idle(func(s *TezSettings) any { return &s.IdleMax }, float64(10*Second), float64(40*Second)),
		idle(func(s *TezSettings) any { return &s.MinSource }, 0.25, 0.5),
		idle(func(s *TezSettings) any { return &s.Held }, 0, 3)}
	for _, c := range []struct {
		name      string
		have, end func(*TezSettings)
	}{
		{"all at the defaults", func(*TezSettings) {}, func(s *TezSettings) {
			s.IdleMin, s.IdleMax, s.MinSource, s.Held = 20*Second, 40*Second, 0.5, 3
		}},
		{"own values stay", func(s *TezSettings) { s.IdleMin, s.IdleMax, s.MinSource, s.Held = Second, 2*Second, 0.1, 1 },
			func(s *TezSettings) { s.IdleMin, s.IdleMax, s.MinSource, s.Held = Second, 2*Second, 0.1, 1 }},
		{"an own maximum below the new minimum", func(s *TezSettings) { s.IdleMax = 8 * Second }, func(s *TezSettings) {
			s.IdleMin, s.IdleMax, s.MinSource, s.Held = 20*Second, 20*Second, 0.5, 3
		}},
		{"idle without end", func(s *TezSettings) { s.IdleMin, s.IdleMax = Never, Never }, func(s *TezSettings) {
			s.IdleMin, s.IdleMax, s.MinSource, s.Held = Never, Never, 0.5, 3
		}},
	} {
		got, want := DefaultTezSettings(), DefaultTezSettings()
		c.have(&got)
		c.end(&want)
		if d.Tez(&got); got != want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
	}
}
