package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"schedtune/internal/report/svg"
	"schedtune/internal/stats"
	"schedtune/predict"
)

// Coupling: figures 1 to 16, tables I to IV. The baseline is the paper's: Fair
// with delay scheduling (T1 = T2 = 15 s in two steps) and greedy reduces.
// Calibrated: the cost of WordCount on its mean map time (48.5 s, section II.B)
// and of Grep on the span of figure 5. Judged: everything else.

const (
	couplingReps = 5
	couplingFair = "delay:pool=job,node-delay=15,rack-delay=0"
	couplingSpec = "coupling"
)

// couplingRuns runs schedulers on a set; figures per job as chosen.
func (r *runner) couplingRuns(set string, reps int, specs []string, figure func(*outcome) []float64) ([][][]float64, error) {
	ds, err := r.load(set)
	if err != nil {
		return nil, err
	}
	trials := make([]trial, len(specs))
	for i, s := range specs {
		trials[i] = trial{set: ds, scheduler: s, record: true}
	}
	return r.measure("Coupling "+set, reps, trials, figure)
}

func completions(o *outcome) []float64 {
	out := make([]float64, len(o.Jobs))
	for i := range o.Jobs {
		out[i] = o.Jobs[i].Completion().Seconds()
	}
	return out
}

// meanReduction is by how many percent the mean over jobs of a lies below b's,
// replication by replication.
func meanReduction(a, b [][]float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = 100 * (1 - stats.Mean(a[i])/stats.Mean(b[i]))
	}
	return out
}

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
		s.holds("no harm to "+n, "% lower", e, "at most 10 % longer", e.Mean > -10)
		if n == "sort1" {
			s.gain("Sort1 below Fair", c.value("sort1-single"), e)
		}
	}
	s.Charts = []Chart{{"single", bars("Processing time of single jobs", "job processing time, s", names, []string{"Fair", "Coupling"}, values[:])}}
	return []Section{s}, nil
}

// couplingPairs reproduces figures 1, 2 and 5 to 8 and table I.
func couplingPairs(r *runner) ([]Section, error) {
	c, err := loadClaims("coupling")
	if err != nil {
		return nil, err
	}
	f1 := Section{Paper: "coupling", ID: "figure 1", Title: "Starvation of a second Grep job", Source: "Coupling, section I.A", Setup: "data set coupling-two-greps; 5 replications"}
	wait := func(o *outcome) []float64 {
		return []float64{o.recording.starvation(&o.Jobs[1]), o.Jobs[0].Completion().Seconds(), o.Jobs[1].Completion().Seconds()}
	}
	m, err := r.couplingRuns("coupling-two-greps", couplingReps, []string{couplingFair, couplingSpec}, wait)
	if err != nil {
		return nil, err
	}
	f1.near("job 2's wait from its last map to its reduces, Fair", "min", c.value("two-greps-wait"), estimate(column(m[0], 0)), 0.5)
	e := estimate(column(m[1], 0))
	f1.holds("the same under Coupling", "min", e, "a tenth of Fair's at most", e.Mean <= 0.1*estimate(column(m[0], 0)).Mean)
	for j, n := range []string{"job 1", "job 2"} {
		e := estimate(reduction(column(m[1], j+1), column(m[0], j+1)))
		f1.holds(n+" faster with Coupling", "% lower", e, "interval above 0", e.Low > 0)
	}
	pictures, err := r.couplingPictures("coupling-two-greps")
	if err != nil {
		return nil, err
	}
	f1.Charts = pictures

	f6 := Section{Paper: "coupling", ID: "figure 6", Title: "Ten identical Grep jobs", Source: "Coupling, section II.A", Setup: "data set coupling-ten-greps; 5 replications"}
	f8 := Section{Paper: "coupling", ID: "figure 8", Title: "Map task processing times of the ten Grep jobs", Source: "Coupling, section II.A", Setup: f6.Setup}
	m, err = r.couplingRuns("coupling-ten-greps", couplingReps, []string{couplingFair, couplingSpec}, func(o *outcome) []float64 {
		return append(completions(o), o.recording.mapTook.Seconds()/float64(max(o.recording.maps, 1)), r.idle(o, "coupling-ten-greps"))
	})
	if err != nil {
		return nil, err
	}
	jobs := func(x [][]float64) [][]float64 {
		out := make([][]float64, len(x))
		for i := range x {
			out[i] = x[i][:10]
		}
		return out
	}
	f6.gain("mean job time below Fair's", c.value("grep10-response"), estimate(meanReduction(jobs(m[1]), jobs(m[0]))))
	f8.gain("mean map time below Fair's", c.value("map-time"), estimate(reduction(column(m[1], 10), column(m[0], 10))))
	t1 := Section{Paper: "coupling", ID: "table 1", Setup: f6.Setup}
	pub, err := published(&t1, "coupling", "1")
	if err != nil {
		return nil, err
	}
	for _, row := range pub.Rows {
		for k, col := range pub.Columns[1:] {
			v, err := strconv.ParseFloat(row[k+1], 64)
			if err != nil {
				return nil, err
			}
			if i := slices.Index([]string{"Fair", "Coupling"}, row[0]); col == "idle" && i >= 0 {
				t1.near(row[0]+" idle", "% of processor time", v, estimate(column(m[i], 11)), 0.25)
				continue
			}
			t1.absent(row[0]+" "+col, map[string]string{"iowait": "%", "idle": "%"}[col], v, "the operating system's counters are not modelled")
		}
	}
	less := estimate(difference(column(m[0], 11), column(m[1], 11)))
	t1.holds("processors idle less under Coupling", "% of processor time", less, "interval above 0", less.Low > 0)
	return []Section{f1, f6, t1, f8}, nil
}

