package classify

import (
	"math/rand/v2"
	"testing"

	"schedtune/internal/text"
)

// BenchmarkLearn and BenchmarkPredict use the paper's twelve features.
func BenchmarkLearn(b *testing.B) {
	benchmark(b, func(m Model, x, _ []float64) { m.Learn(x, int(x[0])&1) })
}

func BenchmarkPredict(b *testing.B) {
	benchmark(b, func(m Model, x, scratch []float64) { Predict(m, x, scratch) })
}

func benchmark(b *testing.B, op func(m Model, x, scratch []float64)) {
	r := rand.New(rand.NewPCG(1, 1))
	x := make([][]float64, 1024)
	for i := range x {
		x[i] = make([]float64, 12)
		for j := range x[i] {
			x[i][j] = 10 * r.Float64()
		}
	}
	c, _ := NewCategorical(PaperSchema(), Binary())
	g, _ := NewGaussian(PaperSchema(), Binary())
	p, _ := NewPerceptron(PaperSchema(), Binary(), false)
	for _, l := range []struct {
		name string
		m    Model
	}{{"categorical", c}, {"gaussian", g}, {"perceptron", p}} {
		b.Run("model="+l.name+"/features=12", func(b *testing.B) {
			b.ReportAllocs()
			scratch := make([]float64, 2)
			cpu := text.Seconds()
			for i := range b.N {
				op(l.m, x[i&1023], scratch)
			}
			if used := text.Seconds() - cpu; used > 0 {
				b.ReportMetric(float64(b.N)/used/1e6, "M/cpu-s")
			}
		})
	}
}
