package main

import (
	"bytes"
	"testing"

	"schedtune/simcore/yarn"
	"schedtune/validation/testdata"
)

// A calibration of runs of Tez applications has the latencies of Tez.
func TestCalibrateTez(t *testing.T) {
	var out, errs bytes.Buffer
	dir := testdata.Shared(t, "traces/minitez/run-A-reuse")
	if code := execute([]string{"calibrate", dir}, nil, &out, &errs); code != 0 {
		t.Fatalf("exit code %d, want 0; %s", code, errs.String())
	}
	if cal, err := yarn.ParseCalibration(out.Bytes()); err != nil || cal.Tez == nil {
		t.Errorf("got %+v, error %v, want a calibration with latencies of Tez", cal, err)
	}
}
