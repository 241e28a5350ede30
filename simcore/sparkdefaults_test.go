package simcore

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSparkDefaults(t *testing.T) {
	d := &SparkDefaults{Max: SparkMove{math.MaxInt32, 10}, Initial: SparkMove{0, 3},
		Idle: SparkMove{int64(Minute), int64(20 * Second)}, Backlog: SparkMove{int64(Second), int64(5 * Second)}}
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
			if d.Apply(&got); cmp.Diff(want, got) != "" {
				t.Errorf("settings differ (-want +got):\n%s", cmp.Diff(want, got))
			}
		})
	}
}
