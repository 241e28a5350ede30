package reproduce

import (
	"math"

	"schedtune/datasets"
)

// coshhSingle shows COSHH's completion times where a job is one map and one reduce of
// its published duration and the slow storages read as printed
// (datasets/coshhsingle.go): what would have to hold for the Facebook workload, the
// number of jobs and the number of resources. Chosen after looking; no verdicts.
func coshhSingle(r *runner) ([]Section, error) {
	c, err := loadClaims("coshh")
	if err != nil {
		return nil, err
	}
	s := Section{Paper: "coshh", ID: "experiment single", Title: "What would have to hold: a job is a map and a reduce of its published duration", Source: "COSHH, sections 5.3, 6.1 and 6.2",
		Setup: "table 4's durations, tables 3 and 10 as printed; 8, 5 and 3 replications; chosen after looking, no verdicts"}
	for _, e := range coshhExperiments {
		ds, err := datasets.CoshhSingle(coshhTrace(e.trace), e.homogeneous, 100)
		if err != nil {
			return nil, err
		}
		m, err := r.coshhRuns("COSHH, single tasks, "+e.set, ds, coshhReps, coshhSchedulers, false)
		if err != nil {
			return nil, err
		}
		fifo, fair, own := column(m[0], 0), column(m[1], 0), column(m[2], 0)
		if e.homogeneous {
			s.show(e.completion+": Fair below FIFO", "% lower", c.value(e.trace+"-homogeneous-fair-vs-fifo"), estimate(reduction(fair, fifo)))
			s.show(e.completion+": COSHH below Fair", "% lower", c.value(e.trace+"-homogeneous-vs-fair"), estimate(reduction(own, fair)))
			continue
		}
		s.show(e.completion+": COSHH below FIFO", "% lower", c.value(e.trace+"-vs-fifo"), estimate(reduction(own, fifo)))
		s.show(e.completion+": COSHH below Fair", "% lower", c.value(e.trace+"-vs-fair"), estimate(reduction(own, fair)))
		s.show(e.completion+": COSHH's improvement over FIFO (at least)", "s", c.value("improvement-seconds"), estimate(difference(fifo, own)))
		for i, n := range coshhNames {
			s.show("table "+e.table+": fairness, "+n, "as in section 5.1", nan(), estimate(column(m[i], 2)))
		}
	}
	for i, trace := range []string{"Yahoo!", "Facebook"} {
		few := nan()
		first := nan()
		for _, n := range []int{100, 75, 50, 30, 20, 10, 5} {
			ds, err := datasets.CoshhSingle(trace, false, n)
			if err != nil {
				return nil, err
			}
			m, err := r.coshhRuns("COSHH, single tasks, jobs", ds, 5, coshhSchedulers, false)
			if err != nil {
				return nil, err
			}
			ratio := estimate(column(m[2], 0)).Mean / math.Min(estimate(column(m[0], 0)).Mean, estimate(column(m[1], 0)).Mean)
			if ratio < 1 && (n == 100 || !math.IsNaN(first)) {
				first = float64(n)
			}
			few = ratio
		}
		s.show(figureName(13+i)+": COSHH over the best other with 5 jobs", "ratio", nan(), exact(few))
		s.show(figureName(13+i)+": jobs from which COSHH is best", "jobs", c.value("crossover-jobs"), exact(first))
	}
	return []Section{s}, nil
}

// coshhTrace is a trace's name in table 4.
func coshhTrace(short string) string {
	if short == "yahoo" {
		return "Yahoo!"
	}
	return "Facebook"
}
