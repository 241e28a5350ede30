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
		Setup: "table 4's durations, tables 3 and 10 as printed; 8 replications, over jobs and resources 5; chosen after looking, no verdicts"}
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
		if err := s.singleResources(r, c, trace, figureName(17+i)); err != nil {
			return nil, err
		}
	}
	return []Section{s}, nil
}

// singleResources adds where completion times are lowest over the number of resources,
// and how far COSHH lies below the best other there.
func (s *Section) singleResources(r *runner, c *claims, trace, figure string) error {
	var at, least [3]float64
	low, high := math.Inf(1), math.Inf(-1)
	for _, n := range []int{6, 18, 36, 57, 78, 102} {
		ds, err := datasets.CoshhSingleResources(trace, n)
		if err != nil {
			return err
		}
		m, err := r.coshhRuns("COSHH, single tasks, resources", ds, 5, coshhSchedulers, false)
		if err != nil {
			return err
		}
		var mean [3]float64
		for k := range mean {
			mean[k] = estimate(column(m[k], 0)).Mean
			if n == 6 || mean[k] < least[k] {
				at[k], least[k] = float64(n), mean[k]
			}
		}
		gap := math.Min(mean[0], mean[1]) - mean[2]
		low, high = math.Min(low, gap), math.Max(high, gap)
	}
	for k, name := range coshhNames {
		s.show(figure+": resources at which "+name+"'s completion time is lowest", "resources", c.value("minimum-resources"), exact(at[k]))
	}
	s.show(figure+": smallest improvement over the best other", "s", c.value("gap-least"), exact(low))
	s.show(figure+": largest improvement over the best other", "s", c.value("gap-most"), exact(high))
	return nil
}

// coshhTrace is a trace's name in table 4.
func coshhTrace(short string) string {
	if short == "yahoo" {
		return "Yahoo!"
	}
	return "Facebook"
}
