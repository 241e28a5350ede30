package batch_test

import (
	"fmt"

	"schedtune/classify"
	"schedtune/classify/batch"
)

func ExampleEvaluate() {
	schema := classify.Schema{{Name: "load_ratio", Levels: 10, Low: 0, High: 2}}
	var x [][]float64
	var y []int
	for i := range 400 { // overloaded above a load of 1 per processor
		load := float64(i%20) / 10
		x = append(x, []float64{load})
		if load > 1 {
			y = append(y, classify.Bad)
		} else {
			y = append(y, classify.Good)
		}
	}
	r, err := batch.Evaluate("cart", schema, x, y, batch.Options{Window: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Curve {
		fmt.Printf("%d decisions: accuracy %.2f, base rate %.2f\n", p.Decisions, p.Accuracy, p.BaseRate)
	}
	// Output:
	// 100 decisions: accuracy 0.55, base rate 0.55
	// 200 decisions: accuracy 1.00, base rate 0.55
	// 300 decisions: accuracy 1.00, base rate 0.55
	// 400 decisions: accuracy 1.00, base rate 0.55
}

func ExampleLearners() {
	fmt.Println(batch.Learners())
	// Output: [cart bernoulli-nb]
}
