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

// The headline is that of the search for queue files: a loss is called one, a
// tiny gain is not 0.0 %, broken constraints come first, and every objective of a
// front is told of.
func TestHeadline(t *testing.T) {
	gain := func(metric string, mean float64) tune.Gain {
		return tune.Gain{Metric: metric, Interval: tune.Interval{Mean: mean, Low: mean - 0.0001, High: mean + 0.0001, Level: 0.95, N: 9}}
	}
	for _, x := range []struct {
		want string
		r    tune.Result
	}{
		{"no proven improvement: with the best found makespan gets worse by 3.0 %", tune.Result{Gain: []tune.Gain{gain("makespan", -0.03)}, Unproven: &tune.Summary{}}},
		{"makespan improves by 0.028 %", tune.Result{Proven: true, Gain: []tune.Gain{gain("makespan", 0.00028)}}},
		{"; mean-wait improves by 5.0 %", tune.Result{Proven: true, Gain: []tune.Gain{gain("makespan", 0.1), gain("mean-wait", 0.05)}}},
		{"the constraint is NOT kept; makespan", tune.Result{Proven: true, Gain: []tune.Gain{gain("makespan", 0.1)}, Constraints: []tune.ConstraintResult{{}}}},
		{"no proven improvement: nothing tried was better", tune.Result{Gain: []tune.Gain{gain("makespan", 0)}}},
	} {
		var b bytes.Buffer
		(&SchedulerSummary{Result: &x.r}).Print(&b)
		if line, _, _ := strings.Cut(b.String(), "\n\n"); !strings.Contains(line, x.want) {
			t.Errorf("%q; want %q", line, x.want)
		}
	}
}
