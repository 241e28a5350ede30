package papers

import (
	"slices"
	"strconv"

	"schedtune/internal/report/svg"
	"schedtune/internal/stats"
	"schedtune/predict"
	"schedtune/simcore"
)

// Coupling: figures 1, 5 to 8, 10, 11, 13 to 15 and table I; the other tables
// stand in couplingjobs.go. The baseline is the paper's: Fair with delay
// scheduling (T1 = T2 = 15 s in two steps) and greedy reduces.

const (
	couplingReps = 5
	couplingFair = "delay:pool=job,node-delay=15,rack-delay=0,clock=true,assign=each"
	couplingSpec = "coupling:assign=each"
)

// couplingRuns runs schedulers on a set; figures per job as chosen.
func (r *runner) couplingRuns(set string, reps int, specs []string, figure func(*outcome) []float64) ([][][]float64, error) {
	ds, err := r.load(set)
	if err != nil {
		return nil, err
	}
	trials := make([]trial, len(specs))
	for i, s := range specs {
		trials[i] = trial{set: ds, scheduler: s, record: true, series: set == "coupling-wordcount"}
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

func minutes(t simcore.Time) float64 { return t.Seconds() / 60 }

// couplingPairs reproduces figures 1, 2 and 5 to 8 and table I.
func couplingPairs(r *runner) ([]Section, error) {
	f1, err := r.couplingTwo()
	if err != nil {
		return nil, err
	}
	ten, err := r.couplingTen()
	return append([]Section{f1}, ten...), err
}

// couplingTwo reproduces figure 1.
func (r *runner) couplingTwo() (Section, error) {
	f1 := Section{Paper: "coupling", ID: "figure 1", Title: "Starvation of a second Grep job", Source: "Coupling, section I.A", Setup: "data set coupling-two-greps; 5 replications"}
	c, err := loadClaims("coupling")
	if err != nil {
		return f1, err
	}
	tol, err := loadTolerances()
	if err != nil {
		return f1, err
	}
	m, err := r.couplingRuns("coupling-two-greps", couplingReps, []string{couplingFair, couplingSpec}, func(o *outcome) []float64 {
		return []float64{
			o.recording.starvation(&o.Jobs[1]), o.Jobs[0].Completion().Seconds(), o.Jobs[1].Completion().Seconds(),
			minutes(o.recording.reduceStart(0, 13)), minutes(o.Jobs[1].MapsDone), minutes(o.recording.reduceStart(1, 0)),
		}
	})
	if err != nil {
		return f1, err
	}
	f1.near("job 1 has taken all 14 reduce slots, Fair", "min", c.value("two-greps-reduces-taken"), estimate(column(m[0], 3)), tol.time, "times")
	f1.near("job 2's last map ends, Fair", "min", c.value("two-greps-maps"), estimate(column(m[0], 4)), tol.time, "times")
	f1.near("job 2's first reduce, Fair", "min", c.value("two-greps-reduce"), estimate(column(m[0], 5)), tol.time, "times")
	f1.near("job 2's wait from its last map to its reduces, Fair", "min", c.value("two-greps-wait"), estimate(column(m[0], 0)), tol.time, "")
	f1.apart("repeats the two times above")
	wait := estimate(reduction(column(m[1], 0), column(m[0], 0)))
	f1.claim("the wait under Coupling", "% lower", nan(), wait, noDifference, "at least 90", func(e Estimate) bool { return e.Mean >= 90 })
	for j, n := range []string{"job 1", "job 2"} {
		f1.above(n+" faster with Coupling", "% lower", estimate(reduction(column(m[1], j+1), column(m[0], j+1))))
	}
	f1.Charts, err = r.couplingPictures("coupling-two-greps")
	return f1, err
}

// couplingTen reproduces figures 5, 6 and 8 and table I.
func (r *runner) couplingTen() ([]Section, error) {
	c, tol, err := loadJudging("coupling")
	if err != nil {
		return nil, err
	}
	const set = "coupling-ten-greps"
	f5 := Section{Paper: "coupling", ID: "figure 5", Title: "Reduces of ten identical Grep jobs under Fair", Source: "Coupling, section II.A", Setup: "data set coupling-ten-greps; 5 replications"}
	f6 := Section{Paper: "coupling", ID: "figure 6", Title: "Ten identical Grep jobs", Source: f5.Source, Setup: f5.Setup}
	f8 := Section{Paper: "coupling", ID: "figure 8", Title: "Map task processing times of the ten Grep jobs", Source: f5.Source, Setup: f5.Setup}
	m, err := r.couplingRuns(set, couplingReps, []string{couplingFair, couplingSpec}, func(o *outcome) []float64 {
		return append(completions(o), o.recording.mapTook.Seconds()/float64(max(o.recording.maps, 1)), r.idle(o, set),
			minutes(o.recording.reduceStart(2, 0)), minutes(o.recording.reduceStart(3, 0)))
	})
	if err != nil {
		return nil, err
	}
	f5.near("first reduce of job 3", "min", c.value("grep10-job3"), estimate(column(m[0], 12)), tol.time, "")
	f5.near("first reduce of job 4", "min", c.value("grep10-job4"), estimate(column(m[0], 13)), tol.time, "")
	f6.gain("mean job time below Fair's", c.value("grep10-response"), estimate(meanReduction(firstOf(m[1], 10), firstOf(m[0], 10))))
	f8.gain("mean map time below Fair's", c.value("map-time"), estimate(reduction(column(m[1], 10), column(m[0], 10))))
	t1 := Section{Paper: "coupling", ID: "table 1", Setup: f6.Setup}
	pub, err := published(&t1, "coupling", "1")
	if err != nil {
		return nil, err
	}
	idle := map[string]float64{}
	for _, row := range pub.Rows {
		for k, col := range pub.Columns[1:] {
			v, err := strconv.ParseFloat(row[k+1], 64)
			if err != nil {
				return nil, err
			}
			if i := slices.Index([]string{"Fair", "Coupling"}, row[0]); col == "idle" && i >= 0 {
				idle[row[0]] = v
				t1.near(row[0]+" idle", "% of processor time", v, estimate(column(m[i], 11)), tol.time, col)
				continue
			}
			t1.absent(row[0]+" "+col, map[string]string{"iowait": "%", "idle": "%"}[col], v, tol.time*v, col, "the operating system's counters are not modelled")
		}
	}
	t1.gain("idle time below Fair's", 100*(1-idle["Coupling"]/idle["Fair"]), estimate(reduction(column(m[1], 11), column(m[0], 11))))
	return []Section{f5, f6, t1, f8}, nil
}

// firstOf keeps the first n figures of every replication.
func firstOf(x [][]float64, n int) [][]float64 {
	out := make([][]float64, len(x))
	for i := range x {
		out[i] = x[i][:n]
	}
	return out
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

// couplingMaps reproduces equation 2, figures 10, 11 and 13 to 15.
func couplingMaps(r *runner) ([]Section, error) {
	c, tol, err := loadJudging("coupling")
	if err != nil {
		return nil, err
	}
	f10 := Section{Paper: "coupling", ID: "figure 10", Title: "WordCount where half of the nodes hold no input; equation 2", Source: "Coupling, section II.B",
		Setup: "data set coupling-wordcount; 5 replications"}
	ps := predict.AllLocalProbability(28, 48.5, 15, 427)
	f10.near("p_s of equation 2 (s = 28, 1/mu = 48.5 s, T = 15 s, N = 427)", "%", c.value("ps"), exact(100*ps), 0.001, "")
	f10.apart(arithmetic)
	specs := []string{couplingFair, couplingSpec + ",beta=0.1", couplingSpec + ",beta=0.5"}
	m, err := r.couplingRuns("coupling-wordcount", couplingReps, specs, func(o *outcome) []float64 {
		return []float64{o.Jobs[0].Completion().Seconds(), o.recording.mapTook.Seconds() / float64(o.recording.maps), minutes(o.recording.reached(simcore.Map, 44))}
	})
	if err != nil {
		return nil, err
	}
	f10.near("mean map time under Fair", "s", 48.5, estimate(column(m[0], 1)), tol.time, "")
	f10.calibrates("WordCount's cost is set by it")
	f10.near("maps run on more than 28 + 16 slots, Fair", "min", c.value("wordcount-jump"), estimate(column(m[0], 2)), tol.time, "")
	f11 := Section{Paper: "coupling", ID: "figure 11", Title: "Random peeking on the same job", Source: f10.Source, Setup: f10.Setup}
	b1, b5 := c.value("wordcount-beta01"), c.value("wordcount-beta05")
	f11.gain("beta = 0.1 below Fair", b1, estimate(reduction(column(m[1], 0), column(m[0], 0))))
	f11.gain("beta = 0.5 below Fair", b5, estimate(reduction(column(m[2], 0), column(m[0], 0))))
	f11.gain("beta = 0.5 below beta = 0.1 (of the two)", 100*(1-(100-b5)/(100-b1)), estimate(reduction(column(m[2], 0), column(m[1], 0))))
	rest, err := r.couplingMapsOnly(c)
	return append([]Section{f10, f11}, rest...), err
}

// couplingMapsOnly reproduces figures 13 to 15.
func (r *runner) couplingMapsOnly(c *claims) ([]Section, error) {
	f13 := Section{Paper: "coupling", ID: "figure 13", Title: "Ten Grep jobs without reduces (table III)", Source: "Coupling, section III.B", Setup: "data set coupling-maps-only; 5 replications"}
	f14 := Section{Paper: "coupling", ID: "figure 14", Title: "Network traffic of the same jobs", Source: f13.Source, Setup: f13.Setup}
	f15 := Section{Paper: "coupling", ID: "figure 15", Title: "Maps with local data", Source: f13.Source, Setup: f13.Setup}
	specs := []string{couplingFair, couplingSpec, couplingSpec + ",beta=0.1", couplingSpec + ",beta=0.5"}
	m, err := r.couplingRuns("coupling-maps-only", couplingReps, specs, func(o *outcome) []float64 {
		return append(completions(o), 100*value(o, "locality"), float64(o.Traffic.In)/1e9)
	})
	if err != nil {
		return nil, err
	}
	f13.gain("mean job time below Fair's", c.value("maps-only"), estimate(meanReduction(firstOf(m[1], 10), firstOf(m[0], 10))))
	f14.above("more traffic under Coupling than under Fair", "GB", estimate(difference(column(m[1], 11), column(m[0], 11))))
	local := func(i int) []float64 { return column(m[i], 10) }
	f15.above("beta = 0.1 more local than beta = 0.5", "% of maps", estimate(difference(local(2), local(3))))
	f15.above("Fair more local than beta = 0.5", "% of maps", estimate(difference(local(0), local(3))))
	f15.above("beta = 0.1 more local than Fair", "% of maps", estimate(difference(local(2), local(0))))
	for i, n := range []string{"Fair", "Coupling", "beta = 0.1", "beta = 0.5"} {
		f15.show(n, "% of maps", nan(), estimate(local(i)))
	}
	return []Section{f13, f14, f15}, nil
}
