package report

import (
	"math"

	"schedtune/tune"
)

// State is what the page shows of a study under way.
type State struct {
	Study     string `json:"study"`     // one line: jobs, nodes, budget
	Objective string `json:"objective"` // metric, such as makespan
	Phase     string `json:"phase"`
	Runs      int    `json:"runs"`
	Budget    int    `json:"budget"` // runs; 0 = bounded by time
	Trials    int    `json:"trials"` // configurations tried

	Elapsed   float64 `json:"elapsed_s"`
	Remaining float64 `json:"remaining_s"` // an estimate from the speed so far
	// Gain is the best so far: the improvement over the current configuration on the same
	// workloads, 0.1 = 10 % better. It never gets smaller; 0 until there is one.
	Gain float64 `json:"gain"`

	Changes []tune.Change `json:"changes"` // present to best so far
	Trying  []tune.Change `json:"trying"`  // present to the configuration evaluated last
	Done    bool          `json:"done"`    // the report is there
	Verdict string        `json:"verdict"` // one line, when done
}

// Point is one step of the convergence: the gain of the best configuration after so many runs.
type Point struct {
	Runs int     `json:"runs"`
	Gain float64 `json:"gain"`
}

func (s *State) clean() {
	for _, x := range []*float64{&s.Gain, &s.Elapsed, &s.Remaining} {
		if math.IsNaN(*x) || math.IsInf(*x, 0) { // JSON cannot hold it
			*x = 0
		}
	}
	s.Changes, s.Trying = append([]tune.Change{}, s.Changes...), append([]tune.Change{}, s.Trying...)
}

// maxPoints bounds the convergence kept for the page; beyond it every other
// grow appends a point where the best has changed or the runs have moved on.
func grow(ps []Point, s *State) []Point {
	p := Point{s.Runs, s.Gain}
	if n := len(ps); n > 0 {
		switch last := ps[n-1]; {
		case p == last:
			return ps
		case p.Runs < last.Runs: // another study, or one that began anew
			ps = ps[:0]
		case n > 1 && last.Gain == p.Gain && ps[n-2].Gain == p.Gain:
			ps[n-1] = p // a level stretch needs its ends only
			return ps
		}
	}
	ps = append(ps, p)
	return ps
}
