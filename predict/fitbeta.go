package predict

import (
	"errors"
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

// errRange: with no weight the errors are finite.
var errRange = errors.New("predict: values of the series are so far apart that no prediction error is a number: " +
	"must be finite differences and ratios")

// FitBeta finds the weight with the smallest one-step-ahead mean absolute
// error on the grid 0.01, 0.02, … 1. Of equal weights the smallest wins. At
// least two finite values are needed, whose differences are finite too.
func FitBeta(series []float64) (OneStep, error) {
	for i, x := range series {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return OneStep{}, fmt.Errorf("predict: value %d of the series is %v: must be finite", i, x)
		}
	}
	if len(series) < 2 {
		return OneStep{}, fmt.Errorf("predict: series of %d values: must be 2 or more", len(series))
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
	if o.Beta == 0 {
		return OneStep{}, errRange
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

// ReleaseFit holds the errors with which container-release frequencies were
// predicted one window ahead.
type ReleaseFit struct {
	Beta      float64   `json:"beta"`             // weight with the smallest error of equation 1
	Error     float64   `json:"error"`            // mean absolute error of equation 1 with it, containers/s
	LastValue float64   `json:"error_last_value"` // of "as many as in the last window"
	Mean      float64   `json:"error_mean"`       // of the mean of all windows so far
	PlainBeta float64   `json:"plain_beta"`       // best weight of an EMA of the frequency alone
	Plain     float64   `json:"error_plain_ema"`  // its error
	Grid      []float64 `json:"-"`                // weights tried
	Errors    []float64 `json:"-"`                // of equation 1 for each
	Forecast  []float64 `json:"-"`                // of equation 1 with Beta, per window; the first is NaN
}

// FitRelease chooses the EMA's weight for equation 1 of OMO on a recorded
// series: released[t] containers came free in window t of the given seconds,
// at whose beginning available[t] could come free. Window t is predicted from
// the windows before it and available[t], which a scheduler knows by then. Errors: those of
// Release.Observe and FitBeta, with the window.
func FitRelease(released, available []float64, window float64) (ReleaseFit, error) {
	if len(released) != len(available) {
		return ReleaseFit{}, fmt.Errorf("predict: %d windows of released and %d of available containers: must be as many",
			len(released), len(available))
	}
	var probe Release
	f := make([]float64, len(released))
	for t := range released {
		if err := probe.Observe(released[t], available[t], window); err != nil {
			return ReleaseFit{}, fmt.Errorf("window %d: %w", t, err)
		}
		f[t] = released[t] / window
	}
	plain, err := FitBeta(f)
	if err != nil {
		return ReleaseFit{}, err
	}
	r := ReleaseFit{Error: math.Inf(1), LastValue: plain.LastValue, Mean: plain.Mean, PlainBeta: plain.Beta,
		Plain: plain.EMA, Grid: plain.Grid}
	for _, b := range r.Grid {
		forecast, e := releaseForecast(f, available, b)
		r.Errors = append(r.Errors, e)
		if e < r.Error {
			r.Beta, r.Error, r.Forecast = b, e, forecast
		}
	}
	if r.Beta == 0 {
		return ReleaseFit{}, errRange
	}
	return r, nil
}

// releaseForecast predicts each window by equation 1 and returns the mean
// absolute error.
func releaseForecast(f, available []float64, beta float64) ([]float64, float64) {
	r := Release{Frequency: EMA{Beta: beta}, Available: EMA{Beta: beta}}
	out, sum := make([]float64, len(f)), 0.0
	for t := range f {
		out[t] = math.NaN()
		if t > 0 {
			out[t] = r.Estimate().At(available[t])
			sum += math.Abs(f[t] - out[t])
		}
		r.Frequency.Add(f[t])
		r.Available.Add(available[t])
	}
	return out, sum / float64(len(f)-1)
}
