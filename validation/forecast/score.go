package forecast

import (
	"math"
	"slices"

	"schedtune/internal/stats"
)

// Level is the nominal coverage of the intervals judged.
const Level = 0.90

// Scores judge promises by what came; gains in points (hundredths of the present
// value).
type Scores struct {
	Cases    int     `json:"cases"`
	Coverage float64 `json:"coverage"` // part of the cases whose interval holds what came
	Bias     float64 `json:"bias"`     // mean of promise less what came
	Distance float64 `json:"distance"` // mean of their absolute difference
	Width    float64 `json:"width"`    // mean width of the interval
	// mean interval score: width and, of what lies outside, 2/(1-Level) times the distance
	Interval float64 `json:"interval"`
}

// intervalScore is S of T. Gneiting and A. Raftery, "Strictly proper scoring rules,
// prediction, and estimation", JASA 102 (2007), equation 43: smaller is better,
// and no interval does better in the mean than the true quantiles.
func intervalScore(low, high, x, level float64) float64 {
	s := high - low
	if x < low {
		s += 2 / (1 - level) * (low - x)
	}
	if x > high {
		s += 2 / (1 - level) * (x - high)
	}
	return s
}

// score judges promised ranges against what came.
func score(promised []Range, came []float64) Scores {
	s := Scores{Cases: len(came)}
	n := float64(len(came))
	for i, p := range promised {
		x := came[i]
		if x >= p.Low && x <= p.High {
			s.Coverage += 1 / n
		}
		s.Bias += 100 * (p.Point - x) / n
		s.Distance += 100 * math.Abs(p.Point-x) / n
		s.Width += 100 * (p.High - p.Low) / n
		s.Interval += 100 * intervalScore(p.Low, p.High, x, Level) / n
	}
	return s
}

// constant is the promise that knows nothing of a case: median and quantiles of
// what came in all other cases.
func constant(came []float64) []Range {
	out := make([]Range, len(came))
	for i := range came {
		rest := slices.Sorted(slices.Values(slices.Delete(slices.Clone(came), i, i+1)))
		if len(rest) == 0 {
			continue
		}
		out[i] = Range{stats.Quantile(rest, 0.5), stats.Quantile(rest, (1-Level)/2), stats.Quantile(rest, (1+Level)/2)}
	}
	return out
}

// Judgement is all that the outcomes say.
type Judgement struct {
	Drawn       int    `json:"drawn"`       // cases
	Found       int    `json:"found"`       // with a promise that could be played
	Recommended int    `json:"recommended"` // files
	Expected    Scores `json:"expected"`    // the promise for a workload like this
	Again       Scores `json:"again"`       // the interval over seeds on the same trace, taken as a promise
	Constant    Scores `json:"constant"`    // leave-one-out constant
	// Worse, WorseQueue and Losing are the parts of the recommended files that make
	// the next period more than 2 % worse, a queue of it more than 10 % worse, or
	// lose jobs there.
	Worse      float64 `json:"worse"`
	WorseQueue float64 `json:"worse_queue"`
	Losing     float64 `json:"losing"`
	MeanCame   float64 `json:"mean_came"` // of the recommended files, points
	// Queues judges what was expected of single queues.
	Queues         Scores `json:"queues"`
	QueuesConstant Scores `json:"queues_constant"` // leave-one-out constant
	Verdicts
}

// Judge sums outcomes up.
func Judge(all []Outcome) Judgement {
	outs := slices.DeleteFunc(slices.Clone(all), func(o Outcome) bool { return o.Of != "" || o.Invalid })
	j := Judgement{Drawn: len(outs), Verdicts: verdicts(outs)}
	j.again(all)
	var expected, again, queues []Range
	var came, queuesCame []float64
	for _, o := range outs {
		if !o.Found || math.IsInf(o.Came, 0) {
			continue
		}
		j.Found++
		for _, q := range o.Queues {
			if q.Expected == nil {
				continue
			}
			queues, queuesCame = append(queues, *q.Expected), append(queuesCame, q.Came)
		}
		expected, again, came = append(expected, o.Expected), append(again, o.Again), append(came, o.Came)
	}
	for _, o := range outs {
		if !o.Recommended || !o.Found {
			continue
		}
		j.Recommended++
		j.MeanCame += 100 * math.Max(o.Came, -10)
		if o.Came < -0.02 {
			j.Worse++
		}
		if o.WorstQueue > 0.10 {
			j.WorseQueue++
		}
		if o.Lost > 0 {
			j.Losing++
		}
	}
	if n := float64(j.Recommended); n > 0 {
		j.Worse, j.WorseQueue, j.Losing, j.MeanCame = j.Worse/n, j.WorseQueue/n, j.Losing/n, j.MeanCame/n
	}
	j.Queues, j.QueuesConstant = score(queues, queuesCame), score(constant(queuesCame), queuesCame)
	j.Expected, j.Again, j.Constant = score(expected, came), score(again, came), score(constant(came), came)
	return j
}

// Finite bounds what JSON can't hold: a period that could not be played.
func Finite(outs []Outcome) []Outcome {
	out := append([]Outcome(nil), outs...)
	for i := range out {
		out[i].Came = math.Max(out[i].Came, -math.MaxFloat64)
		out[i].WorstQueue = math.Max(-math.MaxFloat64, math.Min(out[i].WorstQueue, math.MaxFloat64))
	}
	return out
}