// idle is the share of processor time, in percent, that no task used from the
// first submission to the end of the run; NaN where the set cannot be loaded.
func (r *runner) idle(o *outcome, set string) float64 {
	ds, err := r.load(set)
	if err != nil {
		return nan()
	}
	var cores int32
	for i := range ds.Cluster.Nodes {
		cores += ds.Cluster.Nodes[i].Cores
	}
	return 100 * (1 - o.Traffic.CPU.Seconds()/(float64(cores)*value(o, "makespan")))
}

// couplingPictures draws the papers' favourite picture: running maps and
// reduces over time, per scheduler.
func (r *runner) couplingPictures(set string) ([]Chart, error) {
	ds, err := r.load(set)
	if err != nil {
		return nil, err
	}
	var charts []Chart
	for _, s := range []struct{ name, spec string }{{"fair", couplingFair}, {"coupling", couplingSpec}} {
		o, err := r.run(&trial{set: ds, scheduler: s.spec, record: true, series: true}, r.opt.Seed)
		if err != nil {
			return nil, err
		}
		charts = append(charts, Chart{s.name, o.recording.picture("Running tasks under " + s.name)})
	}
	return charts, nil
}

// picture draws running maps and reduces over time.
func (r *recording) picture(title string) []byte {
	c := svg.Chart{Title: title, X: svg.Axis{Label: "time", Seconds: true}, Y: svg.Axis{Label: "running tasks"}}
	for k, name := range []string{"maps", "reduces"} {
		s := svg.Series{Name: name, Shape: svg.Step}
		for _, p := range r.steps[k] {
			s.Points = append(s.Points, svg.Point{X: p.at.Seconds(), Y: float64(p.n)})
		}
		s.Points = svg.Thin(s.Points, 400)
		c.Series = append(c.Series, s)
	}
	return c.File()
}

