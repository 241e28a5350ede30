package main

import (
	"fmt"

	"schedtune/classify"
	"schedtune/classify/batch"
	"schedtune/internal/models"
)

// golearn judges that library's learners.
func golearn(schema classify.Schema, x [][]float64, y []int, window, delay int) []models.LearnerScore {
	var out []models.LearnerScore
	for _, name := range batch.Learners() {
		b, err := batch.Evaluate(name, schema, x, y, batch.Options{Window: window, Delay: delay})
		if err != nil {
			continue // only an empty log, which has been refused
		}
		note := ""
		if b.Failed > 0 {
			note = fmt.Sprintf("%d windows failed", b.Failed)
		}
		out = append(out, models.Score("golearn "+name, b.Confusion, b.Curve, note))
	}
	return out
}
