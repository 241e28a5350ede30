package tune

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"schedtune/internal/rng"
)

// plain is a space of d linear parameters and a free run.
func plain(tb testing.TB, d int) Problem {
	var ps []Param
	for i := range d {
		ps = append(ps, Param{Name: fmt.Sprintf("x%d", i), Max: 1, Present: "0.5"})
	}
	sp, err := NewSpace(ps...)
	if err != nil {
		tb.Fatal(err)
	}
	return Problem{Space: sp, Objectives: []Objective{{Metric: "cost"}},
		Evaluator: Pool(1, func(_ context.Context, it Item) Outcome {
			return Outcome{Metrics: map[string]float64{"cost": 1 + float64(it.Seed%1000)/1000 + float64(it.Trial)*1e-3}}
		})}
}

// BenchmarkOverhead is the search's own time per run, with a log, against the
// 1 ms a short simulation takes.
func BenchmarkOverhead(b *testing.B) {
	for _, sampler := range []string{"cmaes", "ga", "de"} {
		for _, d := range []int{10, 20, 40} {
			b.Run(fmt.Sprintf("sampler=%s/params=%d", sampler, d), func(b *testing.B) {
				b.ReportAllocs()
				p := plain(b, d)
				const runs = 1000
				for b.Loop() {
					l, err := OpenLog(filepath.Join(b.TempDir(), "log"))
					if err != nil {
						b.Fatal(err)
					}
					if _, err := Search(context.Background(), p, Options{Method: sampler, Budget: runs, Log: l}); err != nil {
						b.Fatal(err)
					}
					l.Close()
				}
				perRun := b.Elapsed() / time.Duration(b.N) / runs
				b.ReportMetric(float64(perRun.Nanoseconds())/1e3, "us/run")
				b.ReportMetric(float64(perRun)/float64(time.Millisecond)*100, "%of1ms")
			})
		}
	}
}

// BenchmarkBoost fits one model to 900 points of 60 coordinates, as late in a study of 1,000
// runs: of one cost, and of several with the same trees.
func BenchmarkBoost(b *testing.B) {
	const points, coords = 900, 60
	for _, costs := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("costs=%d", costs), func(b *testing.B) {
			b.ReportAllocs()
			key := rng.NewKey(1, 7)
			var x []Point
			var block []int
			y := make([][]float64, costs)
			for i := range points {
				p := uniformPoint(key.At(uint64(i)), coords)
				x, block = append(x, p), append(block, i/16)
				for o := range y {
					y[o] = append(y[o], p[o]+p[o+1]*p[o+2]+0.3*key.At(uint64(i)).Norm(uint64(1000+o)))
				}
			}
			set := newPointSet(x, block)
			for b.Loop() {
				newBoosting(set, y, nil).fit(key)
			}
		})
	}
}
