package sched

import (
	"schedtune/classify/modelfile"
	"schedtune/internal/rng"
	"schedtune/simcore/yarn"
)

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
		j, err := newJudge(v["guard"], v.float("target"), 0, file[modelfile.Model](s.files, "guard"), v.bool("learn"))
		if err != nil {
			return p, err
		}
		p.Guard = &overloadGuard{judge: j}
	}
	return p, nil
}
