package yarn

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"schedtune/simcore"
)

// A run whose context ends gives its cause, far from the end of the job, and the next
// run of the simulator is as if it had not been.
func TestRunContext(t *testing.T) {
	c, w := testCluster(20, 4096), oneJob(20_000, 4, 5, 5)
	_, want := mustRun(t, c, w, Options{}, RunConfig{Slowstart: -1, Calibration: plain()}, newFIFO(20))
	sim, err := NewSim(c, w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	allocated := 0
	cfg := RunConfig{Slowstart: -1, Calibration: plain(), Observe: func(simcore.Time, *Event) {
		if allocated++; allocated == 100 {
			stop(enough)
		}
	}}
	if r, err := sim.RunContext(ctx, cfg, newFIFO(20)); r != nil || !errors.Is(err, enough) || allocated > 10_000 {
		t.Errorf("after %d allocations: %v, %v", allocated, r, err)
	}
	cfg.Observe = nil
	got, err := sim.Run(cfg, newFIFO(20))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the run after it differs, error %v", err)
	}
}
