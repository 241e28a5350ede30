package calibrate

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"schedtune/internal/testdata"
	"schedtune/simcore/yarn"
	"schedtune/trace"
)

func fitHistories(t *testing.T) []History {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(testdata.Shared(t, "traces", "minimr"), "run-*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	var hs []History
	for _, d := range dirs {
		tr, err := trace.Open(d, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := OpenHistory(d, tr)
		if err != nil {
			t.Fatal(err)
		}
		hs = append(hs, h)
	}
	return hs
}

// What is printed has no blanks at the ends of lines.
func TestPrintedLines(t *testing.T) {
	const run = "../testdata/runs/mapreduce"
	tr, err := trace.Open(run, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := OpenHistory(run, tr)
	if err != nil {
		t.Fatal(err)
	}
	r, err := FitDurations(run, []History{h}, "all")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(text.String(), "\n") {
		if strings.HasSuffix(line, " ") {
			t.Errorf("%q", line)
		}
	}
}

// The latencies of the made run lie within what package maderun draws them from:
// a container is free at the second millisecond after its process, a master's
// process six seconds after its unregistration.
func TestLatenciesOfTheMadeRun(t *testing.T) {
	dir := testdata.Run(t, "mapreduce")
	tr, err := trace.Open(dir, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := OpenHistory(dir, tr)
	if err != nil {
		t.Fatal(err)
	}
	r, err := FitDurations("made", []History{h}, "all")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]float64{
		"process gone -> RM released the container":      {2, 2},
		"RM finish time -> AM container released":        {6042, 6042},
		"planned submit -> RM has the job (client time)": {90, 160},
		"task finished (history) -> process gone":        {22, 45},
		"AM allocated -> AM registered":                  {1138, 2138},
	}
	seen := 0
	for _, l := range r.Latencies {
		w, ok := want[l.Name]
		if !ok {
			continue
		}
		seen++
		if l.N < 6 || l.P10 < w[0] || l.Max > w[1] {
			t.Errorf("%s: %+v, want within %v", l.Name, l, w)
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d latencies found", seen, len(want))
	}
	text, err := r.WriteCalibration()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := yarn.ParseCalibration(text); err != nil {
		t.Error(err)
	}
}

// Every latency must come out as the recorded runs' own table has it (made by
// another program from the same records): number, 10 %, 50 % and 90 % quantile
// and maximum, to the millisecond of rounding.
func TestLatenciesAsMeasured(t *testing.T) {
	r, err := FitDurations("minimr", fitHistories(t), "all")
	if err != nil {
		t.Fatal(err)
	}
	want := latencyTable(t)
	for _, l := range r.Latencies {
		w, ok := want[l.Name]
		if !ok {
			t.Errorf("%s: not in the table", l.Name)
			continue
		}
		got := [5]float64{float64(l.N), l.P10, l.Median, l.P90, l.Max}
		for i := range w {
			if math.Abs(got[i]-w[i]) > 0.5 {
				t.Errorf("%s: n, p10, median, p90, max are %.1f, want %.0f", l.Name, got, w)
				break
			}
		}
	}
	if len(r.Latencies) < 20 {
		t.Errorf("%d latencies, want at least 20", len(r.Latencies))
	}
	// What equal runs share is found again on the other half: timers to 2 %.
	for _, l := range r.Latencies {
		if (l.Name == latBeat || l.Name == latGone) && !(l.HeldOut <= 0.02) {
			t.Errorf("%s: held-out error %v, want at most 2 %%", l.Name, l.HeldOut)
		}
	}
	c := r.Calibration
	if c.CPUScope != yarn.ScopeCluster || math.Abs(c.NodeBeat-1002) > 2 || c.Linger[5] < 6000 || c.Linger[5] > 6100 {
		t.Errorf("calibration: scope %s, node heartbeat %v, linger %v; want cluster, 1002, about 6057", c.CPUScope, c.NodeBeat, c.Linger)
	}
	text, err := r.WriteCalibration()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := yarn.ParseCalibration(text); err != nil {
		t.Errorf("the calibration file must be readable: %v", err)
	}
}

func latencyTable(t *testing.T) map[string][5]float64 {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, "traces", "minimr", "latencies.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][5]float64{}
	for _, r := range rows[1:] {
		var v [5]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(r[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		out[r[0]] = v
	}
	return out
}
