package papers

import (
	"fmt"
	"math"

	"schedtune/datasets"
	"schedtune/internal/report/svg"
	"schedtune/internal/stats"
)

// Coupling: single jobs (figure 12), the sequence of 22 jobs (figure 3, table IV)
// and the 200 jobs of figure 16.

// couplingSingle reproduces figure 12: single jobs are not harmed.
func couplingSingle(r *runner) ([]Section, error) {
	c, err := loadClaims("coupling")
	if err != nil {
		return nil, err
	}
	s := Section{Paper: "coupling", ID: "figure 12", Title: "Single job processing times (jobs of table II)", Source: "Coupling, section III.A",
		Setup: "data sets coupling-single-*; 15 replications as in the paper"}
	names := []string{"grep", "randomwriter", "montecarlo", "sort1", "sort2"}
	var values [2][]Estimate
	for _, n := range names {
		m, err := r.couplingRuns("coupling-single-"+n, 15, []string{couplingFair, couplingSpec}, completions)
		if err != nil {
			return nil, err
		}
		for i := range values {
			values[i] = append(values[i], estimate(column(m[i], 0)))
		}
		e := estimate(reduction(column(m[1], 0), column(m[0], 0)))
		s.claim("no harm to "+n, "% lower", nan(), e, noDifference, "at most 10 % longer", func(e Estimate) bool { return e.Mean > -10 })
		switch n {
		case "grep", "montecarlo":
			s.above(n+" faster with Coupling", "% lower", e)
		case "sort1":
			s.gain("Sort1 below Fair", c.value("sort1-single"), e)
		case "sort2":
			s.claim("Sort2 slightly slower with Coupling", "% lower", nan(), e, noDifference, "interval below 0, mean above -10",
				func(e Estimate) bool { return e.High < 0 && e.Mean > -10 })
		}
	}
	s.Charts = []Chart{{"single", bars("Processing time of single jobs", "job processing time, s", names, []string{"Fair", "Coupling"}, values[:])}}
	return []Section{s}, nil
}

// starvationGrain is the least tolerance of a starvation time in minutes: ten
// heartbeats of Hadoop 0.20.
const starvationGrain = 0.5

