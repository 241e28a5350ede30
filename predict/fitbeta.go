package predict

import (
	"fmt"
	"math"
)

// Choice of the EMA's weight by one-step-ahead error: the average of the
// values seen so far predicts the next one; the mean absolute error over the
// series is compared with two simple rivals, the last value and the mean of
// all values so far. Prequential, so no value is used before it is predicted.

// OneStep holds the errors of one-step-ahead prediction of a series.
type OneStep struct {
	Beta      float64   // weight with the smallest mean absolute error
	EMA       float64   // its mean absolute error
	LastValue float64   // mean absolute error of "as the last one" (Beta = 1)
	Mean      float64   // mean absolute error of the running mean
	N         int       // values predicted: len(series) - 1
	Grid      []float64 // weights tried
	Errors    []float64 // mean absolute error of each
}

// FitBeta finds the weight with the smallest one-step-ahead mean absolute
// error on the grid 0.01, 0.02, … 1. Of equal weights the smallest wins. At
// least two finite values are needed.
func FitBeta(series []float64) (OneStep, error) {
	for i, x := range series {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return OneStep{}, fmt.Errorf("predict: value %d of the series is %v; allowed: finite", i, x)
		}
	}
	if len(series) < 2 {
		return OneStep{}, fmt.Errorf("predict: series of %d values; allowed: 2 or more", len(series))
	}
	o := OneStep{N: len(series) - 1, EMA: math.Inf(1), Mean: meanError(series)}
	for i := 1; i <= 100; i++ {
		b := float64(i) / 100
		e := OneStepError(series, b)
		o.Grid, o.Errors = append(o.Grid, b), append(o.Errors, e)
		if e < o.EMA {
			o.Beta, o.EMA = b, e
		}
	}
	o.LastValue = o.Errors[len(o.Errors)-1]
	return o, nil
}

// OneStepError returns the mean absolute error with which the bias-corrected
// EMA of weight beta predicts each value of the series from those before it;
// NaN for fewer than two values.
func OneStepError(series []float64, beta float64) float64 {
	e, sum := EMA{Beta: beta}, 0.0
	for i, x := range series {
		if i > 0 {
			sum += math.Abs(x - e.Value())
		}
		e.Add(x)
	}
	return sum / float64(len(series)-1)
}

func meanError(series []float64) float64 {
	total, sum := 0.0, 0.0
	for i, x := range series {
		if i > 0 {
			sum += math.Abs(x - total/float64(i))
		}
		total += x
	}
	return sum / float64(len(series)-1)
}
