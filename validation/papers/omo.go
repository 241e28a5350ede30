package papers

import (
	"fmt"
	"math"

	"schedtune/simcore"
)

// OMO: figures 7 to 13; the tables and figure 14 stand in omotables.go.

const (
	omoReps = 5
	// omoSpec is OMO as it runs here: it knows what one reduce copies per second
	// (datasets/assumptions.go). All are built on the Fair Scheduler of Hadoop 0.20.2,
	// which assigns one task per heartbeat.
	omoSpec     = "omo:bandwidth=34,assign=one"
	lazySpec    = "omo:batch=false,bandwidth=34,assign=one"
	batchSpec   = "omo:lazy=false,assign=one"
	fairDynamic = "fair:total=true,first=reduce,assign=one,slowstart="
	omoFair     = "fair:pool=job,assign=one,slowstart="
	freshSpec   = "fresh:assign=one"
)

func omoSlowstarts() []float64 { return []float64{0.05, 0.2, 0.4, 0.6, 0.8, 1} }

// Figures of a run of OMO's workloads.
const (
	omoSpan       = iota // makespan
	omoMaps              // end of the last map
	omoSmall             // share of jobs with fewer than five maps in the last batch
	omoTail              // time from the last map to the end of the last copy
	omoMapOnly           // time to the first reduce
	omoBatch             // mean number of maps in the last batch
	omoMostBatch         // largest
	omoRateError         // error of the estimated release rate, containers/s
	omoConstError        // that of the mean of the windows so far
)

// omoMakespans runs schedulers on one workload.
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
		out := make([]float64, omoConstError+1)
		var maps simcore.Time
		for i := range o.Jobs {
			j := &o.Jobs[i]
			maps = max(maps, j.MapsDone)
			n := float64(o.recording.lastBatch(j.Job))
			if n < 5 {
				out[omoSmall] += 1 / float64(len(o.Jobs))
			}
			out[omoBatch] += n / float64(len(o.Jobs))
			out[omoMostBatch] = math.Max(out[omoMostBatch], n)
		}
		out[omoSpan], out[omoMaps], out[omoTail] = value(o, "makespan"), maps.Seconds(), max(o.recording.lastCopy-maps, 0).Seconds()
		out[omoMapOnly] = min(o.recording.firstReduce(), maps).Seconds()
		out[omoRateError], out[omoConstError] = o.recording.releaseErrors(o.Result)
		return out
	})
}

// omoSpecs lists the schedulers: Fair at every slowstart, FRESH, Lazy Start,
// Batch Finish, OMO.
func omoSpecs() (specs []string, fresh, lazy, batch, omo int) {
	for _, s := range omoSlowstarts() {
		specs = append(specs, fmt.Sprint(omoFair, s))
	}
	n := len(specs)
	return append(specs, freshSpec, lazySpec, batchSpec, omoSpec), n, n + 1, n + 2, n + 3
}

var omoWorkloads = []struct{ set, name, key string }{
	{"omo-terasort", "TeraSort", "terasort"}, {"omo-seqcount", "Sequence Count", "seqcount"},
	{"omo-wordcount", "Word Count", "wordcount"}, {"omo-set-a", "set A", "A"}, {"omo-set-b", "set B", "B"},
}

// omoRuns are the outcomes of all schedulers on the five workloads.
type omoRuns struct {
	c                       *claims
	tol                     tolerances
	m                       map[string][][][]float64 // by key of the workload
	fresh, lazy, batch, omo int
}

func (x *omoRuns) of(key string, trial, figure int) []float64 { return column(x.m[key][trial], figure) }

// best is the Fair with the smallest mean makespan.
func (x *omoRuns) best(key string) int { return bestOf(x.m[key][:x.fresh], omoSpan) }

// over averages f over workloads, replication by replication.
func (x *omoRuns) over(f func(key string) []float64, keys ...string) Estimate {
	var series [][]float64
	for _, k := range keys {
		series = append(series, f(k))
	}
	return estimate(meanOver(series))
}

// below is the reduction of a figure of one trial against another's.
func (x *omoRuns) below(a, b, figure int) func(key string) []float64 {
	return func(key string) []float64 { return reduction(x.of(key, a, figure), x.of(key, b, figure)) }
}

var (
	omoSimpleKeys = []string{"terasort", "seqcount", "wordcount"}
	omoMixedKeys  = []string{"A", "B"}
	omoAllKeys    = append(append([]string(nil), omoSimpleKeys...), omoMixedKeys...)
)

// omoFigures reproduces figures 7 to 13 from one set of runs.
func omoFigures(r *runner) ([]Section, error) {
	x := &omoRuns{m: map[string][][][]float64{}}
	var err error
	if x.c, err = loadClaims("omo"); err != nil {
		return nil, err
	}
	if x.tol, err = loadTolerances(); err != nil {
		return nil, err
	}
	var specs []string
	specs, x.fresh, x.lazy, x.batch, x.omo = omoSpecs()
	for _, w := range omoWorkloads {
		if x.m[w.key], err = r.omoMakespans(w.set, specs); err != nil {
			return nil, err
		}
	}
	return []Section{x.figure7(), x.figure8(), x.figure9(), x.figure10(), x.figure11(), x.figure12(), x.figure13()}, nil
}

