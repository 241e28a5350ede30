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
// for its job, drawn at random (COSHH 3.2), that are large enough for it. With
// place=false they lie on any three; so they do where none suggested is large enough.
func (s *coshh) Place(v *mr1.View, t simcore.Task, dst []simcore.NodeID) []simcore.NodeID {
	h := &s.homes
	if !h.valid || h.job != t.Job {
		h.valid, h.job = true, t.Job
		if h.among(v, func(n simcore.NodeID) bool {
			return s.suggested(0, t.Job, n, simcore.Map) || s.suggested(1, t.Job, n, simcore.Map)
		}); !s.place || s.class[1][t.Job] < 0 || len(h.nodes) == 0 {
			h.among(v, func(simcore.NodeID) bool { return true })
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

// among sets the resources that may be chosen and are large enough for the job's input.
func (h *homes) among(v *mr1.View, may func(n simcore.NodeID) bool) {
	h.nodes = h.nodes[:0]
	for n := range v.Nodes() {
		if id := simcore.NodeID(n); v.Holds(id, h.job) && may(id) {
			h.nodes = append(h.nodes, id)
		}
	}
}
