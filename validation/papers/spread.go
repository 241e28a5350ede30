package papers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"schedtune/internal/stats"
)

// How far two figures of one quantity may lie apart: the spread of the papers' own figures,
// computed from published figures alone.
//
// Where a paper publishes one quantity several times, its coefficient of variation v gives
// the tolerance 2 sqrt(2) v: two standard deviations of the difference of two such figures.

// gainFactor is the factor by which a speed-up may differ from the published. The
// papers state the same effect on comparable workloads twelve times
// (judge_test.go); two standard deviations of the logarithm of their quotients
// make a factor of 2.04, of which the whole number is taken.
const gainFactor = 2

// tolerance returns the allowed distance for a coefficient of variation.
func tolerance(v float64) float64 { return 2 * math.Sqrt2 * v }

// couplingTolerance is that of times on Coupling's cluster: Sort2 took from 16.15 to 23.5
// minutes in 15 runs (section III.A); the range of 15 normal values is 3.47 standard
// deviations. It serves the papers without repeated figures as well.
func couplingTolerance() float64 {
	low := cell("coupling", "claims", "sort2-shortest", "value")
	high := cell("coupling", "claims", "sort2-longest", "value")
	return tolerance((high - low) / 3.47 / ((high + low) / 2))
}

// omoTolerance is that of OMO's times: what its tables 2 and 3 leave beside a
// parabola over slowstart, four columns of six runs.
func omoTolerance() float64 {
	var sum float64
	n := 0
	for _, id := range []string{"2", "3"} {
		for _, name := range []string{"1 job", "3 jobs"} {
			v := besideParabola(column("omo", id, name))
			sum, n = sum+v*v, n+1
		}
	}
	return tolerance(math.Sqrt(sum / float64(n)))
}

// besideParabola is the standard deviation of equally spaced values around their
// least-squares parabola (three degrees of freedom less) over their mean.
func besideParabola(y []float64) float64 {
	n := len(y)
	a, values := mat.NewDense(n, 3, nil), mat.NewVecDense(n, y)
	for i := range n {
		x := float64(i) - float64(n-1)/2
		a.SetRow(i, []float64{1, x, x * x})
	}
	var fit, rest mat.VecDense
	check(fit.SolveVec(a, values))
	rest.MulVec(a, &fit)
	rest.SubVec(values, &rest)
	return math.Sqrt(mat.Dot(&rest, &rest)/float64(n-3)) / stats.Mean(y)
}

// coshhLocality is the tolerance of COSHH's localities in percent of maps: FIFO
// knows no users, so that tables 6 and 8, 7 and 9 measure it twice.
func coshhLocality() float64 {
	var v []float64
	for _, id := range []string{"6", "8", "7", "9"} {
		v = append(v, cell("coshh", id, "Locality", "FIFO"))
	}
	sum := (v[0]-v[1])*(v[0]-v[1])/2 + (v[2]-v[3])*(v[2]-v[3])/2
	return tolerance(math.Sqrt(sum / 2))
}

// learningTolerance is that of the learning paper's figures: a run time is said to
// be proportional to the tasks at a time, and figure 11 prints both.
func learningTolerance() float64 {
	var v [3][]float64
	for i, name := range []string{"learning", "native", "runtime"} {
		v[i] = column("learning", "11", name)
	}
	var sum float64
	for i := range v[0] {
		d := v[2][i]/(v[1][i]/v[0][i]) - 1
		sum += d * d / 2 // two figures differ
	}
	return tolerance(math.Sqrt(sum / float64(len(v[0]))))
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

// starvationGrain is the least tolerance of a starvation time in minutes: ten heartbeats of
// Hadoop 0.20.
const starvationGrain = 0.5

// shares lists the tolerances that are parts of the published figure.
var shares = map[string]func() float64{
	"time": couplingTolerance, "omo": omoTolerance, "learning": learningTolerance,
}

// tolerated returns the largest distance from a published figure that a named tolerance
// allows, and its text. A name that is a number is the distance itself, or with % a part of
// the figure. NAME-ratio is for quotients of two times, whose spread is sqrt(2) that of one.
func tolerated(name string, published float64) (reach float64, text string) {
	number, percent := strings.CutSuffix(name, "%")
	if v, err := strconv.ParseFloat(number, 64); err == nil {
		if percent {
			return v / 100 * math.Abs(published), number + " %"
		}
		return v, number
	}
	unit := ""
	switch name {
	case "binomial":
		reach = isolatedReach(published)
	case "binomial-mean": // eight jobs of ten runs are one count out of eighty
		reach = isolatedReach(published) / math.Sqrt(8)
	case "poisson":
		reach = countReach(published)
	case "locality":
		unit = " points"
		reach = coshhLocality()
	case "starvation":
		unit = " min"
		reach = math.Max(couplingTolerance()*published, starvationGrain)
	default:
		base, ratio := strings.CutSuffix(name, "-ratio")
		if shares[base] == nil {
			check(fmt.Errorf("tolerance %q: unknown", name))
		}
		share := shares[base]()
		if ratio {
			share *= math.Sqrt2
		}
		return share * math.Abs(published), fmt.Sprintf("%.2g %%", 100*share)
	}
	return reach, fmt.Sprintf("%.2g%s", reach, unit)
}
