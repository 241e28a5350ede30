package study

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"schedtune/internal/inputs"
	"schedtune/internal/run"
	"schedtune/tune"
)

// TestTuneBeta searches the parameters of two schedulers on the default set:
// the outcome is a spec that runs, does not depend on the number of workers,
// and is never recommended without proof.
func TestTuneBeta(t *testing.T) {
	for _, spec := range []string{"omo", "coupling"} {
		t.Run(spec, func(t *testing.T) {
			var outs [2][]byte
			for i, workers := range []int{1, 2} {
				s, err := TuneScheduler(context.Background(), SchedulerRequest{
					Dataset: "default", Scheduler: spec,
					Objectives: []tune.Objective{{Metric: "mean-completion"}}, Workers: workers,
					Options: tune.Options{Seed: 1, Budget: 30},
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if outs[i], err = json.Marshal(s); err != nil {
					t.Fatal(err)
				}
				if !s.Result.Proven && s.Scheduler != s.Present {
					t.Errorf("%s recommended without proof", s.Scheduler)
				}
				if _, err := run.Load(inputs.Files{}, "default", run.Options{Scheduler: s.Scheduler}); err != nil {
					t.Error(err)
				}
			}
			if !bytes.Equal(outs[0], outs[1]) {
				t.Error("1 and 2 workers differ")
			}
		})
	}
}

func TestNothingToMove(t *testing.T) {
	_, err := TuneScheduler(context.Background(), SchedulerRequest{Dataset: "default", Scheduler: "omo", Params: []string{"gamma"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "allowed with --params") {
		t.Errorf("error %v", err)
	}
}
