package papers

import (
	"fmt"
	"math"

	"schedtune/datasets"
)

// COSHH, figures 13 to 24: over the number of jobs and of resources, and with
// errors of the estimates.

// coshhScale is a sweep over the number of jobs or of resources: four figures,
// completion times for Yahoo! and Facebook and scheduling times for both.
type coshhScale struct {
	what          string // jobs or resources
	figure        int    // the first of the four
	source, setup string // setup has a place for the trace
	counts        []int
	reps          int
	load          func(trace string, n int) (*datasets.Set, error)
	// completion and overhead judge a trace's curves, by scheduler.
	completion func(f *Section, xs []float64, curves [3][]Estimate)
	overhead   func(o *Section, times [3][]Estimate)
}

// coshhScaling fills the four figures.
func (r *runner) coshhScaling(c *coshhScale) ([]Section, error) {
	var completion, overhead []Section
	for i, trace := range []string{"Yahoo!", "Facebook"} {
		f := Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", c.figure+i), Title: fmt.Sprintf("Completion time over the number of %s, %s", c.what, trace),
			Source: c.source, Setup: fmt.Sprintf(c.setup, trace)}
		o := Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", c.figure+2+i), Title: fmt.Sprintf("Scheduling time over the number of %s, %s", c.what, trace),
			Source: f.Source, Setup: f.Setup}
		var xs []float64
		var curves, times [3][]Estimate
		var most [][][]float64 // with the most jobs or resources
		for _, n := range c.counts {
			ds, err := c.load(trace, n)
			if err != nil {
				return nil, err
			}
			m, err := r.coshhRuns(fmt.Sprintf("COSHH %s, %d %s", trace, n, c.what), ds, c.reps, coshhSchedulers, true)
			if err != nil {
				return nil, err
			}
			for k := range curves {
				curves[k] = append(curves[k], estimate(column(m[k], 0)))
				times[k] = append(times[k], estimate(column(m[k], coshhOps)))
			}
			most = m
			xs = append(xs, float64(n))
		}
		c.completion(&f, xs, curves)
		f.Charts = []Chart{{c.what, curve(f.Title, c.what, "mean completion time, s", xs, coshhNames, curves[:])}}
		completion = append(completion, f)
		c.overhead(&o, times)
		r.coshhSeconds(&o, coshhNames, most)
		o.Charts = []Chart{{"overhead", curve(o.Title, c.what, opsUnit, xs, coshhNames, times[:])}}
		overhead = append(overhead, o)
	}
	return append(completion, overhead...), nil
}

// coshhJobs reproduces figures 13 to 16: over the number of jobs.
func coshhJobs(r *runner) ([]Section, error) {
	c, err := loadClaims("coshh")
	if err != nil {
		return nil, err
	}
	return r.coshhScaling(&coshhScale{
		what: "jobs", figure: 13, source: "COSHH, section 6.2.1", setup: "data set coshh-%s with 5 to 100 jobs; 5 replications",
		counts: []int{5, 10, 20, 30, 50, 75, 100}, reps: 5, load: r.coshh.Jobs,
		completion: func(f *Section, xs []float64, curves [3][]Estimate) {
			few := curves[2][0].Mean / math.Min(curves[0][0].Mean, curves[1][0].Mean)
			f.claim("COSHH slower than the best other with 5 jobs", "ratio", nan(), exact(few), noChange, "above 1", func(e Estimate) bool { return e.Mean > 1 })
			first := nan()
			for k := len(xs) - 1; k >= 0 && curves[2][k].Mean < math.Min(curves[0][k].Mean, curves[1][k].Mean); k-- {
				first = xs[k]
			}
			f.between("jobs from which COSHH is best", "jobs", c.value("crossover-jobs"), exact(first), noDifference, 20, 50)
		},
		overhead: func(o *Section, times [3][]Estimate) {
			last := len(times[0]) - 1
			o.above("COSHH costs more than FIFO at 100 jobs", opsUnit, apartBy(times[2][last], times[0][last]))
			o.above("COSHH costs more than Fair at 100 jobs", opsUnit, apartBy(times[2][last], times[1][last]))
		},
	})
}

// apartBy is the difference of two estimates, without their pairs: its interval
// is as wide as both together.
func apartBy(a, b Estimate) Estimate {
	return Estimate{Mean: a.Mean - b.Mean, Low: a.Low - b.High, High: a.High - b.Low, N: min(a.N, b.N)}
}

