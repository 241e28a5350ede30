// Package present tells how far a simulation can be trusted on one cluster: it fits
// what the histories tell of latencies, simulates the recorded period under the
// present file and compares with what was recorded.
package present

import (
	"schedtune/internal/fit"
	"schedtune/internal/inputs"
	"schedtune/internal/recorded"
	"schedtune/simcore/yarn"
	"schedtune/trace"
)

// Latencies says where the figures of a calibration come from.
type Latencies struct {
	Source  string   `json:"source"`
	Fitted  []string `json:"fitted,omitempty"`  // figures that the histories tell
	Assumed []string `json:"assumed,omitempty"` // figures at their defaults, with the reason
}

// FittedOnHistory is the source where histories told something.
const FittedOnHistory = "fitted on the history"

// Fit replaces a case's calibration by what its histories tell, unless one was
// given. Where nothing is told the built-in one stays: that of one machine for all
// nodes where the nodes share a host name.
func Fit(c *inputs.Case, in *inputs.Files) Latencies {
	if in.Calibration != "" {
		return Latencies{Source: "--calibration " + in.Calibration}
	}
	if inputs.OneMachine(c.Cluster) {
		c.Calibration = yarn.MiniCluster()
	}
	if c.Recorded == nil {
		return Latencies{}
	}
	if len(c.Completions) == 0 {
		return Latencies{Source: "built-in"}
	}
	r, err := fit.FitLatencies(c.Recorded.Name, histories(c.Recorded, in.Traces), c.Calibration)
	if err != nil {
		return Latencies{Source: "built-in", Assumed: []string{"all figures: " + err.Error()}}
	}
	l := Latencies{Source: "built-in", Fitted: r.Fitted, Assumed: r.Assumed}
	if len(r.Fitted) > 0 {
		c.Calibration, l.Source = r.Calibration, FittedOnHistory
	}
	return l
}

// histories opens the full records where there are some.
func histories(merged *trace.Trace, paths []string) []fit.History {
	var out []fit.History
	for _, path := range paths {
		if k := recorded.KindOf(path); k != recorded.Planned && k != recorded.Spark {
			continue
		}
		t, err := trace.Open(path, trace.Options{})
		if err != nil {
			continue // it is part of the merged one
		}
		if h, err := fit.OpenHistory(path, t); err == nil {
			out = append(out, h)
		}
	}
	if len(out) == 0 || len(out) < len(paths) {
		return []fit.History{{Trace: merged}}
	}
	return out
}
