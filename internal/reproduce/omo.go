package reproduce

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"schedtune/simcore"
)

// OMO: tables 2, 3, 6, 7, figures 8 to 14. Calibrated: the disk and the speed
// of table 2's machines on its column of one job; the CloudLab machines on
// three figures: the shuffle after the maps under Fair-1 and FRESH's shorter map
// phase (figure 9), OMO's makespan (table 6). Judged: everything else.

const (
	omoReps = 5
	// omoSpec is OMO as it runs here: it knows what one reduce copies per second
	// (datasets/assumptions.go).
	omoSpec     = "omo:bandwidth=34"
	lazySpec    = "omo:batch=false,bandwidth=34"
	batchSpec   = "omo:lazy=false"
	fairDynamic = "fair:total=true,first=reduce,slowstart="
)

func omoSlowstarts() []float64 { return []float64{0.05, 0.2, 0.4, 0.6, 0.8, 1} }

// omoTable23 reproduces tables 2 and 3: makespan over slowstart, with fixed and
// with dynamic containers.
func omoTable23(r *runner) ([]Section, error) {
	var out []Section
	for _, table := range []string{"2", "3"} {
		s := Section{Paper: "omo", ID: "table " + table,
			Setup: "data sets omo-terasort-1 and omo-terasort-3, fair with the slowstart of the row, 10 replications"}
		t, err := published(&s, "omo", table)
		if err != nil {
			return nil, err
		}
		dynamic := table == "3"
		var values [][]Estimate
		for c, set := range []string{"omo-terasort-1", "omo-terasort-3"} {
			ds, err := r.load(set)
			if err != nil {
				return nil, err
			}
			var trials []trial
			for _, row := range t.Rows {
				spec := "fair:pool=job,slowstart=" + row[0]
				if dynamic {
					spec = fairDynamic + row[0]
				}
				trials = append(trials, trial{set: ds, pool: dynamic, scheduler: spec})
			}
			reps, err := r.measure("OMO table "+table, 10, trials, func(o *outcome) []float64 { return []float64{value(o, "makespan")} })
			if err != nil {
				return nil, err
			}
			est := make([]Estimate, len(trials))
			for i, row := range t.Rows {
				est[i] = estimate(column(reps[i], 0))
				pub, err := strconv.ParseFloat(row[c+1], 64)
				if err != nil {
					return nil, err
				}
				s.near(t.Columns[c+1]+", slowstart "+row[0], "s", pub, est[i], 0.15)
			}
			values = append(values, est)
			s.uShape(t.Columns[c+1], est)
		}
		xs := []float64{0.5, 0.6, 0.7, 0.8, 0.9, 1}
		s.Charts = append(s.Charts, Chart{"slowstart", curve(s.Title, "slowstart", "execution time, s", xs, t.Columns[1:], values)})
		out = append(out, s)
	}
	return out, nil
}

// uShape judges the claim behind tables 2 and 3: some slowstart between the
// ends is at least as good as both ends, and 1 is worse than it.
func (s *Section) uShape(what string, e []Estimate) {
	best := 0
	for i := range e {
		if e[i].Mean < e[best].Mean {
			best = i
		}
	}
	last := e[len(e)-1]
	s.holds(what+": shape over slowstart", "% that slowstart 1 is above the best", exact(100*(last.Mean/e[best].Mean-1)),
		"the best lies inside, slowstart 1 is worse", best > 0 && best < len(e)-1 && last.Mean > e[best].Mean)
}

// omoMakespans runs the schedulers of figures 9 to 13 on one workload.
// Figures: makespan, end of the last map, share of jobs with fewer than five
// maps in the last batch, time from the last map to the end of the last copy.
func (r *runner) omoMakespans(set string, specs []string) ([][][]float64, error) {
	ds, err := r.load(set)
	if err != nil {
		return nil, err
	}
	trials := make([]trial, len(specs))
	for i, spec := range specs {
		trials[i] = trial{set: ds, scheduler: spec, record: true}
	}
	return r.measure("OMO "+set, omoReps, trials, func(o *outcome) []float64 {
		var maps simcore.Time
		small := 0.0
		for i := range o.Jobs {
			j := &o.Jobs[i]
			maps = max(maps, j.MapsDone)
			if o.recording.lastBatch(j.Job) < 5 {
				small++
			}
		}
		return []float64{value(o, "makespan"), maps.Seconds(), small / float64(len(o.Jobs)), max(o.recording.lastCopy-maps, 0).Seconds()}
	})
}