func omoSection(figure int, title, where string) Section {
	return Section{Paper: "omo", ID: fmt.Sprintf("figure %d", figure), Title: title, Source: "OMO, section " + where,
		Setup: "8 jobs of 20 GB or table 5's sets on 20 nodes; fair at six slowstarts, FRESH, OMO and its parts; 5 replications"}
}

// figure7 is the release rate of set A under Fair: the estimate of equation 1
// against the mean of the windows so far, which knows no trend.
func (x *omoRuns) figure7() Section {
	s := omoSection(7, "Container release rate and its estimate", "V.C")
	s.Setup = "data set omo-set-a, Fair with slowstart 0.05; windows of 10 s, weight 0.3; 5 replications"
	mine, constant := x.of("A", 0, omoRateError), x.of("A", 0, omoConstError)
	s.above("error of the estimate below that of the mean so far", "% lower", estimate(reduction(mine, constant)))
	s.show("mean absolute error of the estimate", "containers/s", nan(), estimate(mine))
	return s
}

func (x *omoRuns) figure8() Section {
	s := omoSection(8, "Maps in the last batch", "V.C")
	s.between("jobs with fewer than five maps in the last batch under Fair", "share of jobs", 0.5, estimate(x.of("A", 0, omoSmall)), null{"constant", 1}, 0.3, 0.7)
	most := x.c.value("last-batch-most")
	s.between("largest last batch of a job under Fair", "maps", most, estimate(x.of("A", 0, omoMostBatch)), null{"constant", 1}, most/2, most)
	s.above("mean last batch under OMO above Fair's", "maps", estimate(difference(x.of("A", x.omo, omoBatch), x.of("A", 0, omoBatch))))
	return s
}

func (x *omoRuns) figure9() Section {
	s := omoSection(9, "Container allocation of eight TeraSorts", "V.D.1")
	fair1, key := x.fresh-1, "terasort"
	phase := func(a, b int) Estimate { return estimate(x.below(a, b, omoMaps)(key)) }
	s.gain("OMO's map phase below Fair-1's", x.c.value("omo-map-vs-fair1"), phase(x.omo, fair1))
	s.gain("FRESH's map phase below Fair-1's", x.c.value("fresh-map-vs-fair1"), phase(x.fresh, fair1))
	s.calibrates("the flash disk's rate is set by it")
	s.gain("OMO's map phase below FRESH's", x.c.value("omo-map-vs-fresh"), phase(x.omo, x.fresh))
	extra := x.c.value("fair005-extra-map")
	s.claim("map phase longer under Fair-0.05 than under Fair-1", "s", extra, estimate(difference(x.of(key, 0, omoMaps), x.of(key, fair1, omoMaps))), noDifference,
		"interval above 0, mean half to twice", func(e Estimate) bool { return e.Low > 0 && e.Mean >= extra/2 && e.Mean <= 2*extra })
	for _, k := range []struct {
		key, name string
		trial     int
	}{{"fair1", "Fair-1", fair1}, {"fair005", "Fair-0.05", 0}, {"omo", "OMO", x.omo}} {
		s.factor("shuffle after the map phase, "+k.name, "s", x.c.value(k.key+"-shuffle-after-map"), estimate(x.of(key, k.trial, omoTail)))
		if k.trial == fair1 {
			s.calibrates("the copy rate of a reduce is set by it")
		}
	}
	s.gain("OMO's shuffle after the map phase below Fair-1's", 100*(1-x.c.value("omo-shuffle-after-map")/x.c.value("fair1-shuffle-after-map")),
		estimate(x.below(x.omo, fair1, omoTail)(key)))
	s.apart("repeats the two times above")
	return s
}

func (x *omoRuns) figure10() Section {
	s := omoSection(10, "Lazy Start against Fair and FRESH", "V.D.2a")
	for _, w := range omoWorkloads {
		if w.key == "wordcount" {
			continue // the text has its share in the mean of the three only
		}
		s.gain("Lazy Start below the best Fair, "+w.name, x.c.value("lazy-"+w.key+"-vs-fair"), estimate(x.below(x.lazy, x.best(w.key), omoSpan)(w.key)))
		s.gain("Lazy Start below FRESH, "+w.name, x.c.value("lazy-"+w.key+"-vs-fresh"), estimate(x.below(x.lazy, x.fresh, omoSpan)(w.key)))
		if w.key == "terasort" {
			s.calibrates("the length of the map phase is set by it")
		}
	}
	allFair := func(key string) []float64 {
		var series [][]float64
		for i := range x.fresh {
			series = append(series, x.below(x.lazy, i, omoSpan)(key))
		}
		return meanOver(series)
	}
	s.gain("Lazy Start below Fair, mean of slowstarts and simple workloads", x.c.value("lazy-simple-vs-fair"), x.over(allFair, omoSimpleKeys...))
	s.gain("Lazy Start below FRESH, mean of the simple workloads", x.c.value("lazy-simple-vs-fresh"), x.over(x.below(x.lazy, x.fresh, omoSpan), omoSimpleKeys...))
	return s
}

