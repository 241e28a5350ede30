package predict

import (
	"encoding/json"
	"math"
	"testing"
)

// With beta = 1/4 the values 8, 4 give F = 8/4 = 2, then 4/4 + 3/4 2 = 2.5 by
// the paper's recursion from 0; the weights are 1/4 and 7/16, so that the
// corrected averages are 8 and 2.5 / (7/16) = 40/7.
func TestEMA(t *testing.T) {
	e, err := NewEMA(0.25)
	if err != nil {
		t.Fatal(err)
	}
	if e.Ready() || !math.IsNaN(e.Value()) {
		t.Error("an empty average must not be ready")
	}
	e.Add(8)
	near(t, "first", e.Value(), 8, 0)
	e.Add(4)
	near(t, "raw", e.Raw(), 2.5, 1e-15)
	near(t, "corrected", e.Value(), 40.0/7, 1e-14)
}

// A value's weight must halve in HalfLife steps: after h further values of 0 a
// value 1 counts (1-beta)^h = 1/2 of what it did.
func TestEMAHalfLife(t *testing.T) {
	for h := 1.0; h <= 1<<12; h *= 4 {
		e := EMA{Beta: -math.Expm1(-math.Ln2 / h)}
		near(t, "half-life", e.HalfLife()/h, 1, 1e-9)
		e.Add(1)
		before := e.Raw()
		for range int(h) {
			e.Add(0)
		}
		near(t, "weight after a half-life", e.Raw()/before, 0.5, 1e-9)
	}
	e := EMA{Beta: 0.3}
	e.Add(7)
	d := e
	e.Add(math.NaN())
	e.Add(math.Inf(1))
	if e != d {
		t.Error("NaN and infinite values must be ignored")
	}
}

func TestEMAErrorsAndJSON(t *testing.T) {
	for _, b := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := NewEMA(b); err == nil {
			t.Errorf("beta %v: no error", b)
		}
	}
	e := EMA{Beta: 0.4}
	e.Add(3)
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var f EMA
	if err := json.Unmarshal(raw, &f); err != nil || f != e {
		t.Errorf("after JSON %+v, want %+v (%v)", f, e, err)
	}
}
