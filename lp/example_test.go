package lp_test

import (
	"fmt"
	"math"

	"schedtune/lp"
)

// The example of the COSHH paper: class 0 is fastest on machine 0, yet machine
// 0 works for class 1 only.
func ExampleMaxLambda() {
	a, err := lp.MaxLambda([]float64{2.45, 2.45}, [][]float64{{9, 5}, {2, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("lambda %.4f\n", a.Lambda)
	fmt.Printf("delta %.1f\n", a.Delta)
	fmt.Println("suggested classes", a.Suggested())
	fmt.Println("proven", a.Certificate.Optimal(1e-9))
	// Output:
	// lambda 1.0204
	// delta [[0.0 0.5] [1.0 0.5]]
	// suggested classes [[1] [0 1]]
	// proven true
}

func ExampleOptions_MaxLambda() {
	// Four identical machines are solved as they stand, not as one of capacity 4.
	a, err := lp.Options{Separate: true}.MaxLambda([]float64{1, 3}, [][]float64{{2, 2, 2, 2}, {2, 2, 2, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("lambda %.1f from %d groups\n", a.Lambda, a.Groups)
	// Output: lambda 2.0 from 4 groups
}

func ExampleCertify() {
	// A plausible allocation, each class where it is fastest, and how far from
	// the best it can be at most.
	alpha, mu := []float64{2.45, 2.45}, [][]float64{{9, 5}, {2, 1}}
	c, err := lp.Certify(alpha, mu, [][]float64{{1, 0}, {0, 1}}, []float64{10, 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("reaches %.4f, at most %.4f is possible\n", c.Lower, c.Upper)
	// Output: reaches 0.4082, at most 1.0204 is possible
}

func ExampleSimplex() {
	// maximise 5x + 4y subject to 6x + 4y <= 24, x + 2y <= 6
	p := &lp.Problem{RowLower: []float64{math.Inf(-1), math.Inf(-1)}, RowUpper: []float64{24, 6}}
	p.AddColumn(5, 0, math.Inf(1), []int32{0, 1}, []float64{6, 1})
	p.AddColumn(4, 0, math.Inf(1), []int32{0, 1}, []float64{4, 2})
	s, err := lp.Simplex{}.Solve(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("value %.0f at %.1f, duals %.2f\n", s.Value, s.X, s.Dual)
	// Output: value 21 at [3.0 1.5], duals [0.75 0.50]
}
