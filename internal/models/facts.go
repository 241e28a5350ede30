package models

import (
	"cmp"

	"schedtune/cluster"
	"schedtune/simcore"
)

// Facts are what a job class is made of: the sizes that the papers' tables of
// classes show.
type Facts struct {
	Job    string  `json:"job"`
	Class  string  `json:"class,omitempty"` // where the source has one
	Submit float64 `json:"submit_s"`        // after the first job of its trace
	cluster.Sizes
}

// FactsOf returns the facts of a workload's jobs.
func FactsOf(w *simcore.Workload) []Facts {
	out := make([]Facts, len(w.Jobs))
	for i := range w.Jobs {
		j := &w.Jobs[i]
		f := Facts{Job: cmp.Or(j.ID, j.Name), Submit: j.Submit.Seconds(), Sizes: cluster.Sizes{
			Input: float64(j.InputBytes), Shuffle: float64(j.ShuffleBytes), Output: float64(j.OutputBytes),
			Maps: float64(j.Maps), Reduces: float64(j.Reduces),
			MapSeconds: w.StageSeconds(j, simcore.Map), ReduceSeconds: w.StageSeconds(j, simcore.Reduce)}}
		if j.Class >= 0 && int(j.Class) < len(w.Classes) {
			f.Class = w.Classes[j.Class]
		}
		out[i] = f
	}
	return out
}