// couplingSequence reproduces table IV and figure 3.
func couplingSequence(r *runner) ([]Section, error) {
	c, tol, err := loadJudging("coupling")
	if err != nil {
		return nil, err
	}
	t4 := Section{Paper: "coupling", ID: "table 4", Setup: "data set coupling-sequence; 5 replications as in the paper"}
	pub, err := published(&t4, "coupling", "4")
	if err != nil {
		return nil, err
	}
	m, err := r.couplingRuns("coupling-sequence", couplingReps, []string{couplingFair, couplingSpec}, func(o *outcome) []float64 {
		out := completions(o)
		for i := range o.Jobs {
			out = append(out, o.recording.starvation(&o.Jobs[i]))
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	n := len(pub.Rows)
	theirs, err := couplingStarvation(&t4, pub, m, tol.time)
	if err != nil {
		return nil, err
	}
	mean := func(k, from int) (of []float64) {
		for _, rep := range m[k] {
			of = append(of, stats.Mean(rep[from:from+n]))
		}
		return of
	}
	var fair []float64
	for i := range n {
		fair = append(fair, stats.Mean(column(m[0], n+i)))
	}
	t4.rank("rank correlation of SF with the published", fair, theirs[0], nil, "constant")
	t4.gain("mean starvation below Fair's", 100*(1-stats.Mean(theirs[1])/stats.Mean(theirs[0])), estimate(reduction(mean(1, n), mean(0, n))))

	return []Section{couplingTimes(c, &t4, pub, m, mean), t4}, nil
}

// couplingStarvation compares the starvation of every job in table 4, by scheduler, and
// returns the published minutes.
func couplingStarvation(t4 *Section, pub *datasets.Table, m [][][]float64, tolerance float64) (theirs [2][]float64, err error) {
	for i, row := range pub.Rows {
		for k, col := range []string{"SF", "SC"} {
			v, err := pub.Float(row[0], col)
			if err != nil {
				return theirs, err
			}
			theirs[k] = append(theirs[k], v)
			reach := math.Max(tolerance*v, starvationGrain)
			t4.within(fmt.Sprintf("job %s %s, %s", row[0], row[1], col), "min", v, estimate(column(m[k], len(pub.Rows)+i)), reach, fmt.Sprintf("within %.2g min", reach), col)
			if v <= reach {
				t4.apart("null model: no starvation")
			}
		}
	}
	return theirs, nil
}

// couplingTimes is figure 3: the jobs' times in the runs with Fair and with Coupling;
// mean is that of a scheduler's figures from an index on, by replication.
func couplingTimes(c *claims, t4 *Section, pub *datasets.Table, m [][][]float64, mean func(k, from int) []float64) Section {
	f3 := Section{Paper: "coupling", ID: "figure 3", Title: "Job processing times of the sequence", Source: "Coupling, section I.C", Setup: t4.Setup}
	f3.gain("mean job time below Fair's", c.value("sequence-response"), estimate(reduction(mean(1, 0), mean(0, 0))))
	f3.gain("job 3 below Fair (12.8 times faster)", 100*(1-1/c.value("job3-speedup")), estimate(reduction(column(m[1], 2), column(m[0], 2))))
	for _, j := range []int{6, 12, 13} {
		much := c.value("jobs-much-faster")
		e := estimate(reduction(column(m[1], j-1), column(m[0], j-1)))
		low, _ := gainRange(much)
		f3.claim(fmt.Sprintf("job %d below Fair (more than)", j), "% lower", much, e, noDifference, fmt.Sprintf("interval above 0, mean from %s", Number(low)),
			func(e Estimate) bool { return e.Low > 0 && e.Mean >= low })
	}
	var values [2][]Estimate
	var names []string
	for i, row := range pub.Rows {
		names = append(names, row[0]+" "+row[1])
		for k := range values {
			values[k] = append(values[k], estimate(column(m[k], i)))
		}
	}
	f3.Charts = []Chart{{"jobs", bars("Job processing time", "job processing time, s", names, []string{"Fair", "Coupling"}, values[:])}}
	return f3
}

// couplingBatches reproduces figure 16.
func couplingBatches(r *runner) ([]Section, error) {
	c, err := loadClaims("coupling")
	if err != nil {
		return nil, err
	}
	s := Section{Paper: "coupling", ID: "figure 16", Title: "Completion time distribution of 200 jobs on 62 nodes", Source: "Coupling, section III.D", Setup: "data set coupling-batches; 3 replications"}
	m, err := r.couplingRuns("coupling-batches", 3, []string{couplingFair, couplingSpec}, completions)
	if err != nil {
		return nil, err
	}
	s.gain("mean job time below Fair's", c.value("set-c"), estimate(meanReduction(m[1], m[0])))
	below, points := 0, 0
	chart := svg.Chart{Title: "Distribution of job processing times", X: svg.Axis{Label: "job processing time", Seconds: true}, Y: svg.Axis{Label: "share of jobs", Percent: true}}
	var sorted [2][]float64
	for k, n := range []string{"Fair", "Coupling"} {
		for _, rep := range m[k] {
			sorted[k] = append(sorted[k], rep...)
		}
		sorted[k] = ascending(sorted[k])
		chart.Series = append(chart.Series, svg.Series{Name: n, Shape: svg.Step, Points: svg.Thin(svg.ECDF(sorted[k]), 300)})
	}
	for p := 5; p < 100; p += 5 {
		i := p * len(sorted[0]) / 100
		points++
		if sorted[1][i] < sorted[0][i] {
			below++
		}
	}
	share := 100 * float64(below) / float64(points)
	s.claim("quantiles at which Coupling is faster", "% of 19", nan(), exact(share), noDifference, "all", func(e Estimate) bool { return e.Mean == 100 })
	s.Charts = []Chart{{"distribution", chart.File()}}
	return []Section{s}, nil
}
