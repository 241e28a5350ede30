package sparkreplay

import (
	"math"

	"schedtune/simcore"
)

// parts are what a stage's tasks write for each reducer.
func (s *steps) parts(id, reducers int32) []int32 {
	st := s.app.stage(id, 0)
	return parts(st.Tasks, s.written[st.Plan], reducers)
}

// parts follows the recorded program: task p writes kb records of a KiB with the
// keys 131 p, 131 p + 1, …, shared out over the reducers by key; the driver knows
// the sizes as MapStatus keeps them, rounded up to powers of 1.1.
func parts(tasks int32, kb int64, reducers int32) []int32 {
	list := make([]int32, tasks*reducers)
	for p := range tasks {
		row := list[p*reducers : (p+1)*reducers]
		for k := range int32(kb) {
			row[(131*p+k)%reducers]++
		}
		for r := range row {
			if row[r] > 0 {
				size := float64(row[r])*recordBytes + blockBytes
				row[r] = int32(math.Pow(1.1, math.Ceil(math.Log(size)/math.Log(1.1))))
			}
		}
	}
	return list
}

// Bytes of a record, and of a block beside its records, as they are written.
const (
	recordBytes = 1024 + 8
	blockBytes  = 40
)

// blocks returns by block of a data set the node that holds it, -1 = none.
func (s *steps) blocks(set int32, now simcore.Time) (nodes []int32) {
	for _, st := range s.app.Stages {
		if st.caches == set && int(st.Tasks) > len(nodes) {
			nodes = make([]int32, st.Tasks)
		}
	}
	for b := range nodes {
		nodes[b] = -1
	}
	for _, t := range s.app.Tasks {
		st := s.app.stageOf(t)
		if t.Status != "SUCCEEDED" || t.Finish > now || int(t.Index) >= len(nodes) || st.caches != set && st.reads != set {
			continue
		}
		if e := s.app.executor(t.Executor); e != nil && e.Removed > now && nodes[t.Index] < 0 {
			nodes[t.Index] = e.Node
		}
	}
	return nodes
}