// coshhResources reproduces figures 17 to 20: over the number of resources.
func coshhResources(r *runner) ([]Section, error) {
	c, tol, err := loadJudging("coshh")
	if err != nil {
		return nil, err
	}
	return r.coshhScaling(&coshhScale{
		what: "resources", figure: 17, source: "COSHH, section 6.2.2", setup: "data set coshh-%s on 6 to 102 resources of table 10; 3 replications",
		counts: []int{6, 18, 36, 57, 78, 102}, reps: 3, load: r.coshh.Resources,
		completion: func(f *Section, xs []float64, curves [3][]Estimate) {
			for k, n := range coshhNames {
				best := 0
				for i := range xs {
					if curves[k][i].Mean < curves[k][best].Mean {
						best = i
					}
				}
				f.between("resources at which "+n+"'s completion time is lowest", "resources", c.value("minimum-resources"), exact(xs[best]), noDifference, 36, 78)
			}
			low, high := math.Inf(1), math.Inf(-1)
			for i := range xs {
				gap := math.Min(curves[0][i].Mean, curves[1][i].Mean) - curves[2][i].Mean
				low, high = math.Min(low, gap), math.Max(high, gap)
			}
			f.near("smallest improvement over the best other", "s", c.value("gap-least"), exact(low), tol.time, "")
			f.near("largest improvement over the best other", "s", c.value("gap-most"), exact(high), tol.time, "")
		},
		overhead: func(o *Section, times [3][]Estimate) {
			last := len(times[0]) - 1
			for k := 1; k < 3; k++ {
				o.above(coshhNames[k]+" costs more with 102 resources than with 6", opsUnit, apartBy(times[k][last], times[k][0]))
			}
			o.above("COSHH's cost grows more than Fair's", opsUnit, apartBy(apartBy(times[2][last], times[2][0]), apartBy(times[1][last], times[1][0])))
			o.Notes = append(o.Notes, fmt.Sprintf("The paper's Java took at most %s s with 102 resources.", Number(c.value("scalability-overhead-seconds"))))
		},
	})
}

// coshhSensitivity reproduces figures 21 to 24: errors of estimates.
func coshhSensitivity(r *runner) ([]Section, error) {
	var completion, overhead []Section
	errs := []float64{0, 10, 20, 30, 40}
	for i, set := range []string{"coshh-yahoo", "coshh-facebook"} {
		ds, err := r.coshh.Set(coshhTrace(set[len("coshh-"):]), false)
		if err != nil {
			return nil, err
		}
		specs := append([]string(nil), coshhSchedulers[:2]...)
		for _, e := range errs {
			specs = append(specs, fmt.Sprintf("%s,error=%g", coshhSpec, e))
		}
		specs = append(specs, coshhSpec+",estimates=history")
		m, err := r.coshhRuns("COSHH sensitivity "+set, ds, coshhReps, specs, true)
		if err != nil {
			return nil, err
		}
		f := Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", 21+i), Title: "Sensitivity to errors of estimates, " + set, Source: "COSHH, section 6.3",
			Setup: fmt.Sprintf("data set %s, coshh with errors up to 40 %%; %d replications (the paper: 30)", set, coshhReps)}
		coshhErrors(&f, errs, m)
		completion = append(completion, f)
		o := Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", 23+i), Title: "Scheduling time over errors of estimates, " + set, Source: f.Source, Setup: f.Setup}
		var names []string
		for k, e := range errs {
			names = append(names, fmt.Sprintf("COSHH-%g", e))
			o.show(names[k], opsUnit, nan(), estimate(column(m[k+2], coshhOps)))
		}
		r.coshhSeconds(&o, names, m[2:])
		overhead = append(overhead, o)
	}
	return append(completion, overhead...), nil
}

// coshhErrors fills the figure of completion times over the errors errs (percent). m
// holds FIFO, Fair, COSHH with each error, and COSHH with estimates from its history.
func coshhErrors(f *Section, errs []float64, m [][][]float64) {
	var line []Estimate
	var gains [2][][]float64 // against FIFO and Fair, with errors from 10 % on
	for k, e := range errs {
		own := column(m[k+2], 0)
		line = append(line, estimate(own))
		for b := range 2 {
			g := reduction(own, column(m[b], 0))
			f.show(fmt.Sprintf("COSHH-%g below %s", e, coshhNames[b]), "% lower", nan(), estimate(g))
			if k > 0 {
				gains[b] = append(gains[b], g)
			}
		}
	}
	learned := column(m[len(m)-1], 0) // by the paper's own estimator, from what has run
	for b := range 2 {
		f.show("COSHH with estimates from its history, below "+coshhNames[b], "% lower", nan(), estimate(reduction(learned, column(m[b], 0))))
	}
	for b := range 2 {
		f.above(fmt.Sprintf("COSHH below %s with any error up to 40 %%", coshhNames[b]), "% lower, least", estimate(least(gains[b]...)))
	}
	for _, k := range []int{1, 4} {
		f.claim(fmt.Sprintf("COSHH-%g against COSHH-0", errs[k]), "% lower", nan(), estimate(reduction(column(m[k+2], 0), column(m[2], 0))), noDifference,
			"interval contains 0 or above", func(e Estimate) bool { return e.High >= 0 })
	}
	f.Charts = []Chart{{"error", curve(f.Title, "largest error, %", "mean completion time, s", errs, []string{"COSHH"}, [][]Estimate{line})}}
}
