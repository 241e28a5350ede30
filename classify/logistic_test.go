package classify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Observations drawn from a known logistic law: the weights learned come close
// to it. The information of one observation is about E[p(1-p) x^2] = 0.2/3, so
// that 20,000 leave a standard error of 0.03.
func TestLogisticFindsTheLaw(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	m, err := NewLogistic(levels(2), Binary())
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 2)
	for range 20_000 {
		x[0], x[1] = 2*r.Float64()-1, 2*r.Float64()-1
		y := 0
		if r.Float64() < 1/(1+math.Exp(-(2*x[0]-x[1]+0.5))) {
			y = 1
		}
		if err := m.Learn(x, y); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []float64{2, -1, 0.5} {
		if math.Abs(m.Weights[i]-want) > 0.12 {
			t.Errorf("seed %d: weight %d is %.3f, want %g", seed, i, m.Weights[i], want)
		}
	}
}

// With a constant feature of 0 only the bias learns, and the filter's fixed
// point is the log odds of the frequencies.
func TestLogisticBias(t *testing.T) {
	m, _ := NewLogistic(levels(1), Binary())
	for i := range 4000 {
		y := 1
		if i%4 == 0 {
			y = 0
		}
		if err := m.Learn([]float64{0}, y); err != nil {
			t.Fatal(err)
		}
	}
	if p := m.Probabilities([]float64{0}, nil)[1]; math.Abs(p-0.75) > 0.005 || m.Weights[0] != 0 {
		t.Errorf("p = %v, want 0.75; weight %v, want 0", p, m.Weights[0])
	}
}

func BenchmarkLogisticLearn(b *testing.B) {
	x, y := reference()
	m, _ := NewLogistic(levels(3), Binary())
	b.ReportAllocs()
	for i := range b.N {
		_ = m.Learn(x[i%len(x)], y[i%len(x)])
	}
}

// The first two steps by hand. F = (1, 1) with the bias, C = 100 I: C F = (100, 100), its
// product with F is 200; p = 1/2, so that 1/(p(1-p)) = 4 and K = (100, 100)/204; W = K (1/2)
// 4 = (200, 200)/204 for a good outcome, C = 100 I - 10,000/204. LogOdds are 0 and W . F + b.
func TestLogisticByHand(t *testing.T) {
	m, err := NewLogistic(levels(1), Binary())
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Learn([]float64{1}, Good); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{200.0 / 204, 200.0 / 204} {
		if math.Abs(m.Weights[i]-want) > 1e-12 {
			t.Errorf("weight %d is %v, want %v", i, m.Weights[i], want)
		}
	}
	for i, want := range []float64{100 - 1e4/204, -1e4 / 204, -1e4 / 204, 100 - 1e4/204} {
		if math.Abs(m.Cov[i]-want) > 1e-12 {
			t.Errorf("covariance %d is %v, want %v", i, m.Cov[i], want)
		}
	}
	odds := m.LogOdds([]float64{3}, nil)
	if odds[0] != 0 || math.Abs(odds[1]-4*200.0/204) > 1e-12 {
		t.Errorf("log odds %v, want 0 and %v", odds, 4*200.0/204)
	}
}
