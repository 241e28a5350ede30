package reproduce

import (
	"fmt"
	"maps"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"schedtune/datasets"
	"schedtune/internal/stats"
	"schedtune/simcore"
	"schedtune/simcore/sched"
)

// The thesis's simulations: tables 6.1 to 6.20, experiments 1 to 32, and the
// answers to its three questions (section 6.5). Calibrated on experiments 1 to 8
// (tables 6.2, 6.3, 6.5): the disk's rate and the fixed time of a reduce.
// Judged: experiments 9 to 32; what of them is not independent stands in
// datasets/assumptions.go.

const (
	thesisReps     = 10 // as in the thesis
	thesisLoadReps = 4  // with queues sorted by load
)

// thesisSpec is the scheduler of chapter 6.
func thesisSpec() string { return fmt.Sprintf("capacity-mr1:slowstart=%g", datasets.ThesisSlowstart) }

// thesisRun is what an experiment's runs come to.
type thesisRun struct {
	makespan [4]Estimate
	// Indexed by queue (0, 1; -1 pools of both as 2) and type 1 to 7.
	ratio, rack, variation [3][8]Estimate
}

// thesisMR1 is the scheduler's configuration in an experiment.
func thesisMR1(n int) (*sched.MR1Config, error) {
	ts, err := datasets.ThesisExperiment(n)
	if err != nil {
		return nil, err
	}
	c := sched.NewMR1Config(ts.Queues, ts.Capacity)
	for i := range c.Queues {
		q := &c.Queues[i]
		q.MaximumCapacity, q.UserLimitFactor, q.MinimumUserLimitPercent = ts.MaximumCapacity[i], ts.UserLimitFactor, ts.MinimumUserPercent
	}
	return c, nil
}

// thesisWay is how experiments are run.
type thesisWay struct {
	shift  uint64 // added to the seeds
	byLoad bool   // queues are sorted by running tasks over capacity
}

// thesisExperiments runs experiments from to to.
func (r *runner) thesisExperiments(from, to int, way thesisWay) (map[int]*thesisRun, error) {
	var trials []trial
	for n := from; n <= to; n++ {
		ds, err := r.load(fmt.Sprintf("thesis-%d", n))
		if err != nil {
			return nil, err
		}
		c, err := thesisMR1(n)
		if err != nil {
			return nil, err
		}
		c.PendingFirst = !way.byLoad
		trials = append(trials, trial{set: ds, scheduler: thesisSpec(), options: sched.Options{MR1: c}, shift: way.shift})
	}
	reps := thesisReps
	if way.byLoad {
		reps = thesisLoadReps
	}
	m, err := r.measure(fmt.Sprintf("thesis, experiments %d to %d", from, to), reps, trials, thesisFigures)
	if err != nil {
		return nil, err
	}
	out := map[int]*thesisRun{}
	for i := range m {
		out[from+i] = thesisOutcome(m[i])
	}
	return out, nil
}

// thesisOutcome sums up the replications of an experiment. The coefficient of
// variation is that of all jobs of all runs ("across different runs", section
// 6.1.3), so that it has no interval.
func thesisOutcome(reps [][]float64) *thesisRun {
	run := &thesisRun{}
	for q := range run.makespan {
		run.makespan[q] = estimate(column(reps, q))
	}
	k := len(run.makespan)
	for q := range 3 {
		for ty := 1; ty <= 7; ty++ {
			run.ratio[q][ty], run.rack[q][ty] = estimate(finite(column(reps, k))), estimate(finite(column(reps, k+1)))
			n, time, square := floats.Sum(column(reps, k+2)), floats.Sum(column(reps, k+3)), floats.Sum(column(reps, k+4))
			mean := time / n
			run.variation[q][ty] = exact(math.Sqrt(math.Max(0, square/n-mean*mean)) / mean)
			k += 5
		}
	}
	return run
}