// omoSpecs lists the schedulers: Fair at every slowstart, FRESH, Lazy Start,
// Batch Finish, OMO.
func omoSpecs() (specs []string, fresh, lazy, batch, omo int) {
	for _, s := range omoSlowstarts() {
		specs = append(specs, fmt.Sprintf("fair:pool=job,slowstart=%g", s))
	}
	n := len(specs)
	return append(specs, "fresh", lazySpec, batchSpec, omoSpec), n, n + 1, n + 2, n + 3
}

var omoWorkloads = []struct{ set, name, key string }{
	{"omo-terasort", "TeraSort", "terasort"}, {"omo-seqcount", "Sequence Count", "seqcount"},
	{"omo-wordcount", "Word Count", "wordcount"}, {"omo-set-a", "set A", "A"}, {"omo-set-b", "set B", "B"},
}

// omoFigures reproduces figures 8 to 13 from one set of runs.
func omoFigures(r *runner) ([]Section, error) {
	c, err := loadClaims("omo")
	if err != nil {
		return nil, err
	}
	specs, fresh, lazy, batch, omo := omoSpecs()
	fair1 := fresh - 1
	setup := "8 jobs of 20 GB or table 5's sets on 20 nodes; fair at six slowstarts, FRESH, OMO and its parts; 5 replications"
	fig8 := Section{Paper: "omo", ID: "figure 8", Title: "Maps in the last batch", Source: "OMO, section V.C", Setup: setup}
	fig9 := Section{Paper: "omo", ID: "figure 9", Title: "Container allocation of eight TeraSorts", Source: "OMO, section V.D.1", Setup: setup}
	fig10 := Section{Paper: "omo", ID: "figure 10", Title: "Lazy Start against Fair and FRESH", Source: "OMO, section V.D.2a", Setup: setup}
	fig11 := Section{Paper: "omo", ID: "figure 11", Title: "Batch Finish against Fair-1 and FRESH", Source: "OMO, section V.D.2b", Setup: setup}
	fig12 := Section{Paper: "omo", ID: "figure 12", Title: "OMO against Fair and FRESH", Source: "OMO, section V.D.2c", Setup: setup}
	fig13 := Section{Paper: "omo", ID: "figure 13", Title: "Span of the map phase", Source: "OMO, section V.D.2c", Setup: setup}

	names := []string{"Fair best", "FRESH", "Lazy Start", "Batch Finish", "OMO"}
	bar := make([][]Estimate, len(names))
	var categories []string
	var vsFair, vsFresh [][]float64
	freshVsFair1, batchVsFresh := map[bool][][]float64{}, map[bool][][]float64{}
	for _, w := range omoWorkloads {
		m, err := r.omoMakespans(w.set, specs)
		if err != nil {
			return nil, err
		}
		span := func(i int) []float64 { return column(m[i], 0) }
		best := bestOf(m[:fresh], 0)
		categories = append(categories, w.name)
		for i, k := range []int{best, fresh, lazy, batch, omo} {
			bar[i] = append(bar[i], estimate(span(k)))
		}
		vsFair, vsFresh = append(vsFair, reduction(span(omo), span(best))), append(vsFresh, reduction(span(omo), span(fresh)))
		fig10.gain("Lazy Start below the best Fair, "+w.name, c.value("lazy-"+w.key+"-vs-fair"), estimate(reduction(span(lazy), span(best))))
		fig10.gain("Lazy Start below FRESH, "+w.name, c.value("lazy-"+w.key+"-vs-fresh"), estimate(reduction(span(lazy), span(fresh))))
		mixed := w.key == "A" || w.key == "B"
		freshVsFair1[mixed] = append(freshVsFair1[mixed], reduction(span(fresh), span(fair1)))
		batchVsFresh[mixed] = append(batchVsFresh[mixed], reduction(span(batch), span(fresh)))
		fig12.holds("OMO below Fair at every slowstart, "+w.name, "% below the best", estimate(reduction(span(omo), span(best))),
			"interval above 0", estimate(reduction(span(omo), span(best))).Low > 0)
		if w.key == "terasort" {
			fig9.omoMapPhase(c, m, fair1, fresh, omo)
		}
		if w.key == "A" {
			few, omoFew := estimate(column(m[0], 2)), estimate(column(m[omo], 2))
			fig8.holds("jobs with fewer than five maps in the last batch under Fair", "share of jobs", few, "about half: 0.3 to 0.7", few.Mean >= 0.3 && few.Mean <= 0.7)
			fig8.holds("the same under OMO", "share of jobs", omoFew, "fewer than under Fair", omoFew.Mean < few.Mean)
		}
		if !mixed {
			fig13.gain("FRESH's map span below Fair-1's, "+w.name, c.value("fresh-mapspan-vs-fair"), estimate(reduction(column(m[fresh], 1), column(m[fair1], 1))))
		}
	}
	fig12.gain("OMO below the best Fair, mean of five workloads", c.value("omo-vs-fair-best"), estimate(meanOver(vsFair)))
	fig12.gain("OMO below FRESH, mean of five workloads", c.value("omo-vs-fresh"), estimate(meanOver(vsFresh)))
	fig11.gain("FRESH below Fair-1, simple workloads", c.value("fresh-simple-vs-fair1"), estimate(meanOver(freshVsFair1[false])))
	fig11.gain("FRESH below Fair-1, mixed workloads", c.value("fresh-mixed-vs-fair1"), estimate(meanOver(freshVsFair1[true])))
	fig11.gain("Batch Finish below FRESH, simple workloads", c.value("batch-simple-vs-fresh"), estimate(meanOver(batchVsFresh[false])))
	fig11.gain("Batch Finish below FRESH, mixed workloads", c.value("batch-mixed-vs-fresh"), estimate(meanOver(batchVsFresh[true])))
	fig12.Charts = append(fig12.Charts, Chart{"makespan", bars("Makespan", "makespan, s", categories, names, bar)})
	fig12.Notes = append(fig12.Notes, "The best Fair is the slowstart with the smallest mean makespan on that workload. Where many reduces read and write one disk each, OMO loses part of its gain: its reduces start where a container happens to come free, so that several may meet on one node; Fair's fixed reduce slots keep them to two per node.")
	return []Section{fig8, fig9, fig10, fig11, fig12, fig13}, nil
}

