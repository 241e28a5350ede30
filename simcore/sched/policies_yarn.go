package sched

import (
	"schedtune/internal/rng"
	"schedtune/simcore/yarn"
)

// policyParams are the rules that the schedulers of YARN can be run with in place of
// Hadoop's, in the masters of MapReduce jobs and on the nodes.
func policyParams() []Param {
	return []Param{
		{Name: "reduces", Default: "slowstart", Choices: []string{"slowstart", "omo", "coupling"}, Help: "when masters ask for reduces: slowstart, lazy start (OMO, algorithm 1), with map progress (Coupling, algorithm 1)"},
		{Name: "window", Default: "10", Min: 0.1, Max: 3600, Unit: "s", Help: "T_w of omo: window of the release frequency"},
		{Name: "weight", Default: "0.3", Min: 0.001, Max: 1, Unit: "weight", Help: "beta of omo: weight of the newest window"},
		{Name: "bandwidth", Default: "0", Min: 0, Max: 1e6, Unit: "MB/s", Help: "B of omo: what one reduce copies at; 0 = as measured", Given: true},
		{Name: "share", Default: "own", Choices: []string{"own", "equal"}, Help: "of the releases that omo gives a job: what it was granted, or an equal part"},
		{Name: "batch", Default: "false", Choices: []string{"true", "false"}, Help: "batch finish of omo (algorithm 2), by application priorities; needs yarn.cluster.max-application-priority"},
		{Name: "threshold", Default: "3", Min: 0.01, Max: 1000, Unit: "reduces", Help: "of delta in coupling"},
		{Name: "peek", Default: "false", Choices: []string{"true", "false"}, Help: "random peeking: masters give far containers for maps back (Coupling, algorithm 3)"},
		{Name: "beta", Default: "0", Min: 0, Max: 10, Unit: "exponent", Help: "of random peeking (equation 3); 0 = the paper's formula"},
		{Name: "guard", Default: "none", Choices: []string{"none", "bayes", "perceptron", "limit"}, Help: "nodes refuse what would overload them: by a classifier (Dhok and Varma), or by the rule alone"},
		{Name: "target", Default: "1", Min: 0.05, Max: 100, Unit: "load per core", Help: "a node above it is overloaded (guard)"},
	}
}

// Policies builds the rules of one run with a seed; the zero value are Hadoop's, as of a
// spec that Parse did not make.
func (s *Spec) Policies(seed uint64) (yarn.Policies, error) {
	var p yarn.Policies
	v := s.Values
	if s.Entry == nil || s.Entry.Runtime != YARN {
		return p, nil
	}
	switch v["reduces"] {
	case "omo":
		o := newOMOReduces(v)
		p.Reduces = o
		if v.bool("batch") {
			p.Reduces = &omoBatch{omoReduces: o}
		}
	case "coupling":
		p.Reduces = couplingReduces{v.float("threshold")}
	}
	if v.bool("peek") {
		p.Maps = &peekMaps{beta: v.float("beta"), draw: rng.NewKey(seed, purposePeek)}
	}
	if v["guard"] != "none" {
		g, err := newGuard(v["guard"], v.float("target"))
		if err != nil {
			return p, err
		}
		p.Guard = g
	}
	return p, nil
}
