package models

import (
	"schedtune/simcore"
)

// Facts are what a job class is made of: the sizes that the papers' tables of
// classes show.
type Facts struct {
	Job           string  `json:"job"`
	Class         string  `json:"class,omitempty"` // where the source has one
	Submit        float64 `json:"submit_s"`        // after the first job of its trace
	Input         float64 `json:"input_bytes"`     // 0 where not recorded, as for the following
	Shuffle       float64 `json:"shuffle_bytes"`
	Output        float64 `json:"output_bytes"`
	Maps          float64 `json:"maps"`
	Reduces       float64 `json:"reduces"`
	MapSeconds    float64 `json:"map_s"`    // of all maps together
	ReduceSeconds float64 `json:"reduce_s"` // of all reduces, after their shuffle
}

// FactsOf returns the facts of a workload's jobs.
func FactsOf(w *simcore.Workload) []Facts {
	out := make([]Facts, len(w.Jobs))
	for i := range w.Jobs {
		j := &w.Jobs[i]
		f := Facts{Job: j.ID, Submit: float64(j.Submit) / float64(simcore.Second), Input: float64(j.InputBytes),
			Shuffle: float64(j.ShuffleBytes),
			Output:  float64(j.OutputBytes), Maps: float64(j.Maps), Reduces: float64(j.Reduces)}
		if f.Job == "" {
			f.Job = j.Name
		}
		if j.Class >= 0 && int(j.Class) < len(w.Classes) {
			f.Class = w.Classes[j.Class]
		}
		f.MapSeconds = w.StageSeconds(j, simcore.Map)
		f.ReduceSeconds = w.StageSeconds(j, simcore.Reduce)
		out[i] = f
	}
	return out
}
