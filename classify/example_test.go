package classify_test

import (
	"fmt"
	"math"
	"os"
	"strings"

	"schedtune/classify"
)

func schema() classify.Schema {
	return classify.Schema{
		{Name: "job_cpu", Job: true, Levels: 10, Low: 1, High: 10},
		{Name: "load_ratio", Levels: 10, Low: 0, High: 2},
	}
}

func ExampleNewCategorical() {
	m, err := classify.NewCategorical(schema(), classify.Binary())
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 10 {
		m.Learn([]float64{2, 0.2}, classify.Good) // a light job on an idle node
		m.Learn([]float64{9, 1.8}, classify.Bad)  // a heavy one on a busy node
	}
	p := m.Probabilities([]float64{9, 0.2}, make([]float64, 2))
	fmt.Printf("heavy job, idle node: good with probability %.2f\n", p[classify.Good])
	// Output: heavy job, idle node: good with probability 0.50
}

func ExampleNewGaussian() {
	m, err := classify.NewGaussian(schema(), classify.Binary())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 10 {
		m.Learn([]float64{2 + float64(i%3), 0.2}, classify.Good)
		m.Learn([]float64{8 + float64(i%3), 1.8}, classify.Bad)
	}
	fmt.Println(m.ClassNames()[classify.Predict(m, []float64{3, 0.3}, make([]float64, 2))])
	// Output: good
}

func ExampleNewPerceptron() {
	m, err := classify.NewPerceptron(schema(), classify.Binary(), false)
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Learn([]float64{2, 1}, classify.Good) // margin 0 is bad: the weights become (2, 1), bias 1
	m.Learn([]float64{9, 2}, classify.Bad)  // margin 21: they become (-7, -1), bias 0
	fmt.Println(m.Weights, m.Margin([]float64{1, 1}))
	// Output: [-7 -1 0] -8
}

func ExampleLoad() {
	m, err := classify.NewPerceptron(schema()[:1], classify.Binary(), false)
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Learn([]float64{4}, classify.Good)
	var file strings.Builder
	if err := classify.Save(&file, m); err != nil {
		fmt.Println(err)
	}
	again, err := classify.Load(strings.NewReader(file.String()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Seen(), again.Features().Names())
	// Output: 1 [job_cpu]
}

func ExampleSave() {
	m, err := classify.NewPerceptron(schema()[:1], classify.Binary(), false)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := classify.Save(os.Stdout, m); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "format": "schedtune/classify/perceptron/v1",
	//   "features": [
	//     {
	//       "name": "job_cpu",
	//       "job": true,
	//       "levels": 10,
	//       "low": 1,
	//       "high": 10
	//     }
	//   ],
	//   "classes": [
	//     "bad",
	//     "good"
	//   ],
	//   "weights": [
	//     0,
	//     0
	//   ],
	//   "sum_sq": [
	//     0
	//   ],
	//   "n": 0,
	//   "rate": 1,
	//   "averaged": false,
	//   "fixed_bias": false,
	//   "drift": [
	//     0,
	//     0
	//   ],
	//   "errors": 0
	// }
}

func ExampleModes() {
	m := classify.NewModes(schema())
	for _, cpu := range []float64{3, 7, 7} {
		m.Observe([]float64{cpu, 1})
	}
	x := []float64{math.NaN(), 1} // a job without the hint
	m.Fill(x)
	fmt.Println(x)
	// Output: [7 1]
}

func ExampleNewRule() {
	r, err := classify.NewRule("load", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Overloaded(classify.NodeState{Load1: 4.4, CPUs: 4}))
	// Output: true
}

func ExampleExpectedUtility() {
	m, err := classify.NewCategorical(schema(), classify.Binary())
	if err != nil {
		fmt.Println(err)
		return
	}
	u := classify.Product{classify.FCFS{}, classify.MapFirst{Share: 1}}
	c := classify.Candidate{Age: 40, Maps: 10, CompletedMaps: 10, Reduce: true}
	eu, good := classify.ExpectedUtility(m, []float64{5, 0.5}, u.Utility(c), make([]float64, 2))
	fmt.Println(eu, good) // untrained: good with probability one half
	// Output: 20 true
}

func ExampleNewUtility() {
	u, err := classify.NewUtility("revenue")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(u.Utility(classify.Candidate{Offer: 3}))
	// Output: 3
}

func ExampleConfusion() {
	c := classify.NewConfusion(classify.Binary())
	for range 8 {
		c.Add(classify.Good, classify.Good)
	}
	c.Add(classify.Bad, classify.Bad)
	c.Add(classify.Bad, classify.Good)
	fmt.Printf("accuracy %.2f, base rate %.2f, kappa %.2f\n", c.Accuracy(), c.BaseRate(), c.Kappa())
	// Output: accuracy 0.90, base rate 0.80, kappa 0.62
}

func ExamplePaperSchema() {
	s := classify.PaperSchema()
	f := s[s.Index("load_ratio")]
	fmt.Println(len(s), "features; a load of 0.9 per processor is level", f.Level(0.9), "of", f.Levels)
	// Output: 12 features; a load of 0.9 per processor is level 4 of 10
}
