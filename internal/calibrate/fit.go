package calibrate

import (
	"fmt"
	"schedtune/internal/scenario"
	"schedtune/simcore/yarn"
	"schedtune/trace"
	"strings"
)

// Latencies says where the figures of a calibration come from.
type Latencies struct {
	Source  string   `json:"source"`
	Fitted  []string `json:"fitted"`  // figures that the histories tell
	Assumed []string `json:"assumed"` // figures at their defaults, with the reason
}

// FittedOnHistory is the source where histories told something.
const FittedOnHistory = "fitted on the history"

// Fit replaces a case's calibration by what its histories tell, unless one was
// given. Where nothing is known the built-in one stays: that of one machine for all
// nodes where the nodes share a host name.
func Fit(c *scenario.Case, in *scenario.Files) Latencies {
	if in.Calibration != "" {
		return Latencies{Source: "--calibration " + in.Calibration}
	}
	if scenario.OneMachine(c.Cluster) {
		c.Calibration = yarn.MiniCluster()
	}
	if c.Recorded == nil {
		return Latencies{}
	}
	if len(c.Completions) == 0 {
		return Latencies{Source: "built-in"}
	}
	r, err := FitLatencies(c.Recorded.Name, []*trace.Trace{c.Recorded}, c.Calibration)
	if err != nil {
		return Latencies{Source: "built-in", Assumed: []string{"all figures: " + err.Error()}}
	}
	l := Latencies{Source: "built-in", Fitted: r.Fitted, Assumed: r.Assumed}
	if len(r.Fitted) > 0 {
		c.Calibration, l.Source = r.Calibration, FittedOnHistory
	}
	return l
}

// Given reports whether a calibration was given instead of fitted.
func (l *Latencies) Given() bool { return strings.HasPrefix(l.Source, "--calibration") }

// Line says in a line where the latencies come from; "" where no history was given.
func (l *Latencies) Line() string {
	switch {
	case l.Source == "":
		return ""
	case l.Source == FittedOnHistory:
		return fmt.Sprintf("latencies: %d figures %s; the rest at defaults", len(l.Fitted), l.Source)
	case l.Given():
		return "latencies: " + l.Source
	}
	return "latencies: built-in ones, nothing of this cluster; fit durations and --calibration, or full records of a " +
		"run, tell them"
}