// couplingMaps reproduces equation 2, figures 10, 11, 13 and 15.
func couplingMaps(r *runner) ([]Section, error) {
	c, err := loadClaims("coupling")
	if err != nil {
		return nil, err
	}
	f10 := Section{Paper: "coupling", ID: "figure 10", Title: "WordCount where half of the nodes hold no input; equation 2", Source: "Coupling, section II.B",
		Setup: "data set coupling-wordcount; 5 replications"}
	ps := predict.AllLocalProbability(28, 48.5, 15, 427)
	f10.near("p_s of equation 2 (s = 28, 1/mu = 48.5 s, T = 15 s, N = 427)", "%", c.value("ps"), exact(100*ps), 0.01)
	specs := []string{couplingFair, "coupling:beta=0.1", "coupling:beta=0.5"}
	m, err := r.couplingRuns("coupling-wordcount", couplingReps, specs, func(o *outcome) []float64 {
		return []float64{o.Jobs[0].Completion().Seconds(), o.recording.mapTook.Seconds() / float64(o.recording.maps)}
	})
	if err != nil {
		return nil, err
	}
	f10.near("mean map time under Fair (calibrated)", "s", 48.5, estimate(column(m[0], 1)), 0.5)
	f11 := Section{Paper: "coupling", ID: "figure 11", Title: "Random peeking on the same job", Source: f10.Source, Setup: f10.Setup}
	f11.gain("beta = 0.1 below Fair", c.value("wordcount-beta01"), estimate(reduction(column(m[1], 0), column(m[0], 0))))
	f11.gain("beta = 0.5 below Fair", c.value("wordcount-beta05"), estimate(reduction(column(m[2], 0), column(m[0], 0))))

	f13 := Section{Paper: "coupling", ID: "figure 13", Title: "Ten Grep jobs without reduces (table III)", Source: "Coupling, section III.B", Setup: "data set coupling-maps-only; 5 replications"}
	f15 := Section{Paper: "coupling", ID: "figure 15", Title: "Maps with local data", Source: "Coupling, section III.B", Setup: f13.Setup}
	specs = []string{couplingFair, couplingSpec, "coupling:beta=0.1", "coupling:beta=0.5"}
	m, err = r.couplingRuns("coupling-maps-only", couplingReps, specs, func(o *outcome) []float64 {
		return append(completions(o), 100*value(o, "locality"))
	})
	if err != nil {
		return nil, err
	}
	jobs := make([][][]float64, len(m))
	for i := range m {
		for _, rep := range m[i] {
			jobs[i] = append(jobs[i], rep[:10])
		}
	}
	f13.gain("mean job time below Fair's", c.value("maps-only"), estimate(meanReduction(jobs[1], jobs[0])))
	local := make([]Estimate, len(m))
	for i := range m {
		local[i] = estimate(column(m[i], 10))
	}
	f15.holds("beta = 0.1 more local than beta = 0.5", "% of maps", local[2], "above beta = 0.5's", local[2].Mean > local[3].Mean)
	f15.holds("Fair between the two", "% of maps", local[0], "between", local[0].Mean > local[3].Mean && local[0].Mean < local[2].Mean)
	f15.show("beta = 0.5", "% of maps", math.NaN(), local[3])
	return []Section{f10, f11, f13, f15}, nil
}

// couplingSequence reproduces table IV and figure 3.
func couplingSequence(r *runner) ([]Section, error) {
	c, err := loadClaims("coupling")
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
	var ours, theirs [2][]float64
	for i, row := range pub.Rows {
		for k, col := range []string{"SF", "SC"} {
			v, err := pub.Float(row[0], col)
			if err != nil {
				return nil, err
			}
			e := estimate(column(m[k], n+i))
			ours[k], theirs[k] = append(ours[k], e.Mean), append(theirs[k], v)
			t4.judge(fmt.Sprintf("job %s %s, %s", row[0], row[1], col), "min", v, e, "within 1.5 min", math.Abs(e.Mean-v) <= 1.5)
		}
	}
	rank := stats.Spearman(ours[0], theirs[0])
	t4.holds("rank correlation of SF with the published", "Spearman", exact(rank), "at least 0.6", rank >= 0.6)
	t4.holds("total starvation, Coupling over Fair", "ratio (published "+fmt.Sprintf("%.2f", stats.Mean(theirs[1])/stats.Mean(theirs[0]))+")",
		exact(stats.Mean(ours[1])/stats.Mean(ours[0])), "below 0.5", stats.Mean(ours[1]) < 0.5*stats.Mean(ours[0]))

	f3 := Section{Paper: "coupling", ID: "figure 3", Title: "Job processing times of the sequence", Source: "Coupling, section I.C", Setup: t4.Setup}
	jobs := func(k int) [][]float64 {
		var out [][]float64
		for _, rep := range m[k] {
			out = append(out, rep[:n])
		}
		return out
	}
	f3.gain("mean job time below Fair's", c.value("sequence-response"), estimate(meanReduction(jobs(1), jobs(0))))
	ratio := make([]float64, len(m[0]))
	for i := range ratio {
		ratio[i] = m[0][i][2] / m[1][i][2]
	}
	e := estimate(ratio)
	f3.judge("job 3's time under Fair over Coupling's", "ratio", c.value("job3-speedup"), e, "at least half", e.Mean >= c.value("job3-speedup")/2)
	var values [2][]Estimate
	var names []string
	for i, row := range pub.Rows {
		names = append(names, row[0]+" "+row[1])
		for k := range values {
			values[k] = append(values[k], estimate(column(m[k], i)))
		}
	}
	f3.Charts = []Chart{{"jobs", bars("Job processing time", "job processing time, s", names, []string{"Fair", "Coupling"}, values[:])}}
	return []Section{f3, t4}, nil
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
		if sorted[1][i] <= sorted[0][i] {
			below++
		}
	}
	s.holds("quantiles at which Coupling is not slower", "% of 19", exact(100*float64(below)/float64(points)), "all", below == points)
	s.Charts = []Chart{{"distribution", chart.File()}}
	return []Section{s}, nil
}
