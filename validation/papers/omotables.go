package papers

import (
	"strconv"
	"strings"

	"schedtune/datasets"
)

// OMO: tables 2, 3, 6 and 7 and figure 14.

// omoTable23 reproduces tables 2 and 3: makespan over slowstart, with fixed and
// with dynamic containers.
func omoTable23(r *runner) ([]Section, error) {
	var out []Section
	for _, table := range []string{"2", "3"} {
		s, err := r.omoSlowstartTable(table)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (r *runner) omoSlowstartTable(table string) (Section, error) {
	s := Section{Paper: "omo", ID: "table " + table,
		Setup: "data sets omo-terasort-1 and omo-terasort-3, fair with the slowstart of the row, 10 replications"}
	t, err := published(&s, "omo", table)
	if err != nil {
		return s, err
	}
	tol, err := loadTolerances()
	if err != nil {
		return s, err
	}
	var values [][]Estimate
	for c, set := range []string{"omo-terasort-1", "omo-terasort-3"} {
		ds, err := r.load(set)
		if err != nil {
			return s, err
		}
		spans, theirs, err := r.omoSlowstartColumn(t, c, ds)
		if err != nil {
			return s, err
		}
		calibrated := table == "2" && c == 0
		const how = "the disk and the speed of the machines are set by it"
		est := make([]Estimate, len(spans))
		for i, row := range t.Rows {
			est[i] = estimate(spans[i])
			s.near(t.Columns[c+1]+", slowstart "+row[0], "s", theirs[i], est[i], tol.omo, t.Columns[c+1])
			if calibrated {
				s.calibrates(how)
			}
		}
		values = append(values, est)
		before := len(s.Rows)
		s.uShape(t.Columns[c+1], spans, theirs)
		for i := before; calibrated && i < len(s.Rows); i++ {
			s.Rows[i].Kind, s.Rows[i].Note = Calibration, how
		}
	}
	xs := []float64{0.5, 0.6, 0.7, 0.8, 0.9, 1}
	s.Charts = append(s.Charts, Chart{"slowstart", curve(s.Title, "slowstart", "execution time, s", xs, t.Columns[1:], values)})
	return s, nil
}

// omoSlowstartColumn runs a column of tables 2 and 3.
func (r *runner) omoSlowstartColumn(t *datasets.Table, c int, ds *datasets.Set) (spans [][]float64, theirs []float64, err error) {
	dynamic := t.ID == "3"
	var trials []trial
	for _, row := range t.Rows {
		spec := omoFair + row[0]
		if dynamic {
			spec = fairDynamic + row[0]
		}
		trials = append(trials, trial{set: ds, pool: dynamic, scheduler: spec})
		v, err := strconv.ParseFloat(row[c+1], 64)
		if err != nil {
			return nil, nil, err
		}
		theirs = append(theirs, v)
	}
	m, err := r.measure("OMO table "+t.ID, 10, trials, func(o *outcome) []float64 { return []float64{value(o, "makespan")} })
	for i := range m {
		spans = append(spans, column(m[i], 0))
	}
	return spans, theirs, err
}

// uShape judges the claim behind tables 2 and 3: some slowstart between the ends
// is better than both, and better than 1 by what is published.
func (s *Section) uShape(what string, spans [][]float64, theirs []float64) {
	bestOf := func(x []float64) int {
		best := 0
		for i := range x {
			if x[i] < x[best] {
				best = i
			}
		}
		return best
	}
	var means []float64
	for _, x := range spans {
		means = append(means, estimate(x).Mean)
	}
	last, best := len(theirs)-1, bestOf(means)
	s.gain(what+": best slowstart below 1", 100*(1-theirs[bestOf(theirs)]/theirs[last]), estimate(reduction(spans[best], spans[last])))
	s.claim(what+": place of the best slowstart, 0.5 to 1", "place of 6", float64(bestOf(theirs)+1), exact(float64(best+1)), null{"the earlier the better", 1},
		"neither end", func(e Estimate) bool { return e.Mean > 1 && e.Mean < float64(last+1) })
}

// omoTable67 reproduces tables 6 and 7 and figure 14.
func omoTable67(r *runner) ([]Section, error) {
	c, tol, err := loadJudging("omo")
	if err != nil {
		return nil, err
	}
	t6, err := r.omoTable6(c, tol)
	if err != nil {
		return nil, err
	}
	t7, err := r.omoTable7(c, tol)
	if err != nil {
		return nil, err
	}
	f14, err := r.omoFigure14(c, tol)
	return []Section{t6, t7, f14}, err
}

func (r *runner) omoTable6(c *claims, tol tolerances) (Section, error) {
	s := Section{Paper: "omo", ID: "table 6", Setup: "data set omo-terasort; " + omoSpec + ", and YARN's Fair Scheduler with tasks of 2 to 8 GB; 5 replications"}
	pub, err := published(&s, "omo", "6")
	if err != nil {
		return s, err
	}
	m, err := r.omoMakespans("omo-terasort", []string{omoSpec})
	if err != nil {
		return s, err
	}
	own := column(m[0], omoSpan)
	var spans [][]float64 // of YARN, ascending memory
	for _, row := range pub.Rows {
		v, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return s, err
		}
		gb, yarn := strings.CutPrefix(row[0], "YARN:")
		if !yarn {
			s.near(row[0], "s", v, estimate(own), tol.omo, "makespan")
			s.calibrates("the cost of a map on the processors is set by it")
			continue
		}
		memory, err := strconv.ParseInt(gb, 10, 64)
		if err != nil {
			return s, err
		}
		span, err := r.omoYARN(memory)
		if err != nil {
			return s, err
		}
		spans = append(spans, span)
		s.near(row[0], "s", v, estimate(span), tol.omo, "makespan")
	}
	others := meanOver(spans[1:])
	s.gain("OMO below YARN:2", c.value("omo-vs-yarn2"), estimate(reduction(own, spans[0])))
	s.gain("OMO below the others' mean", c.value("omo-vs-yarn"), estimate(reduction(own, others)))
	s.gain("the others' mean below YARN:2", c.value("yarn-vs-yarn2"), estimate(reduction(others, spans[0])))
	return s, nil
}

func (r *runner) omoTable7(c *claims, tol tolerances) (Section, error) {
	s := Section{Paper: "omo", ID: "table 7", Setup: "data set omo-set-h; 5 replications"}
	pub, err := published(&s, "omo", "7")
	if err != nil {
		return s, err
	}
	m, err := r.omoMakespans("omo-set-h", []string{omoFair + "0.05", omoFair + "1", freshSpec, omoSpec})
	if err != nil {
		return s, err
	}
	for i, row := range pub.Rows {
		v, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return s, err
		}
		s.near(row[0], "s", v, estimate(column(m[i], omoSpan)), tol.omo, "makespan")
	}
	s.gain("OMO below Fair-default", c.value("omo-vs-fair-40"), estimate(reduction(column(m[3], omoSpan), column(m[0], omoSpan))))
	s.gain("OMO below FRESH", c.value("omo-vs-fresh-40"), estimate(reduction(column(m[3], omoSpan), column(m[2], omoSpan))))
	return s, nil
}

