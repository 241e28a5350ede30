package main

import (
	"schedtune/classify"
	"schedtune/classify/batch"
	"schedtune/internal/models"
)

// golearn judges that library's learners.
func golearn(schema classify.Schema, x [][]float64, y []int, window, delay int) []models.BatchScore {
	var out []models.BatchScore
	for _, name := range batch.Learners() {
		b, err := batch.Evaluate(name, schema, x, y, batch.Options{Window: window, Delay: delay})
		if err != nil {
			continue // only an empty log, which has been refused
		}
		out = append(out, models.BatchScore{Name: "golearn " + name, Confusion: b.Confusion, Curve: b.Curve,
			Failed: b.Failed})
	}
	return out
}
