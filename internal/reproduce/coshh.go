package reproduce

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/datasets"
	"schedtune/lp"
	"schedtune/simcore/sched"
)

// COSHH: tables 6 to 9 and 12, figures 5 to 28, and the worked linear program
// of section 3.2. Calibrated: the storage rate of the small resources, on the
// Yahoo! workload's reduction against FIFO (figure 6). Judged: everything else.

const coshhReps = 8

var coshhSchedulers = []string{"fifo", "fair", "coshh"}

// coshhNames are the paper's names, in the order of coshhSchedulers.
var coshhNames = []string{"FIFO", "Fair", "COSHH"}

// coshhFigures are the paper's five metrics of a run, without the fifth.
func coshhFigures(o *outcome) []float64 {
	return []float64{value(o, "mean-completion"), value(o, "dissatisfaction"), value(o, "fairness"), 100 * value(o, "locality"), o.took.Seconds()}
}

func (r *runner) coshhRuns(what string, ds *datasets.Set, reps int, specs []string, timed bool) ([][][]float64, error) {
	trials := make([]trial, len(specs))
	for i, s := range specs {
		trials[i] = trial{set: ds, scheduler: s, timed: timed, options: sched.Options{ByLack: true}}
	}
	return r.measure(what, reps, trials, coshhFigures)
}

// coshhProgram checks the worked example of section 3.2.
func coshhProgram(*runner) ([]Section, error) {
	c, err := loadClaims("coshh")
	if err != nil {
		return nil, err
	}
	s := Section{Paper: "coshh", ID: "section 3.2", Title: "Worked linear program", Source: "COSHH, section 3.2", Setup: "package lp"}
	a, err := lp.MaxLambda([]float64{2.45, 2.45}, [][]float64{{9, 5}, {2, 1}})
	if err != nil {
		return nil, err
	}
	s.near("lambda", "ratio", c.value("lp-lambda"), exact(a.Lambda), 1e-4)
	for i, row := range [][]float64{{0, 0.5}, {1, 0.5}} {
		for j, want := range row {
			s.judge(fmt.Sprintf("delta %d,%d", i+1, j+1), "share", want, exact(a.Delta[i][j]), "equal", math.Abs(a.Delta[i][j]-want) < 1e-9)
		}
	}
	return []Section{s}, nil
}

// coshhMain reproduces figures 5 to 12 and tables 6 to 9.
func coshhMain(r *runner) ([]Section, error) {
	c, err := loadClaims("coshh")
	if err != nil {
		return nil, err
	}
	var out []Section
	for _, e := range []struct {
		set, trace, completion, table, overhead string
		homogeneous                             bool
	}{
		{"coshh-yahoo", "yahoo", "figure 6", "6", "figure 7", false},
		{"coshh-facebook", "facebook", "figure 5", "7", "figure 8", false},
		{"coshh-yahoo-homogeneous", "yahoo", "figure 10", "8", "figure 11", true},
		{"coshh-facebook-homogeneous", "facebook", "figure 9", "9", "figure 12", true},
	} {
		ds, err := r.load(e.set)
		if err != nil {
			return nil, err
		}
		m, err := r.coshhRuns("COSHH "+e.set, ds, coshhReps, coshhSchedulers, true)
		if err != nil {
			return nil, err
		}
		setup := fmt.Sprintf("data set %s; fifo, fair, coshh; %d replications", e.set, coshhReps)
		f := Section{Paper: "coshh", ID: e.completion, Title: "Mean completion time, " + e.set, Source: "COSHH, " + e.completion, Setup: setup}
		mean := func(i int) []float64 { return column(m[i], 0) }
		if e.homogeneous {
			f.gain("Fair below FIFO", c.value(e.trace+"-homogeneous-fair-vs-fifo"), estimate(reduction(mean(1), mean(0))))
			f.gain("COSHH below Fair", c.value(e.trace+"-homogeneous-vs-fair"), estimate(reduction(mean(2), mean(1))))
		} else {
			f.gain("COSHH below FIFO", c.value(e.trace+"-vs-fifo"), estimate(reduction(mean(2), mean(0))))
			f.gain("COSHH below Fair", c.value(e.trace+"-vs-fair"), estimate(reduction(mean(2), mean(1))))
			worse := estimate(reduction(mean(0), mean(1)))
			f.holds("Fair slower than FIFO", "% FIFO below Fair", worse, "interval above 0", worse.Low > 0)
		}
		var bar []Estimate
		for i := range coshhNames {
			bar = append(bar, estimate(mean(i)))
			f.show("mean completion time, "+coshhNames[i], "s", math.NaN(), bar[i])
		}
		f.Charts = []Chart{{"completion", bars(f.Title, "mean completion time, s", coshhNames, []string{"mean completion"}, [][]Estimate{bar})}}
		t, err := coshhTable(e.table, setup, m)
		if err != nil {
			return nil, err
		}
		out = append(out, f, t)
		if r.opt.Clock != nil {
			o := Section{Paper: "coshh", ID: e.overhead, Title: "Scheduling overhead, " + e.set, Source: "COSHH, " + e.overhead, Setup: setup, Measured: true}
			for i, n := range coshhNames {
				o.show("time spent in the scheduler, "+n, "s", math.NaN(), estimate(column(m[i], 4)))
			}
			extra := estimate(difference(column(m[2], 4), column(m[0], 4)))
			o.judge("added by COSHH over FIFO", "s", c.value("overhead-seconds"), extra, "at most the published", extra.Mean <= c.value("overhead-seconds"))
			out = append(out, o)
		}
	}
	return out, nil
}

