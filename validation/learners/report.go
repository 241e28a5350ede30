package learners

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"

	"schedtune/internal/stats"
	"schedtune/internal/text"
)

// Comparison is a variant against another over all cases, by one metric.
type Comparison struct {
	Variant string  `json:"variant"`
	Metric  string  `json:"metric"`
	Against string  `json:"against"`
	Cases   int     `json:"cases"`
	Change  float64 `json:"change"` // geometric mean of the ratios less 1; below 0 is better
	Low     float64 `json:"low"`    // of the 90 % interval over cases
	High    float64 `json:"high"`
	Better  int     `json:"better"` // cases in which it is better, by a paired 95 % interval over seeds
	Worse   int     `json:"worse"`
	Stuck   int     `json:"stuck"` // cases of which a run does not end
	Worst   float64 `json:"worst"` // the largest ratio of a case less 1
}

// compare summarises a variant against another.
func compare(outs []Outcome, variant, against string, metric int) Comparison {
	c := Comparison{Variant: variant, Against: against, Metric: metrics[metric], Worst: math.Inf(-1)}
	var logs []float64
	for _, o := range outs {
		if slices.Contains(o.Stuck, variant) {
			c.Stuck++
		}
		a, b := o.Figures[variant], o.Figures[against]
		if a == nil || b == nil {
			continue
		}
		ratio := stats.Mean(a[metric]) / stats.Mean(b[metric])
		c.Cases++
		logs = append(logs, math.Log(ratio))
		c.Worst = math.Max(c.Worst, ratio-1)
		d := make([]float64, len(a[metric]))
		for i := range d {
			d[i] = a[metric][i] - b[metric][i]
		}
		switch _, low, high := stats.MeanInterval(d, 0.95); {
		case high < 0:
			c.Better++
		case low > 0:
			c.Worse++
		}
	}
	if len(logs) > 0 {
		mean, low, high := stats.MeanInterval(logs, 0.9)
		c.Change, c.Low, c.High = math.Expm1(mean), math.Expm1(low), math.Expm1(high)
	}
	return c
}

// Comparisons are the rows of both tables: rules for the start of reduces on the current
// configuration, against the best fixed slowstart; and all rules on the tuned configuration,
// against that.
func Comparisons(outs []Outcome) []Comparison {
	var out []Comparison
	add := func(against string, variants ...string) {
		for _, v := range variants {
			for m := range metrics {
				out = append(out, compare(outs, v, against, m))
			}
		}
	}
	add(fixed, present)
	for _, p := range policies {
		if p.onPresent {
			add(fixed, present+", "+p.name)
		}
	}
	add(fixed, presentAdvice)
	add(tunedCS, present, fixed)
	for _, p := range policies {
		add(tunedCS, tunedCS+", "+p.name)
	}
	add(tunedCS, advice)
	return out
}

// Write writes the rows of all tables as CSV: changes in per cent, below 0 is better; stuck
// counts the cases of which a run does not end, which are in no ratio.
func Write(w io.Writer, outs []Outcome) error {
	rows := [][]string{{"variant", "against", "metric", "change_percent", "low", "high", "better", "worse", "of",
		"worst_percent", "stuck"}}
	percent := func(v float64) string { return text.Signed(100*v, 1) }
	for _, c := range Comparisons(outs) {
		if c.Cases > 0 {
			rows = append(rows, []string{c.Variant, c.Against, c.Metric, percent(c.Change), percent(c.Low), percent(c.High),
				strconv.Itoa(c.Better), strconv.Itoa(c.Worse), strconv.Itoa(c.Cases), percent(c.Worst), strconv.Itoa(c.Stuck)})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
