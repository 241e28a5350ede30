package predict

import (
	"math"
	"testing"
)

// Windows of 10 s with 20 and 40 releases and 8 and 8 available containers,
// beta 1/2: f = 2 and 4, F_o = (4 + 2/2)/(1 + 1/2) = 10/3 after correction and
// A_o = 8, so equation 1 gives F_e = (10/3) 6/8 = 2.5 for 6 available.
func TestRelease(t *testing.T) {
	r, err := NewRelease(0.5)
	if err != nil {
		t.Fatal(err)
	}
	if r.Estimate() != (ReleaseEstimate{}) {
		t.Error("nothing observed must estimate nothing")
	}
	for _, n := range []float64{20, 40} {
		if err := r.Observe(n, 8, 10); err != nil {
			t.Fatal(err)
		}
	}
	e := r.Estimate()
	near(t, "F_o", e.Frequency, 10.0/3, 1e-12)
	near(t, "A_o", e.Available, 8, 1e-12)
	near(t, "F_e", e.At(6), 2.5, 1e-12)
	near(t, "F_e of nothing", e.At(0), 0, 0)
	for name, call := range map[string]error{
		"window":    r.Observe(1, 1, 0),
		"released":  r.Observe(-1, 1, 1),
		"available": r.Observe(1, math.NaN(), 1),
	} {
		t.Run(name, func(t *testing.T) {
			if call == nil {
				t.Errorf("bad %s: no error", name)
			}
		})
	}
	if _, err := NewRelease(0); err == nil {
		t.Error("beta 0: no error")
	}
}

// Two nodes with (5 GiB, 3 cores) and (2 GiB, 8 cores) free and a request of
// (2 GiB, 1 core): min(floor(5/2), 3) + min(floor(2/2), 8) = 2 + 1.
func TestFreeContainers(t *testing.T) {
	n, err := FreeContainers([][]int64{{5, 3}, {2, 8}, {-1, 9}}, []int64{2, 1})
	if err != nil || n != 3 {
		t.Errorf("%d, %v; want 3", n, err)
	}
	if n, err := FreeContainers([][]int64{{5, 0}}, []int64{2, 0}); err != nil || n != 2 {
		t.Errorf("resource not asked for: %d, %v; want 2", n, err)
	}
	for name, c := range map[string]struct {
		free [][]int64
		req  []int64
	}{
		"nothing asked": {[][]int64{{1}}, []int64{0}},
		"negative":      {[][]int64{{1}}, []int64{-1}},
		"other length":  {[][]int64{{1}}, []int64{1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := FreeContainers(c.free, c.req); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
}

// A series that jumps back and forth is best predicted by its mean, so a small
// beta; one that jumps once and stays is best predicted by the last value; the
// running mean of the former has error about 1/2, the last value error 1.
func TestFitBeta(t *testing.T) {
	var flip, step []float64
	for i := range 200 {
		flip = append(flip, float64(i%2))
		step = append(step, float64(i/100))
	}
	f, err := FitBeta(flip)
	if err != nil {
		t.Fatal(err)
	}
	if f.Beta > 0.05 || f.LastValue != 1 || math.Abs(f.Mean-0.5) > 0.02 || f.EMA > 0.52 {
		t.Errorf("alternating series: %+v", f)
	}
	s, err := FitBeta(step)
	if err != nil {
		t.Fatal(err)
	}
	// The jump costs 1 whatever the weight; the last value pays nothing more.
	if s.Beta != 1 || math.Abs(s.EMA-1.0/199) > 1e-12 || s.N != 199 {
		t.Errorf("step: %+v, want beta 1 and error 1/199", s)
	}
	near(t, "one weight", OneStepError(step, s.Beta), s.EMA, 0)
	for name, series := range map[string][]float64{"empty": nil, "one": {1}, "NaN": {1, math.NaN(), 2}} {
		t.Run(name, func(t *testing.T) {
			if _, err := FitBeta(series); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
}

// Releases that are exactly a tenth of the available containers per second are
// predicted exactly by equation 1 whatever the weight, while neither the last
// value nor the mean can follow the jumps of the availability.
func TestFitRelease(t *testing.T) {
	var released, available []float64
	for i := range 60 {
		a := float64(10 + 40*(i/10%2))
		available, released = append(available, a), append(released, a) // 10 s windows: a/10 per second
	}
	r, err := FitRelease(released, available, 10)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "error of equation 1", r.Error, 0, 1e-12)
	near(t, "last value", r.LastValue, 5*4.0/59, 1e-12) // five jumps of 4 containers/s
	if !math.IsNaN(r.Forecast[0]) || math.Abs(r.Forecast[10]-5) > 1e-9 || r.Mean <= r.LastValue {
		t.Errorf("forecast %v, mean error %v", r.Forecast[:11], r.Mean)
	}
	if _, err := FitRelease([]float64{1}, nil, 1); err == nil {
		t.Error("series of different length: no error")
	}
	if _, err := FitRelease([]float64{1, 1}, []float64{1, 1}, 0); err == nil {
		t.Error("no window: no error")
	}
}

// Where nothing was available or nothing is asked, equation 1 gives nothing; parts of a
// container count as they are: (2/s)(1/(1/2)) = 4 and 1 (1/2)/1 = 1/2.
func TestReleaseEstimateEdges(t *testing.T) {
	for _, c := range []struct {
		e               ReleaseEstimate
		available, want float64
	}{
		{ReleaseEstimate{Frequency: 1}, 5, 0},
		{ReleaseEstimate{Frequency: 2, Available: 0.5}, 1, 4},
		{ReleaseEstimate{Frequency: 1, Available: 1}, 0.5, 0.5},
		{ReleaseEstimate{Frequency: 1, Available: 1}, -1, 0},
		{ReleaseEstimate{Frequency: 1, Available: math.NaN()}, 1, 0},
	} {
		if got := c.e.At(c.available); got != c.want {
			t.Errorf("%+v with %v available: %v containers/s, want %v", c.e, c.available, got, c.want)
		}
	}
	// A request of one unit of a resource limits, of none does not: 5 of the first.
	if n, err := FreeContainers([][]int64{{5, 0}}, []int64{1, 0}); n != 5 || err != nil {
		t.Errorf("%d containers (%v), want 5", n, err)
	}
}

// Three windows of 1 s with releases 1, 2, 4 of 1, 1, 1 available: equation 1 with beta = 1
// predicts the last value, so that the errors are 1 and 2, their mean 3/2; the running
// mean predicts 1 and 3/2, errors 1 and 5/2, mean 7/4.
func TestFitReleaseByHand(t *testing.T) {
	r, err := FitRelease([]float64{1, 2, 4}, []float64{1, 1, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "weight", r.Beta, 1, 0)
	near(t, "error of equation 1", r.Error, 1.5, 1e-12)
	near(t, "last value", r.LastValue, 1.5, 1e-12)
	near(t, "running mean", r.Mean, 1.75, 1e-12)
}

// Where every error overflows no weight is the best, which is an error and not weight 0.
func TestFitsOfHugeValues(t *testing.T) {
	if o, err := FitBeta([]float64{1e308, -1e308, 1e308}); err == nil {
		t.Errorf("%+v", o)
	}
	if r, err := FitRelease([]float64{1e308, 1e308, 3}, []float64{1e-308, 1e308, 1}, 10); err == nil {
		t.Errorf("%+v", r)
	}
	if o, err := FitBeta([]float64{1e300, -1e300, 1e300}); err != nil || !(o.Beta > 0) {
		t.Errorf("%+v, %v", o, err)
	}
}
