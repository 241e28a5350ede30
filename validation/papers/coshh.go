package papers

import (
	"fmt"
	"math"
	"strconv"

	"schedtune/datasets"
	"schedtune/lp"
	"schedtune/simcore"
)

// COSHH: tables 6 to 9, figures 5 to 12, and the worked linear program of section
// 3.2; figures 13 to 24 stand in coshhscale.go, the real cluster in coshhreal.go.

const coshhReps = 8

// coshhSchedulers are the simulated ones: Fair is the sharing rule of its report,
// without the load manager of Hadoop's implementation.
var coshhSchedulers = []string{"fifo", "fair:spread=false", coshhSpec}

// coshhSpec is COSHH with the time that its programs keep the master busy
// (datasets/choices.go).
const coshhSpec = "coshh:charge=0.3"

// coshhUnits are the units of our figures of section 5.1.
var coshhUnits = map[string]string{"Dissatisfaction": "as in section 5.1", "Fairness": "shares of the cluster's slots"}

// coshhRealSchedulers ran on Hadoop 0.20.
var coshhRealSchedulers = []string{"fifo", "fair:assign=one", coshhSpec}

// coshhNames are the paper's names, in the order of coshhSchedulers.
var coshhNames = []string{"FIFO", "Fair", "COSHH"}

// coshhFigures are the paper's five metrics of a run, the scheduling time as operations
// and, with a clock, in seconds; fairness counts slots as shares of the cluster's
// (datasets/choices.go).
func coshhFigures(o *outcome) []float64 {
	slots := float64(o.Slots[simcore.MapSlots] + o.Slots[simcore.ReduceSlots])
	return []float64{value(o, "mean-completion"), value(o, "dissatisfaction"), value(o, "fairness") / slots, 100 * value(o, "locality"), o.ops, o.took.Seconds()}
}

func (r *runner) coshhRuns(what string, ds *datasets.Set, reps int, specs []string, timed bool) ([][][]float64, error) {
	trials := make([]trial, len(specs))
	for i, s := range specs {
		trials[i] = trial{set: ds, scheduler: s, timed: timed}
	}
	return r.measure(what, reps, trials, coshhFigures)
}

// arithmetic sets checks of our own arithmetic apart.
const arithmetic = "arithmetic of the paper, no outcome"

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
	s.near("lambda", "ratio", c.value("lp-lambda"), exact(a.Lambda), 1e-4, "")
	s.apart(arithmetic)
	for i, row := range [][]float64{{0, 0.5}, {1, 0.5}} {
		for j, want := range row {
			s.within(fmt.Sprintf("delta %d,%d", i+1, j+1), "share", want, exact(a.Delta[i][j]), 1e-9, "equal", "")
			s.apart(arithmetic)
		}
	}
	return []Section{s}, nil
}

// coshhExperiment is one of the four of sections 5.3 and 6.1.
type coshhExperiment struct {
	set, trace, completion, table, overhead string
	homogeneous                             bool
}

var coshhExperiments = []coshhExperiment{
	{"coshh-yahoo", "yahoo", "figure 6", "6", "figure 7", false},
	{"coshh-facebook", "facebook", "figure 5", "7", "figure 8", false},
	{"coshh-yahoo-homogeneous", "yahoo", "figure 10", "8", "figure 11", true},
	{"coshh-facebook-homogeneous", "facebook", "figure 9", "9", "figure 12", true},
}

