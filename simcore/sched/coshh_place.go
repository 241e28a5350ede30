package sched

import (
	"schedtune/simcore"
	"schedtune/simcore/mr1"
)

// homes are the resources a job's input may lie on, remembered for the job
// whose maps are being placed.
type homes struct {
	job   simcore.JobID
	valid bool
	nodes []simcore.NodeID
}

// Place puts the replicas of a map's input on three of the resources suggested
// for its job, drawn at random (COSHH 3.2). With place=false they lie on any
// three.
func (s *coshh) Place(v *mr1.View, t simcore.Task, dst []simcore.NodeID) []simcore.NodeID {
	h := &s.homes
	if !h.valid || h.job != t.Job {
		h.valid, h.job, h.nodes = true, t.Job, h.nodes[:0]
		for n := range v.Nodes() {
			id := simcore.NodeID(n)
			if !s.place || s.suggested(0, t.Job, id, simcore.Map) || s.suggested(1, t.Job, id, simcore.Map) ||
				s.class[1][t.Job] < 0 {
				h.nodes = append(h.nodes, id)
			}
		}
	}
	key, from := s.draw.At(uint64(t.Job)).At(uint64(t.Index)), h.nodes
	for i := 0; i < 3 && i < len(from); i++ {
		k := i + key.IntN(uint64(i), len(from)-i)
		from[i], from[k] = from[k], from[i]
		dst = append(dst, from[i])
	}
	return dst
}
