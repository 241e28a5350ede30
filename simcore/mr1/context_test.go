package mr1_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/simcore/schedtest"
)

// A run whose context ends gives its cause, far from the end of the workload, and the
// next run of the simulator is as if it had not been.
func TestRunContext(t *testing.T) {
	c := schedtest.Uniform(20, 2, simcore.Vec{2, 1})
	w := &simcore.Workload{Queues: []string{"q"}, Users: []string{"u"},
		Dists: []simcore.Dist{{Kind: simcore.Constant, A: 5}},
		Jobs:  []simcore.Job{{Class: -1, Maps: 20_000, FirstTask: -1, MapDist: 0, ReduceDist: -1}}}
	cfg := mr1.Config{DurationConfig: simcore.DurationConfig{Model: simcore.Sampled}}
	want, err := mr1.Run(cfg, c, w, &schedtest.FIFO{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	sim, told := mr1.NewSim(), 0
	cut := cfg
	cut.Trace = func(simcore.Time, mr1.Event) {
		if told++; told == 100 {
			stop(enough)
		}
	}
	if r, err := sim.RunContext(ctx, cut, c, w, &schedtest.FIFO{}); r != nil || !errors.Is(err, enough) || told > 39_000 {
		t.Errorf("after %d events: %v, %v", told, r, err)
	}
	got, err := sim.Run(cfg, c, w, &schedtest.FIFO{})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the run after it differs, error %v", err)
	}
}