// omoMapPhase fills figure 9's rows.
func (s *Section) omoMapPhase(c *claims, m [][][]float64, fair1, fresh, omo int) {
	phase := func(i int) []float64 { return column(m[i], 1) }
	s.gain("OMO's map phase below Fair-1's", c.value("omo-map-vs-fair1"), estimate(reduction(phase(omo), phase(fair1))))
	s.gain("FRESH's map phase below Fair-1's", c.value("fresh-map-vs-fair1"), estimate(reduction(phase(fresh), phase(fair1))))
	s.gain("OMO's map phase below FRESH's", c.value("omo-map-vs-fresh"), estimate(reduction(phase(omo), phase(fresh))))
	extra := make([]float64, len(m[0]))
	for i := range extra {
		extra[i] = m[0][i][1] - m[fair1][i][1]
	}
	e := estimate(extra)
	s.holds("map phase longer under Fair-0.05 than under Fair-1", "s (published 75)", e, "interval above 0", e.Low > 0)
	for _, k := range []struct {
		key, name string
		trial     int
	}{{"fair1", "Fair-1", fair1}, {"fair005", "Fair-0.05", 0}, {"omo", "OMO", omo}} {
		s.near("shuffle after the map phase, "+k.name, "s", c.value(k.key+"-shuffle-after-map"), estimate(column(m[k.trial], 3)), 0.5)
	}
	early := estimate(reduction(column(m[omo], 3), column(m[fair1], 3)))
	s.holds("OMO's shuffle after the map phase below Fair-1's", "% lower (published 85)", early, "interval above 0", early.Low > 0)
}

