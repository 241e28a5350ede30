package lp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"schedtune/internal/text"
)

func benchRates(f, m, kinds int) (alpha []float64, mu [][]float64) {
	r := rand.New(rand.NewPCG(1, 1))
	for range f {
		alpha = append(alpha, 0.5+r.Float64())
		base := make([]float64, kinds)
		for k := range base {
			base[k] = 0.5 + 9.5*r.Float64()
		}
		row := make([]float64, m)
		for j := range row {
			row[j] = base[j%kinds]
		}
		mu = append(mu, row)
	}
	return alpha, mu
}

// BenchmarkMaxLambda is the allocation as a scheduler asks for it, certificate
// included.
func BenchmarkMaxLambda(b *testing.B) {
	for _, c := range []struct{ f, m, kinds int }{{4, 100, 100}, {20, 10000, 8}, {20, 200, 200}, {20, 1000, 1000},
		{50, 1000, 1000}} {
		alpha, mu := benchRates(c.f, c.m, c.kinds)
		b.Run(fmt.Sprintf("classes=%d/machines=%d/kinds=%d", c.f, c.m, c.kinds), func(b *testing.B) {
			b.ReportAllocs()
			var a *Allocation
			cpu := text.Seconds()
			for range b.N {
				var err error
				if a, err = MaxLambda(alpha, mu); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(1000*(text.Seconds()-cpu)/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(a.Iterations), "pivots")
			b.ReportMetric(a.Certificate.Gap(), "gap")
		})
	}
}

// BenchmarkSolver is the program as it stands in the paper, without merging,
// scaling or a start: the same instance for every solver of the build. Compare
// cpu-ms/op, which a busy machine does not change.
func BenchmarkSolver(b *testing.B) {
	for _, c := range []struct{ f, m int }{{10, 100}, {20, 200}, {20, 1000}, {50, 1000}} {
		alpha, mu := benchRates(c.f, c.m, c.m)
		p := paperProblem(alpha, mu)
		for _, name := range []string{"simplex", "clp"} {
			s, ok := solvers[name]
			if !ok {
				continue
			}
			b.Run(fmt.Sprintf("solver=%s/classes=%d/machines=%d", name, c.f, c.m), func(b *testing.B) {
				b.ReportAllocs()
				cpu := text.Seconds()
				for range b.N {
					if _, err := s.Solve(p); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(1000*(text.Seconds()-cpu)/float64(b.N), "cpu-ms/op")
			})
		}
	}
}