// thesisFigures flattens a run: four makespans, then (response ratio, rack-local
// share in percent, jobs, sums of their execution times and of the squares) for
// queues one, two and both, for types 1 to 7. Queues one and two are the
// first and second half of the pattern: with four queues, queue 1 and 3 make
// the first half.
func thesisFigures(o *outcome) []float64 {
	var out []float64
	for q := range 4 {
		out = append(out, value(o, fmt.Sprintf("queue.queue%d.makespan", q+1)))
	}
	for half := range 3 {
		for ty := range int32(7) {
			out = append(out, thesisType(o, half, ty)...)
		}
	}
	return out
}

func thesisType(o *outcome, half int, ty int32) []float64 {
	var ratio, n, exec, sq float64
	var rackMaps, all int32
	for i := range o.Jobs {
		j := &o.Jobs[i]
		w := o.workload.Jobs[j.Job]
		if w.Class != o.class[ty] || half < 2 && int(w.Queue)%2 != half {
			continue
		}
		e := j.Execution().Seconds()
		ratio, n, exec, sq = ratio+j.ResponseRatio(), n+1, exec+e, sq+e*e
		rackMaps += j.At[simcore.RackLocal]
		for _, c := range j.At {
			all += c
		}
	}
	return []float64{ratio / n, 100 * float64(rackMaps) / float64(all), n, exec, sq}
}

