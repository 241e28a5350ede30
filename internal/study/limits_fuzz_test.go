package study

import (
	"math"
	"strings"
	"testing"

	"schedtune/simcore"
)

// FuzzReadLimit: a limit that is accepted names a known metric and keeps its text.
func FuzzReadLimit(f *testing.F) {
	f.Add("p95-completion <= 20 min")
	f.Add("queue.root.a.mean-wait <= present + 5 %")
	f.Add("makespan >= present-1e999%")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := readLimit(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") && !strings.Contains(text, "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		if simcore.MetricOf(c.Metric).Name == "" || c.Text != text || math.IsNaN(c.Limit) || math.IsInf(c.Limit, 0) ||
			math.IsNaN(c.Factor) || math.IsInf(c.Factor, 0) {
			t.Errorf("%q: %+v", text, c)
		}
	})
}
