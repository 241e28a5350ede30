package predict

import (
	"fmt"
	"math"
)

// Exponential moving average with a bias-corrected start.
//
// Statement (papers: Yang et al., OMO, IEEE Access 2021, section IV-A):
//
//	F(t) = beta f(t) + (1 - beta) F(t-1)
//
// beta is the weight of the newest value. The average of a constant is that
// constant from the first value on, because the sum of the weights is kept
// beside the weighted sum and divides it: Value = F(t) / (1 - (1-beta)^t).
// Without that division (Raw) the average starts at 0, as a literal reading
// with F(0) = 0 does.

// EMA is the exponential moving average F(t) = beta f(t) + (1 - beta) F(t-1), corrected
// for its start (Value) or as it stands with F(0) = 0 (Raw). The exported fields are its whole
// state, so that a saved average goes on as if it had never stopped. The zero
// value has Beta 0 and never moves; use NewEMA.
type EMA struct {
	// Beta is the weight of the newest value of a unit step, 0 < Beta <= 1.
	Beta float64 `json:"beta"`
	// Sum is the weighted sum of the values, Weight the sum of their weights
	// (0 before the first value, towards 1 later).
	Sum    float64 `json:"sum"`
	Weight float64 `json:"weight"`
}

// NewEMA returns an average that gives the newest value the weight beta,
// 0 < beta <= 1.
func NewEMA(beta float64) (EMA, error) {
	if !(beta > 0 && beta <= 1) {
		return EMA{}, fmt.Errorf("predict: EMA weight beta is %v: must be above 0, at most 1", beta)
	}
	return EMA{Beta: beta}, nil
}

// HalfLife returns the number of unit steps after which a value's weight has
// halved: ln(1/2) / ln(1 - Beta); 0 for Beta = 1, +Inf for Beta = 0.
func (e *EMA) HalfLife() float64 {
	return -math.Ln2 / math.Log1p(-e.Beta)
}

// Add takes the value of the next unit step. NaN and infinite values are
// ignored, as a missing observation would be.
func (e *EMA) Add(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return
	}
	keep := 1 - e.Beta
	gain := 1 - keep
	if gain == 0 { // a weight too small for the difference to show
		gain = e.Beta
	}
	e.Sum = float64(keep*e.Sum) + float64(gain*x)
	e.Weight = float64(keep*e.Weight) + gain
}

// Value returns the bias-corrected average, NaN before the first value.
func (e *EMA) Value() float64 { return e.Sum / e.Weight }

// Raw returns the average without bias correction: the paper's recursion
// started at 0.
func (e *EMA) Raw() float64 { return e.Sum }

// Ready reports whether a value has been taken.
func (e *EMA) Ready() bool { return e.Weight > 0 }