func finite(x []float64) []float64 {
	var out []float64
	for _, v := range x {
		if !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	if out == nil {
		return []float64{math.NaN()}
	}
	return out
}

// thesisTables lists tables 6.1 to 6.20.
var thesisTables = []struct {
	id   string
	kind byte // l locality, r response ratio, v variation, m makespan
	from int  // first experiment
	half int  // 0, 1 one queue's jobs; 2 all
}{
	{"6.1", 'l', 1, 0}, {"6.2", 'r', 1, 2}, {"6.3", 'r', 1, 2}, {"6.4", 'v', 1, 2}, {"6.5", 'm', 1, 2},
	{"6.6", 'l', 9, 0}, {"6.7", 'l', 9, 1}, {"6.8", 'r', 9, 0}, {"6.9", 'r', 9, 1},
	{"6.10", 'v', 9, 0}, {"6.11", 'v', 9, 1}, {"6.12", 'm', 9, 2},
	{"6.13", 'l', 17, 0}, {"6.14", 'r', 17, 2}, {"6.15", 'v', 17, 0}, {"6.16", 'm', 17, 2},
	{"6.17", 'l', 25, 0}, {"6.18", 'r', 25, 2}, {"6.19", 'v', 25, 0}, {"6.20", 'm', 25, 2},
}

// thesisGroup reproduces the tables of eight experiments.
func thesisGroup(from int) func(*runner) ([]Section, error) {
	return func(r *runner) ([]Section, error) {
		runs, err := r.thesisCached(from, from+7, thesisWay{})
		if err != nil {
			return nil, err
		}
		again, err := r.thesisCached(from, from+7, thesisAgain)
		if err != nil {
			return nil, err
		}
		var out []Section
		for _, t := range thesisTables {
			if t.from != from {
				continue
			}
			s := Section{Paper: "thesis", ID: "table " + t.id,
				Setup: fmt.Sprintf("data sets thesis-%d to thesis-%d, %s; %d replications as in the thesis", t.from, t.from+7, thesisSpec(), thesisReps)}
			pub, err := published(&s, "thesis", t.id)
			if err != nil {
				return nil, err
			}
			if t.from == 1 {
				s.Notes = append(s.Notes, "Experiments 1 to 8 served the calibration.")
			}
			if err := s.thesisRows(pub, t.kind, t.half, runs); err != nil {
				return nil, err
			}
			if err := s.thesisCeiling(pub, t.kind, t.half, runs, again); err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, nil
	}
}

// thesisFindings tests section 6.5 on all experiments.
func thesisFindings(r *runner) ([]Section, error) {
	runs, err := r.thesisCached(1, 32, thesisWay{})
	if err != nil {
		return nil, err
	}
	return thesisQuestions(runs), nil
}

// thesisCached runs what has not been run, in groups of eight.
func (r *runner) thesisCached(from, to int, way thesisWay) (map[int]*thesisRun, error) {
	done := r.thesis[way]
	if done == nil {
		done = map[int]*thesisRun{}
		r.thesis[way] = done
	}
	out := map[int]*thesisRun{}
	for first := from; first <= to; first += 8 {
		if done[first] == nil {
			m, err := r.thesisExperiments(first, first+7, way)
			if err != nil {
				return nil, err
			}
			maps.Copy(done, m)
		}
	}
	for n := from; n <= to; n++ {
		out[n] = done[n]
	}
	return out, nil
}

// thesisRows adds the cells of a table and the verdict over all of them.
func (s *Section) thesisRows(pub *datasets.Table, kind byte, half int, runs map[int]*thesisRun) error {
	var ours, theirs []float64
	for _, row := range pub.Rows {
		for c := 1; c < len(row); c++ {
			cell, err := thesisCell(pub, row, kind, half, c, runs)
			if err != nil {
				return err
			}
			s.show(cell.what, cell.unit, cell.published, cell.ours)
			ours, theirs = append(ours, cell.ours.Mean), append(theirs, cell.published)
		}
	}
	rank := stats.Spearman(ours, theirs)
	if pub.ID == "6.19" { // a copy of table 6.15, see its units
		s.show("rank correlation over the table", "Spearman", nan(), exact(rank))
	} else {
		s.holds("rank correlation over the table", "Spearman", exact(rank), "at least 0.8", rank >= 0.8)
	}
	miss := 100 * meanRelativeError(ours, theirs)
	switch kind {
	case 'm':
		s.holds("mean relative error", "%", exact(miss), "at most 10", miss <= 10)
	case 'r':
		s.holds("mean relative error", "%", exact(miss), "at most 30", miss <= 30)
	default:
		s.show("mean relative error", "%", math.NaN(), exact(miss))
	}
	return nil
}

// thesisCells returns ours and the published figures of a whole table.
func thesisCells(id string, kind byte, half int, runs map[int]*thesisRun) (ours, theirs []float64, err error) {
	pub, err := datasets.Published("thesis", id)
	if err != nil {
		return nil, nil, err
	}
	for _, row := range pub.Rows {
		for c := 1; c < len(row); c++ {
			cell, err := thesisCell(pub, row, kind, half, c, runs)
			if err != nil {
				return nil, nil, err
			}
			ours, theirs = append(ours, cell.ours.Mean), append(theirs, cell.published)
		}
	}
	return ours, theirs, nil
}

// thesisValue is one cell of a table.
type thesisValue struct {
	what, unit string
	experiment int
	item       int // queue, or type
	published  float64
	ours       Estimate
}

// thesisCell finds our figure for a cell: rows are types and columns
// experiments, or for makespans rows are experiments and columns queues.
func thesisCell(pub *datasets.Table, row []string, kind byte, half, c int, runs map[int]*thesisRun) (v thesisValue, err error) {
	if v.published, err = strconv.ParseFloat(row[c], 64); err != nil {
		return v, err
	}
	first, err := strconv.Atoi(row[0])
	if err != nil {
		return v, err
	}
	if kind == 'm' {
		v.experiment, v.item, v.unit = first, c, "s"
		v.what, v.ours = fmt.Sprintf("experiment %d, queue %d", first, c), runs[first].makespan[c-1]
		return v, nil
	}
	if _, err := fmt.Sscanf(pub.Columns[c], "exp %d", &v.experiment); err != nil {
		return v, err
	}
	v.item, v.unit, v.what = first, "ratio", fmt.Sprintf("experiment %d, type %d", v.experiment, first)
	switch run := runs[v.experiment]; kind {
	case 'r':
		v.ours = run.ratio[half][first]
	case 'l':
		v.unit, v.ours = "% rack-local", run.rack[half][first]
	default:
		v.ours = run.variation[half][first]
	}
	return v, nil
}

// thesisQuestions tests the findings of section 6.5.
func thesisQuestions(runs map[int]*thesisRun) []Section {
	ratio := func(n, half int, types ...int) float64 {
		var s float64
		for _, t := range types {
			s += runs[n].ratio[half][t].Mean / float64(len(types))
		}
		return s
	}
	makespan := func(n int) float64 {
		m := 0.0
		for _, e := range runs[n].makespan {
			if !math.IsNaN(e.Mean) {
				m = math.Max(m, e.Mean)
			}
		}
		return m
	}
	short, long := []int{5, 6, 7}, []int{1, 2, 3, 4}
	claim := func(s *Section, what string, a, b float64) {
		s.holds(what, "ratio", exact(a/b), "below 1", a < b)
	}
	setup := fmt.Sprintf("experiments 1 to 32, %d replications", thesisReps)
	q1 := Section{Paper: "thesis", ID: "question 1", Title: "Short jobs after long ones", Source: "Chauhan, thesis, section 6.5.1", Setup: setup}
	for _, n := range []int{4, 6, 7, 8} {
		claim(&q1, fmt.Sprintf("short jobs' response ratio, experiment %d over experiment 2 (user limit 25 %%)", n), ratio(n, 2, short...), ratio(2, 2, short...))
		claim(&q1, fmt.Sprintf("long jobs' response ratio, experiment %d over experiment 2", n), ratio(n, 2, long...), ratio(2, 2, long...))
	}
	q1.holds("makespan, experiment 4 over experiment 2", "ratio", exact(makespan(4)/makespan(2)), "within 10 %", math.Abs(makespan(4)/makespan(2)-1) <= 0.1)
	claim(&q1, "large queue's response ratio with a limit on both (14 over 12), short jobs", ratio(14, 0, short...), ratio(12, 0, short...))
	claim(&q1, "large queue's makespan with limits (10 over 9)", runs[10].makespan[0].Mean, runs[9].makespan[0].Mean)
	claim(&q1, "small queue's makespan without limits (9 over 10)", runs[9].makespan[1].Mean, runs[10].makespan[1].Mean)
	claim(&q1, "rack-local share, 800 maps over 1 map (experiment 1)", runs[1].rack[0][4].Mean, runs[1].rack[0][5].Mean)

	q2 := Section{Paper: "thesis", ID: "question 2", Title: "Interleaved jobs", Source: "Chauhan, thesis, section 6.5.2", Setup: setup}
	for _, n := range []int{20, 22, 23, 24} {
		claim(&q2, fmt.Sprintf("all types' response ratio, experiment %d over experiment 18", n), ratio(n, 2, 1, 2, 3, 4, 5, 6, 7), ratio(18, 2, 1, 2, 3, 4, 5, 6, 7))
	}
	q2.holds("makespan, experiment 20 over experiment 18", "ratio", exact(makespan(20)/makespan(18)), "within 10 %", math.Abs(makespan(20)/makespan(18)-1) <= 0.1)

	q3 := Section{Paper: "thesis", ID: "question 3", Title: "Separate queues", Source: "Chauhan, thesis, section 6.5.3", Setup: setup}
	claim(&q3, "short jobs' response ratio with limits (26 over 25)", ratio(26, 2, short...), ratio(25, 2, short...))
	claim(&q3, "short queue's makespan with limits (26 over 25)", runs[26].makespan[0].Mean, runs[25].makespan[0].Mean)
	claim(&q3, "long jobs' response ratio without limits (25 over 26)", ratio(25, 2, long...), ratio(26, 2, long...))
	claim(&q3, "long jobs' response ratio with a user limit (30 over 26)", ratio(30, 2, long...), ratio(26, 2, long...))
	claim(&q3, "short jobs: limits help more than the user limit (26 over 28)", ratio(26, 2, short...), ratio(28, 2, short...))
	claim(&q3, "short jobs: separate queues with both (30) over one queue with a user limit (20)", ratio(30, 2, short...), ratio(20, 2, short...))
	return []Section{q1, q2, q3}
}
