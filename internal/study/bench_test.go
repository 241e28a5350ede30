package study

import (
	"testing"

	"schedtune/internal/scenario"
	"schedtune/validation/testdata"
)

// BenchmarkRun times one run as the search does it: settings to metrics.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name string
		in   scenario.Files
	}{
		{"trace=default", scenario.Files{Dataset: "default-1"}},
		{"trace=19jobs", scenario.Files{Traces: []string{"traces/hadoop/mumak-19-jobs.trace.json.gz"}, Embedded: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i, t := range c.in.Traces {
				c.in.Traces[i] = testdata.Shared(b, t)
			}
			s, err := Prepare(b.Context(), Request{Inputs: c.in, Objectives: []string{"makespan"}})
			if err != nil {
				b.Fatal(err)
			}
			set := s.Space.PresentSettings()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := s.Runner.Simulate(b.Context(), set, uint64(i), 0, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
