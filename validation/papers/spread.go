package papers

import (
	"math"

	"schedtune/datasets"
)

// How far two figures may lie apart that mean the same: the spread that the
// papers' own figures have. It is computed from published figures alone.
//
// Where a paper publishes one quantity several times, its coefficient of
// variation v gives the tolerance 2 sqrt(2) v: two standard deviations of the
// difference of two such figures.

// gainFactor is the factor by which a speed-up may differ from the published. The
// papers state the same effect on comparable workloads twelve times
// (judge_test.go); two standard deviations of the logarithm of their quotients
// make a factor of 2.04, of which the whole number is taken.
const gainFactor = 2

// tolerance turns a coefficient of variation into the distance that is allowed.
func tolerance(v float64) float64 { return 2 * math.Sqrt2 * v }

// couplingTolerance is that of times on Coupling's cluster: Sort2 took from 16.15
// to 23.5 minutes in 15 runs (section III.A); of 15 normal values the range is
// 3.47 standard deviations. It serves the papers without repeated figures as well.
func couplingTolerance() (float64, error) {
	c, err := loadClaims("coupling")
	low, high := c.value("sort2-shortest"), c.value("sort2-longest")
	return tolerance((high - low) / 3.47 / ((high + low) / 2)), err
}

// omoTolerance is that of OMO's times: what its tables 2 and 3 leave beside a
// parabola over slowstart, four columns of six runs.
func omoTolerance() (float64, error) {
	var sum float64
	n := 0
	for _, id := range []string{"2", "3"} {
		t, err := datasets.Published("omo", id)
		if err != nil {
			return 0, err
		}
		for _, column := range t.Columns[1:] {
			var y []float64
			for _, r := range t.Rows {
				v, err := t.Float(r[0], column)
				if err != nil {
					return 0, err
				}
				y = append(y, v)
			}
			v := besideParabola(y)
			sum, n = sum+v*v, n+1
		}
	}
	return tolerance(math.Sqrt(sum / float64(n))), nil
}

// besideParabola is the standard deviation of equally spaced values around their
// least-squares parabola (three degrees of freedom less) over their mean.
func besideParabola(y []float64) float64 {
	n := float64(len(y))
	var mean, slope, curve, xx, qq float64
	for _, v := range y {
		mean += v / n
	}
	x := func(i int) float64 { return float64(i) - (n-1)/2 }
	for i := range y {
		xx += x(i) * x(i)
	}
	q := func(i int) float64 { return x(i)*x(i) - xx/n }
	for i, v := range y {
		slope += x(i) * v / xx
		qq += q(i) * q(i)
		curve += q(i) * v
	}
	curve /= qq
	var rest float64
	for i, v := range y {
		d := v - mean - slope*x(i) - curve*q(i)
		rest += d * d
	}
	return math.Sqrt(rest/(n-3)) / mean
}

// coshhLocality is the tolerance of COSHH's localities in percent of maps: FIFO
// knows no users, so that tables 6 and 8, 7 and 9 measure it twice.
func coshhLocality() (float64, error) {
	var sum float64
	for _, p := range [][2]string{{"6", "8"}, {"7", "9"}} {
		var v [2]float64
		for i, id := range p {
			t, err := datasets.Published("coshh", id)
			if err != nil {
				return 0, err
			}
			if v[i], err = t.Float("Locality", "FIFO"); err != nil {
				return 0, err
			}
		}
		sum += (v[0] - v[1]) * (v[0] - v[1]) / 2
	}
	return tolerance(math.Sqrt(sum / 2)), nil
}

// learningTolerance is that of the learning paper's figures: a run time is said to
// be proportional to the tasks at a time, and figure 11 prints both.
func learningTolerance() (float64, error) {
	t, err := datasets.Published("learning", "11")
	if err != nil {
		return 0, err
	}
	var sum float64
	for _, r := range t.Rows {
		var v [3]float64
		for i, c := range t.Columns[1:] {
			if v[i], err = t.Float(r[0], c); err != nil {
				return 0, err
			}
		}
		d := v[2]/(v[1]/v[0]) - 1
		sum += d * d / 2 // two figures differ
	}
	return tolerance(math.Sqrt(sum / float64(len(t.Rows)))), nil
}

// isolatedReach is the tolerance of a count out of ten: two standard deviations of
// the difference of two binomial counts with the published share.
func isolatedReach(of10 float64) float64 {
	p := of10 / 10
	return 2 * math.Sqrt(2*10*p*(1-p))
}

// countReach is the tolerance of a count: two standard deviations of the difference of
// two Poisson counts.
func countReach(count float64) float64 { return tolerance(math.Sqrt(count)) }

// tolerances are those of all papers.
type tolerances struct {
	time     float64 // of times where the paper repeats none: Coupling's
	omo      float64
	learning float64
	locality float64 // of COSHH, percent of maps
}

// loadJudging reads what a paper's rows are judged by: its published figures, and
// the tolerances of all papers.
func loadJudging(paper string) (*claims, tolerances, error) {
	c, err := loadClaims(paper)
	if err != nil {
		return nil, tolerances{}, err
	}
	tol, err := loadTolerances()
	return c, tol, err
}

func loadTolerances() (t tolerances, err error) {
	for _, f := range []struct {
		to *float64
		of func() (float64, error)
	}{{&t.time, couplingTolerance}, {&t.omo, omoTolerance}, {&t.learning, learningTolerance}, {&t.locality, coshhLocality}} {
		if *f.to, err = f.of(); err != nil {
			return t, err
		}
	}
	return t, nil
}