// coshhMain reproduces figures 5 to 12 and tables 6 to 9.
func coshhMain(r *runner) ([]Section, error) {
	c, err := loadClaims("coshh")
	if err != nil {
		return nil, err
	}
	var out []Section
	took := map[string][3][]float64{} // scheduling time by trace with the users of table 5
	for _, e := range coshhExperiments {
		ds, err := r.coshh.Set(coshhTrace(e.trace), e.homogeneous)
		if err != nil {
			return nil, err
		}
		m, err := r.coshhRuns("COSHH "+e.set, ds, coshhReps, coshhSchedulers, true)
		if err != nil {
			return nil, err
		}
		setup := fmt.Sprintf("data set %s; fifo, fair, coshh; %d replications", e.set, coshhReps)
		t, err := coshhTable(e.table, setup, m)
		if err != nil {
			return nil, err
		}
		out = append(out, coshhCompletion(c, e, setup, m), t)
		o := Section{Paper: "coshh", ID: e.overhead, Title: "Scheduling overhead, " + e.set, Source: "COSHH, " + e.overhead, Setup: setup}
		var now [3][]float64
		for i, n := range coshhNames {
			now[i] = column(m[i], coshhOps)
			o.show("operations of the scheduler, "+n, opsUnit, nan(), estimate(now[i]))
		}
		r.coshhSeconds(&o, coshhNames, m)
		if r.opt.Clock != nil {
			o.show("added by COSHH over FIFO (the paper's Java: about)", "s", c.value("overhead-seconds"), estimate(difference(column(m[2], coshhTook), column(m[0], coshhTook))))
		}
		if before, ok := took[e.trace]; ok {
			for i := 1; i < 3; i++ {
				o.above(coshhNames[i]+": less than with the users of table 5", opsUnit, estimate(difference(before[i], now[i])))
			}
		} else {
			took[e.trace] = now
			o.above("FIFO costs less than Fair", opsUnit, estimate(difference(now[1], now[0])))
			o.above("FIFO costs less than COSHH", opsUnit, estimate(difference(now[2], now[0])))
		}
		out = append(out, o)
	}
	return out, nil
}

// coshhCompletion fills one of figures 5, 6, 9 and 10.
func coshhCompletion(c *claims, e coshhExperiment, setup string, m [][][]float64) Section {
	f := Section{Paper: "coshh", ID: e.completion, Title: "Mean completion time, " + e.set, Source: "COSHH, " + e.completion, Setup: setup}
	fifo, fair, own := column(m[0], 0), column(m[1], 0), column(m[2], 0)
	if e.homogeneous {
		f.gain("Fair below FIFO", c.value(e.trace+"-homogeneous-fair-vs-fifo"), estimate(reduction(fair, fifo)))
		f.gain("COSHH below Fair", c.value(e.trace+"-homogeneous-vs-fair"), estimate(reduction(own, fair)))
	} else {
		vsFIFO, vsFair := c.value(e.trace+"-vs-fifo"), c.value(e.trace+"-vs-fair")
		f.gain("COSHH below FIFO", vsFIFO, estimate(reduction(own, fifo)))
		f.gain("COSHH below Fair", vsFair, estimate(reduction(own, fair)))
		f.gain("FIFO below Fair (of the two)", 100*(1-(100-vsFair)/(100-vsFIFO)), estimate(reduction(fifo, fair)))
		least, most := c.value("improvement-seconds"), c.value("gap-most")
		f.between("COSHH's improvement over FIFO", "s", least, estimate(difference(fifo, own)), noDifference, least, 1.3*most)
	}
	var bar []Estimate
	for i := range coshhNames {
		bar = append(bar, estimate(column(m[i], 0)))
		f.show("mean completion time, "+coshhNames[i], "s", nan(), bar[i])
	}
	f.Charts = []Chart{{"completion", bars(f.Title, "mean completion time, s", coshhNames, []string{"mean completion"}, [][]Estimate{bar})}}
	return f
}

