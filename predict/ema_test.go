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
	for h := 1.0; h <= 1<<20; h *= 4 {
		e, err := EMAFromHalfLife(h)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "half-life", e.HalfLife()/h, 1, 1e-9)
		e.Add(1)
		before := e.Raw()
		e.AddAfter(0, h)
		near(t, "weight after a half-life", e.Raw()/before, 0.5, 1e-9)
	}
}

// Half-lives beyond the resolution of 1 - beta: the average is that of its
// values, as all weigh practically the same, and not NaN.
func TestEMALongHalfLife(t *testing.T) {
	for _, steps := range []float64{1e15, 1e17, 1e200, math.MaxFloat64} {
		e, err := EMAFromHalfLife(steps)
		if err != nil {
			t.Fatal(err)
		}
		e.Add(2)
		e.AddAfter(4, 1)
		if v := e.Value(); math.Abs(v-3) > 1e-9 || !e.Ready() {
			t.Errorf("half-life %g: average of 2 and 4 is %v", steps, v)
		}
	}
}

// One step of length 3 equals three steps of length 1 for the older weights,
// and a constant stays itself whatever the steps.
func TestEMAIrregular(t *testing.T) {
	a, b := EMA{Beta: 0.2}, EMA{Beta: 0.2}
	a.Add(5)
	b.Add(5)
	a.AddAfter(0, 3)
	b.Add(0)
	b.Add(0)
	b.Add(0)
	near(t, "three steps", a.Raw(), b.Raw(), 1e-15)
	c := EMA{Beta: 0.3}
	for i := 1; i < 50; i++ {
		c.AddAfter(7, float64(i%5)+0.1)
		near(t, "constant", c.Value(), 7, 1e-12)
	}
	d := c
	c.Add(math.NaN())
	c.Add(math.Inf(1))
	c.AddAfter(1, 0)
	if c != d {
		t.Error("NaN, infinite values and steps of no length must be ignored")
	}
}

func TestEMAErrorsAndJSON(t *testing.T) {
	for _, b := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := NewEMA(b); err == nil {
			t.Errorf("beta %v: no error", b)
		}
	}
	for _, h := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if _, err := EMAFromHalfLife(h); err == nil {
			t.Errorf("half-life %v: no error", h)
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