// omoFigure14 judges ratios of two makespans, whose spread is sqrt(2) that of one.
func (r *runner) omoFigure14(c *claims, tol tolerances) (Section, error) {
	s := Section{Paper: "omo", ID: "figure 14", Title: "Scalability", Source: "OMO, section V.D.4", Setup: "data sets omo-set-c to -g; " + omoSpec + "; 5 replications"}
	span := map[string][]float64{}
	for _, set := range []string{"c", "d", "e", "f", "g"} {
		m, err := r.omoMakespans("omo-set-"+set, []string{omoSpec})
		if err != nil {
			return s, err
		}
		span[set] = column(m[0], omoSpan)
	}
	ratio := func(a string) Estimate {
		out := make([]float64, len(span[a]))
		for i := range out {
			out[i] = span[a][i] / span["c"][i]
		}
		return estimate(out)
	}
	const root2 = 1.4142135623730951
	s.near("30 GB over 20 GB", "ratio", c.value("size-30-over-20"), ratio("d"), root2*tol.omo, "size")
	s.near("40 GB over 20 GB", "ratio", c.value("size-40-over-20"), ratio("e"), root2*tol.omo, "size")
	s.near("18 jobs over 12", "ratio", c.value("jobs-18-over-12"), ratio("f"), root2*tol.omo, "jobs")
	s.near("24 jobs over 12", "ratio", c.value("jobs-24-over-12"), ratio("g"), root2*tol.omo, "jobs")
	return s, nil
}
