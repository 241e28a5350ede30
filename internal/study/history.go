package study

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"schedtune/internal/report"
)

// history reads the study's log back for the report: every run's objective and
// the best mean so far.
func (s *Study) history(path string) ([]report.Trial, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := newHistorian(s.Problem.Objectives[0].Metric, s.Problem.Objectives[0].Maximize)
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for n := 1; sc.Scan(); n++ {
		var line struct {
			Run     *int               `json:"run"`
			Trial   int                `json:"trial"`
			Metrics map[string]float64 `json:"metrics"`
		}
		if err := json.Unmarshal(sc.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if line.Run != nil {
			h.add(*line.Run, line.Trial, line.Metrics)
		}
	}
	return h.out, sc.Err()
}

// historian follows the best mean over a log.
type historian struct {
	metric string
	sign   float64 // 1 to minimise, -1 to maximise
	sum    map[int]float64
	n      map[int]int
	best   float64 // signed
	out    []report.Trial
}

func newHistorian(metric string, maximize bool) *historian {
	h := &historian{metric: metric, sign: 1, sum: map[int]float64{}, n: map[int]int{}, best: math.Inf(1)}
	if maximize {
		h.sign = -1
	}
	return h
}

// add takes one run. A trial counts for the best from its second run on, the
// present configuration from its first: a single lucky run is no best.
func (h *historian) add(run, trial int, metrics map[string]float64) {
	v, ok := metrics[h.metric]
	if !ok {
		h.out = append(h.out, report.Trial{Runs: run + 1, Score: math.NaN(), Best: h.sign * h.best})
		return
	}
	h.sum[trial] += v
	h.n[trial]++
	if trial == 0 || h.n[trial] > 1 {
		h.best = min(h.best, h.sign*h.sum[trial]/float64(h.n[trial]))
	}
	h.out = append(h.out, report.Trial{Runs: run + 1, Score: v, Best: h.sign * h.best})
}