func difference(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// coshhTable fills one of tables 6 to 9: the three metrics as magnitudes, sampled
// whenever a job ends (section 5.2), and the order of the schedulers as claims.
func coshhTable(id, setup string, m [][][]float64) (Section, error) {
	s := Section{Paper: "coshh", ID: "table " + id, Setup: setup}
	t, err := published(&s, "coshh", id)
	if err != nil {
		return s, err
	}
	tol, err := loadTolerances()
	if err != nil {
		return s, err
	}
	for _, row := range t.Rows {
		k := map[string]int{"Dissatisfaction": 1, "Fairness": 2, "Locality": 3}[row[0]]
		var pub [3]float64
		for i := range pub {
			if pub[i], err = strconv.ParseFloat(row[i+1], 64); err != nil {
				return s, err
			}
			what, ours := row[0]+", "+coshhNames[i], estimate(column(m[i], k))
			if k == 3 {
				s.within(what, "%", pub[i], ours, tol.locality, fmt.Sprintf("within %.2g points", tol.locality), row[0])
			} else {
				s.near(what, coshhUnits[row[0]], pub[i], ours, tol.time, row[0])
			}
		}
		if k == 3 {
			continue
		}
		for _, p := range [][2]int{{1, 0}, {2, 0}, {1, 2}} {
			a, b := p[0], p[1]
			s.order(fmt.Sprintf("%s: %s below %s", row[0], coshhNames[a], coshhNames[b]), "difference",
				estimate(difference(column(m[b], k), column(m[a], k))), pub[a] < pub[b])
		}
	}
	return s, nil
}

// coshhDissatisfaction fills table 12.
func coshhDissatisfaction(m [][][]float64) (Section, error) {
	t := Section{Paper: "coshh", ID: "table 12", Setup: "data set coshh-real-users: coshh-real with the users of table 5"}
	pub, err := published(&t, "coshh", "12")
	if err != nil {
		return t, err
	}
	tol, err := loadTolerances()
	if err != nil {
		return t, err
	}
	for i, n := range coshhNames {
		v, err := pub.Float("Dissatisfaction", n)
		if err != nil {
			return t, err
		}
		t.near("Dissatisfaction, "+n, "as in section 5.1", v, estimate(column(m[i], 1)), tol.time, "dissatisfaction")
	}
	t.above("Fair below COSHH", "difference", estimate(difference(column(m[2], 1), column(m[1], 1))))
	t.above("COSHH below FIFO", "difference", estimate(difference(column(m[0], 1), column(m[2], 1))))
	return t, nil
}

// coshhReal reproduces table 12 and figures 25 to 28 on table 11's cluster.
func coshhReal(r *runner) ([]Section, error) {
	homogeneous, err := r.coshh.Real(true)
	if err != nil {
		return nil, err
	}
	heterogeneous, err := r.coshh.Real(false)
	if err != nil {
		return nil, err
	}
	mh, err := r.coshhRuns("COSHH real cluster, users of table 5", heterogeneous, coshhReps, coshhRealSchedulers, false)
	if err != nil {
		return nil, err
	}
	m, err := r.coshhRuns("COSHH real cluster", homogeneous, coshhReps, coshhRealSchedulers, true)
	if err != nil {
		return nil, err
	}
	t, err := coshhDissatisfaction(mh)
	if err != nil {
		return nil, err
	}
	sections := []Section{t}
	onCluster := func(figure int, title string) *Section {
		sections = append(sections, Section{Paper: "coshh", ID: fmt.Sprintf("figure %d", figure), Title: title + " on the real cluster", Source: "COSHH, section 7",
			Setup: fmt.Sprintf("data set coshh-real; fifo, fair, coshh; %d replications", coshhReps)})
		return &sections[len(sections)-1]
	}
	f := onCluster(25, "Mean completion time")
	below := func(what string, of, base [][]float64) {
		f.above(what, "% lower", estimate(reduction(column(of, 0), column(base, 0))))
	}
	below("homogeneous users: Fair below FIFO", m[1], m[0])
	below("heterogeneous users: FIFO below Fair", mh[0], mh[1])
	below("COSHH below FIFO", m[2], m[0])
	below("COSHH below Fair", m[2], m[1])
	f = onCluster(26, "Fairness")
	f.above("Fair fairer than FIFO", "difference", estimate(difference(column(m[0], 2), column(m[1], 2))))
	f.above("Fair fairer than COSHH", "difference", estimate(difference(column(m[2], 2), column(m[1], 2))))
	onCluster(27, "Locality").claim("COSHH's locality against Fair's", "% of maps", nan(), estimate(difference(column(m[2], 3), column(m[1], 3))),
		noDifference, "not below", func(e Estimate) bool { return e.High >= 0 })
	o := onCluster(28, "Scheduling time")
	o.above("COSHH costs more than FIFO", opsUnit, estimate(difference(column(m[2], coshhOps), column(m[0], coshhOps))))
	o.above("COSHH costs more than Fair", opsUnit, estimate(difference(column(m[2], coshhOps), column(m[1], coshhOps))))
	r.coshhSeconds(o, coshhNames, m)
	return sections, nil
}

// Columns of coshhFigures with the overhead of scheduling.
const (
	coshhOps  = 4
	coshhTook = 5
	opsUnit   = "operations"
)

// coshhSeconds shows the time spent in the schedulers where there is a clock; it depends
// on the machine and is not judged.
func (r *runner) coshhSeconds(s *Section, names []string, m [][][]float64) {
	if r.opt.Clock == nil {
		return
	}
	s.Measured = true
	for i, n := range names {
		s.show("time spent in the scheduler, "+n, "s", nan(), estimate(column(m[i], coshhTook)))
	}
}

// least returns, replication by replication, the smallest of several series.
func least(series ...[]float64) []float64 {
	out := append([]float64(nil), series[0]...)
	for _, s := range series[1:] {
		for i, v := range s {
			out[i] = math.Min(out[i], v)
		}
	}
	return out
}
