package models

import (
	"math"
	"testing"

	"schedtune/datasets"
	"schedtune/predict"
	"schedtune/simcore"
	"schedtune/simcore/mr1"
	"schedtune/trace"
)

// The rules of the scheduler that made a history are found in it, and none where it has none: the threshold
// with which it started reduces lies in the interval, and equation 3's mean in that of the probability of
// peeking.
func TestMismatch(t *testing.T) {
	for _, c := range []struct {
		name, set, spec string
		threshold       float64 // 0: reduces start after a share of the maps
		peeks           string
	}{
		{"the paper's threshold", "coupling-sequence", "coupling", 3, "found"},
		{"small threshold", "default", "coupling:threshold=1", 1, "found"},
		{"large threshold", "coupling-sequence", "coupling:threshold=20", 20, "found"},
		{"no peeking", "default", "coupling:threshold=5,peek=false", 5, "none"},
		{"no mismatch", "default", "coupling:mismatch=false", 0, "found"},
		{"fair", "coupling-sequence", "fair:pool=job", 0, "none"},
		{"late slowstart", "default", "fair:pool=job,slowstart=0.4", 0, "none"},
		{"fifo", "coupling-sequence", "fifo", 0, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := datasets.Load(c.set)
			if err != nil {
				t.Fatal(err)
			}
			h, err := SimulatedHistory(s.Cluster, s.Workload, c.spec, mr1.Config{TrackOutput: true, Launch: simcore.Second,
				DurationConfig: simcore.DurationConfig{Seed: 31, Model: simcore.Resources}})
			if err != nil {
				t.Fatal(err)
			}
			r := FitMismatch("history", []*trace.Trace{h})
			if found := r.Verdict == "found"; found != (c.threshold > 0) {
				t.Errorf("got %s, P %v, want threshold %v", r.Verdict, r.P, c.threshold)
			} else if found && !(r.Low <= c.threshold && c.threshold <= r.High) {
				t.Errorf("got threshold %v to %v, want %v", r.Low, r.High, c.threshold)
			}
			if p := r.Peek; p == nil || p.Verdict != c.peeks {
				t.Errorf("got peeking %+v, want %s", p, c.peeks)
			} else if wide := 2 * (p.High - p.Low); p.Verdict == "found" && math.Abs(p.Probability-p.Formula) > wide {
				t.Errorf("got probability %v, want %v of equation 3", p.Probability, p.Formula)
			}
		})
	}
}

// A job of 11 maps, one after the other, and 4 reduces, which start a second after 2, 3, 5 and 6 maps have ended:
// that is as soon as a share delta k/4 has ended where delta is between 16/33, since the third did not
// start after four maps, and 6/11, since the second started after three. A second history without reduces
// changes nothing.
func TestMismatchByHand(t *testing.T) {
	var runs []predict.TaskRun
	for i := range 11 {
		runs = append(runs, predict.TaskRun{Job: 0, Node: i % 2, Done: true, Start: float64(100 * i), End: float64(100*i + 100)})
	}
	for k, at := range []float64{201, 301, 501, 601} {
		runs = append(runs, predict.TaskRun{Job: 0, Node: 2 + k, Reduce: true, Done: true, Start: at, End: 2000})
	}
	threshold := func(delta float64) float64 { return -4 / math.Log1p(-delta) }
	low, high := threshold(6./11), threshold(16./33)
	for _, logs := range [][][]predict.TaskRun{{runs}, {runs[:2], runs}} {
		if f := predict.FitMismatch(logs...); f.Jobs != 1 || f.Starts != 4 || !(low <= f.Threshold && f.Threshold <= high) {
			t.Errorf("got %+v, want a threshold between %v and %v", f, low, high)
		}
	}
	if f := predict.FitMismatch(); f.P != 1 || f.Jobs != 0 {
		t.Errorf("no history: got %+v, want none", f)
	}
}
