package classify

import (
	"cmp"
	"math"
	"slices"
)

// Figures of merit of scores, as scikit-learn defines them, with Bad as the positive class:
// what is sought is overload.

// Scored is one decision: how strongly the model holds with Bad (a probability, or any
// number that grows with it), and the outcome.
type Scored struct {
	Score float64
	Bad   bool
}

// Scores are decisions in any order.
type Scores []Scored

// runs calls f for each value of the scores from the largest down, with the numbers of bad
// and good outcomes that have it, and returns their totals.
func (s Scores) runs(f func(score, bad, good float64)) (bad, good float64) {
	s = slices.Clone(s)
	slices.SortFunc(s, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
	for i := 0; i < len(s); {
		b, g, j := 0.0, 0.0, i
		for ; j < len(s) && s[j].Score == s[i].Score; j++ {
			if s[j].Bad {
				b++
			} else {
				g++
			}
		}
		f(s[i].Score, b, g)
		bad, good, i = bad+b, good+g, j
	}
	return bad, good
}

// AUC returns the area under the ROC curve: the probability that a bad decision has the
// larger score than a good one, ties counting half; NaN without decisions of both kinds.
func (s Scores) AUC() float64 {
	above, area := 0.0, 0.0
	bad, good := s.runs(func(_, b, g float64) {
		area += g * (above + b/2)
		above += b
	})
	return area / (bad * good)
}

// AveragePrecision returns the sum over scores of the precision times the recall gained,
// from the largest score down; NaN without bad decisions.
func (s Scores) AveragePrecision() float64 {
	hits, seen, area := 0.0, 0.0, 0.0
	bad, _ := s.runs(func(_, b, g float64) {
		hits, seen = hits+b, seen+b+g
		area += b * hits / seen
	})
	return area / bad
}

// Brier returns the mean squared difference of probability and outcome.
func (s Scores) Brier() float64 {
	sum := 0.0
	for _, d := range s {
		e := d.Score
		if d.Bad {
			e--
		}
		sum += e * e
	}
	return sum / float64(len(s))
}

// LogLoss returns the mean of -log of the probability of what came, in nats; probabilities
// are cut to within 2^-52 of 0 and 1.
func (s Scores) LogLoss() float64 {
	const eps = 0x1p-52
	sum := 0.0
	for _, d := range s {
		p := math.Min(math.Max(d.Score, eps), 1-eps)
		if !d.Bad {
			p = 1 - p
		}
		sum -= math.Log(p)
	}
	return sum / float64(len(s))
}

// CalibrationBin is one of the ten bins of equal width of a calibration curve.
type CalibrationBin struct {
	Decisions int     `json:"decisions"`
	Predicted float64 `json:"predicted"` // mean probability of overload
	Observed  float64 `json:"observed"`  // share that was overloaded
}

// Calibration returns the bins that have decisions, and the expected calibration error: the
// mean over decisions of the difference of predicted and observed share in their bin.
func (s Scores) Calibration() (bins []CalibrationBin, ece float64) {
	all := make([]CalibrationBin, 10)
	for _, d := range s {
		b := &all[min(int(d.Score*10), 9)]
		b.Decisions++
		b.Predicted += d.Score
		if d.Bad {
			b.Observed++
		}
	}
	for _, b := range all {
		if n := float64(b.Decisions); n > 0 {
			ece += math.Abs(b.Predicted-b.Observed) / float64(len(s))
			bins = append(bins, CalibrationBin{b.Decisions, b.Predicted / n, b.Observed / n})
		}
	}
	return bins, ece
}

// Isotonic maps scores to probabilities by a function that never falls: the least squares
// fit of the outcomes, by pooling adjacent violators (Barlow et al., 1972), linear between
// its points and constant beyond them, as scikit-learn's.
type Isotonic struct {
	X []float64 `json:"score"`       // ascending
	Y []float64 `json:"probability"` // of Bad
}

// FitIsotonic fits the decisions; nil for none.
func FitIsotonic(s Scores) *Isotonic {
	type pool struct{ low, high, n, bad float64 }
	var pools []pool
	s.runs(func(score, b, g float64) {
		p := pool{score, score, b + g, b}
		for n := len(pools); n > 0 && pools[n-1].bad*p.n <= p.bad*pools[n-1].n; n-- { // from the top down
			q := pools[n-1]
			p = pool{p.low, q.high, p.n + q.n, p.bad + q.bad}
			pools = pools[:n-1]
		}
		pools = append(pools, p)
	})
	if pools == nil {
		return nil
	}
	slices.Reverse(pools)
	out := &Isotonic{}
	for _, p := range pools {
		out.X, out.Y = append(out.X, p.low), append(out.Y, p.bad/p.n)
		if p.high > p.low {
			out.X, out.Y = append(out.X, p.high), append(out.Y, p.bad/p.n)
		}
	}
	return out
}

// Probability returns the probability of Bad at a score; NaN for nil and for NaN.
func (m *Isotonic) Probability(score float64) float64 {
	if m == nil || len(m.X) == 0 || len(m.Y) != len(m.X) || math.IsNaN(score) {
		return math.NaN()
	}
	i, _ := slices.BinarySearch(m.X, score)
	switch {
	case i == 0:
		return m.Y[0]
	case i == len(m.X):
		return m.Y[i-1]
	}
	share := (score - m.X[i-1]) / (m.X[i] - m.X[i-1])
	return m.Y[i-1] + share*(m.Y[i]-m.Y[i-1])
}