func (x *omoRuns) figure11() Section {
	s := omoSection(11, "Batch Finish against Fair-1 and FRESH", "V.D.2b")
	for _, k := range []struct {
		name string
		keys []string
	}{{"simple", omoSimpleKeys}, {"mixed", omoMixedKeys}} {
		s.gain("FRESH below Fair-1, "+k.name+" workloads", x.c.value("fresh-"+k.name+"-vs-fair1"), x.over(x.below(x.fresh, x.fresh-1, omoSpan), k.keys...))
		s.gain("Batch Finish below FRESH, "+k.name+" workloads", x.c.value("batch-"+k.name+"-vs-fresh"), x.over(x.below(x.batch, x.fresh, omoSpan), k.keys...))
	}
	return s
}

func (x *omoRuns) figure12() Section {
	s := omoSection(12, "OMO against Fair and FRESH", "V.D.2c")
	vsBest := func(key string) []float64 { return x.below(x.omo, x.best(key), omoSpan)(key) }
	s.gain("OMO below the best Fair, mean of five workloads", x.c.value("omo-vs-fair-best"), x.over(vsBest, omoAllKeys...))
	s.gain("OMO below FRESH, mean of five workloads", x.c.value("omo-vs-fresh"), x.over(x.below(x.omo, x.fresh, omoSpan), omoAllKeys...))
	var each [][]float64
	for _, k := range omoAllKeys {
		each = append(each, vsBest(k))
	}
	s.above("OMO below the best Fair on every workload", "% lower, least", estimate(least(each...)))
	s.above("OMO below Lazy Start, mean of five workloads", "% lower", x.over(x.below(x.omo, x.lazy, omoSpan), omoAllKeys...))
	s.above("OMO below Batch Finish, mean of five workloads", "% lower", x.over(x.below(x.omo, x.batch, omoSpan), omoAllKeys...))
	s.above("Lazy Start below Batch Finish where shuffling is heavy", "% lower", x.over(x.below(x.lazy, x.batch, omoSpan), "terasort", "seqcount"))
	s.above("Batch Finish below Lazy Start where it is light (Word Count)", "% lower", estimate(x.below(x.batch, x.lazy, omoSpan)("wordcount")))
	names := []string{"Fair best", "FRESH", "Lazy Start", "Batch Finish", "OMO"}
	bar := make([][]Estimate, len(names))
	var categories []string
	for _, w := range omoWorkloads {
		categories = append(categories, w.name)
		for i, k := range []int{x.best(w.key), x.fresh, x.lazy, x.batch, x.omo} {
			bar[i] = append(bar[i], estimate(x.of(w.key, k, omoSpan)))
		}
	}
	s.Charts = append(s.Charts, Chart{"makespan", bars("Makespan", "makespan, s", categories, names, bar)})
	s.Notes = append(s.Notes, "The best Fair is the slowstart with the smallest mean makespan on that workload.")
	return s
}

// figure13 is the breakdown into the time of maps alone, of maps and shuffles
// together, and of shuffles after the last map.
func (x *omoRuns) figure13() Section {
	s := omoSection(13, "Time of maps only, of the overlap and of the shuffle only", "V.D.2c")
	fair1 := x.fresh - 1
	s.gain("FRESH's map span below Fair-1's, mean of the simple workloads", x.c.value("fresh-mapspan-vs-fair"), x.over(x.below(x.fresh, fair1, omoMaps), omoSimpleKeys...))
	tail := func(a, b int) func(string) []float64 {
		return func(key string) []float64 { return difference(x.of(key, a, omoTail), x.of(key, b, omoTail)) }
	}
	s.above("FRESH's shuffle only above Fair-0.05's", "s", x.over(tail(x.fresh, 0), omoSimpleKeys...))
	s.above("OMO's shuffle only below FRESH's", "s", x.over(tail(x.fresh, x.omo), omoSimpleKeys...))
	s.above("OMO's map span below Fair-1's", "% lower", x.over(x.below(x.omo, fair1, omoMaps), omoSimpleKeys...))
	for _, key := range omoSimpleKeys {
		for _, k := range []struct {
			name  string
			trial int
		}{{"Fair-0.05", 0}, {"Fair-1", fair1}, {"FRESH", x.fresh}, {"OMO", x.omo}} {
			maps, only := x.of(key, k.trial, omoMaps), x.of(key, k.trial, omoMapOnly)
			s.show(fmt.Sprintf("%s, %s: maps only", key, k.name), "s", nan(), estimate(only))
			s.show(fmt.Sprintf("%s, %s: overlap", key, k.name), "s", nan(), estimate(difference(maps, only)))
			s.show(fmt.Sprintf("%s, %s: shuffle only", key, k.name), "s", nan(), estimate(x.of(key, k.trial, omoTail)))
		}
	}
	return s
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