func difference(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// coshhTable fills one of tables 6 to 9. The paper's units of dissatisfaction
// and fairness depend on how often they were sampled, which it does not say;
// what is judged is the order of the three schedulers.
func coshhTable(id, setup string, m [][][]float64) (Section, error) {
	s := Section{Paper: "coshh", ID: "table " + id, Setup: setup}
	t, err := published(&s, "coshh", id)
	if err != nil {
		return s, err
	}
	for _, row := range t.Rows {
		k := map[string]int{"Dissatisfaction": 1, "Fairness": 2, "Locality": 3}[row[0]]
		var pub [3]float64
		var ours [3]Estimate
		for i := range pub {
			if pub[i], err = strconv.ParseFloat(row[i+1], 64); err != nil {
				return s, err
			}
			ours[i] = estimate(column(m[i], k))
			if k == 3 {
				s.near(row[0]+", "+coshhNames[i], "%", pub[i], ours[i], 0.05)
			} else {
				s.show(row[0]+", "+coshhNames[i], "as in section 5.1", pub[i], ours[i])
			}
		}
		if k == 3 {
			continue
		}
		for _, p := range [][2]int{{1, 0}, {2, 0}, {1, 2}} {
			a, b := p[0], p[1]
			e := estimate(difference(column(m[b], k), column(m[a], k)))
			above := pub[a] < pub[b]
			s.holds(fmt.Sprintf("%s: %s against %s", row[0], coshhNames[a], coshhNames[b]), "difference", e,
				fmt.Sprintf("%s as published", map[bool]string{true: "lower", false: "higher"}[above]), above == (e.Mean > 0))
		}
	}
	return s, nil
}

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
	overhead   func(o *Section, times [3]Estimate) // at the largest number
}

