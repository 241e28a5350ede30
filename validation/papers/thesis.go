package papers

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"schedtune/datasets"
	"schedtune/simcore"
	"schedtune/simcore/sched"
)

// The thesis's simulations: tables 6.1 to 6.20, experiments 1 to 32, and the
// answers to its three questions (section 6.5). Calibrated on experiments 1 to 8
// (tables 6.2, 6.3, 6.5): the disk's rate and the fixed time of a reduce.
// Judged: experiments 9 to 32; what of them is not independent stands in
// datasets/assumptions.go.

const (
	thesisReps      = 10 // as in the thesis
	thesisOtherReps = 4  // with another order of queues
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
	shift uint64 // added to the seeds
	// pending asks the queue with the most pending tasks first, which the tables
	// of experiments 25 to 32 look like, instead of the text's order.
	pending bool
}

// again are the runs that a way's are compared with; another order of queues is compared
// with nothing.
func (w thesisWay) again() thesisWay {
	if w == (thesisWay{}) {
		return thesisAgain
	}
	return w
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
		c.PendingFirst = way.pending
		trials = append(trials, trial{set: ds, scheduler: thesisSpec(), queues: c, shift: way.shift})
	}
	reps := thesisReps
	if way.pending {
		reps = thesisOtherReps
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
// variation is that of a job's execution time over the runs ("variability in results
// for same experiment across different runs", section 6.1.3), averaged over the jobs
// of the type.
func thesisOutcome(reps [][]float64) *thesisRun {
	run := &thesisRun{}
	for q := range run.makespan {
		run.makespan[q] = estimate(column(reps, q))
	}
	k := len(run.makespan)
	for q := range 3 {
		for ty := 1; ty <= 7; ty++ {
			run.ratio[q][ty], run.rack[q][ty] = estimate(finite(column(reps, k))), estimate(finite(column(reps, k+1)))
			k += 2
		}
	}
	var sum, n [3][8]float64
	for ; k < len(reps[0]); k += 3 {
		half, ty := int(reps[0][k]), int(reps[0][k+1])
		v := variation(column(reps, k+2))
		for _, q := range []int{half, 2} {
			sum[q][ty], n[q][ty] = sum[q][ty]+v, n[q][ty]+1
		}
	}
	for q := range 3 {
		for ty := 1; ty <= 7; ty++ {
			run.variation[q][ty] = exact(sum[q][ty] / n[q][ty])
		}
	}
	return run
}

// variation is the coefficient of variation of values, with the sample's standard
// deviation; 0 for a single one.
func variation(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	mean, sd := stat.MeanStdDev(x, nil)
	return sd / mean
}

// thesisFigures flattens a run: four makespans, then response ratio and rack-local
// share in percent for queues one, two and both and types 1 to 7, then half, type
// and execution time of every job. Queues one and two are the first and second half
// of the pattern: with four queues, queue 1 and 3 make the first half.
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
	for i := range o.Jobs {
		j := &o.Jobs[i]
		w := o.workload.Jobs[j.Job]
		ty := slices.Index(o.class, w.Class)
		out = append(out, float64(w.Queue%2), float64(ty+1), j.Execution().Seconds())
	}
	return out
}

func thesisType(o *outcome, half int, ty int32) []float64 {
	var ratio, n float64
	var rackMaps, all int32
	for i := range o.Jobs {
		j := &o.Jobs[i]
		w := o.workload.Jobs[j.Job]
		if w.Class != o.class[ty] || half < 2 && int(w.Queue)%2 != half {
			continue
		}
		ratio, n = ratio+j.ResponseRatio(), n+1
		rackMaps += j.At[simcore.RackLocal]
		for _, c := range j.At {
			all += c
		}
	}
	return []float64{ratio / n, 100 * float64(rackMaps) / float64(all)}
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

// thesisCalibrated are the tables that the disk, the fixed work of a reduce and the
// slowstart were set by.
var thesisCalibrated = map[string]bool{"6.2": true, "6.3": true, "6.5": true}

// calibration makes all rows with a verdict calibrations.
func (s *Section) calibration(how string) {
	for i := range s.Rows {
		if r := &s.Rows[i]; r.Kind != "" {
			r.Kind, r.Note = Calibration, how
		}
	}
}

// thesisGroup reproduces the tables of eight experiments.
func thesisGroup(from int) func(*runner) ([]Section, error) {
	return func(r *runner) ([]Section, error) {
		runs, err := r.thesisCached(from, from+7, r.way)
		if err != nil {
			return nil, err
		}
		again, err := r.thesisCached(from, from+7, r.way.again())
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
			if thesisCalibrated[t.id] {
				s.calibration("experiments 1 to 8 served it")
			}
			if t.kind == 'v' {
				if err := s.longVariation(t.id, from, runs); err != nil {
					return nil, err
				}
			}
			out = append(out, s)
		}
		return out, nil
	}
}

// thesisFindings tests section 6.5 on all experiments.
func thesisFindings(r *runner) ([]Section, error) {
	runs, err := r.thesisCached(1, 32, r.way)
	if err != nil {
		return nil, err
	}
	return thesisQuestions(runs)
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
