package study

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"schedtune/internal/scenario"
	"schedtune/internal/simulate"
	"schedtune/simcore/sched"
	"schedtune/tune"
)

// TestTuneBeta searches the parameters of two schedulers on an embedded set:
// the outcome is a spec that runs, does not depend on the number of workers,
// and is never recommended without proof.
func TestTuneBeta(t *testing.T) {
	for spec, numbers := range map[string][]int{"omo": {1, 2}, "coupling": {2}} {
		t.Run(spec, func(t *testing.T) {
			outs := make([][]byte, len(numbers))
			for i, workers := range numbers {
				s, err := TuneScheduler(context.Background(), SchedulerRequest{
					Dataset: "default-1", Scheduler: spec,
					Objectives: []tune.Objective{{Metric: "mean-completion"}}, Workers: workers,
					Options: tune.Options{Seed: 1, Budget: 30},
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if outs[i], err = json.Marshal(s); err != nil {
					t.Fatal(err)
				}
				if !s.Result.Decision.Recommended && s.Scheduler != s.Present {
					t.Errorf("%s recommended without proof", s.Scheduler)
				}
				if _, err := simulate.Load(scenario.Files{}, "default-1", simulate.Options{Scheduler: s.Scheduler}); err != nil {
					t.Error(err)
				}
			}
			if !bytes.Equal(outs[0], outs[len(outs)-1]) {
				t.Error("1 and 2 workers differ")
			}
		})
	}
}

func TestNothingToMove(t *testing.T) {
	_, err := TuneScheduler(context.Background(), SchedulerRequest{Dataset: "default", Scheduler: "omo",
		Params: []string{"gamma"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "--params takes") {
		t.Errorf("error %v", err)
	}
}

// What describes the cluster, such as the time to initialise a job, is not tuned
// unless it is named; limits and factors are.
func TestCostsAreNotTuned(t *testing.T) {
	for spec, given := range map[string]string{"capacity-mr1": "init-time", "coshh": "error", "omo": "bandwidth"} {
		s, err := sched.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		has := func(only ...string) (named, others bool) {
			params, err := schedulerParams(s, only, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range params {
				named, others = named || p.Name == given, others || p.Name != given
			}
			return named, others
		}
		if named, others := has(); named || !others {
			t.Errorf("%s: %s moves: %v, others: %v", spec, given, named, others)
		}
		if named, _ := has(given); !named {
			t.Errorf("%s: %s does not move where it is named", spec, given)
		}
	}
}