// coshhScaling fills the four figures; those of scheduling times with a clock
// only.
func (r *runner) coshhScaling(c *coshhScale) ([]Section, error) {
	var completion, overhead []Section
	for i, trace := range []string{"Yahoo!", "Facebook"} {
		f := Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", c.figure+i), Title: fmt.Sprintf("Completion time over the number of %s, %s", c.what, trace),
			Source: c.source, Setup: fmt.Sprintf(c.setup, trace)}
		o := Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", c.figure+2+i), Title: fmt.Sprintf("Scheduling time over the number of %s, %s", c.what, trace),
			Source: f.Source, Setup: f.Setup, Measured: true}
		var xs []float64
		var curves, times [3][]Estimate
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
				times[k] = append(times[k], estimate(column(m[k], 4)))
			}
			xs = append(xs, float64(n))
		}
		c.completion(&f, xs, curves)
		f.Charts = []Chart{{c.what, curve(f.Title, c.what, "mean completion time, s", xs, coshhNames, curves[:])}}
		completion = append(completion, f)
		if r.opt.Clock != nil {
			last := len(xs) - 1
			c.overhead(&o, [3]Estimate{times[0][last], times[1][last], times[2][last]})
			o.Charts = []Chart{{"overhead", curve(o.Title, c.what, "scheduling time, s", xs, coshhNames, times[:])}}
			overhead = append(overhead, o)
		}
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
		counts: []int{5, 10, 20, 30, 50, 75, 100}, reps: 5, load: datasets.CoshhJobs,
		completion: func(f *Section, xs []float64, curves [3][]Estimate) {
			few := curves[2][0].Mean / math.Min(curves[0][0].Mean, curves[1][0].Mean)
			f.holds("COSHH slower than the best other with 5 jobs", "ratio", exact(few), "above 1", few > 1)
			first := math.NaN()
			for k := len(xs) - 1; k >= 0 && curves[2][k].Mean < math.Min(curves[0][k].Mean, curves[1][k].Mean); k-- {
				first = xs[k]
			}
			f.judge("jobs from which COSHH is best", "jobs", c.value("crossover-jobs"), exact(first), "at most 50", first <= 50)
		},
		overhead: func(o *Section, times [3]Estimate) {
			o.holds("COSHH costs most at 100 jobs", "s", times[2], "above FIFO and Fair", times[2].Mean > math.Max(times[0].Mean, times[1].Mean))
		},
	})
}

// coshhResources reproduces figures 17 to 20: over the number of resources.
func coshhResources(r *runner) ([]Section, error) {
	c, err := loadClaims("coshh")
	if err != nil {
		return nil, err
	}
	const at57 = 3 // place of 57 resources
	return r.coshhScaling(&coshhScale{
		what: "resources", figure: 17, source: "COSHH, section 6.2.2", setup: "data set coshh-%s on 6 to 102 resources of table 10; 2 replications",
		counts: []int{6, 18, 36, 57, 78, 102}, reps: 2, load: datasets.CoshhResources,
		completion: func(f *Section, xs []float64, curves [3][]Estimate) {
			for k, n := range coshhNames {
				drop := 100 * (1 - curves[k][at57].Mean/curves[k][0].Mean)
				f.holds(n+": fewer seconds at 57 resources than at 6", "% lower", exact(drop), "above 0", drop > 0)
			}
			best := 0
			for k := range xs {
				if curves[2][k].Mean < curves[2][best].Mean {
					best = k
				}
			}
			f.judge("resources at which COSHH's completion time is lowest", "resources", c.value("minimum-resources"), exact(xs[best]),
				"an inner point", best > 0 && best < len(xs)-1)
		},
		overhead: func(o *Section, times [3]Estimate) {
			most := c.value("scalability-overhead-seconds")
			o.judge("COSHH's scheduling time at 102 resources", "s", most, times[2], "at most the published", times[2].Mean <= most)
		},
	})
}

// coshhSensitivity reproduces figures 21 to 24: errors of estimates.
func coshhSensitivity(r *runner) ([]Section, error) {
	var completion, overhead []Section
	errs := []float64{0, 10, 20, 30, 40}
	for i, set := range []string{"coshh-yahoo", "coshh-facebook"} {
		ds, err := r.load(set)
		if err != nil {
			return nil, err
		}
		specs := []string{"fifo", "fair"}
		for _, e := range errs {
			specs = append(specs, fmt.Sprintf("coshh:error=%g", e))
		}
		m, err := r.coshhRuns("COSHH sensitivity "+set, ds, coshhReps, specs, true)
		if err != nil {
			return nil, err
		}
		f := Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", 21+i), Title: "Sensitivity to errors of estimates, " + set, Source: "COSHH, section 6.3",
			Setup: fmt.Sprintf("data set %s, coshh with errors up to 40 %%; %d replications (the paper: 30)", set, coshhReps)}
		var line []Estimate
		for k, e := range errs {
			own := column(m[k+2], 0)
			line = append(line, estimate(own))
			for b := range 2 {
				g := estimate(reduction(own, column(m[b], 0)))
				f.holds(fmt.Sprintf("COSHH-%g below %s", e, coshhNames[b]), "% lower", g, "interval above 0", g.Low > 0)
			}
		}
		ten := estimate(reduction(column(m[3], 0), column(m[2], 0)))
		f.holds("COSHH-10 against COSHH-0", "% lower", ten, "interval contains 0 or above", ten.High > 0)
		f.Charts = []Chart{{"error", curve(f.Title, "largest error, %", "mean completion time, s", errs, []string{"COSHH"}, [][]Estimate{line})}}
		completion = append(completion, f)
		if r.opt.Clock != nil {
			o := Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", 23+i), Title: "Scheduling time over errors of estimates, " + set, Source: f.Source, Setup: f.Setup, Measured: true}
			for k, e := range errs {
				o.show(fmt.Sprintf("COSHH-%g", e), "s", math.NaN(), estimate(column(m[k+2], 4)))
			}
			overhead = append(overhead, o)
		}
	}
	return append(completion, overhead...), nil
}