// bestOf returns the trial with the smallest mean of a figure.
func bestOf(m [][][]float64, figure int) int {
	best, least := 0, math.Inf(1)
	for i := range m {
		if mean := estimate(column(m[i], figure)).Mean; mean < least {
			best, least = i, mean
		}
	}
	return best
}

// meanOver averages series replication by replication.
func meanOver(series [][]float64) []float64 {
	out := make([]float64, len(series[0]))
	for _, s := range series {
		for i, x := range s {
			out[i] += x / float64(len(series))
		}
	}
	return out
}

// omoTable67 reproduces tables 6 and 7 and figure 14.
func omoTable67(r *runner) ([]Section, error) {
	c, err := loadClaims("omo")
	if err != nil {
		return nil, err
	}
	t6 := Section{Paper: "omo", ID: "table 6", Setup: "data set omo-terasort; " + omoSpec + ", and YARN's Fair Scheduler with tasks of 2 to 8 GB; 5 replications"}
	pub6, err := published(&t6, "omo", "6")
	if err != nil {
		return nil, err
	}
	m, err := r.omoMakespans("omo-terasort", []string{omoSpec})
	if err != nil {
		return nil, err
	}
	for _, row := range pub6.Rows {
		v, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return nil, err
		}
		span := column(m[0], 0)
		if gb, ok := strings.CutPrefix(row[0], "YARN:"); ok {
			memory, err := strconv.ParseInt(gb, 10, 64)
			if err != nil {
				return nil, err
			}
			if span, err = r.omoYARN(memory); err != nil {
				return nil, err
			}
		}
		t6.near(row[0], "s", v, estimate(span), 0.15)
	}

	t7 := Section{Paper: "omo", ID: "table 7", Setup: "data set omo-set-h; 5 replications"}
	pub7, err := published(&t7, "omo", "7")
	if err != nil {
		return nil, err
	}
	specs := []string{"fair:pool=job", "fair:pool=job,slowstart=1", "fresh", omoSpec}
	if m, err = r.omoMakespans("omo-set-h", specs); err != nil {
		return nil, err
	}
	for i, row := range pub7.Rows {
		v, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return nil, err
		}
		t7.near(row[0], "s", v, estimate(column(m[i], 0)), 0.25)
	}
	t7.gain("OMO below Fair-default", 100*(1-1238.0/1885), estimate(reduction(column(m[3], 0), column(m[0], 0))))
	t7.gain("OMO below FRESH", 100*(1-1238.0/2037), estimate(reduction(column(m[3], 0), column(m[2], 0))))

	f14 := Section{Paper: "omo", ID: "figure 14", Title: "Scalability", Source: "OMO, section V.D.4", Setup: "data sets omo-set-c to -g; " + omoSpec + "; 5 replications"}
	span := map[string][]float64{}
	for _, set := range []string{"c", "d", "e", "f", "g"} {
		m, err := r.omoMakespans("omo-set-"+set, []string{omoSpec})
		if err != nil {
			return nil, err
		}
		span[set] = column(m[0], 0)
	}
	ratio := func(a string) Estimate {
		out := make([]float64, len(span[a]))
		for i := range out {
			out[i] = span[a][i] / span["c"][i]
		}
		return estimate(out)
	}
	f14.near("30 GB over 20 GB", "ratio", c.value("size-30-over-20"), ratio("d"), 0.2)
	f14.near("40 GB over 20 GB", "ratio", c.value("size-40-over-20"), ratio("e"), 0.2)
	f14.near("18 jobs over 12", "ratio", c.value("jobs-18-over-12"), ratio("f"), 0.2)
	f14.near("24 jobs over 12", "ratio", c.value("jobs-24-over-12"), ratio("g"), 0.2)
	return []Section{t6, t7, f14}, nil
}
