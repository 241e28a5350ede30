package sparklog

import (
	"slices"
	"testing"
)

// Executors that were there while the first task waited were not ready, also where it ran on
// another one; one that came later was ready at once.
func TestReadyDelays(t *testing.T) {
	for _, c := range []struct {
		name          string
		launch, later Millis // of the first task, and the registration of the third executor
		locality      Locality
		delays, since []Millis
	}{
		{"plugins", 20_100, 0, NoPreference, []Millis{20_000, 20_000, 20_000}, []Millis{20_100, 20_100, 20_100}},
		{"one that came later", 20_100, 25_000, NoPreference, []Millis{0, 20_000, 20_000}, []Millis{5_000, 20_100, 20_100}},
		{"none", 110, 0, NoPreference, []Millis{10, 10, 10}, []Millis{110, 110, 110}},
		{"a wait for a nearer executor", 20_100, 0, AnyPlace, []Millis{0, 0}, []Millis{30_000, 30_000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &App{Executors: []Executor{{ID: "1"}, {ID: "2"}, {ID: "3", Added: c.later}}, Stages: []Stage{
				{Submit: 100, Attempts: []Task{{Executor: 0, Launch: c.launch, Locality: c.locality}}},
				{Submit: 30_000, Attempts: []Task{{Executor: 1, Launch: 30_000}, {Executor: 2, Launch: 30_000}}}}}
			if d, s := a.ReadyDelays(); !slices.Equal(d, c.delays) || !slices.Equal(s, c.since) {
				t.Errorf("delays %v, since the registration %v, want %v and %v", d, s, c.delays, c.since)
			}
		})
	}
}