// coshhReal reproduces table 12 and figures 25 to 28 on table 11's cluster.
func coshhReal(r *runner) ([]Section, error) {
	c, err := loadClaims("coshh")
	if err != nil {
		return nil, err
	}
	var sections []Section
	homogeneous, err := r.load("coshh-real")
	if err != nil {
		return nil, err
	}
	users, err := r.load("coshh-facebook")
	if err != nil {
		return nil, err
	}
	heterogeneous := *homogeneous
	heterogeneous.Pools, heterogeneous.Name = users.Pools, "coshh-real with table 5's users"
	mh, err := r.coshhRuns("COSHH real cluster, users of table 5", &heterogeneous, coshhReps, coshhSchedulers, false)
	if err != nil {
		return nil, err
	}
	m, err := r.coshhRuns("COSHH real cluster", homogeneous, coshhReps, coshhSchedulers, true)
	if err != nil {
		return nil, err
	}
	setup := fmt.Sprintf("data set coshh-real; fifo, fair, coshh; %d replications", coshhReps)
	t := Section{Paper: "coshh", ID: "table 12", Setup: "data set coshh-real with the users of table 5"}
	pub, err := published(&t, "coshh", "12")
	if err != nil {
		return nil, err
	}
	var d [3]Estimate
	for i, n := range coshhNames {
		v, err := pub.Float("Dissatisfaction", n)
		if err != nil {
			return nil, err
		}
		d[i] = estimate(column(mh[i], 1))
		t.show("Dissatisfaction, "+n, "as in section 5.1", v, d[i])
	}
	t.holds("order Fair, COSHH, FIFO", "dissatisfaction of COSHH", d[2], "between Fair and FIFO", d[1].Mean < d[2].Mean && d[2].Mean < d[0].Mean)
	sections = append(sections, t)
	onCluster := func(figure int, title string) *Section {
		sections = append(sections, Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", figure), Title: title + " on the real cluster", Source: "COSHH, section 7", Setup: setup})
		return &sections[len(sections)-1]
	}
	f := onCluster(25, "Mean completion time")
	above := func(what string, of, base [][]float64) {
		g := estimate(reduction(column(of, 0), column(base, 0)))
		f.holds(what, "% lower", g, "interval above 0", g.Low > 0)
	}
	above("homogeneous users: Fair below FIFO", m[1], m[0])
	above("heterogeneous users: FIFO below Fair", mh[0], mh[1])
	above("COSHH below FIFO", m[2], m[0])
	above("COSHH below Fair", m[2], m[1])
	g := estimate(difference(column(m[0], 2), column(m[1], 2)))
	onCluster(26, "Fairness").holds("Fair fairer than FIFO", "difference", g, "above 0", g.Mean > 0)
	g = estimate(difference(column(m[2], 3), column(m[1], 3)))
	onCluster(27, "Locality").holds("COSHH's locality against Fair's", "% of maps", g, "not below", g.High > 0)
	if r.opt.Clock != nil {
		o := onCluster(28, "Scheduling time")
		o.Measured = true
		e := estimate(column(m[2], 4))
		o.judge("COSHH", "s", c.value("real-overhead-seconds"), e, "at most the published", e.Mean <= c.value("real-overhead-seconds"))
	}
	return sections, nil
}
