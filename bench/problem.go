package main

import (
	"math"
	"strconv"
	"time"

	"schedtune/tune"
)

// problem is a noisy objective over a space, with a value that says how good
// a configuration really is.
type problem struct {
	name  string
	space *tune.Space
	// run is one noisy evaluation, to be minimised.
	run func(s tune.Settings, seed uint64) float64
	// truth is the expectation, or the mean over held-out seeds.
	truth func(s tune.Settings) float64
	// runs, of several objectives, is one evaluation of all of them, and volume is what
	// a front counts for: minus its hypervolume in truth.
	runs   func(s tune.Settings, seed uint64) []float64
	volume func(front []tune.Settings) float64
	// best is the optimum's truth, or NaN if only the best found is known.
	best   float64
	budget int // runs
	// instance is the draw of the problem; the published tables use 1.
	instance uint64
	// candidates are what the command tries first, nil for test functions.
	candidates []tune.Candidate
	// study, if set, is the problem as the command searches it, with limits and
	// several workloads; outcome does its runs. run is then the cost that methods
	// without limits get.
	study   *tune.Problem
	outcome func(s tune.Settings, seed uint64, window int) tune.Outcome
	// judged, if set, are the only stops at which recommendations are judged.
	judged []int
	// lengths, if set, are the lengths of the studies of ours.
	lengths []int
	meter   *meter // of the repeat; nil outside one
}

// meter counts what a repeat takes.
type meter struct {
	runs  int
	spent time.Duration // in runs and in judging
	rival time.Duration // processor time that an optimiser outside this process reports
}

// add adds the time since the start of so many runs; nil counts nothing.
func (m *meter) add(start time.Time, runs int) {
	if m != nil {
		m.spent, m.runs = m.spent+time.Since(start), m.runs+runs
	}
}

// ladder lists the lengths of studies, in runs, at which
// ours is measured.
func (p *problem) ladder() []int {
	if p.lengths != nil {
		return p.lengths
	}
	var out []int
	for _, part := range []float64{0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 1} {
		if n := int(part * float64(p.budget)); n >= 30 {
			out = append(out, n)
		}
	}
	return out
}

// present is what the current configuration counts for.
func (p *problem) present() float64 { return p.worth([]tune.Settings{p.space.PresentSettings()}) }

// worth is what a recommendation counts for, less is better.
func (p *problem) worth(rec []tune.Settings) float64 {
	defer p.meter.add(time.Now(), 0)
	if p.volume != nil {
		return p.volume(rec)
	}
	return p.truth(rec[0])
}

// numbers parses settings; texts that are no numbers become NaN.
func numbers(s tune.Settings) []float64 {
	out := make([]float64, len(s))
	for i, e := range s {
		v, err := strconv.ParseFloat(e.Value, 64)
		if err != nil {
			v = math.NaN()
		}
		out[i] = v
	}
	return out
}
