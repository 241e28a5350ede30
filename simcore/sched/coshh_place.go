package sched

import "schedtune/simcore"

// Place puts the replicas of a map's input on three of the resources suggested
// for its job, drawn at random (COSHH 3.2). With place=false they lie on any
// three.
func (s *coshh) Place(v *simcore.View, t simcore.Task, dst []simcore.NodeID) []simcore.NodeID {
	var from []simcore.NodeID
	for n := range v.Nodes() {
		id := simcore.NodeID(n)
		if !s.place || s.suggested(0, t.Job, id) || s.suggested(1, t.Job, id) || s.class[1][t.Job] < 0 {
			from = append(from, id)
		}
	}
	key := s.draw.At(uint64(t.Job)).At(uint64(t.Index))
	for i := 0; i < 3 && i < len(from); i++ {
		k := i + key.IntN(uint64(i), len(from)-i)
		from[i], from[k] = from[k], from[i]
		dst = append(dst, from[i])
	}
	return dst
}

// Overhead tells what scheduling cost in countable work: linear programs
// solved and simplex pivots.
func (s *coshh) Overhead() (programs, pivots int) { return s.solved, s.pivots }
